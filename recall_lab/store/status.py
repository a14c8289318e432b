"""The store at a glance, and what it knows of each source."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from recall_lab.model import DISPOSITIONS, Disposition, Source, Status, Tally
from recall_lab.store.connection import OnStore, Reader, explained, explains, rows

_SOURCE_COLUMNS = ", ".join(Source.__struct_fields__)


def status(reader: Reader) -> Status:
    """Count everything in the store; bytes and records add up over the dispositions."""
    with explained(reader.path):
        db = reader.connection
        totals: dict[Disposition, tuple[int, int]] = dict.fromkeys(DISPOSITIONS, (0, 0))
        for name, records, size in rows(
            db, "SELECT disposition, sum(records), sum(bytes) FROM ledger GROUP BY disposition"
        ):
            totals[name] = (records, size)
        states = rows(db, "SELECT state, count(*) FROM sources GROUP BY state ORDER BY state")
        unknown = rows(
            db,
            "SELECT record_type, sum(records) FROM ledger WHERE disposition = 'unknown' "
            "GROUP BY record_type ORDER BY record_type",
        )
        return Status(
            sources=db.execute("SELECT count(*) FROM sources").get,
            sessions=db.execute("SELECT count(*) FROM sessions").get,
            turns=db.execute(
                "SELECT count(*) FROM (SELECT DISTINCT session_id, turn FROM placements WHERE turn > 0)"
            ).get,
            blocks=count_blocks(reader),
            records=_tally({name: records for name, (records, _) in totals.items()}),
            bytes=_tally({name: size for name, (_, size) in totals.items()}),
            states=dict(states),
            store_bytes=store_bytes(reader.path),
            kept_text_bytes=db.execute("SELECT coalesce(sum(octet_length(text)), 0) FROM blocks").get,
            last_capture=db.execute("SELECT max(captured_at) FROM sources").get,
            unknown_types=dict(unknown),
        )


def count_blocks(reader: Reader) -> int:
    """Count the blocks that stand in a session; revisions are not among them."""
    found: int = reader.connection.execute(
        "SELECT count(DISTINCT block_id) FROM blocks WHERE text_id IN (SELECT text_id FROM placements)"
    ).get
    return found


def store_bytes(path: Path) -> int:
    """Return the bytes that the store takes on disk, its write-ahead log included."""
    total = 0
    for name in (path.name, path.name + "-wal"):
        try:
            total += path.with_name(name).stat().st_size
        except OSError:
            continue
    return total


def known_sources(store: OnStore) -> dict[tuple[str, str], Source]:
    """Return what the store knows of every source, by (machine, path)."""
    with explained(store.path):
        found = rows(store.connection, f"SELECT {_SOURCE_COLUMNS} FROM sources ORDER BY machine, path")
        sources = (Source(**dict(zip(Source.__struct_fields__, row, strict=True))) for row in found)
        return {(source.machine, source.path): source for source in sources}


def sources_that_tell_of(store: OnStore, agents: Collection[str]) -> set[tuple[str, str]]:
    """Return the sources, as (machine, path), that tell of one of these agents and are not its own transcript."""
    with explained(store.path):
        found = rows(
            store.connection,
            "SELECT DISTINCT s.machine, s.path FROM sessions n JOIN source_sessions t USING (session_id) "
            "JOIN sources s USING (source_id) "
            "WHERE n.agent_id IN (SELECT value FROM json_each(?)) AND s.session_id <> n.session_id",
            (json.dumps(list(agents)),),
        )
        return {(machine, path) for machine, path in found}


class SourceFile(NamedTuple):
    """A captured file: size in bytes, times in nanoseconds, as they were when it was read."""

    host: str
    size: int
    mtime_ns: int
    ctime_ns: int


@explains
def source_files(reader: Reader) -> dict[str, SourceFile]:
    """Return the captured files by path, as the store writes it."""
    found = rows(reader.connection, "SELECT path, host, size, mtime_ns, ctime_ns FROM sources")
    return {path: SourceFile(*facts) for path, *facts in found}


def texts_of_older_rules(reader: Reader) -> int:
    """Count the texts that did not go through the rules of the newest one."""
    with explained(reader.path):
        found: int = reader.connection.execute(
            "SELECT count(*) FROM blocks "
            "WHERE rules <> (SELECT rules FROM blocks ORDER BY seen DESC, text_id DESC LIMIT 1)"
        ).get
    return found


def activity_rows(reader: Reader) -> list[tuple[str, str, str | None, float, int]]:
    """Return recall_lab's own uses: (time, command, repository, seconds, exit code)."""
    with explained(reader.path):
        return rows(reader.connection, "SELECT at, command, repo, seconds, exit_code FROM activity ORDER BY at")


def _tally(parts: dict[Disposition, int]) -> Tally:
    return Tally(total=sum(parts.values()), by_disposition=parts)
