"""Records that stand in several files with different texts: which sources hold one; the caller holds the transaction.

All texts are kept and found; the state of a source, or its detail where the state says something else, tells of it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

import apsw

from recall_lab.store.connection import rows

_IN_CONFLICT = "a record stands in another file with another text; both are kept"
# States whose detail tells it.
_TELLING = frozenset({"complete", "partial_record", "backlog", "conflict"})
_STILL = (
    "SELECT EXISTS (SELECT 1 FROM placements p JOIN blocks b USING (text_id) "
    "JOIN blocks o ON o.block_id = b.block_id AND o.text_id <> b.text_id "
    "JOIN placements q ON q.text_id = o.text_id WHERE p.source_id = ? AND b.kind <> 'summary')"
)


def may_be_in_conflict(state: str, detail: str) -> bool:
    """Say whether a source in this state may hold a record in conflict: it says so, or its state leaves no room to."""
    return _IN_CONFLICT in detail or state not in _TELLING


def settle_conflicts(
    db: apsw.Connection,
    source_id: int,
    rivals: Iterable[str],
    removed: Iterable[str],
    *,
    stood: Collection[str],
    suspected: bool,
) -> int:
    """Mark every source that holds a record in conflict after a batch; return how many such records the batch brought.

    Summaries are left out: they have no record id of their own, and each file words them anew.

    Args:
        db: The store.
        source_id: The source of the batch.
        rivals: block_ids that the batch placed, and of which another text is known.
        removed: block_ids whose placements the batch took away.
        stood: Of these the ones that it placed again with the same text: they bring no conflict that was not there.
        suspected: What ``may_be_in_conflict`` said of the source before.
    """
    holders: set[int] = set()
    conflicts = 0
    for block_id in rivals:
        placed = rows(
            db,
            "SELECT text_id, source_id FROM blocks JOIN placements USING (text_id) "
            "WHERE block_id = ? AND kind <> 'summary'",
            (bytes.fromhex(block_id),),
        )
        if len({text_id for text_id, _ in placed}) > 1:
            conflicts += block_id not in stood
            holders.update(holder for _, holder in placed)
    if suspected:
        if db.execute(_STILL, (source_id,)).get:
            holders.add(source_id)
        end_conflicts(db, _holders(db, removed))
    for holder in holders:
        _mark(db, holder)
    return conflicts


def end_conflicts(db: apsw.Connection, among: Iterable[int] | None = None) -> None:
    """Call sources free of conflict that hold no record any more that stands elsewhere with another text.

    Args:
        db: The store.
        among: Look at these sources alone; None: at all.
    """
    marked = rows(
        db,
        "SELECT source_id FROM sources WHERE instr(detail, ?1) "
        "AND (?2 IS NULL OR source_id IN (SELECT value FROM json_each(?2)))",
        (_IN_CONFLICT, None if among is None else json.dumps(list(among))),
    )
    for (source_id,) in marked:
        if not db.execute(_STILL, (source_id,)).get:
            db.execute(
                "UPDATE sources SET state = CASE state WHEN 'conflict' THEN 'complete' ELSE state END, "
                "detail = replace(replace(detail, '; ' || ?1, ''), ?1, '') WHERE source_id = ?2",
                (_IN_CONFLICT, source_id),
            )


def _mark(db: apsw.Connection, source_id: int) -> None:
    """Say that a source is in conflict; of one that is not read to its end, or not finished, beside its state."""
    db.execute(
        "UPDATE sources SET state = CASE state WHEN 'complete' THEN 'conflict' ELSE state END, "
        "detail = iif(detail = '', ?1, detail || '; ' || ?1) "
        "WHERE source_id = ?2 AND state IN ('complete', 'partial_record', 'backlog') AND NOT instr(detail, ?1)",
        (_IN_CONFLICT, source_id),
    )


def _holders(db: apsw.Connection, block_ids: Iterable[str]) -> list[int]:
    """Return the sources that hold any text of these blocks."""
    found = rows(
        db,
        "SELECT DISTINCT p.source_id FROM json_each(?) w CROSS JOIN blocks b ON b.block_id = unhex(w.value) "
        "JOIN placements p USING (text_id)",
        (json.dumps(list(block_ids)),),
    )
    return [source_id for (source_id,) in found]
