"""Which message repeats which event, and so which text is the user's own.

A message and the event that repeats it stand close together, in either order. Records wait in a window until that is
decided, so that whatever follows can be read strictly in file order: a line leaves the window when its records are
settled and another line has begun, or when ``WINDOW_RECORDS`` records or ``WINDOW_BYTES`` bytes have passed since. What
leaves depends on the bytes alone, never on how they were cut into captures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from recall_lab.hosts.codex.content import message_words, part_words, tags
from recall_lab.hosts.codex.records import Body, Record
from recall_lab.model import Role

WINDOW_RECORDS = 128
WINDOW_BYTES = 512 * 1024

_HOST_HEADS = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md")
_HIDDEN = ("oai-mem-citation", "proposed_plan")
_USERS = frozenset({"", "unknown", "images.preparation_error", "images.unsupported", "audio.unsupported"})

_Table = dict[tuple[bool, str], deque[tuple["_Pair", int]]]


class _Pair(msgspec.Struct, eq=False):
    """A message or an event that looks for its counterpart.

    ``texts`` are its parts, and all of them joined in front where there are several; ``found`` are the places in
    ``texts`` of what the other side says too.
    """

    index: int  # its place among the records read
    offset: int
    end: int  # offset of what follows it
    is_user: bool
    texts: list[str]
    found: set[int]
    partners: list[tuple[_Pair, int]]  # and the place in their texts
    gone: bool = False

    @property
    def settled(self) -> bool:
        return 0 in self.found or (len(self.texts) > 1 and len(self.found) == len(self.texts) - 1)

    def seeks(self, place: int) -> bool:
        return not (self.gone or place in self.found or self.settled)


class Window:
    """The records that are not yet decided.

    Args:
        user_events: A user_message event is among the records that have left.
        bare: The source is of 2025-08: it has no events.
        met: By offset of a record that has not left: what of it was found in records that have. See ``_Pair.found``.
    """

    def __init__(self, *, user_events: bool, bare: bool, met: dict[int, list[int]]) -> None:
        self.user_events = user_events
        self.bare = bare
        self.met = met
        self._records: deque[Record] = deque()
        self._pairs: dict[int, _Pair] = {}  # by offset of the record
        self._messages: _Table = {}
        self._events: _Table = {}
        self._user_events_inside = 0
        self._index = 0
        self._last_line = -1

    @property
    def start(self) -> int | None:
        """Offset in bytes of the first line that waits; None when none does."""
        return self._records[0].line if self._records else None

    def add(self, record: Record) -> None:
        """Take in the next record of the source."""
        self._index += 1
        self._last_line = record.line
        self._records.append(record)
        group = record.group
        if group == "item":
            if record.kind == "message" and not self.bare and record.body.role in ("user", "assistant"):
                parts = message_words(record.body.content)
                self._enter(record, record.body.role == "user", parts, self._messages, self._events)
        elif group == "event":
            said = event_words(record)
            if said is not None:
                self._user_events_inside += said[0]
                self._enter(record, said[0], [said[1]], self._events, self._messages)
        elif group == "header":
            self.bare = True

    def extend(self, length: int) -> bool:
        """Count a blank line with the record before it; False when there is none."""
        if not self._records:
            return False
        self._records[-1].length += length
        return True

    def release(self, take: Callable[[Record], None]) -> None:
        """Hand on the records that are decided, in file order: whole lines only, and never the last line.

        To be called when the last line has ended: what an unfinished one says may come to decide others.
        """
        records = self._records
        while (line := records[0].line) != self._last_line:
            if self._pairs and not self._decided(line):
                return
            while records[0].line == line:
                take(self._leave(records.popleft()))

    def drain(self, take: Callable[[Record], None]) -> None:
        """Hand on all that still waits, decided by what is known now."""
        while self._records:
            take(self._leave(self._records.popleft()))

    # ---- pairs -----------------------------------------------------------------------------------------------------

    def _decided(self, line: int) -> bool:
        """Say whether every record of the first line is settled, or has waited long enough."""
        for record in self._records:
            if record.line != line:
                break
            pair = self._pairs.get(record.offset)
            if pair is None or pair.settled:
                continue
            if self._index - pair.index < WINDOW_RECORDS and self._last_line - pair.end < WINDOW_BYTES:
                return False
        return True

    def _enter(self, record: Record, is_user: bool, parts: list[str], own: _Table, others: _Table) -> None:
        if not is_user:
            parts = list(map(_shown, parts))
        texts = ["".join(parts), *parts] if len(parts) > 1 else parts or [""]
        end = record.offset + record.length
        pair = _Pair(self._index, record.offset, end, is_user, texts, set(self.met.get(record.offset, ())), [])
        self._pairs[record.offset] = pair
        for place, text in enumerate(texts):
            if not pair.seeks(place):
                continue
            key = (is_user, text)
            waiting = others.get(key)
            _drop_stale(waiting)
            if waiting:
                other, there = waiting.popleft()
                other.found.add(there)
                pair.found.add(place)
                other.partners.append((pair, place))
                pair.partners.append((other, there))
            else:
                own.setdefault(key, deque()).append((pair, place))

    def _leave(self, record: Record) -> Record:
        pair = self._pairs.pop(record.offset, None) if self._pairs else None
        if record.kind == "message" and record.group == "item":
            record.roles = self._roles(record.body, pair)
        if pair is None:
            return record
        table = self._messages
        if record.group == "event":
            table = self._events
            record.repeated = bool(pair.found)
            if pair.is_user:
                self._user_events_inside -= 1
                self.user_events = True
        pair.gone = True
        self.met.pop(pair.offset, None)
        for partner, there in pair.partners:
            if not partner.gone:
                self.met.setdefault(partner.offset, []).append(there)
        pair.partners.clear()
        for text in pair.texts:
            waiting = table.get((pair.is_user, text))
            _drop_stale(waiting)
            if waiting is not None and not waiting:
                del table[pair.is_user, text]
        return record

    # ---- roles -----------------------------------------------------------------------------------------------------

    def _roles(self, body: Body, pair: _Pair | None) -> list[Role]:
        """Return the role of each part of a message."""
        content = body.content if isinstance(body.content, list) else [body.content]
        if body.role == "assistant":
            return ["assistant"] * len(content)
        if body.role != "user":
            return ["host"] * len(content)
        found = {pair.texts[place] for place in pair.found} if pair else ()
        whole = pair is not None and 0 in pair.found
        kinds = _annotations(body, len(content))
        roles: list[Role | None] = []
        for place, (part, tag) in enumerate(zip(content, tags(content), strict=True)):
            text = part_words(part)
            if text is None or tag:
                roles.append(_annotated(kinds[place]) if kinds else None)
            elif whole or text in found:
                roles.append("user")
            elif kinds:
                roles.append(_annotated(kinds[place]))
            elif self.user_events or self._user_events_inside:
                roles.append("host")
            else:
                roles.append("host" if text.lstrip().startswith(_HOST_HEADS) else "user")
        # A picture belongs to whoever wrote the words beside it.
        beside: Role = "host" if "host" in roles and "user" not in roles else "user"
        return [role or beside for role in roles]


def _shown(text: str) -> str:
    """Return an assistant's words as its event shows them: without citations of memories and proposed plans."""
    for tag in _HIDDEN:
        begin, end = f"<{tag}>", f"</{tag}>"
        kept, at = [], 0
        while (close := text.find(end, at)) >= 0:
            stop = text.find(begin, at, close)
            kept.append(text[at : stop if stop >= 0 else close + len(end)])
            at = close + len(end)
        text = "".join(kept) + text[at:] if kept else text
    return text.strip()


def _drop_stale(waiting: deque[tuple[_Pair, int]] | None) -> None:
    while waiting and not waiting[0][0].seeks(waiting[0][1]):
        waiting.popleft()


def event_words(record: Record) -> tuple[bool, str] | None:
    """Return (are they the user's, the words) of an event that says a message; None for any other event."""
    kind, body = record.kind, record.body
    if kind in ("user_message", "agent_message"):
        if isinstance(body.message, str) and body.kind in (None, "plain"):
            return kind == "user_message", body.message
    elif kind == "item_completed" and isinstance(body.item, dict):
        said = body.item.get("type")
        if said in ("UserMessage", "AgentMessage"):
            return said == "UserMessage", "".join(message_words(body.item.get("content")))
    return None


def _annotations(body: Body, count: int) -> list[Any] | None:
    """Return what the host says of each part of a user message, where it does (Codex 0.15x)."""
    meta = body.internal_chat_message_metadata_passthrough
    kinds = meta.get("content_item_kinds") if isinstance(meta, dict) else None
    return kinds if isinstance(kinds, list) and len(kinds) == count else None


def _annotated(kind: Any) -> Role:
    return "user" if isinstance(kind, str) and (kind in _USERS or kind.startswith("user.")) else "host"
