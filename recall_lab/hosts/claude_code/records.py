"""The records that Claude Code writes, as far as they are read. What has no field here is skipped while decoding.

Thinking has no field: its text never becomes a Python string.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Media(msgspec.Struct, gc=False):
    """Where the bytes of an image or document are: ``data`` is base64, or text when ``type`` is ``text``."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None


class Part(msgspec.Struct, gc=False):
    """A part of a tool's result."""

    type: str | None = None
    text: str | None = None
    title: str | None = None
    url: str | None = None
    tool_name: str | None = None
    error_code: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    source: Media | None = None


class Item(msgspec.Struct, gc=False):
    """One item of a message's content."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: str | list[Part | str] | Part | None = None
    is_error: bool | None = None
    source: Media | None = None
    title: str | None = None


class CacheWrites(msgspec.Struct, gc=False):
    """Tokens written to the cache, by how long they live."""

    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerTools(msgspec.Struct, gc=False):
    """Requests that the model's provider served."""

    web_search_requests: int | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens of one model response, as far as it had come when the row was written."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: CacheWrites | None = None
    server_tool_use: ServerTools | None = None


class Message(msgspec.Struct, gc=False):
    """A message in the shape of the Messages API."""

    id: str | None = None
    model: str | None = None
    content: str | list[Item | str] | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Inner(msgspec.Struct, gc=False, rename="camel"):
    """A whole message of a subagent, told in a progress record of the session that called it."""

    type: str | None = None
    uuid: str | None = None
    timestamp: str | float | None = None
    request_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    message: Message | None = None


class Origin(msgspec.Struct, gc=False):
    """Who wrote a user record."""

    kind: str | None = None


class Attachment(msgspec.Struct, gc=False, rename="camel"):
    """What the host put beside the conversation."""

    type: str | None = None
    prompt: str | list[Item | str] | None = None
    command_mode: str | None = None
    is_meta: bool | None = None
    origin: Origin | str | None = None


class Timing(msgspec.Struct, gc=False, rename="camel"):
    """How long a tool ran, as some tools log it."""

    duration_ms: float | None = None
    total_duration_ms: float | None = None
    duration_seconds: float | None = None


class Fork(msgspec.Struct, gc=False, rename="camel"):
    """The record of another session that this one goes on from."""

    session_id: str | None = None


class Data(msgspec.Struct, gc=False, rename="camel"):
    """The body of a progress record."""

    type: str | None = None
    agent_id: str | None = None
    message: Inner | str | None = None

    def spoken(self, record: Record) -> Record | None:
        """Return the embedded message as a record of its agent, where ``record`` holds this; None when it is none."""
        inner = self.message
        if not isinstance(inner, Inner) or inner.message is None or not inner.uuid:
            return None
        if inner.type not in ("user", "assistant"):
            return None
        return Record(
            type=inner.type,
            uuid=inner.uuid,
            session_id=record.session_id,
            timestamp=inner.timestamp if inner.timestamp is not None else record.timestamp,
            cwd=record.cwd,
            git_branch=record.git_branch,
            version=record.version,
            request_id=inner.request_id,
            is_sidechain=True,
            is_meta=inner.is_meta,
            is_compact_summary=inner.is_compact_summary,
            message=inner.message,
        )


class Record(msgspec.Struct, gc=False, rename="camel"):
    """One record of a transcript, of whatever type."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    agent_id: str | None = None
    request_id: str | None = None
    permission_mode: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    cost_usd: float | None = msgspec.field(default=None, name="costUSD")
    origin: Origin | str | None = None
    forked_from: Fork | str | None = None
    message: Message | None = None
    tool_use_result: Timing | str | list[msgspec.Raw] | None = None
    # of the types that are no messages
    subtype: str | None = None
    content: str | list[Item | str] | None = None
    attachment: Attachment | None = None
    data: Data | None = None
    operation: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    message_id: str | None = None


SMALL_TYPES = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "custom-title",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "tag",
        "worktree-state",
    }
)
"""Types without a text of their own that belongs in the conversation: titles, settings, links, snapshots."""


def is_record(record: Record) -> bool:
    """Say whether a record is of a known top-level type and has the fields that every record of the type has."""
    match record.type:
        case "user" | "assistant":
            return record.message is not None and bool(record.uuid or record.session_id)
        case "system":
            return record.subtype is not None and bool(record.uuid or record.session_id)
        case "attachment":
            return record.attachment is not None and bool(record.uuid or record.session_id)
        case "progress":
            return record.data is not None and bool(record.uuid or record.session_id)
        case "queue-operation":
            return record.operation is not None and bool(record.session_id)
        case "summary":
            return record.summary is not None and bool(record.leaf_uuid)
        case "file-history-snapshot":
            return record.message_id is not None
        case kind:
            return kind in SMALL_TYPES and bool(record.session_id)
