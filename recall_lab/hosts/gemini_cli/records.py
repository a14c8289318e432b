"""What Gemini CLI writes, as far as it is read. Thoughts have no field: their text never becomes a string."""

from __future__ import annotations

from typing import Any

import msgspec


class Media(msgspec.Struct, gc=False, rename="camel"):
    """The bytes of an image or document, base64, or where they lie."""

    mime_type: str | None = None
    data: str | None = None


class Answer(msgspec.Struct, gc=False):
    """What a tool returned: usually ``{"output": …}`` or ``{"error": …}``."""

    response: Any = None


class Part(msgspec.Struct, gc=False, rename="camel"):
    """A part of a content; a part of the model's thinking has ``thought``."""

    text: str | None = None
    thought: bool | str | None = None
    inline_data: Media | None = None
    file_data: Media | None = None
    function_response: Answer | None = None


Content = str | Part | list[Part | str] | None


class ToolCall(msgspec.Struct, gc=False):
    """A tool with its outcome, once it has one."""

    id: str | None = None
    name: str | None = None
    args: Any = None
    result: Content = None
    status: str | None = None
    timestamp: str | None = None


class Tokens(msgspec.Struct, gc=False):
    """Tokens of one response: the cache is inside ``input``; ``total`` is input, output, thoughts and tool."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    thoughts: float | None = None
    tool: float | None = None


class Message(msgspec.Struct, gc=False, rename="camel"):
    """A message: of the user, of the model (``gemini``), or the program's own (``info``, ``warning``, ``error``)."""

    id: str | None = None
    type: str | None = None
    timestamp: str | None = None
    content: Content = None
    display_content: Content = None
    tool_calls: list[ToolCall] | None = None
    tokens: Tokens | None = None
    model: str | None = None


class Facts(msgspec.Struct, gc=False, rename="camel"):
    """What the head of a session says of it."""

    session_id: str | None = None
    project_hash: str | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    messages: list[Message] | None = None


class Record(Message, gc=False, rename="camel"):
    """One line of a session that is kept as a log: its head, a message, or a change of either."""

    session_id: str | None = None
    project_hash: str | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    changes: Facts | None = msgspec.field(default=None, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")


TYPES = frozenset({"error", "gemini", "info", "user", "warning"})


def is_message(record: Message) -> bool:
    """Say whether a record is a message of a known type."""
    return bool(record.id) and record.type in TYPES


def is_record(record: Record) -> bool:
    """Say whether a record is one that the log of a session may hold."""
    return (
        is_message(record)
        or record.changes is not None
        or record.rewind_to is not None
        or bool(record.session_id and record.project_hash)
    )
