"""Every placement as columns, read without numpy: what ``store.columns`` is to a large store, for a small one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw
import msgspec

from recall_lab.store.columns import SELECT, SESSION_ORDER, SOURCE_ORDER, token_count
from recall_lab.store.connection import rows

LIGHT: Final = 20_000  # texts; of more, numpy is worth its loading


class LightColumns(msgspec.Struct, frozen=True):
    """As ``columns.Columns``; sequences of numbers."""

    change: int
    text: Sequence[int]
    source: Sequence[int]
    session: Sequence[int]
    ord: Sequence[int]
    moment: Sequence[int]
    late: Sequence[int]
    where: Sequence[int]
    nature: bytes
    length: Sequence[float]

    @property
    def size(self) -> int:
        """One more than the greatest text_id."""
        return len(self.where)


def read_columns(db: apsw.Connection, change: int) -> LightColumns:
    """The columns as the store says them, inside a read transaction; ``change`` is the change number there."""
    found = sorted(rows(db, SELECT, (-1,)), key=lambda row: (row[1], row[2]))
    size = max((row[0] for row in found), default=-1) + 1
    nature, length = bytearray(size), [0.0] * size
    places: dict[int, list[int]] = {}
    for n, row in enumerate(found):
        nature[row[0]] = row[5] * 8 + row[6]
        length[row[0]] = float(token_count(row[7]))
        places.setdefault(row[0], []).append(n)
    sessions = {session: rank for rank, (session,) in enumerate(rows(db, SESSION_ORDER))}
    sources = {source: rank for rank, (source,) in enumerate(rows(db, SOURCE_ORDER))}

    def order(n: int) -> tuple[int, int, int, int, int]:
        _, source, place, _, late, *_, session = found[n]
        return sessions[session], late >> 1, late & 1, sources[source], place

    where = [-1] * size
    for text_id, several in places.items():
        where[text_id] = several[0] if len(several) == 1 else min(several, key=order)
    text, source, place, moment, late, _, _, _, session = zip(*found, strict=True) if found else [()] * 9
    return LightColumns(change, text, source, session, place, moment, late, where, bytes(nature), length)
