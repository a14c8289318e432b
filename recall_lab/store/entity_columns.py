"""Entities as columns: the spans that blocks keep become kinds and values, many blocks at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from recall_lab.text_entities import KINDS, MAX_START, entity_value

_START, _LENGTH = 21, 0xFF  # bits of a span: 3 of kind, 8 of length, 21 of start (text_entities.Analysis)
_CHANGED = tuple(KINDS.index(kind) for kind in ("uuid", "command", "issue"))  # called other than they are written


def entity_columns(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Cut entities out of their texts.

    Python slices a text at a code point at once, where DuckDB would count up to it for every entity.

    Args:
        rows: (text_id, text, length, spans as ``Analysis.spans`` packs them).

    Returns:
        Three columns with one item an entity: position of its kind in ``KINDS``, its value, its text_id.
    """
    import numpy as np

    packed = [spans for *_, spans in rows]
    numbers = np.frombuffer(b"".join(packed), "<u4")
    kinds = (numbers >> 29).astype("<i4")
    ids = np.repeat(
        np.fromiter((row[0] for row in rows), "<i8", len(rows)), np.fromiter(map(len, packed), "<i8", len(rows)) // 4
    )
    starts = numbers & MAX_START
    pairs = zip(starts.tolist(), (starts + (numbers >> _START & _LENGTH)).tolist(), strict=True)
    values: list[str] = []
    for _, text, _, spans in rows:
        values.extend([text[start:end] for start, end in islice(pairs, len(spans) // 4)])
    for at in np.flatnonzero(np.isin(kinds, _CHANGED)).tolist():
        values[at] = entity_value(KINDS[kinds[at]], values[at])
    return [kinds, values, ids]
