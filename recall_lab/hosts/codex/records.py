"""Lines of a rollout as typed records.

A rollout line is ``{timestamp, ordinal?, type, payload}``; files of 2025-08 hold the bare records instead: a header
``{id, timestamp, instructions, git}``, response items, and ``{record_type: "state"}``. Fields that are never used, among
them reasoning, encrypted content and instructions, are skipped while decoding and never become objects.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from recall_lab.hosts.base import Line
from recall_lab.hosts.codex.salvage import salvage
from recall_lab.model import Disposition, Role

_NOTHING = msgspec.Raw(b"null")

ITEMS: frozenset[str] = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "local_shell_call", "web_search_call"),
        *("local_shell_call_output", "custom_tool_call", "custom_tool_call_output", "tool_search_call"),
        *("tool_search_output", "image_generation_call", "compaction", "context_compaction", "compaction_summary"),
        *("compaction_trigger", "ghost_snapshot", "agent_message", "configuration_update", "other"),
    }
)
EVENTS: frozenset[str] = frozenset(
    {
        *("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "token_count"),
        *("agent_reasoning_section_break", "agent_message_delta", "agent_reasoning_delta", "item_started"),
        *("item_completed", "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted"),
        *("context_compacted", "thread_rolled_back", "patch_apply_begin", "patch_apply_end", "patch_apply_updated"),
        *("mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "exec_command_begin"),
        *("exec_command_end", "exec_command_output_delta", "view_image_tool_call", "image_generation_begin"),
        *("image_generation_end", "dynamic_tool_call_request", "dynamic_tool_call_response", "error", "warning"),
        *("stream_error", "background_event", "deprecation_notice", "session_configured", "shutdown_complete"),
        *("thread_name_updated", "thread_settings_applied", "thread_goal_updated", "plan_update", "plan_delta"),
        *("turn_diff", "model_reroute", "entered_review_mode", "exited_review_mode", "undo_started"),
        *("undo_completed", "get_history_entry_response", "exec_approval_request", "apply_patch_approval_request"),
        *("request_user_input", "request_permissions", "elicitation_request", "guardian_assessment"),
        *("guardian_warning", "hook_started", "hook_completed", "terminal_interaction", "raw_response_item"),
        *("mcp_startup_update", "mcp_startup_complete", "mcp_list_tools_response", "list_custom_prompts_response"),
        *("list_skills_response", "skills_update_available", "conversation_path", "sub_agent_activity"),
        *("collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin"),
        *("collab_agent_interaction_end", "collab_waiting_begin", "collab_waiting_end", "collab_close_begin"),
        *("collab_close_end", "collab_resume_begin", "collab_resume_end", "agent_message_content_delta"),
    }
)
OTHERS: frozenset[str] = frozenset(
    {
        *("session_meta", "turn_context", "compacted", "world_state", "token_usage_record"),
        *("inter_agent_communication", "inter_agent_communication_metadata", "retained_context"),
        *("security_risk_score", "realtime_item"),
    }
)
_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z_./-]{0,47}")


class Body(msgspec.Struct, gc=False):
    """The fields of any payload that are used; what a field holds is checked where it is used."""

    type: Any = None
    id: Any = None
    timestamp: Any = None
    cwd: Any = None
    cli_version: Any = None
    source: Any = None
    forked_from_id: Any = None
    parent_thread_id: Any = None
    session_id: Any = None
    agent_nickname: Any = None
    agent_role: Any = None
    git: Any = None
    turn_id: Any = None
    model: Any = None
    role: Any = None
    content: Any = None
    internal_chat_message_metadata_passthrough: Any = None
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    output: Any = None
    status: Any = None
    action: Any = None
    tools: Any = None
    revised_prompt: Any = None
    message: Any = None
    kind: Any = None
    images: Any = None
    local_images: Any = None
    info: Any = None
    usage: Any = None
    response_id: Any = None
    item: Any = None
    author: Any = None
    recipient: Any = None
    thread_name: Any = None
    thread_settings: Any = None
    success: Any = None
    exit_code: Any = None
    duration: Any = None
    stderr: Any = None
    result: msgspec.Raw = _NOTHING


class _Wire(Body):
    """A whole line: the envelope of today, or a bare record of 2025-08."""

    payload: Body | None = None
    record_type: Any = None


class Record(msgspec.Struct, gc=False):
    """One record of a rollout, or one stretch of bytes that is none.

    ``offset`` and ``length`` are bytes; ``line`` is the offset of its line. ``group`` is ``item``, ``event``, ``other``,
    ``header``, ``state`` or ``none``; ``kind`` the type within it; ``name`` what the ledger calls it.
    """

    line: int
    offset: int
    length: int
    group: str
    kind: str
    name: str
    body: Body
    timestamp: Any = None
    disposition: Disposition | None = None  # decided already: malformed, unknown or pending
    reason: str | None = None
    roles: list[Role] | None = None  # of a message's parts, once they are decided
    repeated: bool = False  # an event that says what a response item says


_EMPTY = Body()
_DECODER = msgspec.json.Decoder(_Wire)
_FIELDS = frozenset(Body.__struct_fields__) - {"result"}


def read_line(line: Line) -> list[Record]:
    """Return the records of one non-blank line; their lengths add up to the line's. Never raises."""
    try:
        wire = _DECODER.decode(line.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_torn(line)
    return [_record(wire, line.offset, line.offset, line.length)]


def sanitised(name: object) -> str:
    """Return a record type's name as the ledger may show it."""
    return name if isinstance(name, str) and _TYPE_NAME.fullmatch(name) else "unnamed"


def _record(wire: _Wire, line: int, offset: int, length: int, reason: str | None = None) -> Record:
    kind, body = wire.type, wire.payload
    if body is not None:
        inner = body.type
        if kind == "response_item":
            if inner in ITEMS:
                return Record(line, offset, length, "item", inner, _ITEM_NAMES[inner], body, wire.timestamp, None, reason)
        elif kind == "event_msg":
            if inner in EVENTS:
                return Record(
                    line, offset, length, "event", inner, _EVENT_NAMES[inner], body, wire.timestamp, None, reason
                )
        elif isinstance(kind, str) and kind in OTHERS:
            return Record(line, offset, length, "other", kind, kind, body, wire.timestamp, None, reason)
        else:
            inner = None
        name = sanitised(kind) if inner is None else f"{kind}/{sanitised(inner)}"
        why = reason or "a record of a type that is not known"
        return Record(line, offset, length, "none", "", name, _EMPTY, wire.timestamp, "unknown", why)
    if isinstance(kind, str) and kind in ITEMS:
        return Record(line, offset, length, "item", kind, kind, wire, wire.timestamp, None, reason)
    if kind is None and isinstance(wire.record_type, str):
        return Record(line, offset, length, "state", "", sanitised(wire.record_type), _EMPTY, None, None, reason)
    if kind is None and wire.id is not None and wire.timestamp is not None:
        return Record(line, offset, length, "header", "", "header", wire, wire.timestamp, None, reason)
    why = reason or ("an object without a type" if kind is None else "a record of a type that is not known")
    return Record(line, offset, length, "none", "", sanitised(kind), _EMPTY, None, "unknown", why)


_ITEM_NAMES = {name: f"response_item/{name}" for name in ITEMS}
_EVENT_NAMES = {name: f"event_msg/{name}" for name in EVENTS}


def _read_torn(line: Line) -> list[Record]:
    """Read a line that is not one plain JSON object: several objects, a torn one, bad bytes, or an unfinished one."""
    accepts = _is_envelope if b'"payload"' in line.data else _is_bare
    found = salvage(line.data, accepts, ended=line.ended)
    records = []
    for position, piece in enumerate(found):
        # The line's end and whatever surrounds its objects belong to the piece before.
        start = line.offset + (piece.start if position else 0)
        end = line.offset + (found[position + 1].start if position + 1 < len(found) else line.length)
        if piece.value is not None:
            records.append(_record(_wire(piece.value), line.offset, start, end - start, piece.reason))
        else:
            unfinished = not line.ended and position + 1 == len(found)
            disposition: Disposition = "pending" if unfinished else "malformed"
            reason = "the line is not finished" if unfinished else piece.reason
            name = "unfinished" if unfinished else "malformed"
            records.append(
                Record(line.offset, start, end - start, "none", "", name, _EMPTY, None, disposition, reason)
            )
    return records


def _is_envelope(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    known = isinstance(kind, str) and (kind in {"response_item", "event_msg"} or kind in OTHERS)
    return known and isinstance(value.get("payload"), dict)


def _is_bare(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind is None:
        return "record_type" in value or {"id", "timestamp"} <= value.keys()
    needs = {"message": "content", "reasoning": "summary"}.get(kind, "call_id") if isinstance(kind, str) else ""
    return kind in ITEMS and needs in value


def _wire(value: dict[str, Any]) -> _Wire:
    payload = value.get("payload")
    wire = _Wire(**{key: field for key, field in value.items() if key in _FIELDS})
    wire.record_type = value.get("record_type")
    if isinstance(payload, dict):
        wire.payload = Body(**{key: field for key, field in payload.items() if key in _FIELDS})
    return wire
