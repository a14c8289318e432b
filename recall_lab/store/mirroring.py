"""Streams of rows for the mirror: whole tables, or what belongs to some sessions or texts, as Arrow record batches.

A stream holds at most a few MB at a time, whatever the size of the store. Ids and hashes are blobs as in the store;
small recurring strings are the numbers of the ``names`` table. All streams opened within one ``snapshot`` see the same
state of the store, also while a capture writes. One stream at a time: read one to its end before the next is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from typing import Any, Literal

import msgspec

from recall_lab.store.arrow import ArrowStream
from recall_lab.store.connection import Reader, explained, unmapped
from recall_lab.store.entity_columns import entity_columns

_ROWS = 8_192  # rows a batch at most
_CHARACTERS = 4_000_000  # characters of text a batch at most, give or take one text

Scope = Literal["sessions", "texts"]


class StreamSpec(msgspec.Struct, frozen=True):
    """One stream: its columns with their Arrow types, where the rows come from, and how they can be narrowed.

    ``narrowed`` is the condition that keeps the rows of the ids bound as a JSON array; ``by`` says ids of what.
    ``select`` stands in for the columns' names where one is computed. ``sized`` is the position of a column that
    bounds a batch by its length. ``made`` turns the rows that were read into the stream's columns.
    """

    columns: tuple[tuple[str, str], ...]
    rows: str
    by: Scope | None = None
    narrowed: str = ""
    order: str = ""
    select: str = ""
    group: str = ""
    sized: int | None = None
    made: Callable[[Sequence[tuple[Any, ...]]], list[Any]] | None = None


def _columns(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (part.split() for part in text.split(","))
    return tuple((name, kind) for name, kind in pairs)


_IN_SESSIONS = "session_id IN (SELECT value FROM json_each(?))"
_OF_SESSIONS = f"source_id IN (SELECT source_id FROM sources WHERE session_id IS NULL OR {_IN_SESSIONS})"
_TOLD_IN_SESSIONS = (
    "source_id IN (SELECT source_id FROM source_sessions WHERE session_id IN (SELECT value FROM json_each(?1))) "
    "AND session_id IN (SELECT value FROM json_each(?1))"
)
_IN_TEXTS = "text_id IN (SELECT value FROM json_each(?))"

STREAMS: dict[str, StreamSpec] = {
    "names": StreamSpec(_columns("name_id int64, name string"), "names"),
    "sessions": StreamSpec(
        _columns(
            "session_id int64, host string, native_id string, parent_id string, relation string, agent_id string,"
            "agent_type string, title string, cwd string, branch string, repo string, model string, version string,"
            "started string, ended string, change int64"
        ),
        "sessions",
        by="sessions",
        narrowed=_IN_SESSIONS,
    ),
    "sources": StreamSpec(
        _columns(
            "source_id int64, host string, path string, machine string, session_id int64, size int64, mtime_ns int64,"
            "cursor int64, state string, detail string, lines int64, captured_at string"
        ),
        "sources",
    ),
    "placements": StreamSpec(
        _columns(
            "source_id int32, ord int64, session_id int32, text_id int64, turn int32, role string, live bool,"
            "queued bool, timestamp string, cwd int32, branch int32, tool int32, model int32"
        ),
        "placements",
        by="sessions",
        narrowed=_IN_SESSIONS,
    ),
    "texts": StreamSpec(
        _columns(
            "text_id int64, block_id binary, content_hash binary, role string, kind string, host int32, length int64,"
            "original_length int64, rules int32, text utf8"
        ),
        "blocks",
        by="texts",
        narrowed=_IN_TEXTS,
        order="text_id",
        sized=6,
    ),
    "model_calls": StreamSpec(
        _columns(
            "source_id int32, key binary, session_id int32, turn int32, timestamp string, model string,"
            "input_tokens int64, output_tokens int64, cache_read_tokens int64, cache_write_5m_tokens int64,"
            "cache_write_1h_tokens int64, reasoning_tokens int64, web_searches int64, final bool, sidechain bool,"
            "logged_cost_usd float64"
        ),
        "model_calls",
        by="sessions",
        narrowed=_TOLD_IN_SESSIONS,
    ),
    "tool_calls": StreamSpec(
        _columns(
            "source_id int32, call_id string, session_id int32, turn int32, tool string, request_block binary,"
            "result_block binary, started string, ended string, failed bool, error string, duration_ms int64"
        ),
        "tool_calls",
        by="sessions",
        narrowed=_TOLD_IN_SESSIONS,
    ),
    "ledger": StreamSpec(
        _columns("source_id int32, record_type string, disposition string, records int64, bytes int64"),
        "ledger",
        by="sessions",
        narrowed=_OF_SESSIONS,
    ),
    "problems": StreamSpec(
        _columns("source_id int32, offset int64, length int64, disposition string, reason string"),
        "problems",
        by="sessions",
        narrowed=_OF_SESSIONS,
    ),
    "redactions": StreamSpec(
        _columns("text_id int64, kind string, spans int64"), "redactions", by="texts", narrowed=_IN_TEXTS
    ),
    # ``kind`` is a position in ``text_entities.KINDS``.
    "entities": StreamSpec(
        _columns("kind int32, value string, text_id int64"),
        "blocks",
        by="texts",
        narrowed=_IN_TEXTS,
        order="text_id",
        select="text_id, text, length, entities",
        sized=2,
        made=entity_columns,
    ),
    "activity": StreamSpec(
        _columns("activity_id int64, at string, command string, repo string, seconds float64, exit_code int32"),
        "activity",
    ),
    "judgments": StreamSpec(
        _columns(
            "judgment_id int64, at string, question string, block_id binary, start int64, end int64, grade int32,"
            "config string"
        ),
        "judgments",
    ),
    "pins": StreamSpec(_columns("block_id binary, content_hash binary, at string, note string"), "pins"),
}


@contextmanager
def snapshot(reader: Reader) -> Iterator[None]:
    """Hold one state of the store for all that is read inside."""
    with explained(reader.path), unmapped(reader):
        reader.connection.execute("BEGIN")
        try:
            yield
        finally:
            reader.connection.execute("ROLLBACK")


def stream(reader: Reader, name: str, only: Iterable[int] | None = None) -> ArrowStream:
    """Return the rows of ``STREAMS[name]`` as record batches with an explicit schema, columns in the spec's order.

    Args:
        reader: The store; it must not be used for anything else until the stream is read to its end.
        name: A key of ``STREAMS``.
        only: Session or text ids (what the spec's ``by`` says) to narrow the stream to; None for all rows.

    Raises:
        StoreError: the store cannot be read.
    """
    spec = STREAMS[name]
    return ArrowStream(spec.columns, batches(reader, spec, only))


def batches(reader: Reader, spec: StreamSpec, only: Iterable[int] | None = None) -> Iterator[Sequence[Any]]:
    """Yield the rows of a stream as an ``ArrowStream`` takes them."""
    # Long texts are taken as the bytes they are kept as, without a detour over Python's strings.
    select = spec.select or ", ".join(
        f'CAST("{column}" AS BLOB)' if kind == "utf8" else f'"{column}"' for column, kind in spec.columns
    )
    statement = f"SELECT {select} FROM {spec.rows}"
    if only is not None:
        statement += f" WHERE {spec.narrowed}"
    if spec.group:
        statement += f" GROUP BY {spec.group}"
    if spec.order:
        statement += f" ORDER BY {spec.order}"
    bindings = (json.dumps(list(only)),) if only is not None else ()
    with explained(reader.path):
        cursor = reader.connection.execute(statement, bindings)
        for rows in _portions(cursor, spec.sized):
            yield spec.made(rows) if spec.made else list(zip(*rows, strict=True))


def _portions(cursor: Iterable[tuple[Any, ...]], sized: int | None) -> Iterator[list[tuple[Any, ...]]]:
    rows = iter(cursor)
    if sized is None:
        while portion := list(islice(rows, _ROWS)):
            yield portion
        return
    portion, size = [], 0
    for row in rows:
        portion.append(row)
        size += row[sized]
        if size >= _CHARACTERS or len(portion) >= _ROWS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def session_changes(reader: Reader) -> dict[int, int]:
    """Return session_id -> change number of every session."""
    with explained(reader.path):
        return dict(reader.connection.execute("SELECT session_id, change FROM sessions"))


def source_places(reader: Reader) -> dict[int, tuple[str, int | None]]:
    """Return source_id -> (path, session_id) of every source."""
    with explained(reader.path):
        rows = reader.connection.execute("SELECT source_id, path, session_id FROM sources")
        return {source_id: (path, session_id) for source_id, path, session_id in rows}


def content_hashes(reader: Reader, texts: Iterable[int]) -> dict[int, str]:
    """Return text_id -> content hash (64 hex) of those texts that the store still keeps."""
    with explained(reader.path):
        return dict(
            reader.connection.execute(
                f"SELECT text_id, lower(hex(content_hash)) FROM blocks WHERE {_IN_TEXTS}", (json.dumps(list(texts)),)
            )
        )


def last_text(reader: Reader) -> int:
    """Return the greatest text_id, 0 where there is none: there are about as many texts."""
    with explained(reader.path):
        last: int = reader.connection.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get
        return last


def called_models(reader: Reader) -> list[tuple[str, str]]:
    """Return (host, model) of every model that was called."""
    with explained(reader.path):
        rows = reader.connection.execute(
            "SELECT DISTINCT q.host, c.model FROM model_calls c JOIN sources q USING (source_id) "
            "WHERE c.model IS NOT NULL"
        )
        return [(host, model) for host, model in rows]


def store_identity(reader: Reader) -> str:
    """Return what tells this store from every other one, and from itself before a backup was restored (a hash)."""
    with explained(reader.path):
        found = reader.connection.execute("SELECT value FROM meta WHERE key IN ('hash_key', 'lineage') ORDER BY key")
        return sha256(b"mirror\x00" + b"\x00".join(value for (value,) in found)).hexdigest()[:32]


def loose_ends(reader: Reader) -> str:
    """Return a fingerprint of what may change without a session's change number: sources, activity, judgments, pins."""
    digest = sha256()
    with explained(reader.path):
        for table in ("sources", "judgments", "pins"):
            columns = ", ".join(f'"{column}"' for column, _ in STREAMS[table].columns)
            for row in reader.connection.execute(f"SELECT {columns} FROM {table}"):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
        seen = reader.connection.execute("SELECT count(*), max(activity_id) FROM activity").fetchall()
    digest.update(repr(seen).encode())
    return digest.hexdigest()[:32]


def row_counts(reader: Reader) -> dict[str, int]:
    """Return how many rows each table of the mirror has to have, counted in the store by plain SQL."""
    placed = "text_id IN (SELECT text_id FROM placements)"
    counts = {
        "sessions": "SELECT count(*) FROM sessions",
        "turns": "SELECT count(*) FROM (SELECT DISTINCT session_id, turn FROM placements)",
        "blocks": f"SELECT count(*) FROM blocks WHERE {placed}",
        "placements": "SELECT count(*) FROM placements",
        "entities": f"SELECT coalesce(sum(length(entities) / 4), 0) FROM blocks WHERE {placed}",
        "model_calls": "SELECT count(DISTINCT key) FROM model_calls",
        "tool_calls": "SELECT count(*) FROM "
        "(SELECT DISTINCT host, call_id FROM tool_calls JOIN sources USING (source_id))",
        "sources": "SELECT count(*) FROM sources",
        "ledger": "SELECT count(*) FROM ledger",
        "problems": "SELECT count(*) FROM problems",
        "redactions": f"SELECT count(*) FROM redactions WHERE {placed}",
        "activity": "SELECT count(*) FROM activity",
        "judgments": "SELECT count(*) FROM judgments",
        "pins": "SELECT count(*) FROM pins",
    }
    with explained(reader.path):
        return {table: reader.connection.execute(statement).get for table, statement in counts.items()}
