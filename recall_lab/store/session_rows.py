"""What the store says of a session, out of what its sources tell; the caller holds the transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import apsw
import msgspec

from recall_lab.model import Session
from recall_lab.store.connection import rows
from recall_lab.store.scopes import pinned_repo

_FACTS = ("parent_id", "relation", "agent_id", "agent_type", "title", "cwd", "branch", "repo", "model", "version")

# Where only a folder is known of a session, a remote that another session of that folder logged names its repository.
_REMOTE_OF_FOLDER = (
    "SELECT min(json_extract(facts, '$.repo')) FROM source_sessions "
    "WHERE json_extract(facts, '$.cwd') = ?1 AND json_extract(facts, '$.repo') <> ?1"
)
_OF_SAME_FOLDER = (
    "SELECT DISTINCT t.session_id FROM source_sessions t JOIN sessions s USING (session_id) "
    "WHERE json_extract(t.facts, '$.cwd') = ?1 AND json_extract(t.facts, '$.repo') = ?1 "
    "AND (s.repo = ?1 OR s.repo > ?2)"
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


def of_same_folder(db: apsw.Connection, session: Session) -> set[int]:
    """Return the sessions of which only the folder is known, and whose repository this session's remote names."""
    if session.repo is None or session.cwd is None or session.repo == session.cwd:
        return set()
    return {session_id for (session_id,) in rows(db, _OF_SAME_FOLDER, (session.cwd, session.repo))}
