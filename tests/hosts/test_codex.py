"""What Codex writes, and what becomes of it."""

from __future__ import annotations

import time
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.hosts import HOSTS, recognise
from recall_lab.hosts.base import make_id
from recall_lab.hosts.codex.kinds import EVENTS, ITEMS, OTHERS
from recall_lab.hosts.codex.records import Body
from tests.hosts.reading import Outcome, problems_of, read
from tests.hosts.rollouts import (
    AT,
    PARENT,
    PATH,
    SESSION,
    TURNS,
    answer,
    bare,
    bare_message,
    call,
    dump,
    event,
    header,
    item,
    line,
    message,
    meta,
    output,
    prompt,
    turn,
)

CODEX = HOSTS["codex"]
FIELDS = [
    *Body.__struct_fields__,
    *("text", "total_token_usage", "last_token_usage", "input_tokens", "secs", "nanos", "exit_code", "subagent", "Ok"),
    *("thread_spawn", "content_item_kinds", "metadata", "command", "changes", "duration_ms", "image_url", "branch"),
]
IMAGE = "data:image/png;base64," + "iVBORw0K" * 200


def reading(source: bytes, path: str = PATH) -> Outcome:
    outcome = read(CODEX, source, path)
    assert problems_of(outcome, source) == []
    return outcome


def told(source: bytes) -> list[tuple[str, str, str]]:
    return [(block.role, block.kind, block.text) for block in reading(source).own]


def dispositions(source: bytes) -> dict[str, str]:
    return {record.record_type: record.disposition for record in reading(source).records}


# ---- recognising ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [".codex/sessions/2026/05/01", ".codex/archived_sessions", "elsewhere"])
@pytest.mark.parametrize(
    "source",
    [
        meta() + turn(),
        message("user", "hello"),
        event("token_count", info=None),
        header() + dump({"record_type": "state"}),
        b"torn" + meta(),
        meta()[:30],
    ],
)
def test_a_rollout_is_recognised_wherever_it_lies(folder: str, source: bytes) -> None:
    assert recognise(source.split(b"\n"), PurePath(folder, PATH)) is CODEX


@pytest.mark.parametrize(
    "source",
    [b"", b"{}\n", b"[1]\n", dump({"type": "user", "message": {"content": "x"}}), dump({"type": "message", "id": "1"})],
)
def test_other_files_are_not_recognised(source: bytes) -> None:
    assert not CODEX.recognise(source.split(b"\n"), PurePath("notes.jsonl"))


# ---- the session ---------------------------------------------------------------------------------------------------


def test_the_first_session_meta_names_the_session() -> None:
    git = {"commit_hash": "abc", "branch": "main", "repository_url": "https://example.org/one.git"}
    session = reading(meta(git=git) + meta(PARENT, cwd="/src/two") + turn()).session
    assert session is not None
    assert (session.native_id, session.cwd, session.branch) == (SESSION, "/src/one", "main")
    assert (session.remote, session.model, session.version) == ("https://example.org/one.git", "gpt-5", "0.140.0")
    assert (session.parent_id, session.relation) == (None, None)


def test_the_header_of_2025_names_the_session() -> None:
    source = header(git={"branch": "main"}) + bare_message(
        "user", "<environment_context>\n  <cwd>/src/old</cwd>\n</environment_context>"
    )
    outcome = reading(source)
    assert outcome.session is not None
    assert (outcome.session.native_id, outcome.session.branch) == (SESSION, "main")
    assert outcome.session.cwd == "/src/old"


def test_a_file_that_names_no_session_is_known_by_its_name() -> None:
    session = reading(prompt("hello")).session
    assert session is not None
    assert session.native_id == SESSION


@pytest.mark.parametrize(
    ("fields", "relation", "parent", "agent_type"),
    [
        ({"forked_from_id": PARENT}, "fork", PARENT, None),
        ({"parent_thread_id": PARENT, "agent_role": "explorer"}, "subagent", PARENT, "explorer"),
        ({"parent_thread_id": PARENT, "forked_from_id": TURNS[0]}, "subagent", PARENT, None),
        (
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "agent_nickname": "Plover"}}}},
            "subagent",
            PARENT,
            "Plover",
        ),
        ({"source": {"subagent": "review"}, "session_id": PARENT}, "subagent", PARENT, "review"),
        ({"source": "cli", "session_id": SESSION}, None, None, None),
    ],
)
def test_forks_and_children_name_their_parent(
    fields: dict[str, object], relation: str | None, parent: str | None, agent_type: str | None
) -> None:
    session = reading(meta(**fields)).session
    assert session is not None
    assert (session.relation, session.parent_id, session.agent_type) == (relation, parent, agent_type)
    assert session.native_id == SESSION


def test_a_session_has_the_title_that_the_user_gave() -> None:
    session = reading(meta() + event("thread_name_updated", thread_id=SESSION, thread_name="Batching")).session
    assert session is not None
    assert session.title == "Batching"


def test_a_block_stands_in_the_folder_of_its_turn() -> None:
    source = meta(git={"branch": "fix"}) + turn() + prompt("one") + turn(TURNS[1], cwd="/src/two") + prompt("two")
    assert [(block.cwd, block.branch) for block in reading(source).own] == [("/src/one", "fix"), ("/src/two", "fix")]


# ---- roles and turns -----------------------------------------------------------------------------------------------

AGENTS = "# AGENTS.md instructions for /src/one\n\n<INSTRUCTIONS>be brief</INSTRUCTIONS>"
HEADS = ["<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md"]


def test_the_user_is_who_an_event_quotes() -> None:
    source = meta() + message("developer", "rules") + message("user", AGENTS, "<x>") + prompt("why?") + answer("so")
    assert [(role, text) for role, _, text in told(source)] == [
        ("host", "rules"),
        ("host", AGENTS),
        ("host", "<x>"),
        ("user", "why?"),
        ("assistant", "so"),
    ]


@pytest.mark.parametrize("head", HEADS)
def test_the_user_may_begin_as_the_host_does(head: str) -> None:
    assert told(prompt(f"{head} is what I mean")) == [("user", "text", f"{head} is what I mean")]


def test_an_event_may_come_first_or_after_other_records() -> None:
    between = event("token_count", info=None) + item("reasoning", summary=[])
    early = event("user_message", message="why?") + between + message("user", "why?")
    late = message("user", "why?") + between + event("user_message", message="why?")
    for source in (early, late):
        assert told(source) == [("user", "text", "why?")]
    late = message("assistant", "so") + between + event("agent_message", message="so")
    assert told(late) == [("assistant", "text", "so")]


@pytest.mark.parametrize("head", HEADS)
def test_without_events_the_hosts_own_heads_tell(head: str) -> None:
    source = meta() + message("user", f"{head} x") + message("user", "why?") + message("developer", "y")
    assert [role for role, _, _ in told(source)] == ["host", "user", "host"]
    source = header() + bare_message("user", f"{head} x") + bare_message("user", "why?")
    assert [role for role, _, _ in told(source)] == ["host", "user"]


def test_a_message_in_parts_is_the_users_when_the_event_joins_them() -> None:
    source = message("user", "one ", "two") + event("user_message", message="one two")
    assert told(source) == [("user", "text", "one "), ("user", "text", "two")]


def test_one_part_may_be_the_users() -> None:
    source = message("user", "<ide>", "two") + event("user_message", message="two")
    assert [(role, text) for role, _, text in told(source)] == [("host", "<ide>"), ("user", "two")]


def test_what_the_host_says_of_a_part_counts_where_no_event_does() -> None:
    kinds = {"content_item_kinds": ["user.text", "goal.internal_context"]}
    source = event("user_message", message="x") + message(
        "user", "mine", "its", internal_chat_message_metadata_passthrough=kinds
    )
    assert [(role, text) for role, _, text in told(source)] == [("user", "x"), ("user", "mine"), ("host", "its")]


def test_an_event_that_no_item_repeats_is_indexed_itself() -> None:
    source = meta() + event("user_message", message="why?") + event("agent_message", message="so")
    assert told(source) == [("user", "text", "why?"), ("assistant", "text", "so")]
    assert dispositions(source)["event_msg/user_message"] == "indexed"


def test_an_event_that_repeats_an_item_is_a_duplicate() -> None:
    found = dispositions(meta() + prompt("why?") + answer("so"))
    assert found["event_msg/user_message"] == found["event_msg/agent_message"] == "duplicate"
    assert found["response_item/message"] == "indexed"


@pytest.mark.parametrize(
    "hidden", ["<proposed_plan>\n1. x\n</proposed_plan>", "<oai-mem-citation>m</oai-mem-citation>"]
)
def test_an_event_may_leave_out_what_the_host_does_not_show(hidden: str) -> None:
    source = event("agent_message", message="so it is") + message("assistant", f"so it is\n{hidden}\n")
    assert told(source) == [("assistant", "text", f"so it is\n{hidden}\n")]


def test_an_event_the_host_wrote_is_not_the_user() -> None:
    source = message("user", "<environment_context>x") + event(
        "user_message", message="<environment_context>x", kind="environment_context"
    )
    assert told(source) == [("host", "text", "<environment_context>x")]


def test_completed_items_stand_for_events() -> None:
    def completed(type_: str, text: str) -> bytes:
        return event("item_completed", item={"type": type_, "id": "i", "content": [{"type": "text", "text": text}]})

    source = message("user", AGENTS) + message("user", "why?") + completed("UserMessage", "why?")
    source += message("assistant", "so") + completed("AgentMessage", "so")
    assert [(role, text) for role, _, text in told(source)] == [("host", AGENTS), ("user", "why?"), ("assistant", "so")]


def test_a_turn_starts_at_each_user_message() -> None:
    source = meta() + message("user", AGENTS) + prompt("one") + answer("so") + call("call_000001") + prompt("two")
    source += message("user", "more ", "of it") + event("user_message", message="more of it") + answer("yes")
    assert [block.turn for block in reading(source).own] == [0, 1, 1, 1, 2, 3, 3, 3]


def test_the_same_words_twice_are_two_prompts() -> None:
    outcome = reading(prompt("go on") + answer("done") + prompt("go on") + answer("done"))
    assert [(block.role, block.turn) for block in outcome.own] == [
        ("user", 1),
        ("assistant", 1),
        ("user", 2),
        ("assistant", 2),
    ]
    assert len({block.block_id for block in outcome.own}) == 4


@pytest.mark.parametrize(
    ("turns", "live"),
    [(0, "abcdef"), (1, "abcdf"), (2, "abf"), (9, "f")],
)
def test_turns_that_were_rolled_back_are_dead(turns: int, live: str) -> None:
    source = prompt("a") + answer("b") + prompt("c") + answer("d") + prompt("e")
    outcome = reading(source + event("thread_rolled_back", num_turns=turns) + prompt("f"))
    assert "".join(block.text for block in outcome.live()) == live
    assert "".join(block.text for block in outcome.own) == "abcdef"


def test_rolling_back_counts_the_turns_that_still_stand() -> None:
    back = event("thread_rolled_back", num_turns=1)
    outcome = reading(prompt("a") + prompt("b") + back + prompt("c") + back + back + prompt("d"))
    assert [block.text for block in outcome.live()] == ["d"]
    assert outcome.dead == ((0, 3),)


# ---- what is kept, and what never is -------------------------------------------------------------------------------


def test_reasoning_appears_nowhere() -> None:
    secret = "I wonder"
    source = meta() + item("reasoning", summary=[{"type": "summary_text", "text": secret}], encrypted_content=secret)
    source += item("reasoning", summary=[], content=[{"type": "reasoning_text", "text": secret}])
    source += event("agent_reasoning", text=secret) + event("agent_reasoning_raw_content", text=secret)
    source += event("item_completed", item={"type": "Reasoning", "summary_text": [secret]})
    source += item("compaction", encrypted_content=secret) + header() + bare("reasoning", summary=[{"text": secret}])
    outcome = reading(source)
    assert secret not in repr(outcome.events)
    assert outcome.own == []
    assert {r.disposition for r in outcome.records} == {"metadata", "excluded"}


def test_a_compaction_is_the_hosts_summary_and_its_history_is_not_told_again() -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "why?"}]}]
    source = meta() + prompt("why?") + line("compacted", message="We chose b.", replacement_history=history)
    assert told(source) == [("user", "text", "why?"), ("host", "summary", "We chose b.")]
    assert dispositions(meta() + line("compacted", message="", replacement_history=history))["compacted"] == "metadata"


def test_images_are_placeholders_with_type_and_size() -> None:
    content = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": IMAGE},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "what is it?"},
    ]
    source = item("message", role="user", content=content) + event(
        "user_message", message="what is it?", images=[IMAGE]
    )
    assert told(source) == [("user", "text", "[image: image/png, 1,200 bytes]"), ("user", "text", "what is it?")]
    assert told(event("user_message", message="", images=[IMAGE])) == [
        ("user", "text", "[image: image/png, 1,200 bytes]")
    ]
    shown = output("call_000001", [{"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": IMAGE}])
    assert told(shown) == [("tool", "tool_result", "seen\n[image: image/png, 1,200 bytes]")]


def test_data_inside_text_is_a_placeholder_too() -> None:
    assert told(output("call_000001", f'{{"image": "{IMAGE}"}}')) == [
        ("tool", "tool_result", '{"image": "[data: image/png, 1,200 bytes]"}')
    ]


def test_what_another_agent_says_is_the_hosts() -> None:
    source = meta() + line(
        "inter_agent_communication", author="/root/a", recipient="/root", content="found it", trigger_turn=True
    )
    source += item("agent_message", author="/root/a", content=[{"type": "input_text", "text": "and more"}])
    source += item("agent_message", author="/root/a", content=[{"type": "encrypted_content", "encrypted_content": "x"}])
    assert told(source) == [("host", "text", "found it"), ("host", "text", "and more")]


def test_the_ledger_names_what_each_record_is() -> None:
    found = dispositions(
        meta()
        + turn()
        + line("world_state", state={})
        + line("token_usage_record", response_id="r", usage={"input_tokens": 1})
        + event("token_count", info=None)
        + event("task_complete", turn_id=TURNS[0])
        + event("exec_command_end", call_id="call_1", exit_code=0)
        + event("mystery_event", x=1)
        + item("mystery_item", x=1)
        + line("mystery", x=1)
        + dump({"hello": 1})
        + b'{"type": "response_item", "payload": [1]}\n'
        + b"torn {\n"
        + b'{"timestamp": "2026'
    )
    assert found == {
        "session_meta": "metadata",
        "turn_context": "metadata",
        "world_state": "metadata",
        "token_usage_record": "metadata",
        "event_msg/token_count": "metadata",
        "event_msg/task_complete": "metadata",
        "event_msg/exec_command_end": "duplicate",
        "event_msg/mystery_event": "unknown",
        "response_item/mystery_item": "unknown",
        "mystery": "unknown",
        "unnamed": "unknown",
        "line": "pending",
    }


def test_a_bad_line_costs_that_line() -> None:
    torn = message("user", "lost")[:60]
    source = meta() + torn + prompt("kept")[:-1] + b"\n" + b"\\p\n" + answer("too")
    outcome = reading(source)
    assert [block.text for block in outcome.own] == ["kept", "too"]
    bad = [record for record in outcome.records if record.disposition == "malformed"]
    assert [(record.offset, bool(record.reason)) for record in bad] == [
        (len(meta()), True),
        (source.index(b"\\p"), True),
    ]


def test_several_records_on_one_line_all_count() -> None:
    outcome = reading(meta() + prompt("why?").replace(b"\n", b" ") + answer("so").replace(b"\n", b"") + b"\n")
    assert [block.text for block in outcome.own] == ["why?", "so"]


def test_parts_of_a_torn_record_are_no_records() -> None:
    whole = line(
        "compacted", message="", replacement_history=[{"type": "message", "role": "user", "content": "no"}] * 3
    )
    assert told(meta() + whole[:-20] + b"\n") == []


def test_a_last_line_counts_when_it_is_whole() -> None:
    assert told(meta() + message("developer", "rules")[:-1]) == [("host", "text", "rules")]
    assert told(meta() + message("developer", "rules")[:-2]) == []


@pytest.mark.parametrize(
    "words",
    [
        "<proposed_plan>" * 40_000 + "</oai-mem-citation>" * 9_000,
        "</proposed_plan>" * 40_000,
        "data:image/png;base64" * 30_000,
        "data:;base64," * 40_000,
        "<environment_context>" + "<cwd>" * 60_000,
        "Chunk ID: " * 40_000,
        "<image " * 60_000,
    ],
)
def test_hostile_words_cost_no_more_than_others(words: str) -> None:
    source = meta() + message("assistant", words) + event("agent_message", message=words) + message("user", words)
    source += output("call_000001", words) + header() + bare_message("user", words)
    start = time.process_time()
    reading(source)
    assert time.process_time() - start < 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)
ODD = st.builds(
    lambda outer, inner, fields, stamp: dump({"timestamp": stamp, "type": outer, "payload": {**fields, "type": inner}}),
    st.sampled_from(["response_item", "event_msg", *sorted(OTHERS)]),
    st.sampled_from(sorted(ITEMS | EVENTS)),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6),
    VALUES,
)


@given(st.lists(ODD, max_size=6).map(b"".join))
@settings(max_examples=300, deadline=None)
def test_fields_of_any_shape_are_survived(source: bytes) -> None:
    outcome = reading(source)
    for found in outcome.tool_calls.values():
        assert found.duration_ms is None or 0 <= found.duration_ms < 2**53
    assert all(0 <= call.input_tokens < 2**53 for call in outcome.model_calls.values())


@pytest.mark.parametrize("number", [10**30, 10**4000, -(10**30)])
def test_numbers_beyond_all_bounds_are_survived(number: int) -> None:
    info = {
        "total_token_usage": {"input_tokens": number},
        "last_token_usage": {"input_tokens": number, "output_tokens": 1},
    }
    source = meta() + event("token_count", info=info) + call("call_000001", str(number))
    source += event("exec_command_end", call_id="call_000001", exit_code=number, duration={"secs": number, "nanos": 1})
    source += event("thread_rolled_back", num_turns=number) + event("item_completed", item={"duration_ms": number})
    outcome = reading(source)
    assert [found.duration_ms for found in outcome.tool_calls.values()] == [None]
    assert [(found.input_tokens, found.output_tokens) for found in outcome.model_calls.values()] == [(0, 1)]


# ---- ids -----------------------------------------------------------------------------------------------------------


def test_a_call_has_the_id_of_its_call_id() -> None:
    outcome = reading(meta() + call("call_abcdefgh") + output("call_abcdefgh", "x"))
    assert [block.block_id for block in outcome.own] == [
        make_id("codex", "call_abcdefgh", "function_call"),
        make_id("codex", "call_abcdefgh", "function_call_output"),
    ]


LONG = [
    meta(),
    message("developer", "rules"),
    turn(TURNS[0]),
    prompt("one"),
    answer("a"),
    call("call_000001"),
    output("call_000001", "x"),
    answer("b"),
    turn(TURNS[0]),
    answer("c"),
    call("call_000002"),
    call("call_000003"),
    answer("d"),
    output("call_000002", "x"),
    answer("e"),
    output("call_000003", "x"),
    answer("f"),
    turn(TURNS[1]),
    prompt("two"),
    turn(TURNS[0]),
    answer("g"),
    meta(),
    message("developer", "rules again"),
]


def test_no_two_blocks_of_a_file_share_an_id() -> None:
    blocks = reading(b"".join(LONG)).own
    assert len({block.block_id for block in blocks}) == len(blocks) == 17


def test_an_edit_moves_only_the_ids_between_two_anchors() -> None:
    edited = [*LONG]
    edited.insert(4, answer("between"))
    was = {block.text: block.block_id for block in reading(b"".join(LONG)).own}
    now = {block.text: block.block_id for block in reading(b"".join(edited)).own}
    assert {text for text in was if was[text] != now[text]} == {"a"}


def test_a_replay_keeps_the_ids_of_the_parent() -> None:
    start = [meta(PARENT), message("developer", "rules"), turn(TURNS[0]), prompt("one"), answer("a")]
    start += [call("call_000001"), output("call_000001", "x"), answer("b")]
    again = [piece.replace(AT.encode(), b"2026-06-01T00:00:00.000Z") for piece in start]
    own = [turn(TURNS[1]), prompt("two"), answer("c")]
    parent = reading(b"".join(start), path=PATH.replace(SESSION, PARENT)).own
    for fork in (meta(forked_from_id=PARENT), meta(parent_thread_id=PARENT)):
        blocks = reading(b"".join([fork, *again, *own])).own
        assert [(b.block_id, b.text, b.role) for b in blocks[:6]] == [(b.block_id, b.text, b.role) for b in parent]
        assert not {block.block_id for block in blocks[6:]} & {block.block_id for block in parent}


def test_ids_do_not_depend_on_folder_name_or_time() -> None:
    source = b"".join(LONG)
    moved = source.replace(b"/src/one", b"/elsewhere").replace(AT.encode(), b"2027-01-01T00:00:00.000Z")
    first, second = reading(source).own, reading(moved, path="archived/copy.jsonl").own
    assert [block.block_id for block in first] == [block.block_id for block in second]


def test_a_file_that_lost_its_first_line_keeps_its_ids() -> None:
    source = message("developer", "rules") + prompt("one") + turn() + prompt("two")
    whole, torn = reading(meta() + source).own, reading(meta()[:40] + b"\n" + source).own
    assert [block.block_id for block in whole] == [block.block_id for block in torn]
    other = reading(source, path=PATH.replace(SESSION, PARENT)).own
    assert not {block.block_id for block in other[:2]} & {block.block_id for block in whole}


def test_a_file_of_2025_has_the_time_of_its_header() -> None:
    (block,) = reading(header() + bare_message("user", "why?")).own
    assert block.timestamp == "2025-08-19T08:25:08.061Z"
