"""How much a store holds, by host and kind of text, and the room that its tables and the files around it take."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from recall_lab.model import Record
from recall_lab.store.connection import Reader, explained, rows


class HostStats(Record, frozen=True):
    """What one host brought; ``text_bytes`` counts a text once, ``first`` and ``last`` are UTC."""

    host: str
    sources: int
    sessions: int
    turns: int
    blocks: int
    text_bytes: int
    model_calls: int
    tool_calls: int
    first: str | None
    last: str | None


class TextStats(Record, frozen=True):
    """Texts of one role and kind that stand in a session."""

    role: str
    kind: str
    texts: int
    bytes: int


class TableStats(Record, frozen=True):
    """The rows of a table, and the bytes that it takes in the file with its indexes."""

    table: str
    rows: int
    bytes: int


class Stats(Record, frozen=True):
    """What a store holds and takes.

    Attributes:
        hosts: By host.
        texts: By role and kind, the largest first; earlier texts are not among them.
        revisions: Earlier texts that are kept, their bytes, and how many texts are pinned.
        redacted: Spans that were taken out of texts, by kind.
        rules: Texts by the version of the redaction rules that went through them.
        tables: The largest first.
        files: Bytes by what lies in the home: store, log, packed, mirror, cache, vectors, judgments, replaced, other.
    """

    hosts: tuple[HostStats, ...]
    texts: tuple[TextStats, ...]
    revisions: dict[str, int]
    redacted: dict[str, int]
    rules: dict[str, int]
    tables: tuple[TableStats, ...]
    files: dict[str, int]


_PLACED = "text_id IN (SELECT text_id FROM placements)"
_FILES = {
    "recall.db": "store",
    "recall.db-wal": "log",
    "recall.packed": "packed",
    "mirror": "mirror",
    "cache": "cache",
    "vectors": "vectors",
    "judgments": "judgments",
}


def stats(reader: Reader, home: Path) -> Stats:
    """Measure a store.

    Args:
        reader: The store.
        home: The folder that it lies in.
    """
    with explained(reader.path):
        db = reader.connection
        texts, size, pinned = rows(
            db,
            "SELECT count(*), coalesce(sum(octet_length(text)), 0), "
            f"(SELECT count(*) FROM pins) FROM blocks WHERE NOT {_PLACED}",
        )[0]
        return Stats(
            hosts=_hosts(db),
            texts=tuple(
                TextStats(role=role, kind=kind, texts=count, bytes=kept)
                for role, kind, count, kept in rows(
                    db,
                    f"SELECT role, kind, count(*), sum(octet_length(text)) FROM blocks WHERE {_PLACED} "
                    "GROUP BY role, kind ORDER BY 4 DESC",
                )
            ),
            revisions={"texts": texts, "bytes": size, "pinned": pinned},
            redacted=dict(
                rows(db, "SELECT kind, sum(spans) FROM redactions GROUP BY kind ORDER BY sum(spans) DESC, kind")
            ),
            rules=dict(rows(db, "SELECT name, count(*) FROM blocks JOIN names ON name_id = rules GROUP BY name")),
            tables=_tables(db),
            files=_files(home),
        )


def _hosts(db: apsw.Connection) -> tuple[HostStats, ...]:
    """Each count by itself: joined they would multiply."""
    counted = {
        "sources": "SELECT host, count(*) FROM sources GROUP BY host",
        "sessions": "SELECT host, count(*) FROM sessions GROUP BY host",
        "turns": "SELECT host, count(*) FROM (SELECT DISTINCT host, session_id, turn FROM placements "
        "JOIN sessions USING (session_id) WHERE turn > 0) GROUP BY host",
        "blocks": f"SELECT name, count(DISTINCT block_id) FROM blocks JOIN names ON name_id = host WHERE {_PLACED} "
        "GROUP BY name",
        "text_bytes": f"SELECT name, sum(octet_length(text)) FROM blocks JOIN names ON name_id = host WHERE {_PLACED} "
        "GROUP BY name",
        "model_calls": "SELECT host, count(DISTINCT key) FROM model_calls JOIN sources USING (source_id) GROUP BY host",
        "tool_calls": "SELECT host, count(DISTINCT call_id) FROM tool_calls JOIN sources USING (source_id) "
        "GROUP BY host",
    }
    found: dict[str, dict[str, int]] = {name: dict(rows(db, sql)) for name, sql in counted.items()}
    times = {
        host: (first, last)
        for host, first, last in rows(db, "SELECT host, min(started), max(ended) FROM sessions GROUP BY host")
    }
    return tuple(
        HostStats(
            host=host,
            first=times.get(host, (None, None))[0],
            last=times.get(host, (None, None))[1],
            **{name: counts.get(host, 0) for name, counts in found.items()},
        )
        for host in sorted(found["sources"])
    )


def _tables(db: apsw.Connection) -> tuple[TableStats, ...]:
    """The full-text index is one table to its reader, and several to SQLite."""
    sizes: dict[str, int] = {}
    for name, table, size in rows(
        db,
        "SELECT d.name, coalesce(s.tbl_name, d.name), d.pgsize FROM dbstat d LEFT JOIN sqlite_schema s USING (name) "
        "WHERE d.aggregate = 1",
    ):
        owner = "fulltext" if name.startswith("fulltext_") else table
        sizes[owner] = sizes.get(owner, 0) + size
    real = {name for (name,) in rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    counted = {name: db.execute(f'SELECT count(*) FROM "{name}"').get for name in sizes if name in real}
    found = [TableStats(table=name, rows=counted.get(name, 0), bytes=size) for name, size in sizes.items()]
    return tuple(sorted(found, key=lambda one: (-one.bytes, one.table)))


def _files(home: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for path in sorted(home.iterdir()):
        name = "replaced" if path.name.startswith("recall-replaced-") else _FILES.get(path.name, "other")
        found[name] = found.get(name, 0) + _size(path)
    return found


def _size(path: Path) -> int:
    """Bytes of a file, or of every file below a folder; links are not followed."""
    if path.is_symlink() or not path.is_dir():
        try:
            return path.lstat().st_size
        except OSError:
            return 0
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - as os.walk gives them
            except OSError:
                continue
    return total
