"""Rebuilds: batches are kept aside until the last has come, then published in one transaction.

The caller holds the transaction.
"""

from __future__ import annotations

import apsw
import msgspec

from recall_lab.model import Applied, Batch, Source
from recall_lab.store.batches import BatchWriter
from recall_lab.store.connection import rows

_STANDS = (
    "SELECT DISTINCT hex(block_id), hex(content_hash) FROM placements JOIN blocks USING (text_id) WHERE source_id = ?"
)


def stage(db: apsw.Connection, batch: Batch, *, ready: bool) -> None:
    """Keep a batch aside and say so in the source's state."""
    source_id = _source_id(db, batch.source.path, batch.source.machine)
    db.execute(
        "INSERT INTO staged SELECT ?, coalesce(max(step), 0) + 1, ? FROM staged WHERE source_id = ?",
        (source_id, msgspec.msgpack.encode(batch), source_id),
    )
    state, detail = ("rebuild_ready", "read to its end") if ready else ("rebuilding", "its new content is being read")
    db.execute("UPDATE sources SET state = ?, detail = ? WHERE source_id = ?", (state, detail, source_id))


def publish(db: apsw.Connection, batches: BatchWriter, path: str, machine: str) -> Applied:
    """Apply the staged batches one after the other; earlier texts that stand nowhere any more become revisions."""
    source_id = _source_id(db, path, machine)
    before = dict(rows(db, _STANDS, (source_id,)))
    added = conflicts = 0
    for (step,) in rows(db, "SELECT step FROM staged WHERE source_id = ? ORDER BY step", (source_id,)):
        data: bytes = db.execute("SELECT batch FROM staged WHERE source_id = ? AND step = ?", (source_id, step)).get
        applied = batches.apply(msgspec.msgpack.decode(data, type=Batch))
        added += applied.blocks_added
        conflicts += applied.conflicts
    drop(db, path, machine)
    after = dict(rows(db, _STANDS, (source_id,)))
    changed = sum(1 for block_id, was in before.items() if after.get(block_id, was) != was)
    return Applied(blocks_added=added, blocks_changed=changed, conflicts=conflicts)


def staged_source(db: apsw.Connection, path: str, machine: str) -> Source | None:
    """Return the source as the last staged batch left it."""
    source: Source | None = None
    for (data,) in db.execute(
        "SELECT batch FROM staged JOIN sources USING (source_id) WHERE machine = ? AND path = ? ORDER BY step DESC",
        (machine, path),
    ):
        staged = msgspec.msgpack.decode(data, type=Batch).source
        source = msgspec.structs.replace(source or staged, parser_state=staged.parser_state)
        if source.parser_state is not None:
            break
    return source


def drop(db: apsw.Connection, path: str, machine: str) -> None:
    """Remove what is staged for a source."""
    db.execute("DELETE FROM staged WHERE source_id = ?", (_source_id(db, path, machine),))


def _source_id(db: apsw.Connection, path: str, machine: str) -> int:
    found: int = db.execute("SELECT source_id FROM sources WHERE machine = ? AND path = ?", (machine, path)).get
    return found
