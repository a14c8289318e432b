"""Which repository a person has pinned a transcript to; it stands above what the transcript's folder says.

A pin belongs to a transcript and holds for every session told in it, and for the subagents of those sessions, also when
they have a transcript of their own. It stays when the transcript is read again, rebuilt or moved.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from recall_lab.model import Record, Redacted
from recall_lab.store.connection import OnStore, explained, rows

# The sessions that a pin of one transcript reaches; expects the source's number twice.
_REACHED = (
    "SELECT session_id FROM source_sessions WHERE source_id = ?1 UNION "
    "SELECT child.session_id FROM source_sessions t JOIN sessions parent ON parent.session_id = t.session_id "
    "JOIN sessions child ON child.host = parent.host AND child.parent_id = parent.native_id "
    "AND child.relation = 'subagent' WHERE t.source_id = ?1"
)


class Scope(Record, frozen=True):
    """A transcript with its pin, or without one.

    Attributes:
        path: The transcript.
        machine: Label of the machine that it is from.
        cwd: The folder that was named; None without a pin.
        repo: The repository that its sessions belong to by the pin; None without one.
    """

    path: Redacted
    machine: str = "local"
    cwd: Redacted | None = None
    repo: Redacted | None = None


def scopes(store: OnStore) -> tuple[Scope, ...]:
    """List the transcripts that have a pin."""
    with explained(store.path):
        found = rows(store.connection, "SELECT path, machine, cwd, repo FROM scopes ORDER BY machine, path")
        return tuple(Scope(path=path, machine=machine, cwd=cwd, repo=repo) for path, machine, cwd, repo in found)


def sources_named(store: OnStore, name: str, machine: str | None = None) -> tuple[Scope, ...]:
    """Find transcripts by their path, or those of a session by its whole native id, each with the pin that it has."""
    with explained(store.path):
        found = rows(
            store.connection,
            "SELECT s.path, s.machine, c.cwd, c.repo FROM sources s LEFT JOIN scopes c USING (machine, path) "
            "LEFT JOIN sessions n ON n.session_id = s.session_id "
            "WHERE (s.path = ?1 OR n.native_id = ?1) AND s.machine = coalesce(?2, s.machine) ORDER BY machine, path",
            (name, machine),
        )
        return tuple(Scope(path=path, machine=machine, cwd=cwd, repo=repo) for path, machine, cwd, repo in found)


def set_scope(db: apsw.Connection, scope: Scope) -> set[int]:
    """Write a pin, or take it away where the scope has none; return the sessions that it reaches."""
    key = (scope.machine, scope.path)
    if scope.repo is None:
        db.execute("DELETE FROM scopes WHERE machine = ? AND path = ?", key)
    else:
        db.execute(
            "INSERT INTO scopes VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET cwd = excluded.cwd, repo = excluded.repo",
            (*key, scope.cwd, scope.repo),
        )
    source_id = db.execute("SELECT source_id FROM sources WHERE machine = ? AND path = ?", key).get
    return {session_id for (session_id,) in rows(db, _REACHED, (source_id,))}


def reached_sessions(db: apsw.Connection) -> set[int]:
    """Return every session that a pin reaches."""
    pinned = rows(db, "SELECT source_id FROM sources JOIN scopes USING (machine, path)")
    return {session_id for (source_id,) in pinned for (session_id,) in rows(db, _REACHED, (source_id,))}


def pinned_repo(db: apsw.Connection, session_id: int, caller: str | None = None) -> str | None:
    """Return the repository that a session is pinned to, by its own transcript before others, else by its caller's.

    Args:
        db: The store.
        session_id: The session.
        caller: Native id of the session that called it, for a subagent.
    """
    if not db.execute("SELECT EXISTS (SELECT 1 FROM scopes)").get:
        return None
    parent: int | None = db.execute(
        "SELECT p.session_id FROM sessions s JOIN sessions p ON p.host = s.host AND p.native_id = ? "
        "WHERE s.session_id = ?",
        (caller, session_id),
    ).get
    return _repo_of(db, [session_id] if parent is None else [session_id, parent])


def _repo_of(db: apsw.Connection, sessions: Iterable[int]) -> str | None:
    for session_id in sessions:
        repo: str | None = db.execute(
            "SELECT c.repo FROM source_sessions t JOIN sources s USING (source_id) JOIN scopes c USING (machine, path) "
            "WHERE t.session_id = ?1 ORDER BY s.session_id = ?1 DESC, s.path LIMIT 1",
            (session_id,),
        ).get
        if repo is not None:
            return repo
    return None
