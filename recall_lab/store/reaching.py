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


def reach_of(db: apsw.Connection, columns: Columns, filters: Filters) -> Reach:
    """Work out which texts pass.

    Raises:
        UsageError: a bound is no UTC time.
    """
    import numpy as np

    passing = None
    condition, bindings = session_conditions(filters)
    if condition:
        chosen = np.zeros(int(columns.session.max(initial=0)) + 1, bool)
        named = rows(db, f"SELECT session_id FROM sessions s WHERE {condition}", bindings)
        chosen[[session for (session,) in named if session < len(chosen)]] = True
        passing = chosen[columns.session]
    for bound, compare in ((filters.since, np.greater_equal), (filters.until, np.less)):
        if bound:
            at = db.execute("SELECT round(unixepoch(?, 'subsec') * 1000)", (bound,)).get
            if at is None:
                raise UsageError(f"{bound!r} is no UTC time; write 2026-05-01T00:00:00Z")
            inside = compare(columns.moment, at) & (columns.moment >= 0)
            passing = inside if passing is None else passing & inside
    texts = np.zeros(columns.size, bool)
    texts[columns.text if passing is None else columns.text[passing]] = True
    natures = _natures(filters)
    if natures is not None:
        texts &= natures[columns.nature]
    inside = texts[columns.text] if passing is None else passing & texts[columns.text]
    sessions = int(np.count_nonzero(np.bincount(columns.session[inside]))) if inside.any() else 0
    return Reach(texts, passing, int(np.count_nonzero(texts)), sessions)


def _natures(filters: Filters) -> Any:
    """Which values of ``Columns.nature`` pass; None when all do."""
    import numpy as np

    if not filters.kinds and set(filters.roles or ROLES) == set(ROLES):
        return None
    passing = np.zeros(256, bool)
    for role in filters.roles or ROLES:
        for kind in filters.kinds or KINDS:
            passing[ROLES.index(role) * 8 + KINDS.index(kind)] = True
    return passing
