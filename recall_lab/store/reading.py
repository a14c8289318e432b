"""Reading single blocks: by id, by revision, where they stand, and what stands beside them.

The root placement is decided here and nowhere else: a main session comes before a subagent or fork, then the earliest
start, then the smallest native id; within a session a delivered prompt comes before a queued one and a live branch
before a dead one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from recall_lab.model import Block, Redacted
from recall_lab.store.connection import Reader, explains
from recall_lab.store.connection import rows as fetch
from recall_lab.store.read_records import Holdings, Placement, StoredText

# Expects placements p, sessions s and sources f. The source's path makes the order independent of capture's.
ROOT_ORDER = (
    "(s.relation IS NOT NULL), (s.started IS NULL), s.started, s.native_id, s.host, "
    "p.queued, p.live DESC, f.path, p.ord"
)

_COLUMNS = (
    "b.text_id, hex(b.block_id), hex(b.content_hash), b.role, b.kind, b.text, h.name, s.native_id, p.turn, p.ord, "
    "b.original_length, s.title, p.timestamp, s.repo, coalesce(c.name, s.cwd), coalesce(g.name, s.branch), f.path, "
    "t.name, m.name, p.live"
)
_PLACED = (
    "FROM blocks b JOIN names h ON h.name_id = b.host JOIN placements p USING (text_id) "
    "JOIN sessions s ON s.session_id = p.session_id JOIN sources f ON f.source_id = p.source_id "
    "LEFT JOIN names c ON c.name_id = p.cwd LEFT JOIN names g ON g.name_id = p.branch "
    "LEFT JOIN names t ON t.name_id = p.tool LEFT JOIN names m ON m.name_id = p.model "
)
_IDS_SHOWN = 3


@contextmanager
def snapshot(reader: Reader) -> Iterator[None]:
    """Let several reads see one state of the store while a capture goes on."""
    with reader.connection:
        yield


@explains
def block_ids(reader: Reader, head: str) -> tuple[str, ...]:
    """Return the ids that begin with ``head`` (lowercase hex, at most 32 digits); at most three of them."""
    low = bytes.fromhex(head.ljust(32, "0"))
    high = bytes.fromhex(head.ljust(32, "f"))
    rows = reader.connection.execute(
        "SELECT DISTINCT hex(block_id) FROM blocks WHERE block_id BETWEEN ? AND ? LIMIT ?", (low, high, _IDS_SHOWN)
    )
    return tuple(found.lower() for (found,) in rows)


@explains
def stored_texts(reader: Reader, block_id: str) -> tuple[StoredText, ...]:
    """Return every text of a block: those that a session holds (root first), then its revisions, newest first."""
    kept = fetch(
        reader.connection,
        "SELECT text_id, hex(content_hash), text, seen FROM blocks WHERE block_id = ? ORDER BY seen DESC, text_id DESC",
        (bytes.fromhex(block_id),),
    )
    order: dict[int, int] = {}
    for placement in placements(reader, block_id):
        order.setdefault(placement.text_id, len(order))
    texts = [
        StoredText(
            text_id=text_id,
            block_id=block_id,
            content_hash=content_hash.lower(),
            text=Redacted(text),
            placed=text_id in order,
            seen=seen,
        )
        for text_id, content_hash, text, seen in kept
    ]
    return tuple(sorted(texts, key=lambda stored: order.get(stored.text_id, len(order))))


@explains
def matching_revisions(reader: Reader, matches: Callable[[str], bool], limit: int) -> tuple[StoredText, ...]:
    """Return texts that stand nowhere any more, the newest first; ``matches`` is asked of each."""
    found: list[StoredText] = []
    for text_id, block_id, content_hash, text, seen in reader.connection.execute(
        "SELECT text_id, lower(hex(block_id)), lower(hex(content_hash)), text, seen FROM blocks "
        "WHERE text_id NOT IN (SELECT text_id FROM placements) ORDER BY seen DESC, text_id DESC"
    ):
        if len(found) >= limit:
            break
        if matches(text):
            found.append(
                StoredText(
                    text_id=text_id,
                    block_id=block_id,
                    content_hash=content_hash,
                    text=Redacted(text),
                    placed=False,
                    seen=seen,
                )
            )
    return tuple(found)


@explains
def pinned_hashes(reader: Reader, block_id: str) -> frozenset[str]:
    """Return the content hashes of the texts of a block that never expire."""
    rows = reader.connection.execute(
        "SELECT lower(hex(content_hash)) FROM pins WHERE block_id = ?", (bytes.fromhex(block_id),)
    )
    return frozenset(content_hash for (content_hash,) in rows)


@explains
def placements(reader: Reader, block_id: str) -> tuple[Placement, ...]:
    """Return where the texts of a block stand, the root placement first; empty when only revisions are left."""
    rows = reader.connection.execute(
        "SELECT b.text_id, hex(b.content_hash), s.host, s.native_id, s.relation, f.path, p.source_id, p.session_id, "
        "p.turn, p.ord, p.live, p.timestamp FROM blocks b JOIN placements p USING (text_id) "
        "JOIN sessions s ON s.session_id = p.session_id JOIN sources f ON f.source_id = p.source_id "
        f"WHERE b.block_id = ? ORDER BY {ROOT_ORDER}",
        (bytes.fromhex(block_id),),
    )
    return tuple(
        Placement(
            text_id=row[0],
            content_hash=row[1].lower(),
            host=row[2],
            session=row[3],
            relation=row[4],
            source=Redacted(row[5]),
            source_id=row[6],
            session_id=row[7],
            turn=row[8],
            ord=row[9],
            live=bool(row[10]),
            timestamp=row[11],
        )
        for row in rows
    )


@explains
def root_blocks(reader: Reader, text_ids: Iterable[int]) -> dict[int, Block]:
    """Return each text as a block at its root placement; texts that no session holds are left out."""
    wanted = json.dumps(list(text_ids))
    rows = reader.connection.execute(
        f"SELECT * FROM (SELECT {_COLUMNS}, row_number() OVER (PARTITION BY b.text_id ORDER BY {ROOT_ORDER}) AS rank "
        f"{_PLACED} WHERE b.text_id IN (SELECT value FROM json_each(?))) WHERE rank = 1",
        (wanted,),
    )
    return {row[0]: _block(row) for row in rows}


@explains
def block_at_root(reader: Reader, block_id: str) -> Block | None:
    """Return a block's current text at its root placement; None when no session holds it."""
    row = reader.connection.execute(
        f"SELECT {_COLUMNS} {_PLACED} WHERE b.block_id = ? ORDER BY {ROOT_ORDER} LIMIT 1", (bytes.fromhex(block_id),)
    ).fetchone()
    return _block(row) if row else None


@explains
def revision(reader: Reader, text_id: int) -> Block | None:
    """Return a text without a place: session "", turn 0, no source, not live."""
    row = reader.connection.execute(
        "SELECT b.text_id, hex(b.block_id), hex(b.content_hash), b.role, b.kind, b.text, h.name, '', 0, 0, "
        "b.original_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 "
        "FROM blocks b JOIN names h ON h.name_id = b.host WHERE b.text_id = ?",
        (text_id,),
    ).fetchone()
    return _block(row) if row else None


@explains
def blocks_at(reader: Reader, places: Sequence[tuple[int, int]]) -> tuple[Block, ...]:
    """Return the blocks at these (source_id, ord) places, in the order asked for; empty places are left out."""
    rows = reader.connection.execute(
        f"SELECT {_COLUMNS}, w.key FROM json_each(?) w "
        "CROSS JOIN placements p ON p.source_id = w.value ->> 0 AND p.ord = w.value ->> 1 "
        "JOIN blocks b ON b.text_id = p.text_id JOIN names h ON h.name_id = b.host "
        "JOIN sessions s ON s.session_id = p.session_id JOIN sources f ON f.source_id = p.source_id "
        "LEFT JOIN names c ON c.name_id = p.cwd LEFT JOIN names g ON g.name_id = p.branch "
        "LEFT JOIN names t ON t.name_id = p.tool LEFT JOIN names m ON m.name_id = p.model ORDER BY w.key",
        (json.dumps(places),),
    )
    return tuple(_block(row) for row in rows)


@explains
def beside(reader: Reader, place: Placement, count: int) -> tuple[list[int], list[int]]:
    """Return the ords of up to ``count`` placements before and after one, nearest first.

    They are of the same source and session; beside a block on a live branch only live ones count.
    """
    sides: list[list[int]] = []
    for compare, direction in (("<", "DESC"), (">", "ASC")):
        rows = reader.connection.execute(
            f"SELECT ord FROM placements WHERE source_id = ? AND ord {compare} ? AND session_id = ? AND live >= ? "
            f"ORDER BY ord {direction} LIMIT ?",
            (place.source_id, place.ord, place.session_id, int(place.live), count),
        )
        sides.append([found for (found,) in rows])
    return sides[0], sides[1]


@explains
def holdings(reader: Reader) -> Holdings:
    """Count what the store holds: blocks that a session holds, sessions, sources."""
    db = reader.connection
    return Holdings(
        blocks=db.execute("SELECT count(DISTINCT text_id) FROM placements").get,
        sessions=db.execute("SELECT count(*) FROM sessions").get,
        sources=db.execute("SELECT count(*) FROM sources").get,
        incomplete=db.execute("SELECT count(*) FROM sources WHERE state NOT IN ('complete', 'source_missing')").get,
    )


def _block(row: Sequence[Any]) -> Block:
    return Block(
        block_id=row[1].lower(),
        content_hash=row[2].lower(),
        role=row[3],
        kind=row[4],
        text=row[5],
        host=row[6],
        session=row[7],
        turn=row[8],
        ord=row[9],
        original_length=row[10],
        title=row[11],
        timestamp=row[12],
        repo=row[13],
        cwd=row[14],
        branch=row[15],
        source=row[16],
        tool=row[17],
        model=row[18],
        live=bool(row[19]),
    )
