"""Postings, which texts hold a term and how often, and what is asked of them; arrays of numpy, no SQL."""

from __future__ import annotations

from typing import Any

import msgspec

Ids = Any  # numpy int32, shape (n,), ascending text_ids
Counts = Any  # numpy float32, shape (n,)


class Postings(msgspec.Struct, frozen=True):
    """Which texts hold a term, ascending, and how often."""

    ids: Ids
    counts: Counts


class Scratch(msgspec.Struct):
    """Arrays by text_id that are zero but for what the last query wrote.

    Attributes:
        scores: float32.
        bits: uint64.
        scored: Where scores were written; whoever writes says so.
        marked: Where bits were.
    """

    scores: Any
    bits: Any
    scored: list[Ids]
    marked: list[Ids]

    def clear(self) -> None:
        """Make everything zero again; of large arrays only what was written."""
        for values, written in ((self.scores, self.scored), (self.bits, self.marked)):
            if sum(map(len, written)) * 8 > len(values):
                values.fill(0)
            else:
                for ids in written:
                    values[ids] = 0
            written.clear()


def nothing() -> Postings:
    """The postings of a term that stands nowhere."""
    import numpy as np

    return Postings(np.empty(0, np.int32), np.empty(0, np.float32))


def find(ids: Ids, wanted: Ids) -> tuple[Any, Any]:
    """Look texts up among a term's.

    Args:
        ids: text_ids, ascending, at least one.
        wanted: text_ids to look up.

    Returns:
        Where each would stand, len(ids) after the last, and whether it stands there; both of shape (len(wanted),).
    """
    # Of another type the whole of ids would be converted.
    at = ids.searchsorted(wanted.astype(ids.dtype, copy=False))
    return at, ids.take(at, mode="clip") == wanted


def among(ids: Ids, wanted: Ids) -> Any:
    """Which of ``wanted`` are among a term's texts; bool, shape (len(wanted),)."""
    import numpy as np

    return find(ids, wanted)[1] if len(ids) else np.zeros(len(wanted), bool)


def distinct(ids: Ids) -> Ids:
    """The ids, ascending, each once; for some thousand this takes a tenth of what ``numpy.unique`` does."""
    import numpy as np

    if len(ids) < 2:
        return ids
    ids = np.sort(ids)
    keep = np.empty(len(ids), bool)
    keep[0] = True
    np.not_equal(ids[1:], ids[:-1], out=keep[1:])
    return ids[keep]


def first_varint(data: bytes) -> int:
    """Read the first of SQLite's variable-length integers (big-endian, seven bits a byte)."""
    value = 0
    for byte in data[:9]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value
