"""The entries of a pi session, as far as they are read. Thinking has no field: its text never becomes a string."""

from __future__ import annotations

from typing import Any

import msgspec


class Item(msgspec.Struct, gc=False, rename="camel"):
    """One item of a message's content: text, image, thinking or toolCall."""

    type: str | None = None
    text: str | None = None
    data: str | None = None
    mime_type: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None


class Cost(msgspec.Struct, gc=False):
    """What a response cost by pi's own price list, in dollars."""

    total: float | None = None


class Usage(msgspec.Struct, gc=False, rename="camel"):
    """Tokens of one response; ``input`` is without the cache."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    cost: Cost | None = None


class Message(msgspec.Struct, gc=False, rename="camel"):
    """A message of any role; which fields it has depends on that."""

    role: str | None = None
    content: str | list[Item | str] | None = None
    timestamp: float | str | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None


class Record(msgspec.Struct, gc=False, rename="camel"):
    """One line: the session's header, or an entry."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    model_id: str | None = None
    branched_from: str | None = None
    parent_session: str | None = None
    message: Message | None = None
    content: str | list[Item | str] | None = None
    summary: str | None = None
    name: str | None = None


SETTINGS = frozenset({"custom", "label", "model_change", "session_info", "thinking_level_change"})
"""Entries that say something of the session and nothing in the conversation."""
LEFT_OUT = frozenset({"context_transform", "ephemeral"})
"""Entries for the next request alone, which repeat what stands elsewhere."""


def is_record(record: Record) -> bool:
    """Say whether a record is of a known type and has the fields that every record of the type has."""
    match record.type:
        case "session":
            return bool(record.id) and record.cwd is not None
        case "message":
            return record.message is not None and record.message.role is not None
        case "custom_message":
            return record.content is not None
        case "compaction" | "branch_summary":
            return bool(record.summary and record.summary.strip())
        case kind:
            return kind in SETTINGS | LEFT_OUT and record.timestamp is not None
