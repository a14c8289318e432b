"""From one message to its blocks, its model call and its tool calls."""

from __future__ import annotations

import msgspec

from recall_lab.hosts._names import plain_id
from recall_lab.hosts.base import RawBlock, RawModelCall, RawToolCall, make_id
from recall_lab.hosts.claude_code import content
from recall_lab.hosts.claude_code.content import Text
from recall_lab.hosts.claude_code.records import Item, Message, Record, Timing

_HOST = "claude-code"
_SYNTHETIC = "<synthetic>"
_MOST = 2**53  # counts beyond it are no counts


class Place(msgspec.Struct, frozen=True):
    """Where a message stands; ``anchor`` is what the ids of its blocks are made of, usually the record's uuid."""

    anchor: str
    offset: int
    turn: int
    timestamp: str | None
    cwd: str | None
    branch: str | None


def texts_of(record: Record, kind: str, items: list[Item], *, aside: bool = False) -> list[Text]:
    """Return the texts of a message, in order.

    Args:
        record: The record that holds it.
        kind: ``user`` or ``assistant``.
        items: Its content.
        aside: The session is a question asked beside a running agent: the host's reminder is cut off the user's words.
    """
    texts: list[Text] = []
    typed = kind == "user" and content.is_typed(record)
    task = bool(record.is_sidechain) and not record.permission_mode
    for index, item in enumerate(items):
        if content.is_result(item):
            text = content.tool_result(item)
            if text.strip():
                texts.append(Text(index, "tool", "tool_result", text))
        elif item.type in content.REQUEST_TYPES:
            texts.append(
                Text(index, "assistant" if kind == "assistant" else "host", "tool_use", content.tool_request(item))
            )
        elif item.type in content.THINKING_TYPES:
            continue
        else:
            text = content.media_text(item.type, item.source) if item.type in content.MEDIA_TYPES else item.text or ""
            if not text.strip():
                continue
            if kind == "assistant":
                texts.append(Text(index, "assistant", "text", text))
            elif record.is_compact_summary:
                texts.append(Text(index, "host", "summary", text))
            elif aside and typed and (cut := content.split_question(text)):
                texts.append(Text(index, "host", "text", cut[0], part="reminder"))
                texts.append(Text(index, "user", "text", cut[1]))
            else:
                texts.append(Text(index, content.text_role(text, typed=typed, task=task), "text", text))
    return texts


def turns_of(record: Record, kind: str, texts: list[Text], items: list[Item], *, agent: bool, first: bool) -> bool:
    """Say whether a message starts a turn.

    Args:
        record: The record that holds it.
        kind: ``user`` or ``assistant``.
        texts: Its texts.
        items: Its content.
        agent: The session is a subagent's.
        first: No turn has started so far.
    """
    if agent and first:
        return True
    if kind != "user" or any(map(content.is_result, items)):
        return False
    if agent:
        return content.is_typed(record) and any(content.starts_agent_turn(text.text) for text in texts)
    return any(text.role == "user" and content.starts_turn(text.text) for text in texts)


def message_events(
    record: Record, kind: str, message: Message, items: list[Item], texts: list[Text], place: Place, ord_: int
) -> list[RawBlock | RawModelCall | RawToolCall]:
    """Return a message's blocks, from ``ord_`` on, then its calls."""
    events: list[RawBlock | RawModelCall | RawToolCall] = []
    model = message.model if message.model != _SYNTHETIC else None
    ids: dict[int, str] = {}
    for text in texts:
        item = items[text.index]
        block_id = make_id(_HOST, place.anchor, text.index, text.kind, *((text.part,) if text.part else ()))
        ids[text.index] = block_id
        events.append(
            RawBlock(
                block_id=block_id,
                role=text.role,
                kind=text.kind,
                text=text.text,
                ord=ord_,
                turn=place.turn,
                offset=place.offset,
                timestamp=place.timestamp,
                cwd=place.cwd,
                branch=place.branch,
                tool=item.name if text.kind == "tool_use" else None,
                call_id=plain_id(item.id if text.kind == "tool_use" else item.tool_use_id),
                model=model,
            )
        )
        ord_ += 1
    for index, item in enumerate(items):
        if item.type in content.REQUEST_TYPES and (call := plain_id(item.id)):
            events.append(
                RawToolCall(
                    call_id=call, turn=place.turn, tool=item.name, request_block=ids.get(index), started=place.timestamp
                )
            )
        elif content.is_result(item) and (call := plain_id(item.tool_use_id)):
            failed, error = content.failure(item, content.tool_result(item))
            events.append(
                RawToolCall(
                    call_id=call,
                    turn=place.turn,
                    result_block=ids.get(index),
                    ended=place.timestamp,
                    failed=failed,
                    error=error,
                    duration_ms=_duration(record),
                )
            )
    if kind == "assistant" and (spent := _model_call(record, message, place)):
        events.append(spent)
    return events


def _model_call(record: Record, message: Message, place: Place) -> RawModelCall | None:
    """Return the usage of a response, by formats of Claude Code: one call is one (message.id, request_id)."""
    usage = message.usage
    if usage is None or message.model == _SYNTHETIC or record.is_api_error_message:
        return None
    if message.id:
        key = make_id(_HOST, "call", message.id, *((record.request_id,) if record.request_id else ()))
    else:
        key = make_id(_HOST, "call", "uuid", place.anchor)
    written = _count(usage.cache_creation_input_tokens)
    hour = _count(usage.cache_creation.ephemeral_1h_input_tokens) if usage.cache_creation else 0
    minutes = _count(usage.cache_creation.ephemeral_5m_input_tokens) if usage.cache_creation else 0
    return RawModelCall(
        key=key,
        model=message.model,
        timestamp=place.timestamp,
        turn=place.turn,
        input_tokens=_count(usage.input_tokens),
        output_tokens=_count(usage.output_tokens),
        cache_read_tokens=_count(usage.cache_read_input_tokens),
        cache_write_5m_tokens=max(minutes, written - hour),
        cache_write_1h_tokens=hour,
        web_searches=_count(usage.server_tool_use.web_search_requests) if usage.server_tool_use else 0,
        final=message.stop_reason is not None,
        sidechain=bool(record.is_sidechain),
        logged_cost_usd=record.cost_usd if record.cost_usd is not None and 0 <= record.cost_usd < _MOST else None,
    )


def _count(value: int | None) -> int:
    return value if value is not None and 0 <= value < _MOST else 0


def _duration(record: Record) -> int | None:
    """Return how long the tool ran, in milliseconds, where the record says so."""
    timing = record.tool_use_result
    if not isinstance(timing, Timing):
        return None
    for value, factor in ((timing.duration_ms, 1), (timing.total_duration_ms, 1), (timing.duration_seconds, 1000)):
        if value is not None and 0 <= value < _MOST:
            return round(value * factor)
    return None
