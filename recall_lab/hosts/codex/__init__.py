"""Codex: rollout files of today, and the bare records of 2025-08."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts.base import Checkpoint, Host, Line
from recall_lab.hosts.codex.parser import CodexParser
from recall_lab.hosts.codex.records import read_line

__all__ = ["HOST", "CodexHost"]

_FOLDERS = frozenset({"sessions", "archived_sessions"})


class CodexHost(Host):
    """See ``hosts.base.Host``."""

    name = "codex"

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the first records are a rollout's.

        One record of a rollout's own kind among them is enough; a record whose kind other hosts have too counts when
        the file has a rollout's name.
        """
        named = path.name.startswith("rollout-") and path.suffix == ".jsonl"
        offset = 0
        for data in head:
            line = Line(offset, len(data) + 1, data)
            offset += line.length
            if not data.strip():
                continue
            for record in read_line(line):
                if record.group in ("item", "event") and record.name.startswith(("response_item/", "event_msg/")):
                    return True
                if record.kind in ("session_meta", "turn_context"):
                    return True
                if record.group == "header" and (named or _is_header(data)):
                    return True
                if named and record.group in ("item", "state", "other"):
                    return True
        return False

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> CodexParser:
        """Return a parser for the source at ``path``; a rollout tells nothing of others, and nothing lies beside it."""
        del agents, companion
        return CodexParser(path, resume)


def _is_header(data: bytes) -> bool:
    return b'"instructions"' in data and b'"timestamp"' in data


HOST = CodexHost()
