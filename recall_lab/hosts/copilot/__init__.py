"""Copilot CLI: ``~/.copilot/session-state/<session>/events.jsonl``, or ``session-state/<session>.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from recall_lab.hosts.base import Checkpoint, Host
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.copilot.parser import NAME, READER, Parser
from recall_lab.hosts.copilot.records import Record, is_record

__all__ = ["HOST", "Copilot"]


class Copilot(Host):
    """Sessions of the GitHub Copilot CLI."""

    name = NAME

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether one of the first lines is an event of Copilot's."""
        del path
        return any(_is_own(line) for line in head)

    def companion(self, path: PurePath) -> PurePath | None:
        """Return where the program keeps the session's name."""
        return path.with_name("workspace.yaml") if path.name == "events.jsonl" else None

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


def _is_own(line: bytes) -> bool:
    try:
        record: Record = READER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return is_record(record) and record.timestamp is not None


HOST = Copilot()
