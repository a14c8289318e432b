"""pi: ``~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from recall_lab.hosts.base import Checkpoint, Host
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.hosts.pi.parser import NAME, READER, ROLES, Parser
from recall_lab.hosts.pi.records import Record

__all__ = ["HOST", "Pi"]


class Pi(Host):
    """Sessions of the pi coding agent, of every version of its format."""

    name = NAME

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether one of the first records is a session's header, or a message in pi's envelope."""
        del path
        return any(_is_own(line) for line in head)

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> HostParser:
        """Return a parser; see ``hosts.base.Host``."""
        del agents, companion
        return Parser(path, resume)


def _is_own(line: bytes) -> bool:
    try:
        record: Record = READER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.type == "session":
        return bool(record.id) and record.cwd is not None and record.timestamp is not None
    message = record.message
    return (
        record.type == "message"
        and record.timestamp is not None
        and message is not None
        and message.role in ROLES
        and message.timestamp is not None
    )


HOST = Pi()
