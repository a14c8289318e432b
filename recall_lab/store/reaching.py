"""Which texts a search may find: what filters say of sessions, roles, kinds and times, worked out on the columns."""

from __future__ import annotations

from typing import Any

import apsw
import msgspec

from recall_lab.errors import UsageError
from recall_lab.model import KINDS, ROLES, Filters
from recall_lab.store.columns import Columns
from recall_lab.store.connection import rows
from recall_lab.store.filtering import session_conditions


class Reach(msgspec.Struct, frozen=True):
    """What a search may find.

    Attributes:
        texts: Whether a text may be found; bool by text_id.
        rows: Whether a placement passes the filters; bool by row of the columns. None when all do.
        blocks: How many texts there are.
        sessions: In how many sessions.
    """

    texts: Any
    rows: Any
    blocks: int
    sessions: int

    def holding(self, ids: Any) -> int:
        """How many of these texts there are."""
        return sum(map(self.texts.__getitem__, ids)) if isinstance(self.texts, bytes) else int(self.texts[ids].sum())


def sessions_of(db: apsw.Connection, filters: Filters) -> set[int] | None:
    """The sessions that pass the filters: session_ids; None when all do."""
    condition, bindings = session_conditions(filters)
    if not condition:
        return None
    return {session for (session,) in rows(db, f"SELECT session_id FROM sessions s WHERE {condition}", bindings)}


def bounds(db: apsw.Connection, filters: Filters) -> tuple[float | None, float | None]:
    """From when and until when, in milliseconds since 1970, UTC; None for no bound.

    Raises:
        UsageError: a bound is no UTC time.
    """
    found: list[float | None] = []
    for bound in (filters.since, filters.until):
        at: float | None = None
        if bound:
            at = db.execute("SELECT round(unixepoch(?, 'subsec') * 1000)", (bound,)).get
            if at is None:
                raise UsageError(f"{bound!r} is no UTC time; write 2026-05-01T00:00:00Z")
        found.append(at)
    return found[0], found[1]


def natures_of(filters: Filters) -> bytes | None:
    """1 for each value of ``Columns.nature`` that passes, else 0; None when all do."""
    if not filters.kinds and set(filters.roles or ROLES) == set(ROLES):
        return None
    passing = bytearray(256)
    for role in filters.roles or ROLES:
        for kind in filters.kinds or KINDS:
            passing[ROLES.index(role) * 8 + KINDS.index(kind)] = 1
    return bytes(passing)


def reach_of(db: apsw.Connection, columns: Columns, filters: Filters) -> Reach:
    """Work out which texts pass.

    Raises:
        UsageError: a bound is no UTC time.
    """
    import numpy as np

    passing = None
    named = sessions_of(db, filters)
    if named is not None:
        chosen = np.zeros(int(columns.session.max(initial=0)) + 1, bool)
        chosen[[session for session in named if session < len(chosen)]] = True
        passing = chosen[columns.session]
    for at, compare in zip(bounds(db, filters), (np.greater_equal, np.less), strict=True):
        if at is not None:
            inside = compare(columns.moment, at) & (columns.moment >= 0)
            passing = inside if passing is None else passing & inside
    texts = np.zeros(columns.size, bool)
    texts[columns.text if passing is None else columns.text[passing]] = True
    natures = natures_of(filters)
    if natures is not None:
        texts &= np.frombuffer(natures, bool)[columns.nature]
    inside = texts[columns.text] if passing is None else passing & texts[columns.text]
    sessions = int(np.count_nonzero(np.bincount(columns.session[inside]))) if inside.any() else 0
    return Reach(texts, passing, int(np.count_nonzero(texts)), sessions)
