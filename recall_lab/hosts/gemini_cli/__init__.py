"""Gemini CLI: ``~/.gemini/tmp/<project>/chats/session-<time>-<id>.json`` (one document) or ``.jsonl`` (a log)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from recall_lab.hosts._documents import DocumentParser, outline
from recall_lab.hosts._scan import container
from recall_lab.hosts.base import Checkpoint, Event, Host, Line
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.gemini_cli.document import Document
from recall_lab.hosts.gemini_cli.log import READER, Log
from recall_lab.hosts.gemini_cli.messages import NAME
from recall_lab.hosts.gemini_cli.records import Record

__all__ = ["HOST", "GeminiCli"]


class GeminiCli(Host):
    """Sessions of Gemini CLI, of both forms."""

    name = NAME
    rewrites = True

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the file begins as a session's document, or as its log."""
        del path
        if (first := _first(head)) is not None and first.session_id and first.project_hash and first.type is None:
            return True
        told = outline(head)
        if told is None:
            return False
        data, found = told
        listed = found.find("messages")
        if listed is None or data[listed.value : listed.value + 1] != b"[" or found.find("sessionId") is None:
            return False
        if any(found.find(key) for key in ("projectHash", "startTime", "lastUpdated")):
            return True
        messages = container(data, listed.value)
        first_message = next(iter([*messages.members, *([messages.partial] if messages.partial else [])]), None)
        return first_message is not None and b'"gemini"' in data[first_message.start : messages.end]

    def companion(self, path: PurePath) -> PurePath | None:
        """Return where the program notes which folder the project is in."""
        chats = next((folder for folder in list(path.parents)[:2] if folder.name == "chats"), None)
        return chats.parent / ".project_root" if chats else None

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> HostParser:
        """Return a parser; see ``hosts.base.Host``."""
        del agents
        return Parser(path, resume, companion)


class Parser:
    """Reads a log or a document; the first line that is not blank says which. See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None, companion: bytes) -> None:
        self._path = path
        self._companion = companion
        self._blank: list[Line] = []
        self._inner: Log | DocumentParser | None = Log(path, resume, companion) if resume and resume.state else None

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines; see ``hosts.base.Parser``."""
        if self._inner is not None:
            return self._inner.feed(lines)
        self._blank += lines
        first = next((line for line in self._blank if line.data.strip()), None)
        return self._begun(log=_is_log(first.data)).feed(self._blank) if first else []

    def finish(self) -> list[Event]:
        """Return the rest; see ``hosts.base.Parser``."""
        if self._inner is not None:
            return self._inner.finish()
        inner = self._begun(log=False)
        return [*inner.feed(self._blank), *inner.finish()]

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return what the user took back; see ``hosts.base.Parser``."""
        return self._inner.dead() if self._inner else ()

    def checkpoint(self) -> Checkpoint:
        """Return how far the source can be read on; see ``hosts.base.Parser``."""
        return self._inner.checkpoint() if self._inner else Checkpoint(0, 0, b"")

    def _begun(self, *, log: bool) -> Log | DocumentParser:
        self._inner = Log(self._path, None, self._companion) if log else Document(self._path, self._companion)
        return self._inner


def _first(head: Sequence[bytes]) -> Record | None:
    """Return the first line that is not blank as a record, when it is one object."""
    line = next((line for line in head if line.strip()), b"")
    try:
        return READER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_log(line: bytes) -> bool:
    """Say whether a first line is a whole record of a log, and not a whole document."""
    record = _first([line])
    return record is not None and b'"messages"' not in line


HOST = GeminiCli()
