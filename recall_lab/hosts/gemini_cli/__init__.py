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


_FIRST_LINES = 30


class GeminiCli(Host):
    """Sessions of Gemini CLI, of both forms."""

    name = NAME
    rewrites = True

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the file begins as a session's document, or as its log."""
        del path
        told = outline(head)
        if told is None:
            return False
        data, found = told
        if _is_log(head):
            return any(map(_is_head, head[:_FIRST_LINES]))
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
    """Reads a log or a document; its first two lines that are not blank say which. See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None, companion: bytes) -> None:
        self._path = path
        self._companion = companion
        self._begun: list[Line] = []
        self._inner: Log | DocumentParser | None = Log(path, resume, companion) if resume and resume.state else None

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines; see ``hosts.base.Parser``."""
        if self._inner is not None:
            return self._inner.feed(lines)
        self._begun += lines
        log = _is_log([line.data for line in self._begun])
        return [] if log is None else self._read(log=log)

    def finish(self) -> list[Event]:
        """Return the rest; see ``hosts.base.Parser``."""
        told = [] if self._inner else self._read(log=False)
        assert self._inner is not None
        return [*told, *self._inner.finish()]

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return what the user took back; see ``hosts.base.Parser``."""
        return self._inner.dead() if self._inner else ()

    def checkpoint(self) -> Checkpoint:
        """Return how far the source can be read on; see ``hosts.base.Parser``."""
        return self._inner.checkpoint() if self._inner else Checkpoint(0, 0, b"")

    def _read(self, *, log: bool) -> list[Event]:
        """Begin to read, with what came so far."""
        self._inner = Log(self._path, None, self._companion) if log else Document(self._path, self._companion)
        begun, self._begun = self._begun, []
        return self._inner.feed(begun)


def _is_head(line: bytes) -> bool:
    """Say whether a line is the head of a log."""
    try:
        record: Record = READER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return bool(record.session_id and record.project_hash) and record.type is None


def _is_log(lines: Sequence[bytes]) -> bool | None:
    """Say whether lines begin a log: its first object is whole, and holds no list of messages; None: not known yet.

    Where a first line is torn the second one tells: in a log it begins with an object, too.
    """
    words = [line for line in lines if line.strip()][:2]
    if not words:
        return None
    told = outline(words[:1])
    if told is not None and told[1].state == "whole":
        return told[1].find("messages") is None
    return words[1].startswith(b"{") if len(words) > 1 else None


HOST = GeminiCli()
