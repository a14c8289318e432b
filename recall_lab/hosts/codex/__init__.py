"""Codex: ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`` and ``~/.codex/archived_sessions``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts.base import Checkpoint, Host, Line
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.codex.parser import Parser
from recall_lab.hosts.codex.records import Record, read_line
from recall_lab.hosts.codex.state import NAME

_BEGINNINGS = (b'{"timestamp":', b'{"id":', b'{"type":')


class Codex(Host):
    """Rollouts of Codex, current and of 2025-08."""

    name = NAME

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether one of the first records is one that Codex alone writes, or the file is named as a rollout."""
        named = path.name.startswith("rollout-") and path.suffix == ".jsonl"
        if named and len(head) == 1 and head[0].startswith(_BEGINNINGS):
            return True  # it is being written
        return any(
            _is_own(record, data, named=named)
            for data in head
            if data.strip()
            for record in read_line(Line(0, len(data), data))
        )

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> HostParser:
        """Return a parser; see ``hosts.base.Host``. Codex tells no agent inside another one's file."""
        del agents, companion
        return Parser(path, resume)


def _is_own(record: Record, data: bytes, *, named: bool) -> bool:
    if record.group == "header":
        return named or b'"instructions"' in data
    if record.group in {"item", "event"}:
        return named or not record.bare
    return record.group == "other" and (named or record.kind in {"session_meta", "turn_context"})


HOST = Codex()
