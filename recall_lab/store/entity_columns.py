"""Entities as columns: the spans that blocks keep become kinds and values, many blocks at once."""

from __future__ import annotations

from collections.abc import Sequence
from struct import unpack
from typing import Any

from recall_lab.text_entities import KINDS, MAX_START, entity_value

_KIND, _START, _LENGTH = 29, 21, 0xFF  # bits of a span: 3 of kind, 8 of length, 21 of start (text_entities.Analysis)
_CHANGED = frozenset(KINDS.index(kind) for kind in ("uuid", "command", "issue"))  # called other than they are written


def entity_columns(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Cut entities out of their texts.

    Python slices a text at a code point at once, where DuckDB would count up to it for every entity.

    Args:
        rows: (text_id, text, length, spans as ``Analysis.spans`` packs them).

    Returns:
        Three columns with one item an entity: position of its kind in ``KINDS``, its value, its text_id.
    """
    kinds: list[int] = []
    values: list[str] = []
    ids: list[int] = []
    for text_id, text, _, packed in rows:
        spans = unpack(f"<{len(packed) // 4}I", packed)
        kinds += [span >> _KIND for span in spans]
        values += [text[(start := span & MAX_START) : start + (span >> _START & _LENGTH)] for span in spans]
        ids += [text_id] * len(spans)
    for at, kind in enumerate(kinds):
        if kind in _CHANGED:
            values[at] = entity_value(KINDS[kind], values[at])
    return [kinds, values, ids]
