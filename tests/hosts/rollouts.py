"""Rollouts of Codex, written line by line for a test."""

from __future__ import annotations

import json
from typing import Any

SESSION = "019a0000-0000-7000-8000-00000000000a"
PARENT = "019a0000-0000-7000-8000-00000000000b"
TURNS = [f"019b0000-0000-7000-8000-{number:012x}" for number in range(9)]
AT = "2026-05-01T10:00:00.000Z"
PATH = f"rollout-2026-05-01T10-00-00-{SESSION}.jsonl"


def line(type_: str, timestamp: str | None = AT, **payload: Any) -> bytes:
    """Return a record in its envelope."""
    return dump({"timestamp": timestamp, "type": type_, "payload": payload})


def dump(record: Any) -> bytes:
    """Return a record as a line."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def meta(id_: str = SESSION, **fields: Any) -> bytes:
    return line("session_meta", id=id_, **{"cwd": "/src/one", "cli_version": "0.140.0", **fields})


def turn(id_: str | None = TURNS[0], model: str = "gpt-5", cwd: str = "/src/one") -> bytes:
    return line("turn_context", turn_id=id_, model=model, cwd=cwd)


def item(type_: str, **fields: Any) -> bytes:
    return line("response_item", type=type_, **fields)


def event(type_: str, **fields: Any) -> bytes:
    return line("event_msg", type=type_, **fields)


def message(role: str, *texts: str, **fields: Any) -> bytes:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **fields)


def prompt(text: str) -> bytes:
    """Return what the user said, as item and as event."""
    return message("user", text) + event("user_message", message=text, images=[])


def answer(text: str) -> bytes:
    """Return what the assistant said, as event and as item."""
    return event("agent_message", message=text) + message("assistant", text)


def call(call_id: str, command: list[str] | str = "ls", name: str = "shell") -> bytes:
    return item("function_call", name=name, arguments=json.dumps({"command": command}), call_id=call_id)


def output(call_id: str, text: Any) -> bytes:
    return item("function_call_output", call_id=call_id, output=text)


def tokens(total: int | None, last: int | None, **more: int) -> bytes:
    """Return a token_count of so many input tokens."""
    info = {}
    if total is not None:
        info["total_token_usage"] = {"input_tokens": total, **more}
    if last is not None:
        info["last_token_usage"] = {"input_tokens": last, **more}
    return event("token_count", info=info)


def header(id_: str = SESSION, **fields: Any) -> bytes:
    """Return the first line of a file of 2025-08."""
    return dump({"id": id_, "timestamp": "2025-08-19T08:25:08.061Z", "instructions": None, **fields})


def bare(type_: str, **fields: Any) -> bytes:
    """Return a record of a file of 2025-08."""
    return dump({"type": type_, **fields})


def bare_message(role: str, text: str) -> bytes:
    return bare("message", id=None, role=role, content=[{"type": "input_text", "text": text}])
