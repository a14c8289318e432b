"""A rollout read in pieces, cut at any byte, is the rollout read at once; and reading on costs little."""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.errors import SourceError
from recall_lab.hosts import HOSTS
from recall_lab.hosts.base import Checkpoint, RawBlock
from recall_lab.hosts.codex.pairing import WINDOW_BYTES, WINDOW_RECORDS
from tests.hosts.generated import THOUGHT, cuts
from tests.hosts.reading import Outcome, lines_of, problems_of, read
from tests.hosts.rollouts import (
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
    tokens,
    turn,
)

CODEX = HOSTS["codex"]
WORDS = st.sampled_from(["why?", "so", "go on", "# AGENTS.md x", "<skill>", "", "naïve 用户 🙂"])
SMALL = st.integers(0, 4)


def several(*texts: str) -> bytes:
    return message("user", *texts)


RECORDS = st.one_of(
    st.builds(prompt, WORDS),
    st.builds(answer, WORDS),
    st.builds(several, WORDS, WORDS),
    st.builds(message, st.sampled_from(["user", "assistant", "developer"]), WORDS),
    st.builds(
        lambda kind, words: event(kind, message=words), st.sampled_from(["user_message", "agent_message"]), WORDS
    ),
    st.builds(lambda place: turn(TURNS[place], model=f"gpt-{place}", cwd=f"/src/{place}"), SMALL),
    st.builds(lambda place: turn(None, cwd=f"/src/{place}"), SMALL),
    st.builds(lambda place: meta([SESSION, PARENT][place % 2], forked_from_id=[None, PARENT][place // 2 % 2]), SMALL),
    st.builds(lambda place: call(f"call_00000{place}"), SMALL),
    st.builds(lambda place, words: output(f"call_00000{place}", words), SMALL, WORDS),
    st.builds(tokens, SMALL, st.one_of(st.none(), SMALL)),
    st.builds(lambda place: line("token_usage_record", usage={"input_tokens": place}), SMALL),
    st.just(item("reasoning", summary=[{"text": THOUGHT}], encrypted_content=THOUGHT)),
    st.just(item("web_search_call", status="completed", action={"type": "search", "query": "x"})),
    st.builds(lambda words: line("compacted", message=words), WORDS),
    st.builds(
        lambda place: event("item_completed", item={"type": "CommandExecution", "id": f"call_00000{place}"}), SMALL
    ),
    st.just(event("thread_name_updated", thread_name="Batching")),
    st.builds(lambda turns: event("thread_rolled_back", num_turns=turns), SMALL),
    st.builds(lambda name: line(name, x=1), st.sampled_from(["mystery", "riddle", "x" * 80])),
    st.just(header()),
    st.builds(lambda words: bare_message("user", words), WORDS),
    st.just(bare("function_call_output", call_id="call_000001", output="x")),
    st.just(dump({"record_type": "state"})),
    st.sampled_from([b"\n", b" \r\n", b"{torn\n", b'{"torn', b"\xff\n", b"\x00\x00\n", b"\xef\xbb\xbf"]),
)
SOURCES = st.lists(RECORDS, max_size=25).map(b"".join)


def same(whole: Outcome, pieces: Outcome) -> None:
    assert pieces.blocks == whole.blocks
    assert pieces.ledger == whole.ledger
    assert pieces.model_calls == whole.model_calls
    assert pieces.tool_calls == whole.tool_calls
    assert pieces.session == whole.session
    assert pieces.dead == whole.dead
    assert pieces.checkpoint == whole.checkpoint


def check_pieces(data: st.DataObject) -> None:
    source = data.draw(SOURCES)
    whole = read(CODEX, source, PATH)
    assert problems_of(whole, source) == []
    same(whole, read(CODEX, source, PATH, cuts=data.draw(cuts(source)), group=data.draw(st.integers(1, 4))))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_pieces_give_what_the_whole_gives(data: st.DataObject) -> None:
    check_pieces(data)


@pytest.mark.deep
@given(st.data())
@settings(max_examples=10_000, deadline=None)
def test_pieces_give_what_the_whole_gives_ten_thousand_times(data: st.DataObject) -> None:
    check_pieces(data)


def test_an_event_may_come_with_the_next_capture() -> None:
    first = meta() + prompt("one") + answer("a") + message("user", "why?")
    source = first + event("user_message", message="why?") + answer("b")
    assert [block.role for block in read(CODEX, first, PATH).own][-1] == "host"
    pieces = read(CODEX, source, PATH, cuts=[len(first)])
    assert [(block.role, block.turn) for block in pieces.own][2:] == [("user", 2), ("assistant", 2)]
    same(read(CODEX, source, PATH), pieces)


def test_a_message_may_come_with_the_capture_after_its_event() -> None:
    first = meta() + prompt("one") + event("agent_message", message="so")
    source = first + message("assistant", "so") + prompt("two")
    assert [block.text for block in read(CODEX, first, PATH).own] == ["one", "so"]
    pieces = read(CODEX, source, PATH, cuts=[len(first)])
    assert [block.text for block in pieces.own] == ["one", "so", "two"]
    same(read(CODEX, source, PATH), pieces)


# ---- reading on costs little ---------------------------------------------------------------------------------------


def behind(source: bytes) -> int:
    """Return how many bytes of the source would be read again."""
    return len(source) - read(CODEX, source, PATH).checkpoint.offset


CHATTER = b"".join(
    call(f"call_{number:08}") + output(f"call_{number:08}", "x" * 300) + event("token_count", info=None)
    for number in range(400)
)


@pytest.mark.parametrize(
    "source",
    [
        meta() + turn() + prompt("one") + answer("a") + CHATTER,
        meta() + turn() + CHATTER + prompt("one") + answer("a") + event("task_complete"),
    ],
)
def test_what_is_told_twice_is_not_read_again(source: bytes) -> None:
    assert behind(source) < 1000


@pytest.mark.parametrize(
    "source",
    [
        meta() + message("user", "no event tells it") + CHATTER,
        meta() + message("assistant", "no event tells it") + CHATTER,
        meta() + event("agent_message", message="no item tells it") + CHATTER,
        b"".join(message("user", f"{number}") + CHATTER[:2000].rpartition(b"\n")[0] + b"\n" for number in range(300)),
    ],
)
def test_what_is_told_once_is_read_again_for_a_while(source: bytes) -> None:
    longest = max(len(row) for row in source.split(b"\n")) + 1
    assert behind(source) <= (WINDOW_RECORDS + 1) * longest


def test_few_long_records_settle_by_their_bytes() -> None:
    source = meta() + message("user", "no event tells it") + output("call_000001", "x" * WINDOW_BYTES) * 3
    assert behind(source) < WINDOW_BYTES + 1000


def test_a_long_prompt_still_finds_its_event() -> None:
    words = "why? " * WINDOW_BYTES
    outcome = read(CODEX, meta() + prompt("one") + prompt(words) + answer("so"), PATH)
    assert [block.role for block in outcome.own] == ["user", "user", "assistant"]


def test_files_of_2025_wait_for_nothing() -> None:
    source = header() + b"".join(bare_message("user", f"prompt {number}") for number in range(300))
    assert behind(source) < 200


# ---- the checkpoint ------------------------------------------------------------------------------------------------


def test_the_state_holds_no_text() -> None:
    secrets = ["swordfish", "/src/hunter2", "branch-tuna", "https://tuna@example.org/x.git", "Title Marlin", "gpt-eel"]
    source = meta(cwd=secrets[1], git={"branch": secrets[2], "repository_url": secrets[3]}) + turn(model=secrets[5])
    source += prompt(secrets[0]) + answer(secrets[0]) + event("thread_name_updated", thread_name=secrets[4])
    source += message("user", secrets[0]) + call("call_000001", secrets[0]) + output("call_000001", secrets[0])
    source += event("user_message", message=secrets[0])
    for end in range(0, len(source) + 1, 37):
        state = read(CODEX, source[:end], PATH).checkpoint.state
        assert not [secret for secret in secrets if secret.encode() in state]


def test_a_resume_goes_on_in_the_folder_and_branch_that_it_is_told() -> None:
    first = meta(git={"branch": "main"}) + turn(cwd="/src/moved", model="gpt-6") + prompt("one")
    second = answer("a") + answer("b")
    checkpoint = read(CODEX, first, PATH).checkpoint
    assert checkpoint.session is not None
    hidden = msgspec.structs.replace(checkpoint.session, cwd="[REDACTED]", branch="[REDACTED]")
    parser = CODEX.parser(PurePath(PATH), msgspec.structs.replace(checkpoint, session=hidden))
    source = first + second
    events = parser.feed(lines_of(source[checkpoint.offset :], checkpoint.offset)) + parser.finish()
    blocks = [event for event in events if isinstance(event, RawBlock)]
    assert {(block.cwd, block.branch) for block in blocks} == {("[REDACTED]", "[REDACTED]")}
    assert {block.model for block in blocks if block.role == "assistant"} == {"gpt-6"}


@pytest.mark.parametrize("state", [b"", b"junk", msgspec.msgpack.encode([999])])
def test_a_state_of_another_version_asks_for_a_rebuild(state: bytes) -> None:
    with pytest.raises(SourceError, match="--rebuild"):
        CODEX.parser(PurePath(PATH), Checkpoint(10, 1, state))


# ---- real files ----------------------------------------------------------------------------------------------------


@pytest.mark.corpus
def test_real_rollouts_give_the_same_in_pieces(corpus: Path) -> None:
    for path in sorted((corpus / "transcripts/home/.codex").rglob("*.jsonl")):
        source = path.read_bytes()
        whole = read(CODEX, source, path.name, group=1000)
        assert problems_of(whole, source) == []
        sizes = [len(source) * part // 7 for part in range(1, 7)]
        same(whole, read(CODEX, source, path.name, cuts=sizes, group=1000))
        longest = max(map(len, source.split(b"\n")))
        assert len(source) - whole.checkpoint.offset <= WINDOW_BYTES + 2 * longest


@pytest.mark.corpus
def test_real_users_are_who_the_events_quote(corpus: Path) -> None:
    for path in sorted((corpus / "transcripts/home/.codex").rglob("*.jsonl")):
        source = path.read_bytes()
        said = set()
        for row in source.split(b"\n"):
            if b'"user_message"' in row:
                try:
                    said.add(json.loads(row)["payload"].get("message"))
                except (ValueError, KeyError):
                    continue
        blocks = [block for block in read(CODEX, source, path.name, group=1000).own if block.kind == "text"]
        if said:
            assert {block.text for block in blocks if block.role == "user"} == said
            assert not [block for block in blocks if block.role == "host" and block.text in said]
