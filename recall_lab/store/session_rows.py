"""What the store says of a session, out of what its sources tell; the caller holds the transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import apsw
import msgspec

from recall_lab.model import Session
from recall_lab.store.connection import rows
from recall_lab.store.scopes import pinned_repo

_FACTS = ("parent_id", "relation", "agent_id", "agent_type", "title", "cwd", "branch", "repo", "model", "version")

# Where only a folder is known of a session, a remote that another session of that folder logged names its repository:
# the least of them. Both look-ups go to one place of the index, however many sessions a folder has.
_FOLDER_AND_REPO = "json_extract(facts, '$.cwd') = ?1 AND json_extract(facts, '$.repo')"
_LEAST_REMOTE = (
    f"SELECT json_extract(facts, '$.repo') FROM source_sessions WHERE {_FOLDER_AND_REPO} %s ?1 "
    "ORDER BY json_extract(facts, '$.repo') LIMIT 1"
)
_REMOTE_OF_FOLDER = f"SELECT coalesce(({_LEAST_REMOTE % '<'}), ({_LEAST_REMOTE % '>'}))"
_ONLY_BY_FOLDER = f"SELECT DISTINCT session_id FROM source_sessions WHERE {_FOLDER_AND_REPO} = ?1"
_FOLDERS = (
    "SELECT DISTINCT json_extract(facts, '$.cwd') FROM source_sessions WHERE %s IN (SELECT value FROM json_each(?))"
)


class Span(NamedTuple):
    """The least and the greatest of some timestamps."""

    first: str | None = None
    last: str | None = None

    @classmethod
    def of(cls, timestamps: Iterable[str | None]) -> Span:
        """Return the span of these; times that are not known do not count."""
        known = [timestamp for timestamp in timestamps if timestamp is not None]
        return cls(min(known), max(known)) if known else cls()


def write_session_row(
    db: apsw.Connection, session_id: int, *, gone: Span | None = None, come: Span | None = None
) -> None:
    """Say of the session what its sources say, its own before others and the longest first.

    So the order in which sources are captured does not matter. A repository that the user pinned comes before all.

    Args:
        db: The store.
        session_id: The session.
        gone: Times of the placements that left it since its row was written; None when all have to be looked at.
        come: Times of those that came.
    """
    told = rows(
        db,
        "SELECT ss.facts FROM source_sessions ss JOIN sources s USING (source_id) WHERE ss.session_id = ? "
        "ORDER BY s.session_id = ss.session_id DESC, s.lines DESC, s.path",
        (session_id,),
    )
    facts = [msgspec.json.decode(text, type=Session) for (text,) in told]
    values = {name: next((v for f in facts if (v := getattr(f, name)) is not None), None) for name in _FACTS}
    caller = values["parent_id"] if values["relation"] == "subagent" else None
    if pinned := pinned_repo(db, session_id, caller):
        values["repo"] = pinned
    elif values["repo"] is not None and values["repo"] == values["cwd"]:
        values["repo"] = db.execute(_REMOTE_OF_FOLDER, (values["cwd"],)).get or values["repo"]
    times = _times(db, session_id, gone, come or Span())
    db.execute(
        f"UPDATE sessions SET {', '.join(f'{name} = ?' for name in _FACTS)}, started = ?, ended = ? "
        "WHERE session_id = ?",
        (*values.values(), *times, session_id),
    )


def _times(db: apsw.Connection, session_id: int, gone: Span | None, come: Span) -> Span:
    """Return when the session began and ended; its placements are looked at only where what left may have told it."""
    if gone is not None:
        [stood] = rows(db, "SELECT started, ended FROM sessions WHERE session_id = ?", (session_id,))
        now = Span.of((*stood, *come))
        told_first = gone.first is not None and gone.first == now.first != come.first
        told_last = gone.last is not None and gone.last == now.last != come.last
        if not told_first and not told_last:
            return now
    return Span(
        *rows(db, "SELECT min(timestamp), max(timestamp) FROM placements WHERE session_id = ?", (session_id,))[0]
    )


def retell(db: apsw.Connection, sessions: Iterable[int], change: int) -> None:
    """Say of sessions anew what their sources and their scope say, as a change of each."""
    for session_id in sessions:
        write_session_row(db, session_id)
        db.execute("UPDATE sessions SET change = ? WHERE session_id = ?", (change, session_id))


class FolderRemotes:
    """Watches what remotes name the repositories of some folders, while what sources tell is written.

    Args:
        db: The store, before the change.
        folders: The folders of the sessions that are about to be told of, as a cwd says them; None counts for nothing.
        sources: Sources whose sessions so far may be told otherwise: their folders are watched too.
        sessions: Sessions that may go: their folders are watched too.
    """

    def __init__(
        self,
        db: apsw.Connection,
        folders: Iterable[str | None] = (),
        *,
        sources: Iterable[int] = (),
        sessions: Iterable[int] = (),
    ) -> None:
        self._db = db
        watched = set(folders)
        for column, numbers in (("source_id", sources), ("session_id", sessions)):
            watched.update(folder for (folder,) in rows(db, _FOLDERS % column, (json.dumps(list(numbers)),)))
        self._before = {folder: self._remote(folder) for folder in watched if folder is not None}

    def renamed(self) -> set[int]:
        """Return the sessions of which only the folder is known, and whose repository is named otherwise by now."""
        moved = [folder for folder, remote in self._before.items() if self._remote(folder) != remote]
        return {session_id for folder in moved for (session_id,) in rows(self._db, _ONLY_BY_FOLDER, (folder,))}

    def _remote(self, folder: str) -> str | None:
        found: str | None = self._db.execute(_REMOTE_OF_FOLDER, (folder,)).get
        return found
