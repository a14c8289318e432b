"""Comparing the mirror with the store: rows and their content, table by table.

The rows are counted in the store by plain SQL. The content is compared with a mirror built from nothing beside the
current one: what a table holds is one checksum, the sum of its rows' hashes, which no order changes.
"""

from __future__ import annotations

from pathlib import Path

from recall_lab.mirror.connecting import Mirror, connect, open_generation
from recall_lab.mirror.generations import Folder
from recall_lab.mirror.refreshing import build_beside
from recall_lab.model import Record
from recall_lab.store.connection import open_reader
from recall_lab.store.mirroring import row_counts, snapshot

TABLES = (
    "sessions",
    "turns",
    "blocks",
    "placements",
    "entities",
    "model_calls",
    "tool_calls",
    "sources",
    "ledger",
    "problems",
    "redactions",
    "activity",
    "judgments",
    "pins",
)
DERIVED = ("touches", "pauses")  # made of the others; the store has no such rows to count


class TableCheck(Record, frozen=True, kw_only=True):
    """Rows of one table in the store and in the mirror, and whether all of them are the same.

    Of a table that is made of others, ``store`` counts what the store's state makes of it.
    """

    store: int
    mirror: int
    equal: bool


class MirrorCheck(Record, frozen=True, kw_only=True):
    """What ``mirror --check`` found (contract 10)."""

    tables: dict[str, TableCheck]
    equal: bool


def check(store_path: Path, folder: Path, *, wait: float = 600.0) -> MirrorCheck:
    """Compare the current generation with the store, every table and every column.

    Args:
        store_path: The SQLite store; opened read-only.
        folder: The mirror's folder; room for a second mirror is needed in it for as long as this takes.
        wait: Seconds to wait for a refresh that is under way.

    Raises:
        NoStoreError, StoreError: the store cannot be read.
        MirrorError: there is no mirror, or the scratch one cannot be built.
    """
    place = Folder(folder)
    with connect(folder) as mirror, open_reader(store_path) as reader, place.refreshing(wait), snapshot(reader):
        counts = row_counts(reader)
        with build_beside(place, reader) as built, open_generation(built) as fresh:
            counts |= {table: _count(fresh, table) for table in DERIVED}
            tables = {
                table: TableCheck(
                    store=counts[table],
                    mirror=_count(mirror, table),
                    equal=counts[table] == _count(mirror, table)
                    and _checksum(mirror, table) == _checksum(fresh, table),
                )
                for table in (*TABLES, *DERIVED)
            }
    return MirrorCheck(tables=tables, equal=all(table.equal for table in tables.values()))


def _count(mirror: Mirror, table: str) -> int:
    [(count,)] = mirror.rows(f"SELECT count(*) FROM {table}")
    return int(count)


def _checksum(mirror: Mirror, table: str) -> int | None:
    [(checksum,)] = mirror.rows(f"SELECT sum(hash(t)::HUGEINT) FROM {table} t")
    return None if checksum is None else int(checksum)
