"""Claude Code: ``~/.claude/projects/<slug>/<session>.jsonl``, and a file for each of the session's agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts.base import Checkpoint, Host
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.claude_code.messages import NAME
from recall_lab.hosts.claude_code.parser import Parser, records_of
from recall_lab.hosts.claude_code.records import is_record
from recall_lab.hosts.claude_code.session import agent_id

__all__ = ["HOST", "ClaudeCode"]


class ClaudeCode(Host):
    """Transcripts of Claude Code."""

    name = NAME

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether one of the first records is one that Claude Code writes."""
        del path
        return any(is_record(record) for record in records_of(head))

    def agent_id(self, path: PurePath) -> str | None:
        """Return the id in ``agent-<id>.jsonl``."""
        return agent_id(path)

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
        return Parser(path, resume, agents, companion)


HOST = ClaudeCode()
