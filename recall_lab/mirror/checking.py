"""Comparing the mirror with the store: rows and their content, table by table.

The rows are counted in the store by plain SQL. The content is compared with a mirror built from nothing beside the
current one: what a table holds is one checksum, the sum of its rows' hashes, which no order changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from recall_lab.errors import MirrorError
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
    """What ``mirror --check`` found."""

    tables: dict[str, TableCheck]
    equal: bool


def check(store_path: Path, folder: Path, *, wait: float = 600.0) -> MirrorCheck:
    """Compare the current generation with the store, every table and every column.

    Args:
        store_path: The SQLite store; opened read-only.
        folder: The mirror's folder; room for a second mirror is needed in it for as long as this takes, or in the
            system's temporary folder where this one cannot be written.
        wait: Seconds to wait for a refresh that is under way.

    Raises:
        NoStoreError, StoreError: the store cannot be read.
        MirrorError: there is no mirror, or the scratch one cannot be built.
    """
    with connect(folder) as mirror, _room(folder, wait) as place, open_reader(store_path) as reader, snapshot(reader):
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


@contextmanager
def _room(folder: Path, wait: float) -> Iterator[Folder]:
    """A place to build in: beside the generations, or, on a disk that is only read, a private folder elsewhere."""
    if os.access(folder, os.W_OK):
        place = Folder(folder)
        with place.refreshing(wait):
            yield place
        return
    try:
        with TemporaryDirectory(prefix="recall-lab-check-") as scratch:  # made 0700
            place = Folder(Path(scratch))
            with place.refreshing(wait):
                yield place
    except OSError as error:
        raise MirrorError(
            f"{error.filename or folder}: no room to build what the mirror is compared with ({error.strerror}); "
            "set TMPDIR to a folder that can be written"
        ) from error


def _count(mirror: Mirror, table: str) -> int:
    [(count,)] = mirror.rows(f"SELECT count(*) FROM {table}")
    return int(count)


def _checksum(mirror: Mirror, table: str) -> int | None:
    [(checksum,)] = mirror.rows(f"SELECT sum(hash(t)::HUGEINT) FROM {table} t")
    return None if checksum is None else int(checksum)
