"""From one message to its blocks, its model call and its tool calls."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from recall_lab.hosts._names import plain_id
from recall_lab.hosts.base import RawBlock, RawModelCall, RawToolCall, make_id
from recall_lab.hosts.claude_code import content
from recall_lab.hosts.claude_code.content import Text
from recall_lab.hosts.claude_code.records import Attachment, Item, Message, Record, Timing
from recall_lab.model import Disposition

NAME = "claude-code"

_SYNTHETIC = "<synthetic>"
_ASIDE = "aside_question"
_MOST = 2**53  # counts beyond it are no counts


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a message stands; ``anchor`` is what the ids of its blocks are made of, ``ord`` that of its first block."""

    anchor: str
    ord: int
    offset: int
    turn: int
    timestamp: str | None
    cwd: str | None
    branch: str | None


class Spoken(msgspec.Struct, frozen=True, gc=False):
    """A message with its texts; ``record`` is the one that holds it, of the type ``user`` or ``assistant``."""

    record: Record
    message: Message
    items: list[Item]
    texts: list[Text]

    def starts_turn(self, *, in_agent: bool, first: bool) -> bool:
        """Say whether the message starts a turn.

        Args:
            in_agent: The session is a subagent's: it begins with a turn, and tasks and teammates start turns too.
            first: No turn has started so far.
        """
        if in_agent and first:
            return True
        if self.record.type != "user" or any(map(content.is_result, self.items)):
            return False
        if in_agent:
            return content.is_typed(self.record) and any(content.starts_agent_turn(text.text) for text in self.texts)
        return any(text.role == "user" and content.starts_turn(text.text) for text in self.texts)

    @property
    def disposition(self) -> Disposition:
        """Where the message's bytes went: a placeholder keeps nothing of an image."""
        items = self.items
        for text in self.texts:
            if items[text.index].type not in content.MEDIA_TYPES:
                return "indexed"
        types = {item.type for item in items}
        if types & content.SILENT_TYPES:
            return "excluded"
        if all(type_ in content.KNOWN_TYPES or str(type_).endswith("tool_result") for type_ in types):
            return "metadata"
        return "unknown"

    def events(self, place: Place) -> Iterator[RawBlock | RawModelCall | RawToolCall]:
        """Yield the message's blocks, then its calls."""
        ids: dict[int, str] = {}
        model = self.message.model if self.message.model != _SYNTHETIC else None
        for ord_, text in enumerate(self.texts, place.ord):
            item = self.items[text.index]
            asked = text.kind == "tool_use"
            block_id = make_id(NAME, place.anchor, text.index, text.kind, *((text.part,) if text.part else ()))
            ids[text.index] = block_id
            yield RawBlock(
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
                tool=item.name if asked else None,
                call_id=plain_id(item.id if asked else item.tool_use_id),
                model=model,
            )
        yield from self._tool_calls(place, ids)
        if self.record.type == "assistant" and (call := _model_call(self.record, self.message, place)):
            yield call

    def _tool_calls(self, place: Place, ids: dict[int, str]) -> Iterator[RawToolCall]:
        for index, item in enumerate(self.items):
            if item.type in content.REQUEST_TYPES and (call_id := plain_id(item.id)):
                yield RawToolCall(
                    call_id=call_id,
                    turn=place.turn,
                    tool=item.name,
                    request_block=ids.get(index),
                    started=place.timestamp,
                )
            elif content.is_result(item) and (call_id := plain_id(item.tool_use_id)):
                failed, error = content.failure(item, content.tool_result(item))
                yield RawToolCall(
                    call_id=call_id,
                    turn=place.turn,
                    result_block=ids.get(index),
                    ended=place.timestamp,
                    failed=failed,
                    error=error,
                    duration_ms=_duration(self.record) if len(self.items) == 1 else None,
                )


def spoken_in(record: Record, *, agent: str | None) -> Spoken:
    """Return the message of a user or assistant record.

    Args:
        record: The record.
        agent: The agent whose session it is of. In that of a question asked beside a running agent, the host's reminder
            is cut off the user's words.
    """
    message = record.message or Message()
    items = content.items_of(message.content)
    aside = agent is not None and agent.startswith(_ASIDE)
    return Spoken(record, message, items, list(content.texts(record, items, aside=aside)))


def spoken_queued(record: Record, attachment: Attachment) -> Spoken:
    """Return the message of a prompt that was typed while the agent worked, and delivered as an attachment."""
    message = Message(content=attachment.prompt)
    delivered = Record(
        type="user",
        origin=attachment.origin if attachment.origin is not None else record.origin,
        is_meta=attachment.is_meta or record.is_meta or attachment.command_mode not in (None, "prompt"),
        message=message,
    )
    return spoken_in(delivered, agent=None)


def queued_text(record: Record) -> str:
    """Return the text of a queue operation."""
    texts = (item.text for item in content.items_of(record.content))
    return "\n".join(text for text in texts if text)


def _model_call(record: Record, message: Message, place: Place) -> RawModelCall | None:
    """Return the usage of a response: one call is one (message.id, requestId), else message.id, else the record.

    What the host made up itself (synthetic messages, API errors) is no call.
    """
    usage = message.usage
    if usage is None or message.model == _SYNTHETIC or record.is_api_error_message:
        return None
    if message.id:
        key = make_id(NAME, "call", message.id, *((record.request_id,) if record.request_id else ()))
    else:
        key = make_id(NAME, "call", "record", place.anchor)
    kept = usage.cache_creation
    hour = _count(kept.ephemeral_1h_input_tokens) if kept else 0
    minutes = _count(kept.ephemeral_5m_input_tokens) if kept else 0
    cost = record.cost_usd
    return RawModelCall(
        key=key,
        model=message.model,
        timestamp=place.timestamp,
        turn=place.turn,
        input_tokens=_count(usage.input_tokens),
        output_tokens=_count(usage.output_tokens),
        cache_read_tokens=_count(usage.cache_read_input_tokens),
        cache_write_5m_tokens=max(minutes, _count(usage.cache_creation_input_tokens) - hour),
        cache_write_1h_tokens=hour,
        web_searches=_count(usage.server_tool_use.web_search_requests) if usage.server_tool_use else 0,
        final=message.stop_reason is not None,
        sidechain=bool(record.is_sidechain),
        logged_cost_usd=cost if cost is not None and 0 <= cost < _MOST else None,
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
