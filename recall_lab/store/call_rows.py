"""Model and tool calls as rows: what one of them told by several records of a source comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

import apsw

from recall_lab.model import ModelCall, ToolCall

_MODEL_COLUMNS = tuple(name for name in ModelCall.__struct_fields__ if name not in {"key", "agent"})
_model_values = attrgetter(*_MODEL_COLUMNS)
_UPSERT_MODEL_CALL = (
    f"INSERT INTO model_calls (source_id, session_id, key, {', '.join(_MODEL_COLUMNS)}) "
    f"VALUES (?, ?, ?, {', '.join('?' * len(_MODEL_COLUMNS))}) ON CONFLICT (source_id, key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _MODEL_COLUMNS)
    + " WHERE (excluded.final, excluded.output_tokens) >= (final, output_tokens)"
)
_TOOL_COLUMNS = tuple(name for name in ToolCall.__struct_fields__ if name not in {"call_id", "turn", "agent"})
_BLOCK_COLUMNS = frozenset({"request_block", "result_block"})
_tool_fields = attrgetter(*_TOOL_COLUMNS)
_UPSERT_TOOL_CALL = (
    f"INSERT INTO tool_calls (source_id, session_id, call_id, turn, {', '.join(_TOOL_COLUMNS)}) "
    f"VALUES (?, ?, ?, ?, {', '.join('?' * len(_TOOL_COLUMNS))}) ON CONFLICT (source_id, call_id) DO UPDATE SET "
    # A call stands in the turn of its request, as the latest reading of it has it.
    "turn = CASE WHEN excluded.request_block IS NULL AND request_block IS NOT NULL THEN turn ELSE excluded.turn END, "
    + ", ".join(f"{name} = coalesce(excluded.{name}, {name})" for name in _TOOL_COLUMNS)
)


def write_calls(
    db: apsw.Connection,
    source_id: int,
    sessions: Mapping[str | None, int],
    models: Sequence[ModelCall],
    tools: Sequence[ToolCall],
) -> None:
    """Merge the calls of a batch into those of its source.

    Args:
        db: The store; the caller holds the transaction.
        source_id: The source.
        sessions: agent_id -> session_id; None is the source's own session.
        models: A later, larger count of the same response takes the place of an earlier one.
        tools: What a later record leaves open stays.
    """
    db.executemany(
        _UPSERT_MODEL_CALL,
        ((source_id, sessions[call.agent], bytes.fromhex(call.key), *_model_values(call)) for call in models),
    )
    db.executemany(
        _UPSERT_TOOL_CALL,
        ((source_id, sessions[call.agent], call.call_id, call.turn, *_tool_values(call)) for call in tools),
    )


def _tool_values(call: ToolCall) -> tuple[object, ...]:
    """The columns of a tool call, in their order."""
    return tuple(
        bytes.fromhex(value) if name in _BLOCK_COLUMNS and value else value
        for name, value in zip(_TOOL_COLUMNS, _tool_fields(call), strict=True)
    )
