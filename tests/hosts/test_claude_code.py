"""Claude Code, line by line of what is known of its format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recall_lab.errors import SourceError
from recall_lab.hosts import HOSTS, recognise
from recall_lab.hosts.base import Checkpoint, RawBlock, make_id
from recall_lab.hosts.claude_code import HOST
from tests.hosts.reading import Outcome, lines_of, problems_of, read

SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
MAIN = f"projects/-work/{SESSION}.jsonl"
AGENT = f"projects/-work/{SESSION}/subagents/agent-a7.jsonl"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def row(number: int, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    head = {"uuid": uuid(number), "parentUuid": None if parent is None else uuid(parent), "sessionId": SESSION}
    return {**head, "timestamp": f"2026-05-01T10:00:{number:02d}.000Z", "cwd": "/src", "gitBranch": "main", **fields}


def user(number: int, content: Any, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    return row(number, parent, type="user", message={"role": "user", "content": content}, **fields)


def assistant(number: int, content: Any, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    message = {"id": f"msg_{number}", "model": "claude-opus-4-6", "role": "assistant", "content": content}
    message.update({name: fields.pop(name) for name in ("id", "model", "usage", "stop_reason") if name in fields})
    return row(number, parent, type="assistant", message=message, **fields)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def request(call: str, name: str = "Bash", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": fields}


def result(call: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": content, **fields}


def enqueue(words: Any, at: str = "2026-05-01T10:00:00.000Z", session: str = SESSION) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": "enqueue", "content": words, "timestamp": at, "sessionId": session}


def source(*records: dict[str, Any] | bytes) -> bytes:
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def told(*records: dict[str, Any] | bytes, path: str = MAIN, **options: Any) -> Outcome:
    data = source(*records)
    outcome = read(HOST, data, path, **options)
    assert problems_of(outcome, data) == []
    return outcome


def texts(outcome: Outcome) -> list[str]:
    return [block.text for block in outcome.own]


def only(outcome: Outcome) -> RawBlock:
    (block,) = outcome.own
    return block


# ---- reading lines -------------------------------------------------------------------------------------------------


def test_two_objects_on_one_line_are_two_records() -> None:
    data = source(user(1, "a")).rstrip() + source(user(2, "b"))
    outcome = read(HOST, data, MAIN)
    assert texts(outcome) == ["a", "b"]
    assert [record.length for record in outcome.records] == [data.index(b'}{"uuid') + 1, len(source(user(2, "b")))]


def test_a_torn_line_is_read_on_where_a_record_begins() -> None:
    whole = json.dumps({"type": "assistant", **assistant(2, [text("b")])}, separators=(",", ":")).encode()
    torn = b'{"parentUuid":"80d' + whole + b'-44","type":"user"}'
    outcome = told(user(1, "a"), torn, user(3, "c"))
    assert texts(outcome) == ["a", "b", "c"]
    assert [r.disposition for r in outcome.records] == ["indexed", "malformed", "indexed", "malformed", "indexed"]


def test_objects_inside_a_torn_record_are_no_records() -> None:
    inner = b'{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"assistant","id":"x"}],"uu'
    outcome = told(inner)
    assert outcome.own == []
    assert [(r.record_type, r.disposition) for r in outcome.records] == [("line", "malformed")]


def test_the_first_record_of_a_uuid_counts() -> None:
    outcome = told(user(1, "first"), user(1, "again"), assistant(2, "x"), assistant(2, "x", usage={"output_tokens": 5}))
    assert texts(outcome) == ["first", "x"]
    assert outcome.ledger["user", "duplicate"][0] == outcome.ledger["assistant", "duplicate"][0] == 1
    assert outcome.model_calls == {}


def test_a_last_line_that_is_whole_counts_at_once() -> None:
    data = source(user(1, "a"))[:-1]
    outcome = read(HOST, data, MAIN)
    assert texts(outcome) == ["a"]
    assert outcome.checkpoint.offset == len(data)
    assert read(HOST, data + b"\n", MAIN, cuts=[len(data)]).ledger == {("user", "indexed"): (1, len(data) + 1)}


def test_a_last_line_that_is_not_whole_is_pending_until_it_is() -> None:
    data = source(user(1, "a"), user(2, "b"))
    cut = len(data) - 9
    outcome = read(HOST, data[:cut], MAIN)
    assert texts(outcome) == ["a"]
    assert outcome.records[-1].disposition == "pending"
    assert outcome.checkpoint.offset == outcome.records[-1].offset == len(source(user(1, "a")))
    assert texts(read(HOST, data, MAIN, cuts=[cut])) == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "words", "note"),
    [
        (b"\xef\xbb\xbf%s", "hello", None),
        (b"%s\r", "hello", None),
        (b"  %s", "hello", None),
        (b'{"type":"user","uuid":"u","message":{"content":"a\\u0000b"}}', "a\0b", None),
        (b'{"type":"user","uuid":"u","message":{"content":"a\x00b"}}', "a\0b", None),
        (b'{"type":"user","uuid":"u","message":{"content":"a\\ud83db"}}', "a\ufffdb", "lone surrogate replaced"),
        (b'{"type":"user","uuid":"u","message":{"content":"\\ud83d\\ude42"}}', "\U0001f642", None),
        ('{"type":"user","uuid":"u","message":{"content":"a\u2028b\x85c"}}'.encode(), "a\u2028b\x85c", None),
        (b'{"type":"user","uuid":"u","message":{"content":"a\xffb"}}', "a\ufffdb", "bad UTF-8 replaced"),
        (b'{"type":"user","uuid":"u","n":NaN,"message":{"content":"a"}}', "a", None),
        (b'{"type":"user","uuid":"u","cwd":7,"isMeta":"no","message":{"content":"a"}}', "a", None),
        (b'{"type":"user","uuid":"u","timestamp":1777629600,"message":{"content":["a",5]}}', "a", None),
        (b'{"type":"user","uuid":"u","n":' + b"9" * 5000 + b',"message":{"content":"a"}}', "a", None),
    ],
)
def test_odd_bytes_are_survived(line: bytes, words: str, note: str | None) -> None:
    plain = json.dumps(user(1, "hello")).encode()
    outcome = told(line % plain if b"%s" in line else line)
    assert only(outcome).text == words
    assert [r.reason for r in outcome.records if r.records] == [note]


def test_nesting_without_end_costs_that_line() -> None:
    deep = b'{"type":"user","uuid":"u","message":{"content":' + b"[" * 50_000 + b"]" * 50_000 + b"}}"
    outcome = told(deep, user(1, "a"))
    assert texts(outcome) == ["a"]
    assert [r.reason for r in outcome.records] == ["nested too deep", None]


def test_blank_lines_count_with_the_record_before() -> None:
    data = b"\n" + source(user(1, "a")) + b"\r\n \n" + source(user(2, "b"))
    outcome = read(HOST, data, MAIN)
    size = len(source(user(1, "a"))) + len(source(user(2, "b"))) + 4
    assert outcome.ledger == {("blank", "metadata"): (0, 1), ("user", "indexed"): (2, size)}


# ---- block ids -----------------------------------------------------------------------------------------------------


def test_an_id_is_made_of_uuid_index_and_kind() -> None:
    outcome = told(
        user(1, "a"), assistant(2, [text("b"), request("toolu_1"), text("c")]), user(3, [result("toolu_1", "d")])
    )
    assert [block.block_id for block in outcome.own] == [
        make_id("claude-code", uuid(1), 0, "text"),
        make_id("claude-code", uuid(2), 0, "text"),
        make_id("claude-code", uuid(2), 1, "tool_use"),
        make_id("claude-code", uuid(2), 2, "text"),
        make_id("claude-code", uuid(3), 0, "tool_result"),
    ]


def test_copies_have_the_ids_of_the_original_wherever_they_lie() -> None:
    records = [user(1, "a"), assistant(2, [text("b")], 1)]
    moved = [
        {**r, "cwd": "/else", "isSidechain": True, "agentId": "a7", "sessionId": OTHER, "parentUuid": None}
        for r in records
    ]
    original, copy = told(*records), told(*moved, path=f"x/{OTHER}.jsonl")
    assert [b.block_id for b in original.own] == [b.block_id for b in copy.own]


def test_lines_of_one_message_are_blocks_of_their_own() -> None:
    outcome = told(assistant(1, [text("a")], id="msg"), assistant(2, [text("b")], id="msg"))
    assert len({block.block_id for block in outcome.own}) == 2


def test_a_queued_prompt_has_an_id_of_session_and_time() -> None:
    outcome = told(enqueue("a"), enqueue("b"), enqueue("c", "2026-05-01T10:00:09.000Z"))
    assert [block.block_id for block in outcome.own] == [
        make_id("claude-code", SESSION, "queue", "2026-05-01T10:00:00.000Z", 0),
        make_id("claude-code", SESSION, "queue", "2026-05-01T10:00:00.000Z", 1),
        make_id("claude-code", SESSION, "queue", "2026-05-01T10:00:09.000Z", 0),
    ]
    assert [block.queued for block in outcome.own] == [True] * 3


def test_a_summary_has_an_id_of_its_leaf() -> None:
    summary = {"type": "summary", "summary": "short", "leafUuid": uuid(5)}
    outcome = told(summary, summary)
    assert [b.block_id for b in outcome.own] == [make_id("claude-code", uuid(5), "summary", n) for n in (0, 1)]
    assert {(b.role, b.kind) for b in outcome.own} == {("host", "summary")}


def test_a_record_without_a_uuid_is_told_by_session_type_and_time() -> None:
    bare = {key: value for key, value in user(1, "a").items() if key != "uuid"}
    outcome = told(bare, bare)
    assert len({block.block_id for block in outcome.own}) == 2
    assert outcome.own == read(HOST, source(bare, bare), "elsewhere.jsonl", cuts=[len(source(bare))]).own


# ---- sessions ------------------------------------------------------------------------------------------------------


def test_a_main_file_is_named_after_its_session() -> None:
    outcome = told(user(1, "a", version="2.1.7"), user(2, "b", gitBranch="fix", cwd="/else"))
    assert outcome.session is not None
    assert msgspec.structs.asdict(outcome.session) == {
        **dict.fromkeys(("parent_id", "relation", "agent_id", "agent_type", "title", "remote", "model")),
        "native_id": SESSION,
        "cwd": "/src",
        "branch": "fix",
        "version": "2.1.7",
    }


def test_under_another_name_the_first_message_tells_the_session() -> None:
    queue = enqueue("q", session="33333333-3333-4333-8333-333333333333")
    outcome = told(queue, user(1, "a"), *(user(n, "b", sessionId=OTHER) for n in range(2, 9)), path="copy-of-it.jsonl")
    assert outcome.session
    assert outcome.session.native_id == SESSION


def test_a_file_that_begins_with_another_session_goes_on_from_it() -> None:
    outcome = told(user(1, "a", sessionId=OTHER), user(2, "b"))
    assert outcome.session
    assert (outcome.session.native_id, outcome.session.parent_id) == (SESSION, OTHER)
    assert outcome.session.relation == "continuation"


def test_a_fork_names_its_parent() -> None:
    outcome = told(user(1, "a", forkedFrom={"sessionId": OTHER, "messageUuid": uuid(9)}))
    assert outcome.session
    assert (outcome.session.parent_id, outcome.session.relation) == (OTHER, "fork")


@pytest.mark.parametrize(
    ("path", "agent"),
    [
        (f"p/{SESSION}/subagents/agent-a7.jsonl", "a7"),
        (f"p/{SESSION}/subagents/workflows/wf_1/agent-a7.jsonl", "a7"),
        ("p/agent-0f1e2d3c.jsonl", "0f1e2d3c"),
        (f"p/{SESSION}/subagents/agent-acompact-db6e.jsonl", "acompact-db6e"),
        (f"p/{SESSION}/subagents/agent-aside_question-9a.jsonl", "aside_question-9a"),
    ],
)
def test_an_agents_file_is_a_child_of_the_session(path: str, agent: str) -> None:
    outcome = told(user(1, "do it", isSidechain=True, agentId=agent), path=path)
    assert outcome.session
    assert outcome.session.native_id == f"{SESSION}/{agent}"
    assert (outcome.session.parent_id, outcome.session.relation) == (SESSION, "subagent")
    assert HOST.agent_id(Path(path)) == agent


def test_an_agents_file_under_another_name_is_still_the_agents() -> None:
    outcome = told(user(1, "do it", isSidechain=True, agentId="a7"), path="copy.jsonl")
    assert outcome.session
    assert outcome.session.native_id == f"{SESSION}/a7"


def test_the_companion_tells_what_the_agent_is() -> None:
    companion = b'{"agentType":"Explore","description":"Find the config","toolUseId":"toolu_1"}'
    outcome = told(user(1, "do it", isSidechain=True), path=AGENT, companion=companion)
    assert outcome.session
    assert (outcome.session.agent_type, outcome.session.title) == ("Explore", "Find the config")
    assert HOST.companion(Path("p/agent-a7.jsonl")) == Path("p/agent-a7.meta.json")
    assert HOST.companion(Path(MAIN)) is None
    assert told(user(1, "do it"), path=AGENT, companion=b"[").session


def test_titles_by_rank_and_age() -> None:
    summary = {"type": "summary", "summary": "from summary", "leafUuid": uuid(1)}
    ai = {"type": "ai-title", "aiTitle": "from the host", "sessionId": SESSION}
    custom = {"type": "custom-title", "customTitle": "from a person", "sessionId": SESSION}

    def title(*records: dict[str, Any]) -> str | None:
        outcome = told(*records)
        sizes = [len(source(*records[:n])) for n in range(1, len(records))]
        pieces = read(HOST, source(*records), MAIN, cuts=sizes if records[0]["type"] != "summary" else ())
        assert outcome.session
        assert pieces.session == outcome.session
        return outcome.session.title

    assert title(user(1, "a")) is None
    assert title(user(1, "a"), summary) == "from summary"
    assert title(summary, user(1, "a")) == "from summary"
    assert title({**summary, "leafUuid": uuid(9)}, user(1, "a")) is None
    assert title(user(1, "a"), ai, summary) == "from the host"
    assert title(user(1, "a"), custom, ai, {**custom, "customTitle": "newer"}, ai) == "newer"


def test_a_source_without_a_message_is_named_after_its_file() -> None:
    outcome = told(b"rubbish", path="notes.jsonl")
    assert outcome.session
    assert outcome.session.native_id == "notes"
    later = read(HOST, source(b"rubbish", user(1, "a")), "notes.jsonl", cuts=[len(source(b"rubbish"))])
    assert later.session
    assert (later.session.native_id, later.session.relation) == (SESSION, None)


# ---- roles ---------------------------------------------------------------------------------------------------------

HOST_TEXTS = [
    "[Request interrupted by user]",
    "Caveat: The messages below were generated by the user",
    "<task-notification>\n<task-id>b1</task-id>",
    '<teammate-message teammate_id="x">hi</teammate-message>',
    "<system-reminder>be brief</system-reminder>",
    "<local-command-stdout>ok</local-command-stdout>",
    "<local-command-caveat>Caveat: x</local-command-caveat>",
    "<bash-stdout>ok</bash-stdout>",
    "<bash-stderr>no</bash-stderr>",
    "<ide_opened_file>a.py</ide_opened_file>",
    "<ide_selection>a.py</ide_selection>",
    "<user-prompt-submit-hook>x</user-prompt-submit-hook>",
]
USER_TEXTS = [
    "why?",
    "<bash-input>ls</bash-input>",
    "<command-name>/clear</command-name>",
    "<command-message>plan</command-message>",
    "<div>why is this div empty?</div>",
    "<ideas>",
    "the [Request interrupted notice came up",
]


@pytest.mark.parametrize("words", HOST_TEXTS)
def test_what_the_host_wrote_is_host(words: str) -> None:
    assert only(told(user(1, words))).role == "host"
    assert only(told(user(1, [text(words)]))).role == "host"


@pytest.mark.parametrize("words", USER_TEXTS)
def test_what_the_user_wrote_is_user(words: str) -> None:
    assert only(told(user(1, words))).role == "user"


@pytest.mark.parametrize(
    ("fields", "role", "kind"),
    [
        ({"isMeta": True}, "host", "text"),
        ({"isCompactSummary": True, "isVisibleInTranscriptOnly": True}, "host", "summary"),
        ({"origin": {"kind": "task-notification"}}, "host", "text"),
        ({"origin": {"kind": "human"}}, "user", "text"),
        ({"origin": "channel"}, "host", "text"),
        ({"isSidechain": True}, "host", "text"),
        ({"isSidechain": True, "permissionMode": "default"}, "user", "text"),
        ({"isSidechain": False}, "user", "text"),
    ],
)
def test_the_record_tells_the_role(fields: dict[str, Any], role: str, kind: str) -> None:
    block = only(told(user(1, "words", **fields)))
    assert (block.role, block.kind) == (role, kind)


def test_roles_are_of_blocks_and_not_of_records() -> None:
    items = [text("<ide_opened_file>a</ide_opened_file>"), text("why?"), result("toolu_1", "out"), text("and this")]
    assert [block.role for block in told(user(1, items)).own] == ["host", "user", "tool", "user"]
    items = [text("ok"), request("toolu_1"), {"type": "web_search_tool_result", "tool_use_id": "s", "content": "hit"}]
    assert [block.role for block in told(assistant(1, items)).own] == ["assistant", "assistant", "tool"]
    assert only(told(user(1, [result("toolu_1", "out")], isMeta=True))).role == "tool"


def test_an_aside_is_the_users_question_after_a_reminder() -> None:
    words = "<system-reminder>This is a side question from the user.\n\nAnswer it.</system-reminder>\n\nwhat is a qrel?"
    outcome = told(user(1, words, isSidechain=True), path=f"{SESSION}/subagents/agent-aside_question-9a.jsonl")
    assert [(b.role, b.text) for b in outcome.own] == [
        ("host", words.split("\n\nwhat", maxsplit=1)[0]),
        ("user", "what is a qrel?"),
    ]
    assert outcome.own[1].block_id == make_id("claude-code", uuid(1), 0, "text")
    assert len({block.block_id for block in outcome.own}) == 2


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("also add a test", "user"),
        ("/compact", "user"),
        ("<bash-input>ls</bash-input>", "user"),
        ("<task-notification>\n<task-id>b1</task-id></task-notification>", "host"),
        ("<anything>else</anything>", "host"),
        ('{"task_id":"b1","status":"completed"}', "host"),
        ("1 < 2 and <3", "user"),
    ],
)
def test_queued_prompts_are_the_users_words(words: str, role: str) -> None:
    assert only(told(enqueue(words))).role == role


def test_queue_operations_without_words_of_their_own_are_metadata() -> None:
    popped = {**enqueue("a"), "operation": "popAll"}
    outcome = told(enqueue("a"), popped, {**enqueue(None), "operation": "dequeue"}, enqueue(None))
    assert texts(outcome) == ["a"]
    assert Counter(r.disposition for r in outcome.records) == {"indexed": 1, "metadata": 3}


def test_a_queued_prompt_and_its_delivery_both_come() -> None:
    outcome = told(enqueue("also add a test"), user(1, "also add a test"))
    assert [(b.text, b.queued) for b in outcome.own] == [("also add a test", True), ("also add a test", False)]


@pytest.mark.parametrize(
    ("attachment", "role"),
    [
        ({"prompt": "also add a test"}, "user"),
        ({"prompt": [text("also add a test")], "commandMode": "prompt", "origin": {"kind": "human"}}, "user"),
        ({"prompt": "<task-notification>x</task-notification>", "commandMode": "task-notification"}, "host"),
        ({"prompt": "done", "commandMode": "task-notification"}, "host"),
        ({"prompt": "hello from a peer", "isMeta": True, "origin": {"kind": "peer"}}, "host"),
    ],
)
def test_a_prompt_delivered_as_an_attachment_is_the_users(attachment: dict[str, Any], role: str) -> None:
    outcome = told(user(1, "a"), row(2, 1, type="attachment", attachment={"type": "queued_command", **attachment}))
    block = outcome.own[1]
    assert (block.role, block.queued, block.turn) == (role, False, 1)
    assert block.block_id == make_id("claude-code", uuid(2), 0, "text")


# ---- turns ---------------------------------------------------------------------------------------------------------


def turns(*records: dict[str, Any], path: str = MAIN) -> list[int]:
    return [block.turn for block in told(*records, path=path).own]


def test_a_turn_starts_at_each_prompt_and_zero_comes_before() -> None:
    summary = {"type": "summary", "summary": "s", "leafUuid": uuid(9)}
    assert turns(summary, user(1, "a"), assistant(2, "b"), user(3, "c"), assistant(4, "d")) == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("words", ["<command-name>/clear</command-name>", "<bash-input>ls</bash-input>", *HOST_TEXTS])
def test_no_turn_starts_at(words: str) -> None:
    assert turns(user(1, "a"), user(2, words)) == [1, 1]


def test_what_else_starts_a_turn() -> None:
    assert turns(user(1, "<command-message>plan</command-message>\n<command-name>/plan</command-name>")) == [1]
    assert turns(user(1, [text("<ide_opened_file>a</ide_opened_file>"), text("why?")])) == [1, 1]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    assert turns(user(1, [picture])) == [1]


def test_what_else_starts_none() -> None:
    assert turns(user(1, "a"), user(2, [result("t", "out"), text("beside it")])) == [1, 1, 1]
    assert (
        turns(user(1, "a"), enqueue("b"), user(2, "skill", isMeta=True), user(3, "s", isCompactSummary=True)) == [1] * 4
    )
    assert turns(user(1, "a"), user(2, "a task", isSidechain=True), user(1, "a")) == [1, 1]


def test_dead_branches_count_and_nothing_is_renumbered() -> None:
    outcome = told(user(1, "a"), assistant(2, "b", 1), user(3, "old", 2), user(4, "new", 2))
    assert [(b.turn, b.text) for b in outcome.own] == [(1, "a"), (1, "b"), (2, "old"), (3, "new")]


def test_turns_of_an_agent() -> None:
    side = {"isSidechain": True, "agentId": "a7"}
    teammate = '<teammate-message teammate_id="lead">go on</teammate-message>'
    records = [
        user(1, "the task", **side),
        assistant(2, [text("ok")], **side),
        user(3, [result("t", "out")], **side),
        user(4, teammate, **side),
        user(5, "another task", **side),
        user(6, "[Request interrupted by user]", **side),
        user(7, "a skill", isMeta=True, **side),
    ]
    assert turns(*records, path=AGENT) == [1, 1, 1, 2, 3, 3, 3]
    assert turns(assistant(1, "it begins with an answer", **side), user(2, "task", **side), path=AGENT) == [1, 2]


# ---- dead branches -------------------------------------------------------------------------------------------------


def live(*records: dict[str, Any]) -> list[str]:
    outcome = told(*records)
    sizes = [len(source(*records[:n])) for n in range(1, len(records))]
    assert read(HOST, source(*records), MAIN, cuts=sizes).dead == outcome.dead
    return [block.text for block in outcome.live()]


def test_after_a_rewind_the_latest_branch_lives() -> None:
    records = [
        user(1, "a"),
        assistant(2, "b", 1),
        user(3, "first try", 2),
        assistant(4, "on it", 3),
        user(5, "second try", 2),
        assistant(6, "done", 5),
    ]
    assert live(*records) == ["a", "b", "second try", "done"]
    assert live(*records, user(7, "third try", 2)) == ["a", "b", "third try"]


def test_parallel_tool_calls_are_no_branches() -> None:
    records = [
        user(1, "a"),
        assistant(2, [request("t1")], 1),
        assistant(3, [request("t2")], 2),
        user(4, [result("t1", "one")], 2),
        user(5, [result("t2", "two")], 3),
        assistant(6, "done", 5),
        user(7, "next", 6),
    ]
    assert len(live(*records)) == 7


def test_roots_never_die() -> None:
    orphan = row(3, type="user", message={"content": "orphan"}) | {"parentUuid": uuid(99)}
    compact = row(4, type="system", subtype="compact_boundary", content="Conversation compacted")
    assert live(user(1, "a"), user(2, "b"), orphan, compact, user(5, "c", 4)) == ["a", "b", "orphan", "c"]


def test_the_order_is_of_the_file_and_not_of_the_clock() -> None:
    early = user(4, "second try", 2, timestamp="2020-01-01T00:00:00.000Z")
    assert live(user(1, "a"), assistant(2, "b", 1), user(3, "first try", 2), early) == ["a", "b", "second try"]


def test_a_parent_may_come_after_its_child() -> None:
    assert live(user(3, "x", 2), user(4, "y", 2), assistant(2, "b", 1), user(1, "a")) == ["y", "b", "a"]


def test_branches_hang_on_records_without_text_too() -> None:
    hook = row(2, 1, type="progress", data={"type": "hook_progress"})
    assert live(user(1, "a"), hook, user(3, "old", 2), user(4, "new", 2)) == ["a", "new"]


def test_records_that_follow_one_another_in_a_ring_are_survived() -> None:
    assert live(user(1, "a", 2), user(2, "b", 1), user(3, "c", 3)) == ["a", "b", "c"]


# ---- agents told inside the session --------------------------------------------------------------------------------


def agent_progress(number: int, inner: dict[str, Any], agent: str = "a9") -> dict[str, Any]:
    fields = ("type", "uuid", "timestamp", "message", "requestId")
    message = {name: inner[name] for name in fields if name in inner}
    data = {"type": "agent_progress", "agentId": agent, "prompt": "the task", "message": message}
    return row(number, type="progress", data=data, toolUseID="agent_msg_1", parentToolUseID="toolu_9")


EMBEDDED = [
    user(1, "a"),
    agent_progress(2, user(11, [text("the task")])),
    agent_progress(3, assistant(12, [request("t1", command="ls")], usage={"output_tokens": 3}, requestId="req_1")),
    agent_progress(4, user(13, [result("t1", "out")])),
    agent_progress(5, user(13, [result("t1", "out")])),
    assistant(6, "done", 1),
]


def test_an_agent_without_a_file_is_told_from_the_session() -> None:
    outcome = told(*EMBEDDED)
    assert texts(outcome) == ["a", "done"]
    assert [(a, b.role, b.turn, b.ord, b.block_id) for a, b in outcome.blocks if a] == [
        ("a9", "host", 1, 1, make_id("claude-code", uuid(11), 0, "text")),
        ("a9", "assistant", 1, 2, make_id("claude-code", uuid(12), 0, "tool_use")),
        ("a9", "tool", 1, 3, make_id("claude-code", uuid(13), 0, "tool_result")),
    ]
    child = outcome.children["a9"]
    assert (child.native_id, child.parent_id, child.relation) == (f"{SESSION}/a9", SESSION, "subagent")
    assert outcome.ledger["progress/agent_progress", "indexed"][0] == 3
    assert outcome.ledger["progress/agent_progress", "duplicate"][0] == 1
    assert set(outcome.model_calls) == {("a9", make_id("claude-code", "call", "msg_12", "req_1"))}
    assert set(outcome.tool_calls) == {("a9", "t1")}


def test_an_agent_with_a_file_is_told_there_alone() -> None:
    outcome = told(*EMBEDDED, agents=frozenset({"a9"}))
    assert [a for a, _ in outcome.blocks if a] == []
    assert outcome.ledger["progress/agent_progress", "duplicate"][0] == 4


def test_who_does_not_ask_for_agents_gets_none() -> None:
    outcome = told(*EMBEDDED, agents=None)
    assert [a for a, _ in outcome.blocks if a] == []
    assert outcome.ledger["progress/agent_progress", "excluded"][0] == 4


def test_an_agents_own_file_gives_the_same_ids_and_calls() -> None:
    inner = [
        user(11, [text("the task")]),
        assistant(12, [request("t1", command="ls")], usage={"output_tokens": 3}, requestId="req_1"),
    ]
    own = told(
        *({**r, "isSidechain": True, "agentId": "a9"} for r in inner), path=f"{SESSION}/subagents/agent-a9.jsonl"
    )
    embedded = told(*EMBEDDED)
    assert [b.block_id for b in own.own] == [b.block_id for a, b in embedded.blocks if a][:2]
    assert {key for _, key in own.model_calls} == {key for _, key in embedded.model_calls}


# ---- tools ---------------------------------------------------------------------------------------------------------


def test_a_request_reads_as_its_whole_input() -> None:
    block = only(
        told(assistant(1, [request("t1", "Edit", file_path="/a.py", old_string="x = 1\ny", replace_all=False)]))
    )
    assert block.text == "Edit\nfile_path: /a.py\nold_string:\nx = 1\ny\nreplace_all: false"
    assert (block.kind, block.tool, block.call_id) == ("tool_use", "Edit", "t1")


def test_a_result_reads_as_its_content_and_not_as_the_hosts_copy() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    parts = [text("one"), picture, text("two"), {"type": "tool_reference", "tool_name": "WebFetch"}]
    block = only(told(user(1, [result("t1", parts)], toolUseResult={"stdout": "SECRET COPY"})))
    assert block.text == "one\n[image: image/png, 5 bytes]\ntwo\nWebFetch"
    assert block.call_id == "t1"


def test_a_call_is_its_request_and_its_outcome() -> None:
    records = [
        assistant(1, [request("t1", command="ls")]),
        user(2, [result("t1", "Exit code 2\nls: x: No such file", is_error=True)], toolUseResult={"durationMs": 120}),
    ]
    (call,) = told(*records).tool_calls.values()
    assert msgspec.structs.asdict(call) == {
        "call_id": "t1",
        "turn": 0,
        "tool": "Bash",
        "request_block": make_id("claude-code", uuid(1), 0, "tool_use"),
        "result_block": make_id("claude-code", uuid(2), 0, "tool_result"),
        "started": "2026-05-01T10:00:01.000Z",
        "ended": "2026-05-01T10:00:02.000Z",
        "failed": True,
        "error": "Exit code 2: ls: x: No such file",
        "duration_ms": 120,
        "agent": None,
    }


@pytest.mark.parametrize(
    ("content", "is_error", "failed", "error"),
    [
        ("fine", False, False, None),
        ("fine", None, False, None),
        ("", None, False, None),
        ("Exit code 1", None, True, "Exit code 1"),
        ("Exit code 0\nok", None, False, None),
        ("Exit code 1\nok", False, False, None),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", True, True, "File has not been read yet."),
        ("\n\n  first line \nsecond", True, True, "first line"),
        ("x" * 300, True, True, "x" * 200),
        ("", True, True, None),
        ([text("boom")], True, True, "boom"),
    ],
)
def test_failures_are_told_by_flag_or_exit_code(
    content: Any, is_error: bool | None, failed: bool, error: str | None
) -> None:
    flag = {} if is_error is None else {"is_error": is_error}
    (call,) = told(user(1, [result("t1", content, **flag)])).tool_calls.values()
    assert (call.failed, call.error) == (failed, error)


@pytest.mark.parametrize(
    ("logged", "duration"),
    [
        ({"durationMs": 7}, 7),
        ({"totalDurationMs": 8.6}, 9),
        ({"durationSeconds": 1.5}, 1500),
        ({"durationMs": "soon"}, None),
        ("Error: no", None),
        ([1], None),
        (None, None),
    ],
)
def test_a_duration_is_what_the_host_logged(logged: Any, duration: int | None) -> None:
    (call,) = told(user(1, [result("t1", "out")], toolUseResult=logged)).tool_calls.values()
    assert call.duration_ms == duration


# ---- model calls ---------------------------------------------------------------------------------------------------

USAGE = {
    "input_tokens": 3,
    "output_tokens": 10,
    "cache_creation_input_tokens": 700,
    "cache_read_input_tokens": 5000,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 600},
    "server_tool_use": {"web_search_requests": 2},
}


def test_usage_is_read_to_the_token() -> None:
    record = assistant(1, "a", usage=USAGE, requestId="req_1", stop_reason="end_turn", costUSD=0.25)
    (call,) = told(record).model_calls.values()
    assert msgspec.structs.asdict(call) == {
        "key": make_id("claude-code", "call", "msg_1", "req_1"),
        "model": "claude-opus-4-6",
        "timestamp": "2026-05-01T10:00:01.000Z",
        "turn": 0,
        "input_tokens": 3,
        "output_tokens": 10,
        "cache_read_tokens": 5000,
        "cache_write_5m_tokens": 100,
        "cache_write_1h_tokens": 600,
        "reasoning_tokens": 0,
        "web_searches": 2,
        "final": True,
        "sidechain": False,
        "logged_cost_usd": 0.25,
        "agent": None,
    }


def test_cache_writes_that_are_not_told_apart_live_five_minutes() -> None:
    (call,) = told(assistant(1, "a", usage={"cache_creation_input_tokens": 700})).model_calls.values()
    assert (call.cache_write_5m_tokens, call.cache_write_1h_tokens) == (700, 0)


def test_rows_of_one_response_are_one_call() -> None:
    rows = [
        assistant(1, [text("a")], id="msg", requestId="req", usage={"output_tokens": 1}),
        assistant(2, [text("b")], id="msg", requestId="req", usage={"output_tokens": 90}, stop_reason="end_turn"),
        assistant(3, [text("c")], id="msg", requestId="req", usage={"output_tokens": 120}),
    ]
    (call,) = told(*rows).model_calls.values()
    assert (call.output_tokens, call.final) == (90, True)


def test_what_makes_a_call_another_one() -> None:
    rows = [
        assistant(1, "a", id="msg", requestId="req_1", usage=USAGE),
        assistant(2, "a", id="msg", requestId="req_2", usage=USAGE),
        assistant(3, "a", id="msg", usage=USAGE),
        assistant(4, "a", id="msg", usage=USAGE, isSidechain=True),
        assistant(5, "a", id=None, usage=USAGE),
        assistant(6, "a", id=None, usage=USAGE),
    ]
    assert len(told(*rows).model_calls) == 5


def test_what_is_no_call() -> None:
    rows = [
        assistant(1, "a", model="<synthetic>", usage=USAGE),
        assistant(2, "a", isApiErrorMessage=True, usage=USAGE),
        assistant(3, "a"),
        assistant(4, "a", usage=None),
    ]
    assert told(*rows).model_calls == {}


# ---- what is left out ----------------------------------------------------------------------------------------------


def test_thinking_is_left_out() -> None:
    thinking = [
        {"type": "thinking", "thinking": "PRIVATE", "signature": "PRIVATE"},
        {"type": "redacted_thinking", "data": "PRIVATE"},
    ]
    outcome = told(assistant(1, thinking), assistant(2, [*thinking, text("a")]))
    assert "PRIVATE" not in repr(outcome.events)
    assert only(outcome).block_id == make_id("claude-code", uuid(2), 2, "text")
    assert [r.disposition for r in outcome.records] == ["excluded", "indexed"]


def test_pictures_and_documents_become_a_placeholder() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "AAAA" * 1000}}
    paper = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
    outcome = told(user(1, [picture, paper]), user(2, [picture, text("what is this?")]))
    assert texts(outcome)[:2] == ["[image: image/jpeg, 3,000 bytes]", "[document: text/plain, 5 bytes]"]
    assert [block.role for block in outcome.own] == ["user"] * 4
    assert [r.disposition for r in outcome.records] == ["excluded", "indexed"]


def test_the_ledger_names_every_kind() -> None:
    records = [
        user(1, "a"),
        row(2, type="system", subtype="turn_duration", durationMs=5),
        row(3, type="system", subtype="local_command", content="<local-command-stdout>x</local-command-stdout>"),
        row(4, type="attachment", attachment={"type": "skill_listing", "content": "many words"}),
        row(5, type="attachment", attachment={"type": "task_reminder"}),
        row(6, type="progress", data={"type": "hook_progress", "hookEvent": "x"}),
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False},
        {"type": "pr-link", "sessionId": SESSION, "prNumber": 5},
        {"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION},
        user(7, [result("t1", "")]),
        {"type": "brand-new-type", "sessionId": SESSION},
        {"no": "type"},
        {"type": "user", "uuid": "u"},
        b"rubbish",
    ]
    assert {key: count for key, (count, _) in told(*records).ledger.items()} == {
        ("user", "indexed"): 1,
        ("system/turn_duration", "metadata"): 1,
        ("system/local_command", "indexed"): 1,
        ("attachment/skill_listing", "excluded"): 1,
        ("attachment/task_reminder", "metadata"): 1,
        ("progress/hook_progress", "metadata"): 1,
        ("file-history-snapshot", "metadata"): 1,
        ("pr-link", "metadata"): 1,
        ("permission-mode", "metadata"): 1,
        ("user", "metadata"): 1,
        ("brand-new-type", "unknown"): 1,
        ("unnamed", "unknown"): 1,
        ("user", "malformed"): 1,
        ("line", "malformed"): 1,
    }


def test_a_message_of_unknown_content_is_unknown() -> None:
    outcome = told(assistant(1, [{"type": "hologram", "data": "x"}]))
    assert [(r.record_type, r.disposition) for r in outcome.records] == [("assistant", "unknown")]


def test_names_of_types_are_short_plain_and_few() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    outcome = told({"type": secret}, {"type": "<b>x</b>"}, {"type": "a" * 500}, row(1, type="system", subtype=secret))
    assert {key for key, _ in outcome.ledger} == {"other", "system/other"}
    names = [f"kind-{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{chr(97 + n // 676)}" for n in range(1000)]
    assert len(told(*({"type": name} for name in names)).ledger) == 201


def test_ids_that_are_none_go_nowhere() -> None:
    odd = user(1, [result("t1 <script>", "out")], sessionId="not an id", agentId="../x")
    outcome = told(odd, path="copy.jsonl")
    assert outcome.tool_calls == {}
    assert only(outcome).call_id is None
    assert outcome.session
    assert outcome.session.native_id == "copy"


# ---- the state -----------------------------------------------------------------------------------------------------


def test_the_state_holds_no_text() -> None:
    secrets = {"cwd": "/src/SECRET", "gitBranch": "SECRET", "version": "SECRET", "slug": "SECRET"}
    records = [
        user(1, "SECRET", **secrets),
        assistant(2, [text("SECRET"), request("t1", "SECRET", command="SECRET")], model="SECRET"),
        {"type": "custom-title", "customTitle": "SECRET", "sessionId": SESSION},
        {"type": "summary", "summary": "SECRET", "leafUuid": uuid(9)},
        enqueue("SECRET"),
        *EMBEDDED[1:],
    ]
    assert b"SECRET" not in told(*records).checkpoint.state


def test_the_state_is_small() -> None:
    records = [user(number, "words " * 100, number - 1) for number in range(1, 60)]
    assert len(told(*records).checkpoint.state) < 40 * len(records) + 200


@pytest.mark.parametrize("state", [b"", b"\xc1", b"\x91\x63"])
def test_a_state_that_cannot_be_read_is_told(state: bytes) -> None:
    with pytest.raises(SourceError, match="--rebuild"):
        HOST.parser(Path(MAIN), Checkpoint(10, 1, state))


# ---- recognising ---------------------------------------------------------------------------------------------------


def test_its_files_are_recognised_by_what_they_hold() -> None:
    summary = {"type": "summary", "summary": "s", "leafUuid": uuid(1)}
    for record in (user(1, "a"), assistant(1, "a"), summary, enqueue("a"), row(1, type="system", subtype="x")):
        assert recognise([json.dumps(record).encode()], Path("anything.txt")) is HOSTS["claude-code"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b'{"type":"user"}',
        b'{"type":"session.start","data":{}}',
        b'{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":{"type":"message"}}',
        b'[{"uuid":"x","chat_messages":[]}]',
    ],
)
def test_other_files_are_not(line: bytes) -> None:
    assert not HOST.recognise([line], Path(MAIN))


# ---- real transcripts ----------------------------------------------------------------------------------------------


def _files(corpus: Path) -> list[Path]:
    files = sorted((corpus / "transcripts/home/.claude/projects").rglob("*.jsonl"))
    assert files
    return files


@pytest.mark.corpus
def test_real_files_agree_with_a_plain_count(corpus: Path) -> None:
    """Counted again with the standard library's JSON, from the records of lines that are one object."""
    files = _files(corpus)
    agents = frozenset(agent for path in files if (agent := HOST.agent_id(path)))
    for path in files:
        data = path.read_bytes()
        outcome = read(HOST, data, str(path), agents=agents, group=500)
        assert problems_of(outcome, data) == []
        seen: set[str] = set()
        blocks: Counter[str] = Counter()
        spent: dict[tuple[str, str], tuple[bool, int]] = {}
        for line in data.split(b"\n"):
            for record in _objects(line):
                if record["type"] not in {"user", "assistant"} or record["uuid"] in seen:
                    continue
                seen.add(record["uuid"])
                content = record["message"]["content"]
                for item in [text(content)] if isinstance(content, str) else content:
                    words = item.get("text", item.get("content", "x"))
                    if item["type"] != "thinking" and (words if isinstance(words, list) else words.strip()):
                        blocks[item["type"]] += 1
                usage = record["message"].get("usage")
                if usage and record["message"]["model"] != "<synthetic>" and not record.get("isApiErrorMessage"):
                    key = (record["message"]["id"], record.get("requestId", ""))
                    row_ = (record["message"]["stop_reason"] is not None, usage["output_tokens"])
                    spent[key] = max(spent.get(key, row_), row_)
        kinds = Counter(b.kind for b in outcome.own if not b.queued and b.role != "host")
        hosts = sum(1 for b in outcome.own if b.role == "host" and b.block_id not in _beside(data))
        assert kinds["tool_use"] == blocks["tool_use"], path
        assert kinds["tool_result"] == blocks["tool_result"], path
        assert kinds["text"] + hosts == blocks["text"] + blocks["image"] + blocks["document"], path
        calls = [call for (agent, _), call in outcome.model_calls.items() if agent is None]
        assert sorted((c.final, c.output_tokens) for c in calls) == sorted(spent.values()), path


def _objects(line: bytes) -> list[dict[str, Any]]:
    words, at, found = line.decode("utf-8", "replace").strip(), 0, []
    while at < len(words):
        try:
            record, at = json.JSONDecoder().raw_decode(words, at)
        except json.JSONDecodeError:
            break
        found.append(record)
    return found


def _beside(data: bytes) -> set[str]:
    """Return the ids of blocks that are no messages: summaries, queue operations, notes of the system."""
    ids: set[str] = set()
    nth: Counter[tuple[str, ...]] = Counter()
    for line in data.split(b"\n"):
        for record in _objects(line):
            parts: tuple[str, ...]
            if record["type"] == "summary":
                parts = (record["leafUuid"], "summary")
            elif record["type"] == "queue-operation":
                parts = (record["sessionId"], "queue", record["timestamp"])
            elif record["type"] == "system":
                ids.add(make_id("claude-code", record["uuid"], 0, "text"))
                continue
            else:
                continue
            ids.add(make_id("claude-code", *parts, nth[parts]))
            nth[parts] += 1
    return ids


@pytest.mark.corpus
def test_growing_snapshots_end_like_the_last(corpus: Path) -> None:
    snapshots = sorted((corpus / "transcripts/growth").rglob("*.jsonl"))
    assert snapshots
    last = snapshots[-1].read_bytes()
    sizes = [path.stat().st_size for path in snapshots[:-1] if last.startswith(path.read_bytes())]
    assert sizes
    whole = read(HOST, last, "snapshot.jsonl", group=500)
    grown = read(HOST, last, "snapshot.jsonl", cuts=sizes, group=500)
    assert grown.blocks == whole.blocks
    assert grown.ledger == whole.ledger
    assert (grown.session, grown.dead) == (whole.session, whole.dead)


@pytest.mark.corpus
def test_real_files_may_be_cut_anywhere(corpus: Path) -> None:
    for path in _files(corpus)[::4]:
        data = path.read_bytes()
        if len(data) < 1_000_000:
            cuts = [len(data) * share // 7 + share for share in range(1, 7)]
            whole, pieces = read(HOST, data, str(path)), read(HOST, data, str(path), cuts=cuts)
            assert (pieces.blocks, pieces.ledger, pieces.dead) == (whole.blocks, whole.ledger, whole.dead)


def test_lines_are_cut_as_capture_cuts_them() -> None:
    assert [line.data for line in lines_of(b"a\nb")] == [b"a", b"b"]
