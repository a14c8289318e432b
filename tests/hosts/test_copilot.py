"""Sessions of the Copilot CLI, event by event."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from recall_lab.hosts import HOSTS, recognise
from recall_lab.hosts.base import RawModelCall
from tests.hosts.reading import Outcome, read
from tests.hosts.strategies import THOUGHT

HOST = HOSTS["copilot"]
SESSION = "10fb4666-56f0-4352-90fc-715caf95b418"
NAME = f".copilot/session-state/{SESSION}/events.jsonl"
CONTEXT = {"cwd": "/repo/alpha", "branch": "main", "repository": "team/alpha", "repositoryHost": "git.example.com"}


def event(number: int, type_: str, **data: Any) -> dict[str, Any]:
    return {
        "type": type_,
        "data": data,
        "id": f"{number:08x}-56f0-4352-90fc-715caf95b418",
        "timestamp": f"2026-05-01T10:00:{number % 60:02d}.000Z",
        "parentId": None,
    }


HEAD = event(0, "session.start", sessionId=SESSION, copilotVersion="1.0.64", context=CONTEXT, selectedModel="gpt-5")


def told(*records: dict[str, Any], companion: bytes = b"") -> Outcome:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    return read(HOST, data, NAME, companion=companion)


def answer(number: int, text: str = "", **data: Any) -> dict[str, Any]:
    return event(number, "assistant.message", content=text, messageId=f"m{number}", **data)


def test_the_session_and_what_becomes_of_it() -> None:
    outcome = told(
        HEAD,
        event(1, "session.model_change", newModel="gpt-6"),
        event(2, "session.context_changed", cwd="/repo/beta", branch="fix"),
        event(3, "session.title_changed", title="Hooks"),
        event(4, "user.message", content="hi"),
    )
    session = outcome.session
    assert session is not None
    assert (session.native_id, session.version, session.model, session.title) == (SESSION, "1.0.64", "gpt-6", "Hooks")
    assert (session.cwd, session.branch, session.remote) == (
        "/repo/beta",
        "fix",
        "https://git.example.com/team/alpha",
    )
    assert (outcome.own[0].cwd, outcome.own[0].branch) == ("/repo/beta", "fix")


def test_a_session_without_its_start_is_named_by_its_folder() -> None:
    assert told(event(1, "user.message", content="hi")).session.native_id == SESSION  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("yaml", "title"),
    [(b"id: x\nname: Fix hooks\n", "Fix hooks"), (b"name: 'It''s done'\n", "It's done"), (b"names: no\n", None)],
)
def test_the_name_beside_the_events(yaml: bytes, title: str | None) -> None:
    assert HOST.companion(PurePath(NAME)) == PurePath(NAME).with_name("workspace.yaml")
    assert told(HEAD, companion=yaml).session.title == title  # type: ignore[union-attr]


def test_who_wrote_what() -> None:
    blob = {"type": "blob", "data": "aGVsbG8=", "mimeType": "image/png"}
    chosen = {"type": "selection", "text": "def f(): ..."}
    outcome = told(
        HEAD,
        event(1, "system.message", content="You are Copilot", role="system"),
        event(2, "user.message", content="typed", transformedContent="<now/>typed", attachments=[blob, chosen]),
        answer(3, "answered", reasoningText=THOUGHT, reasoningOpaque=THOUGHT),
        event(4, "user.message", content="from a skill", source="skill-x"),
        event(5, "skill.invoked", content="the skill's body"),
        event(6, "system.notification", content="shell finished"),
        event(7, "session.error", message="rate limited", errorType="x"),
        event(8, "session.compaction_complete", summaryContent="so far"),
        event(9, "assistant.reasoning", content=THOUGHT),
    )
    assert [(block.role, block.kind, block.text) for block in outcome.own] == [
        ("user", "text", "typed"),
        ("user", "text", "[image: image/png, 5 bytes]"),
        ("host", "text", "def f(): ..."),
        ("assistant", "text", "answered"),
        ("host", "text", "from a skill"),
        ("host", "text", "the skill's body"),
        ("host", "text", "shell finished"),
        ("host", "text", "rate limited"),
        ("host", "summary", "so far"),
    ]
    assert {block.turn for block in outcome.own} == {1}
    assert THOUGHT not in repr(outcome.events)
    assert outcome.ledger["system.message", "excluded"][0] == outcome.ledger["assistant.reasoning", "excluded"][0] == 1


def test_a_tool_with_its_outcome() -> None:
    request = {"toolCallId": "t1", "name": "bash", "arguments": {"command": "make"}, "type": "function"}
    outcome = told(
        HEAD,
        answer(1, toolRequests=[request]),
        event(2, "tool.execution_start", toolCallId="t1", toolName="bash", arguments={"command": "make"}),
        event(4, "tool.execution_complete", toolCallId="t1", success=False, error={"message": "no rule\nat all"}),
    )
    asked, gave = outcome.own
    assert (asked.text, gave.text) == ("bash\ncommand: make", "no rule\nat all")
    [call] = outcome.tool_calls.values()
    assert (call.tool, call.request_block, call.result_block) == ("bash", asked.block_id, gave.block_id)
    assert (call.failed, call.error, call.started) == (True, "no rule", "2026-05-01T10:00:02.000Z")


def test_an_exit_code_is_a_failure() -> None:
    measured = {"metrics": {"exit_code": 2}}
    done = {"toolCallId": "t1", "success": True, "result": {"content": "bad"}, "toolTelemetry": measured}
    [call] = told(HEAD, event(1, "tool.execution_complete", **done)).tool_calls.values()
    assert (call.failed, call.error) == (True, "Exit code 2: bad")


def test_a_tool_that_the_user_asked_for() -> None:
    outcome = told(HEAD, event(1, "tool.user_requested", toolCallId="t1", toolName="bash", arguments={"command": "ls"}))
    assert [(block.role, block.kind) for block in outcome.own] == [("user", "tool_use")]


def usage(read: int, out: int, cached: int, thought: int = 0) -> dict[str, Any]:
    tokens = {"inputTokens": read, "outputTokens": out, "cacheReadTokens": cached, "cacheWriteTokens": 0}
    return {"m": {"usage": {**tokens, "reasoningTokens": thought}}}


def sums(outcome: Outcome) -> tuple[int, int, int, int, int]:
    calls: list[RawModelCall] = list(outcome.model_calls.values())
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "reasoning_tokens")
    return len(calls), *(sum(getattr(call, name) for call in calls) for name in names)  # type: ignore[return-value]


def test_the_totals_at_the_end_go_to_the_last_message_of_the_model() -> None:
    first = answer(1, "a", model="m", outputTokens=10, apiCallId="c1")
    second = answer(2, "b", model="m", outputTokens=20, apiCallId="c2")
    end = event(3, "session.shutdown", modelMetrics=usage(1000, 30, 600, 5))
    assert sums(told(HEAD, first, second)) == (2, 0, 30, 0, 0)
    assert sums(told(HEAD, first, second, end)) == (2, 400, 30, 600, 5)
    resumed = [
        event(4, "session.resume"),
        answer(5, "c", model="m", outputTokens=7, apiCallId="c3"),
        event(6, "session.shutdown", modelMetrics=usage(1500, 37, 700, 6)),
    ]
    assert sums(told(HEAD, first, second, end, *resumed)) == (3, 800, 37, 700, 6)
    anew = event(7, "session.shutdown", modelMetrics=usage(100, 7, 0))
    assert sums(told(HEAD, first, end, answer(5, "c", model="m", outputTokens=7), anew)) == (2, 500, 17, 600, 5)


def test_an_event_that_stands_twice_is_one() -> None:
    prompt = event(1, "user.message", content="hi")
    outcome = told(HEAD, prompt, prompt)
    assert len(outcome.own) == 1
    assert outcome.records[-1].disposition == "duplicate"


def test_a_torn_line_costs_that_line() -> None:
    torn = rb'{"type":"system.message","data":{"content":"a path\d"},"id":"x"}' + b"\n"
    data = json.dumps(HEAD).encode() + b"\n" + torn + json.dumps(event(1, "user.message", content="hi")).encode()
    outcome = read(HOST, data, NAME)
    assert [record.disposition for record in outcome.records] == ["metadata", "malformed", "indexed"]
    assert (outcome.records[1].length, outcome.own[0].text) == (len(torn), "hi")


def test_what_is_no_event() -> None:
    outcome = told(HEAD, event(1, "brand.new"), {"type": "user.message", "data": 5}, event(3, "hook.start", input={}))
    assert [(record.record_type, record.disposition) for record in outcome.records[1:]] == [
        ("brand.new", "unknown"),
        ("user.message", "malformed"),
        ("hook.start", "excluded"),
    ]


def test_recognised_by_its_envelope() -> None:
    found = recognise([json.dumps(HEAD).encode()], PurePath("x.jsonl"))
    assert found is HOST
    assert recognise([b'{"type":"user.message","data":{"content":"x"}}'], PurePath("x.jsonl")) is None
