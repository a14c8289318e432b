"""The parser of one rollout: lines in, events out, resumable at any line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.errors import SourceError
from recall_lab.hosts.base import Checkpoint, Event, Line, RawRecord, RawSession
from recall_lab.hosts.codex.fold import Fold
from recall_lab.hosts.codex.pairing import Window
from recall_lab.hosts.codex.records import read_line
from recall_lab.hosts.codex.state import State

_NAME_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Parser:
    """See ``hosts.base.Parser``.

    Records wait in a window until they are decided; the fold reads them in file order. The checkpoint is the first line
    in the window and the fold's state there: whatever is emitted of the window at ``finish`` is emitted again by a
    resume, when more may be known. The last line always waits.
    """

    def __init__(self, path: PurePath, resume: Checkpoint | None = None) -> None:
        state = _load(resume.state, path) if resume else State.at_start(session_of(path))
        self._path = path
        self._fold = Fold(state, (resume and resume.session) or RawSession(native_id=state.session or ""))
        self._window = Window(user_events=state.user_events, bare=state.bare, met=state.met)
        self._end = resume.offset if resume else 0
        self._blank = 0  # bytes of blank lines before the first record
        self._told: dict[str, Any] = {}
        self._checkpoint: Checkpoint | None = None

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events that these lines settle; see ``hosts.base.Parser``."""
        window, apply = self._window, self._fold.apply
        for line in lines:
            self._end = line.offset + line.length
            if not line.data.strip():
                if not window.extend(line.length):
                    self._blank += line.length
                continue
            if self._blank:
                self._leading_blank(line.offset)
            for record in read_line(line, bare=window.bare):
                window.add(record)
            if line.ended:
                window.release(apply)
        return self._take()

    def finish(self) -> list[Event]:
        """Return what still waits, decided by what is known; see ``hosts.base.Parser``."""
        self._checkpoint = self.checkpoint()
        if self._blank:
            self._leading_blank(self._end)
        self._window.drain(self._fold.apply)
        if self._fold.state.session is None and self._end:
            self._fold.news["native_id"] = session_of(self._path)
        return self._take()

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return the turns that were rolled back; see ``hosts.base.Parser``."""
        return tuple(self._fold.state.dead)

    def checkpoint(self) -> Checkpoint:
        """Return the first line that waits; see ``hosts.base.Parser``."""
        if self._checkpoint is None:
            fold = self._fold
            start = self._window.start
            state = fold.save()
            state.user_events = self._window.user_events
            at = self._end - self._blank if start is None else start
            return Checkpoint(at, state.ord, msgspec.msgpack.encode(state), fold.session())
        return self._checkpoint

    def _leading_blank(self, end: int) -> None:
        self._fold.events.append(RawRecord("blank", "metadata", end - self._blank, self._blank, records=0))
        self._blank = 0

    def _take(self) -> list[Event]:
        """Return the events so far, the session's news first."""
        fold = self._fold
        events, fold.events = fold.events, []
        news = {name: value for name, value in fold.news.items() if self._told.get(name) != value}
        session = fold.state.session or news.get("native_id")
        if session is None or not news:
            return events
        self._told |= news
        fold.news = {}
        return [RawSession(**{**news, "native_id": session}), *events]


def session_of(path: PurePath) -> str:
    """Return the session id in a rollout's file name, for a source that does not say its own.

    A reverted thread's name is ``rollout-<time>-<session id>_<rollout id>``.
    """
    found = _NAME_ID.search(path.stem)
    return found[0] if found else path.stem


def _load(state: bytes, path: PurePath) -> State:
    try:
        found = msgspec.msgpack.decode(state, type=State)
    except (msgspec.DecodeError, RecursionError):
        found = None
    if found is None or found.version != State().version:
        raise SourceError(f"{path}: what is kept of it cannot be read on; run `index {path} --rebuild`")
    return found
