"""Texts that are searched by meaning: what people and models wrote and said, without what tools and hosts wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recall_lab.store.connection import Reader, explains
from recall_lab.store.connection import rows as fetch

Ids = Any  # numpy int32, shape (n,)
Hashes = Any  # numpy uint64, shape (n,): the first eight bytes of each content hash, big-endian

_PROSE = "b.kind IN ('text', 'summary') AND b.role <> 'host'"
_PLACED = "EXISTS (SELECT 1 FROM placements p WHERE p.text_id = b.text_id)"


@explains
def prose(reader: Reader) -> tuple[Ids, Hashes]:
    """Every text of prose that a session holds, the newest first, with its hash."""
    return _columns(
        fetch(
            reader.connection,
            "SELECT b.text_id, substr(b.content_hash, 1, 8) FROM blocks b "
            f"WHERE {_PROSE} AND {_PLACED} ORDER BY 1 DESC",
        )
    )


@explains
def hashes_of(reader: Reader, text_ids: Iterable[int]) -> dict[int, int]:
    """The hash of each text that a session holds; the others are left out."""
    ids, hashes = _columns(
        fetch(
            reader.connection,
            "SELECT b.text_id, substr(b.content_hash, 1, 8) FROM json_each(?) w "
            f"CROSS JOIN blocks b ON b.text_id = w.value WHERE {_PLACED}",
            (json.dumps(list(text_ids)),),
        )
    )
    return dict(zip(ids.tolist(), hashes.tolist(), strict=True))


@explains
def texts_of(reader: Reader, text_ids: Iterable[int]) -> dict[int, tuple[int, str]]:
    """By text_id, the hash and the text as they stand now."""
    found = fetch(
        reader.connection,
        "SELECT b.text_id, substr(b.content_hash, 1, 8), b.text FROM json_each(?) w "
        "CROSS JOIN blocks b ON b.text_id = w.value",
        (json.dumps(list(text_ids)),),
    )
    return {text_id: (int.from_bytes(head, "big"), text) for text_id, head, text in found}


def _columns(found: list[tuple[int, bytes]]) -> tuple[Ids, Hashes]:
    import numpy as np

    ids = np.array([text_id for text_id, _ in found], np.int32)
    return ids, np.frombuffer(b"".join(head for _, head in found), ">u8").astype(np.uint64)
