"""Claude Code: ``~/.claude/projects/<slug>/<session>.jsonl``, and a file for each of the session's agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts.base import Checkpoint, Host
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.claude_code import parser as _parser
from recall_lab.hosts.claude_code.records import is_record


class ClaudeCode(Host):
    """Transcripts of Claude Code."""

    name = _parser.NAME

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether one of the first records is one that Claude Code writes."""
        del path
        return any(is_record(record) for record in _parser.records_of(head))

    def agent_id(self, path: PurePath) -> str | None:
        """Return the id in ``agent-<id>.jsonl``."""
        return _parser.agent_id(path)

    def companion(self, path: PurePath) -> PurePath | None:
        """Return the ``.meta.json`` beside an agent's file."""
        return path.with_suffix(".meta.json") if self.agent_id(path) else None

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> HostParser:
        """Return a parser; see ``hosts.base.Host``."""
        return _parser.Parser(path, resume, agents, companion)


HOST = ClaudeCode()
