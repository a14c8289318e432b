"""Every placement as columns in memory, so that ranking asks SQLite for nothing but postings and the final texts.

A ``Columns`` says for one state of the store what stands where. It is read whole once, and after that only the sessions
whose change number has moved are read again. ``store.packed`` is a file of it beside a large store, so that a fresh
process need not read everything.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import apsw
import msgspec

from recall_lab.model import KINDS, ROLES
from recall_lab.store.connection import rows

# A placement as the queries below give it.
_FIELDS: Final = ("text", "source", "ord", "moment", "late", "role", "kind", "length", "session")
_TYPES: Final = ("i4", "i4", "i4", "i8", "u1", "u1", "u1", "f4", "i4")
_TOGETHER: Final = 20_000  # rows that are in memory as Python has them
SELECT: Final = (
    "SELECT p.text_id, p.source_id, p.ord, "
    "coalesce(CAST(round(unixepoch(p.timestamp, 'subsec') * 1000) AS INTEGER), -1), p.queued * 2 + 1 - p.live, "
    f"CASE b.role {' '.join(f'WHEN {role!r} THEN {n}' for n, role in enumerate(ROLES))} END, "
    f"CASE b.kind {' '.join(f'WHEN {kind!r} THEN {n}' for n, kind in enumerate(KINDS))} END, "
    "d.sz, p.session_id "
    "FROM sessions s CROSS JOIN placements p USING (session_id) JOIN blocks b USING (text_id) "
    "LEFT JOIN fulltext_docsize d ON d.id = p.text_id WHERE s.change > ?"
)
# Sessions in the order of the root placement (see store.reading.ROOT_ORDER), and sources by their path.
SESSION_ORDER: Final = (
    "SELECT session_id FROM sessions ORDER BY relation IS NOT NULL, started IS NULL, started, native_id, host"
)
SOURCE_ORDER: Final = "SELECT source_id FROM sources ORDER BY path"

Ints = Any  # numpy integers, shape (n,)


class Columns(msgspec.Struct, frozen=True):
    """What stands where, at one change number.

    The first seven are by placement, ordered by source and ord; the others by text_id.

    Attributes:
        change: Change number of the store that they show.
        text: text_id, int32.
        source: source_id, int32.
        session: session_id, int32.
        ord: int32.
        moment: Milliseconds since 1970, UTC, -1 when unknown; int64.
        late: 1 for a dead branch, 2 for a queued prompt, 3 for both; uint8.
        where: Row of the text's root placement, -1 for a text without a place; int32.
        nature: role * 8 + kind as numbers of ``model.ROLES`` and ``model.KINDS``; uint8.
        length: Tokens in the index; float32.
    """

    change: int
    text: Ints
    source: Ints
    session: Ints
    ord: Ints
    moment: Ints
    late: Ints
    where: Ints
    nature: Ints
    length: Any

    @property
    def size(self) -> int:
        """One more than the greatest text_id."""
        return len(self.where)


def empty() -> Columns:
    """The columns of a store without placements."""
    import numpy as np

    none = np.empty(0, np.int32)
    return Columns(
        -1, none, none, none, none, np.empty(0, np.int64), np.empty(0, np.uint8), none, np.empty(0, np.uint8),
        np.empty(0, np.float32),
    )  # fmt: skip


def change_number(connection: apsw.Connection) -> int:
    """The change number of the store."""
    found: int = connection.execute("SELECT value FROM meta WHERE key = 'change'").get
    return found


def follow(connection: apsw.Connection, known: Columns) -> Columns:
    """Return the columns of the store as it is now.

    Args:
        connection: The store, inside a read transaction.
        known: The columns of an earlier state; ``empty()`` reads everything.
    """
    now = change_number(connection)
    if now == known.change:
        return known
    return _merged(connection, known, now)


def _merged(connection: apsw.Connection, known: Columns, now: int) -> Columns:
    import numpy as np

    changed = rows(connection, "SELECT session_id FROM sessions WHERE change > ?", (known.change,))
    gone = rows(connection, "SELECT session_id FROM tombstones WHERE change > ?", (known.change,))
    stale = np.array([session for (session,) in (*changed, *gone)], np.int32)
    fresh = _read(connection, known.change)
    keep = ~np.isin(known.session, stale)
    parts = {
        name: np.concatenate([getattr(known, name)[keep], fresh[name]])
        for name in ("text", "source", "session", "ord", "moment", "late")
    }
    order = np.lexsort((parts["ord"], parts["source"]))
    parts = {name: values[order] for name, values in parts.items()}
    size = max(known.size, int(fresh["text"].max(initial=-1)) + 1)
    nature = np.zeros(size, np.uint8)
    nature[: known.size] = known.nature
    nature[fresh["text"]] = fresh["role"] * 8 + fresh["kind"]
    length = np.zeros(size, np.float32)
    length[: known.size] = known.length
    length[fresh["text"]] = fresh["length"]
    return Columns(
        change=now, nature=nature, length=length, where=_roots(connection, size, parts), **parts
    )  # fmt: skip


def _read(connection: apsw.Connection, change: int) -> dict[str, Ints]:
    """The placements of the sessions that changed after ``change``."""
    import numpy as np

    found = connection.execute(SELECT, (change,))
    parts = [{name: np.empty(0, kind) for name, kind in zip(_FIELDS, _TYPES, strict=True)}]
    while some := list(islice(found, _TOGETHER)):
        values = dict(zip(_FIELDS, zip(*some, strict=True), strict=True))
        values["length"] = tuple(map(token_count, values["length"]))
        parts.append({name: np.array(values[name], kind) for name, kind in zip(_FIELDS, _TYPES, strict=True)})
    return {name: np.concatenate([part[name] for part in parts]) for name in _FIELDS}


def _roots(connection: apsw.Connection, size: int, parts: dict[str, Ints]) -> Ints:
    """Find each text's root placement."""
    import numpy as np

    text, source, session, late = (parts[name] for name in ("text", "source", "session", "late"))
    where = np.full(size, -1, np.int32)
    where[text] = np.arange(len(text), dtype=np.int32)
    several = np.flatnonzero((np.bincount(text, minlength=size) > 1)[text])
    if len(several):
        sessions = _ranks(rows(connection, SESSION_ORDER), int(session.max()) + 1)
        sources = _ranks(rows(connection, SOURCE_ORDER), int(source.max()) + 1)
        queued, dead = late[several] >> 1, late[several] & 1
        order = np.lexsort((parts["ord"][several], sources[source[several]], dead, queued, sessions[session[several]]))
        # Written from the last to the first: the first stays.
        best = several[order][::-1]
        where[text[best]] = best
    return where


def _ranks(ids: list[tuple[int]], size: int) -> Ints:
    import numpy as np

    ranks = np.zeros(size, np.int32)
    for rank, (number,) in enumerate(ids):
        if number < size:
            ranks[number] = rank
    return ranks


def token_count(data: bytes | None) -> int:
    """Add up a row of SQLite's variable-length integers (big-endian, seven bits a byte): the tokens of all columns."""
    if data is None:
        return 0
    total = value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            total += value
            value = 0
    return total
