"""What was forgotten on request: which sessions and blocks, and that they stay out of every batch."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import apsw
import msgspec

from recall_lab.errors import StoreError
from recall_lab.model import Batch, LedgerRow
from recall_lab.store.connection import OnStore, explained, open_reader, rows


def without_forgotten(db: apsw.Connection, batch: Batch) -> Batch:
    """Return the batch without forgotten blocks and sessions, be it its own or that of an agent it tells of.

    The caller holds the transaction.
    """
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


def forgotten(path: Path) -> frozenset[tuple[str, str, str]]:
    """Return what was forgotten on request in a store, as (what, host, id); nothing where it cannot be read."""
    try:
        with open_reader(path) as reader, explained(path):
            return frozenset(rows(reader.connection, "SELECT what, host, id FROM forgotten"))
    except StoreError:
        return frozenset()


def held_of(store: OnStore, gone: Iterable[tuple[str, str, str]]) -> int:
    """Count what a store holds of sessions and blocks that were forgotten in another one."""
    held = {
        "session": "SELECT EXISTS (SELECT 1 FROM sessions WHERE host = ? AND native_id = ?)",
        "block": "SELECT EXISTS (SELECT 1 FROM blocks JOIN names ON name_id = host "
        "WHERE name = ? AND block_id = unhex(?))",
    }
    with explained(store.path):
        return sum(store.connection.execute(held[what], (host, name)).get for what, host, name in gone)
