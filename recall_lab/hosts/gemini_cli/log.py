"""Reads a session that is kept as a log: ``chats/session-<time>-<id>.jsonl``.

A message is written again, whole, whenever something comes to it (a tool's result, tokens): what is new of it is told.
``$set`` changes the head, and may list the messages anew; ``$rewindTo`` takes back a message and all that followed.
"""

from __future__ import annotations

from pathlib import PurePath

from recall_lab.hosts._documents import fallback_name
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._lines import LineParser, LineState, Taken, key_of
from recall_lab.hosts._names import plain_id
from recall_lab.hosts.base import Checkpoint, Event
from recall_lab.hosts.gemini_cli import messages
from recall_lab.hosts.gemini_cli.records import TYPES, Message, Record, is_message, is_record

READER = LineReader(Record, is_record, first_keys=("id", "sessionId", r"\$set", r"\$rewindTo"))


class State(LineState, array_like=True):
    """``said``: blocks that were told; ``began``: the ord at which a message began; ``dead``: what was taken back."""

    said: set[bytes] = set()  # noqa: RUF012 - msgspec copies it
    began: dict[bytes, int] = {}  # noqa: RUF012 - msgspec copies it
    dead: list[tuple[int, int]] = []  # noqa: RUF012 - msgspec copies it


class Log(LineParser[Record, State]):
    """See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None, companion: bytes) -> None:
        super().__init__(path, resume, READER, State, fallback_name(path))
        self._path = path
        self._companion = companion

    def read(self, record: Record) -> Taken:
        """Say what a record gives; see ``_lines.LineParser``."""
        if record.rewind_to is not None:
            return self._rewind(record.rewind_to)
        if record.changes is not None:
            facts = record.changes
            self.learn(title=facts.summary)
            events = [event for message in facts.messages or () for event in self._message(message)]
            return Taken("$set", "indexed" if events else "metadata", events)
        if record.type is None and record.session_id and record.project_hash:
            self._begin(record)
            return Taken("session", "metadata")
        name = f"message/{record.type if record.type in TYPES else self.names(record.type)}"
        if record.type not in TYPES:
            return Taken(name, "unknown", reason="unknown message type")
        if not record.id:
            return Taken(name, "malformed", reason="it has no id")
        before = key_of(record.id) in self.state.began
        events = self._message(record)
        found = messages.disposition(record, events)
        return Taken(name, "duplicate" if before and found == "metadata" else found, events)

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return what the user took back."""
        return tuple((start, end) for start, end in self.state.dead if end > start)

    def _begin(self, record: Record) -> None:
        folder = messages.folder_of(self._companion, record.project_hash)
        first = self.state.session is None
        self.name_session(plain_id(record.session_id))
        self.learn(title=record.summary, cwd=folder or next(iter(record.directories or ()), None))
        if first and record.kind == "subagent":
            self.session = messages.as_subagent(self.session, self._path)
            self.state.session = self.session.native_id

    def _message(self, message: Message) -> list[Event]:
        """Return what is new of a message."""
        if not is_message(message):
            return []
        self.learn(model=message.model)
        key = key_of(message.id or "")
        if key not in self.state.began:
            self.state.began[key] = self.state.ord
            self.state.turn += messages.starts_turn(message)
        return messages.events_of(message, self.block, self.state.said, self.state.turn)

    def _rewind(self, message_id: str) -> Taken:
        """Take back a message and what followed; one that is not known takes back everything."""
        start = self.state.began.get(key_of(message_id), 0)
        dead = [span for span in self.state.dead if span[1] <= start]
        live = [(first, min(end, start)) for first, end in self.state.dead if first < start < end]
        self.state.dead = [*dead, *live, (start, self.state.ord)]
        return Taken("$rewindTo", "metadata")
