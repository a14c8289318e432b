"""Which message repeats which event, and so which text is the user's own.

A message and the event that repeats it stand close together, in either order. Records wait in a window until that is
decided, so that whatever follows can be read strictly in file order: a record leaves the window when it is settled and
another line has begun, or when ``WINDOW_RECORDS`` records or ``WINDOW_BYTES`` bytes have passed since. What leaves
depends on the bytes alone, never on how they were cut into captures.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from recall_lab.hosts.codex.content import is_wrapper
from recall_lab.hosts.codex.records import Record
from recall_lab.model import Role

WINDOW_RECORDS = 128
WINDOW_BYTES = 512 * 1024

_HOST_HEADS = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md")
_USER_KINDS = frozenset({"", "unknown", "images.preparation_error", "images.unsupported", "audio.unsupported"})
_Key = tuple[bool, str]


class _Pair(msgspec.Struct, gc=False):
    """What a message or an event says, and which of it has been found on the other side."""

    index: int
    record: Record
    is_user: bool
    parts: list[str]
    found: set[str]
    left: bool = False

    @property
    def whole(self) -> str:
        return "".join(self.parts)

    @property
    def settled(self) -> bool:
        return bool(self.found) and (self.whole in self.found or self.found.issuperset(self.parts))

    def seeks(self, text: str) -> bool:
        return not self.left and text not in self.found and not self.settled


class Window:
    """The records that are not yet decided."""

    def __init__(self, *, user_events: bool, bare: bool) -> None:
        self.user_events = user_events  # a user_message event is among the records that have left
        self.bare = bare  # a file of 2025-08, which has no events
        self._records: deque[Record] = deque()
        self._pairs: dict[int, _Pair] = {}  # by offset of the record
        self._messages: dict[_Key, deque[_Pair]] = {}
        self._events: dict[_Key, deque[_Pair]] = {}
        self._user_events_inside = 0
        self._index = 0
        self._last: Record | None = None

    @property
    def start(self) -> int | None:
        """Offset in bytes of the first line that waits; None when none does."""
        return self._records[0].line if self._records else None

    def add(self, record: Record) -> None:
        """Take in the next record of the file."""
        self._index += 1
        self._last = record
        self._records.append(record)
        if record.group == "event":
            said = event_text(record)
            if said is not None:
                is_user, text = said
                self._user_events_inside += is_user
                self._enter(_Pair(self._index, record, is_user, [text], set()), self._events, self._messages)
        elif record.kind == "message" and record.group == "item":
            role = record.body.role
            if not self.bare and role in ("user", "assistant"):
                pair = _Pair(self._index, record, role == "user", message_texts(record.body.content) or [""], set())
                self._enter(pair, self._messages, self._events)
        elif record.group == "header":
            self.bare = True

    def extend(self, length: int) -> bool:
        """Count a blank line with the record before it; False when there is none."""
        if self._last is None or not self._records:
            return False
        self._last.length += length
        return True

    def leaving(self) -> list[Record]:
        """Return the records that are decided, in file order: whole lines only, and never the last line."""
        left: list[Record] = []
        records, pairs = self._records, self._pairs
        last_line = self._last.line if self._last else -1
        while records and records[0].line != last_line:
            line = records[0].line
            if pairs:
                for record in records:
                    if record.line != line:
                        break
                    pair = pairs.get(record.offset)
                    if pair and not pair.settled and not self._expired(pair):
                        return left
            while records[0].line == line:
                left.append(self._leave(records.popleft()))
        return left

    def rest(self) -> list[Record]:
        """Return all that still waits, decided by what is known now."""
        left = []
        while self._records:
            left.append(self._leave(self._records.popleft()))
        return left

    # ---- one record ------------------------------------------------------------------------------------------------

    def _expired(self, pair: _Pair) -> bool:
        passed = self._last.offset - pair.record.offset - pair.record.length if self._last else 0
        return self._index - pair.index >= WINDOW_RECORDS or passed >= WINDOW_BYTES

    def _enter(
        self, pair: _Pair, own: dict[_Key, deque[_Pair]], others: dict[_Key, deque[_Pair]]
    ) -> None:
        self._pairs[pair.record.offset] = pair
        for text in dict.fromkeys((pair.whole, *pair.parts)):
            if not pair.seeks(text):
                continue
            key = (pair.is_user, text)
            waiting = others.get(key)
            while waiting and not waiting[0].seeks(text):
                waiting.popleft()
            if waiting:
                waiting.popleft().found.add(text)
                pair.found.add(text)
            else:
                own.setdefault(key, deque()).append(pair)

    def _leave(self, record: Record) -> Record:
        pair = self._pairs.pop(record.offset, None)
        if pair is None:
            if record.kind == "message" and record.group == "item":
                record.roles = self._roles(record, None)
            return record
        pair.left = True
        if record.group == "item":
            record.roles = self._roles(record, pair)
            table = self._messages
        else:
            record.repeated = bool(pair.found)
            if pair.is_user:
                self._user_events_inside -= 1
                self.user_events = True
            table = self._events
        for text in (pair.whole, *pair.parts):
            waiting = table.get((pair.is_user, text))
            if waiting is not None:
                while waiting and not waiting[0].seeks(text):
                    waiting.popleft()
                if not waiting:
                    del table[pair.is_user, text]
        return record

    # ---- roles -----------------------------------------------------------------------------------------------------

    def _roles(self, record: Record, pair: _Pair | None) -> list[Role]:
        """Return the role of each part of a message."""
        body = record.body
        content = body.content if isinstance(body.content, list) else [body.content]
        if body.role == "assistant":
            return ["assistant"] * len(content)
        if body.role != "user":
            return ["host"] * len(content)
        whole = pair is not None and pair.whole in pair.found
        kinds = _annotated(body, len(content))
        roles: list[Role | None] = []
        for place, part in enumerate(content):
            text = part_words(part)
            if text is None or is_wrapper(part, content):
                roles.append("user" if kinds and _is_users(kinds[place]) else None)
            elif whole or (pair is not None and text in pair.found):
                roles.append("user")
            elif kinds:
                roles.append("user" if _is_users(kinds[place]) else "host")
            elif self.user_events or self._user_events_inside:
                roles.append("host")
            else:
                roles.append("host" if text.lstrip().startswith(_HOST_HEADS) else "user")
        others: Role = "user" if whole or "user" in roles or not any(roles) else "host"
        return [role or others for role in roles]


def _annotated(body: Any, count: int) -> list[Any] | None:
    """Return what the host itself says of each part of a user message, where it does (Codex 0.15x)."""
    meta = body.internal_chat_message_metadata_passthrough
    kinds = meta.get("content_item_kinds") if isinstance(meta, dict) else None
    return kinds if isinstance(kinds, list) and len(kinds) == count else None


def _is_users(kind: Any) -> bool:
    return isinstance(kind, str) and (kind in _USER_KINDS or kind.startswith("user."))


def part_words(part: Any) -> str | None:
    """Return a part's words; None for a picture or anything else."""
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def message_texts(content: Any) -> list[str]:
    """Return the words of a message, part by part, without the tags around pictures."""
    parts = content if isinstance(content, list) else [content]
    return [text for part in parts if (text := part_words(part)) is not None and not is_wrapper(part, parts)]


def event_text(record: Record) -> tuple[bool, str] | None:
    """Return (is it the user's, its text) of an event that says a message; None for any other event."""
    kind, body = record.kind, record.body
    if kind in ("user_message", "agent_message"):
        if isinstance(body.message, str) and body.kind in (None, "plain"):
            return kind == "user_message", body.message
    elif kind == "item_completed" and isinstance(body.item, dict):
        if body.item.get("type") in ("UserMessage", "AgentMessage"):
            return body.item["type"] == "UserMessage", "".join(message_texts(body.item.get("content")))
    return None
