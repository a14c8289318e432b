"""The parser of one rollout: lines in, events out, resumable at any line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

import msgspec

from recall_lab.hosts.base import Checkpoint, Event, Line, RawRecord, RawSession
from recall_lab.hosts.codex.fold import Fold, State
from recall_lab.hosts.codex.pairing import Window
from recall_lab.hosts.codex.records import read_line

_NAME_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ENCODE = msgspec.msgpack.Encoder()
_DECODE = msgspec.msgpack.Decoder(State)


class CodexParser:
    """Reads one source; see ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None = None) -> None:
        state = _DECODE.decode(resume.state) if resume else State()
        known = resume.session if resume else None
        self._fold = Fold(state, known or RawSession(native_id=session_of(path)))
        self._window = Window(user_events=state.user_events, bare=state.bare)
        self._end = resume.offset if resume else 0
        self._blank = 0  # bytes of blank lines before the first record
        self._checkpoint: Checkpoint | None = None

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events that these lines settle."""
        window, fold = self._window, self._fold
        for line in lines:
            self._end = line.offset + line.length
            if not line.data.strip():
                if not window.extend(line.length):
                    self._blank += line.length
                continue
            for record in read_line(line):
                if self._blank:
                    record.offset -= self._blank
                    record.line -= self._blank
                    record.length += self._blank
                    self._blank = 0
                window.add(record)
            for record in window.leaving():
                fold.apply(record)
        fold.state.user_events = window.user_events
        return self._take()

    def finish(self) -> list[Event]:
        """Return what still waits, decided by what is known; the checkpoint stays before it."""
        self._checkpoint = self.checkpoint()
        for record in self._window.rest():
            self._fold.apply(record)
        if self._blank:
            self._fold.events.append(RawRecord("blank", "metadata", self._end - self._blank, self._blank))
        self._fold.session_changed = True
        return self._take()

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return nothing: a rollout is one branch."""
        return ()

    def checkpoint(self) -> Checkpoint:
        """Return the start of the first line that still waits."""
        if self._checkpoint is not None:
            return self._checkpoint
        start = self._window.start
        if start is None:
            start = self._end - self._blank
        fold = self._fold
        return Checkpoint(start, fold.state.ord, _ENCODE.encode(fold.state), fold.session)

    def _take(self) -> list[Event]:
        fold = self._fold
        events, fold.events = fold.events, []
        if fold.session_changed:
            fold.session_changed = False
            events.append(fold.session)
        return events


def session_of(path: PurePath) -> str:
    """Return the session id in a rollout's file name, for files that do not say their own."""
    found = _NAME_ID.findall(path.name)
    return found[-1] if found else path.stem
