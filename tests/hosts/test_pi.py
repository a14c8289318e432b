"""Sessions of pi, line by line of their format."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from recall_lab.hosts import HOSTS, recognise
from tests.hosts.reading import Outcome, read
from tests.hosts.strategies import THOUGHT

HOST = HOSTS["pi"]
SESSION = "d703a1a9-1b7b-4fb1-b512-c9738b1fe617"
PARENT = "e803a1a9-1b7b-4fb1-b512-c9738b1fe618"
NAME = f"2026-05-01T10-00-00-000Z_{SESSION}.jsonl"


def entry(type_: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "timestamp": f"2026-05-01T10:00:{second:02d}.000Z", **fields}


def message(role: str, content: Any = None, second: int = 0, **fields: Any) -> dict[str, Any]:
    own = {name: fields.pop(name) for name in ("id", "parentId") if name in fields}
    told = {"role": role, "timestamp": 1_777_000_000_000 + second, **fields}
    if content is not None:
        told["content"] = content
    return entry("message", second, message=told, **own)


def words(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


HEAD = entry("session", id=SESSION, cwd="/repo/alpha", modelId="claude-sonnet-4-5")


def told(*records: dict[str, Any], name: str = NAME) -> Outcome:
    return read(HOST, b"".join(json.dumps(record).encode() + b"\n" for record in records), name)


def texts(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(block.role, block.kind, block.text) for block in outcome.own]


def test_the_session_is_told_by_its_header() -> None:
    session = told(HEAD, entry("session_info", name="Batching"), entry("model_change", modelId="gpt-5")).session
    assert session is not None
    assert (session.native_id, session.cwd, session.title, session.model) == (
        SESSION,
        "/repo/alpha",
        "Batching",
        "gpt-5",
    )


@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_a_fork_names_the_session_it_comes_from(field: str) -> None:
    session = told({**HEAD, field: f"C:\\sessions\\2026_{PARENT}.jsonl"}).session
    assert session is not None
    assert (session.parent_id, session.relation) == (PARENT, "fork")


def test_without_a_header_the_file_names_the_session() -> None:
    assert told(message("user", "hi")).session.native_id == SESSION  # type: ignore[union-attr]
    assert told(message("user", "hi"), name="notes.jsonl").session.native_id == "notes"  # type: ignore[union-attr]


def test_who_wrote_what() -> None:
    outcome = told(
        HEAD,
        message("user", "typed", 1),
        message("user", [*words("with a picture"), {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}], 2),
        message("assistant", words("answered"), 3),
        message("bashExecution", second=4, command="ls", output="a.txt"),
        message("hookMessage", "from a hook", 5),
        entry("custom_message", 6, content=words("from an extension")),
        entry("compaction", 7, summary="what came before"),
        entry("branch_summary", 8, summary="what was left"),
        message("compactionSummary", second=9, summary="as a message"),
    )
    assert texts(outcome) == [
        ("user", "text", "typed"),
        ("user", "text", "with a picture"),
        ("user", "text", "[image: image/png, 5 bytes]"),
        ("assistant", "text", "answered"),
        ("user", "text", "ls"),
        ("tool", "tool_result", "a.txt"),
        ("host", "text", "from a hook"),
        ("host", "text", "from an extension"),
        ("host", "summary", "what came before"),
        ("host", "summary", "what was left"),
        ("host", "summary", "as a message"),
    ]
    assert [block.turn for block in outcome.own] == [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    assert {block.cwd for block in outcome.own} == {"/repo/alpha"}
    assert outcome.own[0].timestamp == "2026-05-01T10:00:01.000Z"


def test_a_tool_with_its_outcome() -> None:
    outcome = told(
        HEAD,
        message("user", "go", 1),
        message("assistant", [{"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "make"}}], 2),
        message("toolResult", words("", "no rule"), 3, toolCallId="t1", toolName="bash", isError=True),
    )
    asked, gave = outcome.own[1:]
    assert (asked.text, asked.tool, gave.text) == ("bash\ncommand: make", "bash", "no rule")
    [call] = outcome.tool_calls.values()
    assert (call.call_id, call.request_block, call.result_block) == ("t1", asked.block_id, gave.block_id)
    assert (call.failed, call.error, call.turn) == (True, "no rule", 1)
    assert (call.started, call.ended) == ("2026-05-01T10:00:02.000Z", "2026-05-01T10:00:03.000Z")


def test_tokens_and_the_price_that_was_logged() -> None:
    usage = {"input": 3, "output": 88, "cacheRead": 5, "cacheWrite": 7, "cost": {"total": 0.5}}
    free = {**usage, "cost": {"total": 0}}
    outcome = told(
        HEAD,
        message("assistant", words("a"), 1, model="m", usage=usage, stopReason="stop"),
        message("assistant", [], 2, model="m", usage=free, stopReason="aborted", errorMessage="Request was aborted"),
    )
    first, second = outcome.model_calls.values()
    assert (first.input_tokens, first.output_tokens, first.cache_read_tokens, first.cache_write_5m_tokens) == (
        3,
        88,
        5,
        7,
    )
    assert (first.model, first.final, first.logged_cost_usd, second.logged_cost_usd) == ("m", True, 0.5, None)


def test_thinking_is_left_out() -> None:
    thought = {"type": "thinking", "thinking": THOUGHT, "thinkingSignature": THOUGHT}
    outcome = told(HEAD, message("assistant", [thought]), message("assistant", [thought, *words("said")], 1))
    assert THOUGHT not in repr(outcome.events)
    assert [record.disposition for record in outcome.records] == ["metadata", "excluded", "indexed"]


def test_what_is_no_entry() -> None:
    outcome = told(
        HEAD,
        entry("brand_new"),
        message("brand-new", "x"),
        {"type": "message"},
        entry("thinking_level_change"),
        entry("custom", data={"n": 1}),
        entry("ephemeral", messages=[]),
    )
    assert [(record.record_type, record.disposition) for record in outcome.records[1:]] == [
        ("brand_new", "unknown"),
        ("message/brand-new", "unknown"),
        ("message", "malformed"),
        ("thinking_level_change", "metadata"),
        ("custom", "metadata"),
        ("ephemeral", "excluded"),
    ]


def test_two_entries_on_a_line_are_two() -> None:
    pair = json.dumps(HEAD).encode() + b"\n"
    pair += json.dumps(message("assistant", words("done"))).encode() + json.dumps(message("user", "ok", 1)).encode()
    outcome = read(HOST, pair + b"\n", NAME)
    assert [text for *_, text in texts(outcome)] == ["done", "ok"]


def tree(*ids: tuple[str, str | None]) -> list[dict[str, Any]]:
    return [
        message("user" if number % 2 == 0 else "assistant", words(own), number, id=own, parentId=parent)
        for number, (own, parent) in enumerate(ids)
    ]


def test_a_branch_that_was_left_is_dead() -> None:
    outcome = told(HEAD, *tree(("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b"), ("f", "e")))
    assert [block.text for block in outcome.live()] == ["a", "b", "e", "f"]
    assert outcome.dead == ((2, 4),)


def test_roots_never_die() -> None:
    outcome = told(HEAD, *tree(("a", None), ("b", "a"), ("c", "gone"), ("d", "c")))
    assert outcome.dead == ()


def test_an_entry_that_stands_twice_is_one() -> None:
    outcome = told(HEAD, *tree(("a", None), ("b", "a"), ("a", None)))
    assert [block.text for block in outcome.own] == ["a", "b"]
    assert outcome.records[-1].disposition == "duplicate"


def test_ids_stay_when_the_program_numbers_an_older_file() -> None:
    old = [message("user", "why?", 1), message("assistant", words("so"), 2), message("assistant", words("so"), 2)]
    new = [{**record, "id": f"e{number}", "parentId": None} for number, record in enumerate(old)]
    before, after = told(HEAD, *old), told({**HEAD, "version": 3}, *new)
    ids = [block.block_id for block in before.own]
    assert ids == [block.block_id for block in after.own]
    assert len(set(ids)) == 3


def test_a_fork_shares_the_blocks_that_it_begins_with() -> None:
    records = [message("user", "why?", 1, id="a1", parentId=None)]
    fork = {**HEAD, "id": PARENT, "cwd": "/elsewhere"}
    assert [b.block_id for b in told(HEAD, *records).own] == [b.block_id for b in told(fork, *records).own]


def test_recognised_by_its_envelope() -> None:
    def host_of(*records: dict[str, Any]) -> str | None:
        found = recognise([json.dumps(record).encode() for record in records], PurePath("x.jsonl"))
        return found.name if found else None

    assert host_of(HEAD) == host_of(message("user", "hi")) == "pi"
    assert host_of({"type": "session", "id": "x"}) is None
    assert host_of({"type": "message", "role": "user", "content": []}) is None
