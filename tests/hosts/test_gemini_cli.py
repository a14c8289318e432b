"""Sessions of Gemini CLI, as a document and as a log."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import PurePath
from typing import Any

import pytest

from recall_lab.hosts import HOSTS, recognise
from tests.hosts.reading import Outcome, problems_of, read
from tests.hosts.strategies import THOUGHT

HOST = HOSTS["gemini-cli"]
SESSION = "ce8b3527-d9da-4a50-bb3f-1289f6000e90"
PARENT = "de8b3527-d9da-4a50-bb3f-1289f6000e91"
PROJECT = "/repo/alpha"
NAME = ".gemini/tmp/alpha/chats/session-2026-05-01T10-00-ce8b3527.json"
HEAD = {
    "sessionId": SESSION,
    "projectHash": sha256(PROJECT.encode()).hexdigest(),
    "startTime": "2026-05-01T10:00:00.000Z",
    "lastUpdated": "2026-05-01T10:09:00.000Z",
}


def message(number: int, type_: str, content: Any = "", **fields: Any) -> dict[str, Any]:
    return {
        "id": f"{number:08x}-830f-446f-9a99-35c5171ab93f",
        "timestamp": f"2026-05-01T10:00:{number:02d}.000Z",
        "type": type_,
        "content": content,
        **fields,
    }


def document(*messages: Any, indent: int | None = 2, **head: Any) -> bytes:
    return json.dumps({**HEAD, **head, "messages": messages}, indent=indent).encode()


def log(*records: Any, head: dict[str, Any] | None = None) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in (head or HEAD, *records))


def told(*messages: Any, **head: Any) -> Outcome:
    return read(HOST, document(*messages, **head), NAME)


def logged(*records: Any) -> Outcome:
    return read(HOST, log(*records), NAME + "l")


def texts(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(block.role, block.kind, block.text) for block in outcome.own]


CALL = {
    "id": "run_shell_command-1",
    "name": "run_shell_command",
    "args": {"command": "make"},
    "result": [{"functionResponse": {"id": "1", "name": "x", "response": {"output": "no rule"}}}],
    "status": "error",
    "timestamp": "2026-05-01T10:00:09.000Z",
}
TOKENS = {"input": 100, "output": 20, "cached": 60, "thoughts": 5, "tool": 3, "total": 128}
ANSWER = message(
    2,
    "gemini",
    "I will build it.",
    thoughts=[{"subject": THOUGHT, "description": THOUGHT}],
    toolCalls=[CALL],
    tokens=TOKENS,
    model="gemini-2.5-pro",
)


@pytest.mark.parametrize("form", ["document", "log"])
def test_who_wrote_what(form: str) -> None:
    messages = [message(1, "user", "build it"), ANSWER, message(3, "info", "an update"), message(4, "user", "thanks")]
    outcome = (
        told(*messages, summary="Build") if form == "document" else logged(*messages, {"$set": {"summary": "Build"}})
    )
    assert texts(outcome) == [
        ("user", "text", "build it"),
        ("assistant", "text", "I will build it."),
        ("assistant", "tool_use", "run_shell_command\ncommand: make"),
        ("tool", "tool_result", "no rule"),
        ("host", "text", "an update"),
        ("user", "text", "thanks"),
    ]
    assert [block.turn for block in outcome.own] == [1, 1, 1, 1, 1, 2]
    assert outcome.session is not None
    assert (outcome.session.native_id, outcome.session.title) == (SESSION, "Build")
    assert THOUGHT not in repr(outcome.events)
    [call] = outcome.tool_calls.values()
    assert (call.failed, call.error, call.request_block) == (True, "no rule", outcome.own[2].block_id)
    [response] = outcome.model_calls.values()
    assert (response.input_tokens, response.cache_read_tokens, response.output_tokens, response.reasoning_tokens) == (
        43,
        60,
        25,
        5,
    )


def test_both_forms_give_the_same_ids() -> None:
    messages = [message(1, "user", "build it"), ANSWER]
    assert [b.block_id for b in told(*messages).own] == [b.block_id for b in logged(*messages).own]


def test_what_the_program_says_in_the_users_place() -> None:
    outcome = told(
        message(1, "user", "<session_context>\nfolders"),
        message(2, "user", "System: Please continue."),
        message(3, "user", [{"text": "look at @a.py"}, {"text": "content of a.py"}], displayContent="look at @a.py"),
    )
    assert [(block.role, block.text, block.turn) for block in outcome.own] == [
        ("host", "<session_context>\nfolders", 0),
        ("host", "System: Please continue.", 0),
        ("user", "look at @a.py", 1),
        ("host", "look at @a.py\ncontent of a.py", 1),
    ]


def test_parts_of_a_content() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}
    outcome = told(
        message(1, "user", ["see ", {"text": "this"}, picture]),
        message(2, "user", [picture]),
        message(3, "gemini", [{"text": THOUGHT, "thought": True}, {"text": "seen"}]),
    )
    assert [block.text for block in outcome.own] == [
        "see \nthis\n[image: image/png, 5 bytes]",
        "[image: image/png, 5 bytes]",
        "seen",
    ]
    assert [r.disposition for r in outcome.records] == ["metadata", "indexed", "excluded", "indexed", "metadata"]
    assert THOUGHT not in repr(outcome.events)


def test_the_books_of_a_document() -> None:
    data = document(message(1, "user", "a"), message(2, "brand-new"), {"type": "user"}, 5, message(1, "user", "a"))
    outcome = read(HOST, data, NAME)
    assert problems_of(outcome, data) == []
    assert [(r.record_type, r.disposition) for r in outcome.records] == [
        ("session", "metadata"),
        ("message/user", "indexed"),
        ("message/brand-new", "unknown"),
        ("message/user", "malformed"),
        ("message", "malformed"),
        ("message/user", "duplicate"),
        ("session", "metadata"),
    ]
    assert outcome.records[1].records == 6  # one a line


def test_a_document_that_is_cut_off_gives_its_whole_messages() -> None:
    data = document(message(1, "user", "a"), message(2, "user", "b"))
    data = data[: data.index(b'"b"')]
    outcome = read(HOST, data, NAME)
    assert problems_of(outcome, data) == []
    assert [block.text for block in outcome.own] == ["a"]
    assert [record.disposition for record in outcome.records] == ["pending", "indexed", "pending"]


def test_a_document_that_is_damaged_gives_what_lies_before() -> None:
    data = document(message(1, "user", "a"), indent=None)[:-1] + b' oops "}'
    outcome = read(HOST, data, NAME)
    assert problems_of(outcome, data) == []
    assert [block.text for block in outcome.own] == ["a"]
    assert outcome.records[-1].disposition == "malformed"


def test_a_log_tells_what_is_new_of_a_message_that_is_written_again() -> None:
    asked = {**ANSWER, "toolCalls": [{**CALL, "result": None, "status": "executing"}], "tokens": None}
    outcome = logged(message(1, "user", "go"), asked, ANSWER, ANSWER, {"$set": {"lastUpdated": "x"}})
    assert [kind for _, kind, _ in texts(outcome)] == ["text", "text", "tool_use", "tool_result"]
    assert [record.disposition for record in outcome.records] == [
        "metadata",
        "indexed",
        "indexed",
        "indexed",
        "duplicate",
        "metadata",
    ]
    [call] = outcome.tool_calls.values()
    assert (call.failed, len(outcome.model_calls)) == (True, 1)


def test_a_log_that_lists_its_messages_anew() -> None:
    summary = message(8, "user", "what came before, in short")
    outcome = logged(message(1, "user", "go"), {"$set": {"messages": [summary, message(1, "user", "[masked]")]}})
    assert [text for *_, text in texts(outcome)] == ["go", "what came before, in short"]


def test_a_log_whose_first_line_is_torn_loses_that_line() -> None:
    data = log(message(1, "user", "go"), message(2, "gemini", "done"))
    torn = data[data.index(b"startTime") + 20 :]
    for damaged in (b'{"sessionId": "x' + b"\n" + torn[torn.index(b"\n") + 1 :], data[: data.index(b"\n")] + data):
        outcome = read(HOST, damaged, NAME + "l")
        assert problems_of(outcome, damaged) == []
        assert [text for *_, text in texts(outcome)] == ["go", "done"]


def test_what_was_taken_back_is_dead() -> None:
    records = [message(number, "user", str(number)) for number in range(1, 5)]
    outcome = logged(*records[:3], {"$rewindTo": records[1]["id"]}, records[3])
    assert [block.text for block in outcome.live()] == ["1", "4"]
    assert logged(*records[:2], {"$rewindTo": "nobody"}, records[3]).dead == ((0, 2),)


def test_the_project_beside_the_chats() -> None:
    assert HOST.companion(PurePath(NAME)) == PurePath(".gemini/tmp/alpha/.project_root")
    nested = PurePath(f".gemini/tmp/alpha/chats/{PARENT}/{SESSION}.jsonl")
    assert HOST.companion(nested) == PurePath(".gemini/tmp/alpha/.project_root")
    assert HOST.companion(PurePath("saved.json")) is None

    def folder(companion: bytes) -> str | None:
        for data, name in ((document(message(1, "user", "a")), NAME), (log(message(1, "user", "a")), NAME + "l")):
            session = read(HOST, data, name, companion=companion).session
            assert session is not None
        return session.cwd

    assert folder(PROJECT.encode() + b"\n") == PROJECT
    assert folder(b"/repo/other") is None
    assert folder(b"") is None


@pytest.mark.parametrize("form", ["document", "log"])
def test_a_subagent_is_a_child_of_the_session_whose_folder_it_lies_in(form: str) -> None:
    path = f".gemini/tmp/alpha/chats/{PARENT}/{SESSION}.json"
    head = {**HEAD, "kind": "subagent"}
    data = document(message(1, "user", "a"), kind="subagent") if form == "document" else log(head=head)
    session = read(HOST, data, path).session
    assert session is not None
    assert (session.native_id, session.parent_id, session.relation) == (f"{PARENT}/{SESSION}", PARENT, "subagent")


@pytest.mark.parametrize("data", [document(message(1, "user", "a")), document(indent=None), log()])
def test_recognised_by_how_it_begins(data: bytes) -> None:
    assert recognise(data.split(b"\n"), PurePath("x.json")) is HOST
    assert recognise(data[:-30].split(b"\n"), PurePath("x.json")) in {HOST, None}
