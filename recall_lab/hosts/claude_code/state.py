"""What a parser keeps between two readings of a source: ids, counts and flags, never text."""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from recall_lab.errors import SourceError
from recall_lab.hosts.claude_code.tree import TreeState
from recall_lab.model import Disposition, Relation

_VERSION = 1


class State(msgspec.Struct, array_like=True):
    """The state as it is kept in a checkpoint."""

    version: int = _VERSION
    ord: int = 0
    turn: int = 0
    session: str | None = None  # its native id
    parent: str | None = None
    relation: Relation | None = None
    agent: str | None = None
    settled: bool = False  # a user or assistant record has told the session
    title_rank: int = 0
    mid_line: bool = False  # the last record ended and its line did not
    last_type: str = "blank"  # of the last record: what white space counts with
    last_disposition: Disposition = "metadata"
    names: list[str] = []
    nth: dict[bytes, int] = {}  # how often a set of id parts has come
    turns: dict[str, int] = {}  # of embedded agents
    tree: TreeState = TreeState()


def dump(state: State) -> bytes:
    """Return the state as bytes."""
    return msgspec.msgpack.encode(state)


def load(data: bytes, path: PurePath) -> State:
    """Read what ``dump`` wrote.

    Raises:
        SourceError: it is of another version, or no state at all.
    """
    try:
        found = msgspec.msgpack.decode(data, type=State)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        found = None
    if found is None or found.version != _VERSION:
        raise SourceError(f"{path}: what is kept of it cannot be read on; run `recall-lab index --rebuild` on it")
    return found
