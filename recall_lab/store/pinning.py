"""Pins: texts that are kept for good, so that what cites them can always be checked."""

from __future__ import annotations

from recall_lab.errors import NotFoundError
from recall_lab.store.writer import Writer
from recall_lab.times import utc_now


def pin(writer: Writer, block_id: str, content_hash: str, note: str | None = None) -> None:
    """Keep a text for good; ``content_hash`` has 64 hex.

    Raises:
        NotFoundError: the store holds no such text.
    """
    key = (bytes.fromhex(block_id), bytes.fromhex(content_hash))
    with writer.transaction() as db:
        if not db.execute("SELECT EXISTS (SELECT 1 FROM blocks WHERE block_id = ? AND content_hash = ?)", key).get:
            raise NotFoundError(f"no text {content_hash[:12]} of block {block_id}; `recall-lab revisions` lists them")
        db.execute(
            "INSERT INTO pins VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET note = excluded.note",
            (*key, utc_now(), note),
        )


def unpin(writer: Writer, block_id: str, content_hash: str) -> bool:
    """Let a pinned text expire like others; return whether it was pinned."""
    with writer.transaction() as db:
        db.execute(
            "DELETE FROM pins WHERE block_id = ? AND content_hash = ?",
            (bytes.fromhex(block_id), bytes.fromhex(content_hash)),
        )
        return db.changes() > 0
