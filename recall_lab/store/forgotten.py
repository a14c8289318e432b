"""What was forgotten on request stays out of every batch; the caller holds the transaction."""

from __future__ import annotations

import json

import apsw
import msgspec

from recall_lab.model import Batch, LedgerRow
from recall_lab.store.connection import rows


def without_forgotten(db: apsw.Connection, batch: Batch) -> Batch:
    """Return the batch without forgotten blocks and sessions, be it its own or that of an agent it tells of."""
    if not db.execute("SELECT EXISTS (SELECT 1 FROM forgotten)").get or batch.session is None:
        return batch
    parent = batch.session.parent_id if batch.session.relation == "subagent" else None
    own = [batch.session.native_id, *([parent] if parent else [])]
    sessions = _forgotten(db, batch, [*own, *(child.native_id for child in batch.children)])
    if not sessions.isdisjoint(own):
        return _left_out(batch)
    agents = {child.agent_id for child in batch.children if child.native_id in sessions}
    blocks = {
        block_id
        for (block_id,) in rows(db, "SELECT id FROM forgotten WHERE what = 'block' AND host = ?", (batch.source.host,))
    }
    return msgspec.structs.replace(
        batch,
        children=tuple(child for child in batch.children if child.agent_id not in agents),
        blocks=tuple(block for block in batch.blocks if block.block_id not in blocks and block.agent not in agents),
        model_calls=tuple(call for call in batch.model_calls if call.agent not in agents),
        # The first line of a failure is a piece of the result's text.
        tool_calls=tuple(
            msgspec.structs.replace(call, error=None) if call.result_block in blocks else call
            for call in batch.tool_calls
            if call.agent not in agents
        ),
    )


def _forgotten(db: apsw.Connection, batch: Batch, native_ids: list[str]) -> set[str]:
    found = rows(
        db,
        "SELECT id FROM forgotten WHERE what = 'session' AND host = ? AND id IN (SELECT value FROM json_each(?))",
        (batch.source.host, json.dumps(native_ids)),
    )
    return {native_id for (native_id,) in found}


def _left_out(batch: Batch) -> Batch:
    """Return what is kept of a source whose session was forgotten: its size."""
    records, size = sum(row.records for row in batch.ledger), sum(row.bytes for row in batch.ledger)
    return msgspec.structs.replace(
        batch,
        source=msgspec.structs.replace(batch.source, state="off", detail="forgotten on request"),
        session=None,
        ledger=(LedgerRow(record_type="forgotten", disposition="excluded", records=records, bytes=size),),
        problems=(),
    )
