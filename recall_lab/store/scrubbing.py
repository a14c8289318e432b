"""Leaving no trace of text that was taken out: index segments, small strings, free pages, the log, copies beside it."""

from __future__ import annotations

import os

import apsw

from recall_lab.store.connection import OnStore, explained, has_live_wal
from recall_lab.store.packing import discard
from recall_lab.store.writer import Writer


def next_change(db: apsw.Connection) -> int:
    """Take the next change number."""
    change: int = db.execute("UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value").get
    return change


def owe_scrub(db: apsw.Connection) -> None:
    """Note, in the transaction that takes text out, that free pages still hold it until ``scrub`` is done."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('scrub', 1)")


def renew_lineage(db: apsw.Connection) -> None:
    """Let no mirror of the store be brought up to date: it would keep what was taken out; it is built whole."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('lineage', ?)", (os.urandom(16),))


def scrub_owed(store: OnStore) -> bool:
    """Say whether text that was taken out may still lie in free pages, because a scrub was interrupted."""
    with explained(store.path):
        return bool(store.connection.execute("SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'scrub')").get)


def scrub(writer: Writer) -> bool:
    """Leave no trace of removed text: merge the index, drop unused names, rewrite the file, empty the log.

    Returns:
        Whether no trace is left. Where another process reads an older state its pages have to stay, and what
        ``owe_scrub`` noted stays noted.
    """
    with writer.transaction() as db:
        db.execute(
            "DELETE FROM names WHERE name_id NOT IN (SELECT host FROM blocks UNION SELECT rules FROM blocks "
            "UNION SELECT cwd FROM placements WHERE cwd IS NOT NULL UNION SELECT branch FROM placements "
            "WHERE branch IS NOT NULL UNION SELECT tool FROM placements WHERE tool IS NOT NULL "
            "UNION SELECT model FROM placements WHERE model IS NOT NULL)"
        )
        # Deleted rows of a contentless index leave their terms behind until its segments are merged.
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('optimize')")
    writer.forget_caches()
    discard(writer.path)
    with explained(writer.path):
        writer.connection.execute("VACUUM")
    writer.checkpoint()
    clean = not has_live_wal(writer.path)
    if clean:
        with writer.transaction() as db:
            db.execute("DELETE FROM meta WHERE key = 'scrub'")
        writer.checkpoint()
    discard(writer.path)
    return clean
