"""The events of a Copilot CLI session, as far as they are read. Reasoning has no field, open or sealed."""

from __future__ import annotations

from typing import Any

import msgspec


class Context(msgspec.Struct, gc=False, rename="camel"):
    """Where a session works."""

    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    repository_host: str | None = None


class Request(msgspec.Struct, gc=False, rename="camel"):
    """A tool that the model asks for."""

    tool_call_id: str | None = None
    name: str | None = None
    arguments: Any = None


class Result(msgspec.Struct, gc=False):
    """What a tool gave, as the model reads it."""

    content: str | None = None


class Failure(msgspec.Struct, gc=False):
    """Why a tool, or the session, failed."""

    message: str | None = None


class Measures(msgspec.Struct, gc=False):
    """What was measured of a tool's run, in the host's own spelling."""

    exit_code: float | None = None


class Telemetry(msgspec.Struct, gc=False):
    """What the host noted of a tool's run for itself."""

    metrics: Measures | None = None


class Attachment(msgspec.Struct, gc=False, rename="camel"):
    """Something put beside a prompt; ``text`` is of a selection, ``data`` base64."""

    type: str | None = None
    text: str | None = None
    data: str | None = None
    mime_type: str | None = None


class Usage(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """Tokens of a model over the whole session so far; the cache is inside ``input_tokens``."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    cache_read_tokens: float | None = None
    cache_write_tokens: float | None = None
    reasoning_tokens: float | None = None


class Metrics(msgspec.Struct, gc=False):
    """What a session used of one model."""

    usage: Usage | None = None


class Data(msgspec.Struct, gc=False, rename="camel"):
    """What an event tells; which fields it has depends on its type."""

    session_id: str | None = None
    copilot_version: str | None = None
    selected_model: str | None = None
    new_model: str | None = None
    context: Context | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | Context | None = None
    repository_host: str | None = None
    title: str | None = None
    content: str | None = None
    source: str | None = None
    attachments: list[Attachment] | None = None
    message_id: str | None = None
    api_call_id: str | None = None
    model: str | None = None
    output_tokens: float | None = None
    input_tokens: float | None = None
    cache_read_tokens: float | None = None
    cache_write_tokens: float | None = None
    tool_requests: list[Request] | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: Any = None
    success: bool | None = None
    result: Result | None = None
    error: Failure | str | None = None
    tool_telemetry: Telemetry | None = None
    message: str | None = None
    summary_content: str | None = None
    summary: str | None = None
    model_metrics: dict[str, Metrics] | None = None


class Record(msgspec.Struct, gc=False, rename="camel"):
    """One event."""

    type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    data: Data | None = None


SPOKEN = frozenset(
    {
        "assistant.message",
        "assistant.usage",
        "session.compaction_complete",
        "session.context_changed",
        "session.error",
        "session.handoff",
        "session.info",
        "session.model_change",
        "session.resume",
        "session.shutdown",
        "session.start",
        "session.title_changed",
        "session.warning",
        "skill.invoked",
        "system.notification",
        "tool.execution_complete",
        "tool.execution_start",
        "tool.user_requested",
        "user.message",
    }
)
"""Events that are read."""

LEFT_OUT = frozenset(
    {
        "assistant.intent",
        "assistant.message_delta",
        "assistant.reasoning",
        "assistant.reasoning_delta",
        "assistant.streaming_delta",
        "assistant.thinking",
        "assistant.tool_call_delta",
        "hook.end",
        "hook.progress",
        "hook.start",
        "session.binary_asset",
        "system.message",
        "tool.execution_partial_result",
        "tool.execution_progress",
    }
)
"""Events whose text is left out on purpose: the system prompt, reasoning, and what repeats other events."""

SILENT = frozenset(
    {
        "abort",
        "assistant.idle",
        "assistant.message_start",
        "assistant.turn_end",
        "assistant.turn_retry",
        "assistant.turn_start",
        "command.completed",
        "command.execute",
        "command.queued",
        "elicitation.completed",
        "elicitation.requested",
        "exit_plan_mode.completed",
        "exit_plan_mode.requested",
        "external_tool.completed",
        "external_tool.requested",
        "model.call_failure",
        "model.call_finished",
        "pending_messages.modified",
        "permission.completed",
        "permission.requested",
        "session.auto_mode_resolved",
        "session.autopilot_objective_changed",
        "session.background_tasks_changed",
        "session.compaction_start",
        "session.context_cleared",
        "session.custom_agents_updated",
        "session.extensions_loaded",
        "session.idle",
        "session.mcp_server_status_changed",
        "session.mcp_servers_loaded",
        "session.mode_changed",
        "session.permissions_changed",
        "session.plan_changed",
        "session.remote_steerable_changed",
        "session.schedule_cancelled",
        "session.schedule_created",
        "session.skills_loaded",
        "session.snapshot_rewind",
        "session.task_complete",
        "session.todos_changed",
        "session.tools_updated",
        "session.truncation",
        "session.usage_checkpoint",
        "session.usage_info",
        "session.workspace_file_changed",
        "subagent.completed",
        "subagent.deselected",
        "subagent.failed",
        "subagent.selected",
        "subagent.started",
        "user_input.completed",
        "user_input.requested",
    }
)
"""Events without a text of their own in the conversation."""


def is_record(record: Record) -> bool:
    """Say whether a record is an event of a known type, in the envelope of all events."""
    return record.data is not None and bool(record.id) and record.type in SPOKEN | LEFT_OUT | SILENT
