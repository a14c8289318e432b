"""The whole store as JSON Lines: for moving to another machine, or to another program; ``importing`` reads it back.

The first line names the format (``recall-lab.store``, version 1). Then, for each source, a ``source`` line with its
books and calls, followed by ``blocks`` lines with what stands in it, in order; at the end revisions, pins, judgments,
activity, what was forgotten and pinned repositories. Every line is one JSON object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby

import apsw
import msgspec

from recall_lab.model import (
    LedgerRow,
    ModelCall,
    PlacedBlock,
    Problem,
    Revision,
    Session,
    Source,
    ToolCall,
)
from recall_lab.store.connection import OnStore, explained, rows

FORMAT = "recall-lab.store"
VERSION = 1
_CHUNK = 200  # blocks a line


def hash_of(text: str) -> str:
    """Return the content hash of a retained text: sha256 of its UTF-8, 64 hex."""
    return sha256(text.encode("utf-8")).hexdigest()


class Header(msgspec.Struct, frozen=True):
    """The first line; ``hash_key`` (hex) lets an empty store go on reading the sources where this one stopped."""

    format: str
    version: int
    hash_key: str


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """One source with everything but its blocks."""

    source: Source
    session: Session | None
    children: tuple[Session, ...]
    ledger: tuple[LedgerRow, ...]
    problems: tuple[Problem, ...]
    model_calls: tuple[ModelCall, ...]
    tool_calls: tuple[ToolCall, ...]
    dead: tuple[tuple[int, int], ...]


class Table(msgspec.Struct, frozen=True):
    """Rows of a small table, blobs in hex."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: exactly one of these is there."""

    header: Header | None = None
    source: SourceLine | None = None
    blocks: tuple[PlacedBlock, ...] | None = None
    rules: str | None = None  # version of the redaction rules, beside ``blocks``
    revision: Revision | None = None
    table: Table | None = None


TABLES = {
    "pins": ("block_id", "content_hash", "at", "note"),
    "judgments": ("at", "question", "block_id", "start", "end", "grade", "config"),
    "activity": ("at", "command", "repo", "seconds", "exit_code"),
    "forgotten": ("what", "host", "id", "at"),
    "scopes": ("machine", "path", "cwd", "repo"),
}
BLOBS = frozenset({"block_id", "content_hash"})
_PLACED = (
    "SELECT p.ord, p.turn, p.role, p.queued, p.timestamp, cwd.name, branch.name, tool.name, model.name, rules.name, "
    "lower(hex(b.block_id)), lower(hex(b.content_hash)), b.kind, b.text, b.entities, b.original_length, b.text_id, "
    "s.agent_id, p.session_id FROM placements p JOIN blocks b USING (text_id) "
    "JOIN names rules ON rules.name_id = b.rules JOIN sessions s ON s.session_id = p.session_id "
    "LEFT JOIN names cwd ON cwd.name_id = p.cwd LEFT JOIN names branch ON branch.name_id = p.branch "
    "LEFT JOIN names tool ON tool.name_id = p.tool LEFT JOIN names model ON model.name_id = p.model "
    "WHERE p.source_id = ? AND p.ord > ? ORDER BY p.ord LIMIT ?"
)


def export_lines(store: OnStore) -> Iterator[bytes]:
    """Yield the store's content as JSON Lines, each ending in a line feed; one moment's state, in bounded memory."""
    encode = msgspec.json.Encoder().encode
    with explained(store.path):
        db = store.connection
        db.execute("BEGIN")
        try:
            key: bytes = db.execute("SELECT value FROM meta WHERE key = 'hash_key'").get
            yield encode(Line(header=Header(FORMAT, VERSION, key.hex()))) + b"\n"
            for (source_id,) in rows(db, "SELECT source_id FROM sources ORDER BY machine, path"):
                own, line = _source_line(db, source_id)
                yield encode(Line(source=line)) + b"\n"
                for rules, blocks in _blocks(db, source_id, own):
                    yield encode(Line(blocks=blocks, rules=rules)) + b"\n"
            for revision in _revisions(db):
                yield encode(Line(revision=revision)) + b"\n"
            for name, columns in TABLES.items():
                found = rows(db, f"SELECT {quoted(columns)} FROM {name}")
                values = tuple(tuple(v.hex() if isinstance(v, bytes) else v for v in row) for row in found)
                yield encode(Line(table=Table(name, columns, values))) + b"\n"
        finally:
            db.execute("COMMIT")


# ---- out -----------------------------------------------------------------------------------------------------------


def _source_line(db: apsw.Connection, source_id: int) -> tuple[int | None, SourceLine]:
    names = Source.__struct_fields__
    [(own, *values)] = rows(db, f"SELECT session_id, {', '.join(names)} FROM sources WHERE source_id = ?", (source_id,))
    told = dict(rows(db, "SELECT session_id, facts FROM source_sessions WHERE source_id = ?", (source_id,)))
    facts = {session_id: msgspec.json.decode(text, type=Session) for session_id, text in told.items()}
    agents = {session_id: session.agent_id for session_id, session in facts.items() if session_id != own}
    return own, SourceLine(
        source=Source(**dict(zip(names, values, strict=True))),
        session=facts.pop(own, None) if own is not None else None,
        children=tuple(facts.values()),
        ledger=tuple(
            LedgerRow(record_type=t, disposition=d, records=r, bytes=b)
            for t, d, r, b in rows(
                db, "SELECT record_type, disposition, records, bytes FROM ledger WHERE source_id = ?", (source_id,)
            )
        ),
        problems=tuple(
            Problem(offset=o, length=n, disposition=d, reason=r)
            for o, n, d, r in rows(
                db, "SELECT offset, length, disposition, reason FROM problems WHERE source_id = ?", (source_id,)
            )
        ),
        model_calls=_model_calls(db, source_id, agents),
        tool_calls=_tool_calls(db, source_id, agents),
        dead=_dead(db, source_id),
    )


def _model_calls(db: apsw.Connection, source_id: int, agents: dict[int, str | None]) -> tuple[ModelCall, ...]:
    names = [name for name in ModelCall.__struct_fields__ if name not in {"key", "agent"}]
    found = rows(
        db, f"SELECT lower(hex(key)), session_id, {', '.join(names)} FROM model_calls WHERE source_id = ?", (source_id,)
    )
    calls = []
    for key, session_id, *values in found:
        fields = dict(zip(names, values, strict=True))
        fields.update(final=bool(fields["final"]), sidechain=bool(fields["sidechain"]))
        calls.append(ModelCall(key=key, agent=agents.get(session_id), **fields))
    return tuple(calls)


def _tool_calls(db: apsw.Connection, source_id: int, agents: dict[int, str | None]) -> tuple[ToolCall, ...]:
    names = [name for name in ToolCall.__struct_fields__ if name != "agent"]
    found = rows(db, f"SELECT session_id, {', '.join(names)} FROM tool_calls WHERE source_id = ?", (source_id,))
    calls = []
    for session_id, *values in found:
        fields = dict(zip(names, values, strict=True))
        for name in ("request_block", "result_block"):
            fields[name] = fields[name].hex() if fields[name] is not None else None
        fields["failed"] = None if fields["failed"] is None else bool(fields["failed"])
        calls.append(ToolCall(agent=agents.get(session_id), **fields))
    return tuple(calls)


def _dead(db: apsw.Connection, source_id: int) -> tuple[tuple[int, int], ...]:
    found = rows(db, "SELECT ord, live FROM placements WHERE source_id = ? ORDER BY ord", (source_id,))
    ranges = []
    for live, run in groupby(found, key=lambda row: row[1]):
        ords = [ord_ for ord_, _ in run]
        if not live:
            ranges.append((ords[0], ords[-1] + 1))
    return tuple(ranges)


def _blocks(db: apsw.Connection, source_id: int, own: int | None) -> Iterator[tuple[str, tuple[PlacedBlock, ...]]]:
    after = -1
    while found := rows(db, _PLACED, (source_id, after, _CHUNK)):
        after = found[-1][0]
        for rules, group in groupby(found, key=lambda row: row[9]):
            yield rules, tuple(_placed_block(db, row, own) for row in group)


def _placed_block(db: apsw.Connection, row: tuple[object, ...], own: int | None) -> PlacedBlock:
    ord_, turn, role, queued, timestamp, cwd, branch, tool, model, _, block_id, content_hash, kind, text, *rest = row
    entities, original_length, text_id, agent_id, session_id = rest
    fields = {
        "block_id": block_id,
        "content_hash": content_hash,
        "role": role,
        "kind": kind,
        "text": text,
        "original_length": original_length,
        "ord": ord_,
        "turn": turn,
        "timestamp": timestamp,
        "cwd": cwd,
        "branch": branch,
        "tool": tool,
        "model": model,
        "queued": bool(queued),
        "agent": None if session_id == own else agent_id,
        "findings": rows(db, "SELECT kind, spans FROM redactions WHERE text_id = ? ORDER BY kind", (text_id,)),
        "entities": entities,
    }
    return msgspec.convert(fields, PlacedBlock)


def _revisions(db: apsw.Connection) -> Iterator[Revision]:
    found = db.execute(
        "SELECT lower(hex(b.block_id)), lower(hex(b.content_hash)), b.role, b.kind, host.name, b.original_length, "
        "rules.name, b.text, b.entities FROM blocks b JOIN names host ON host.name_id = b.host "
        "JOIN names rules ON rules.name_id = b.rules WHERE b.text_id NOT IN (SELECT text_id FROM placements) "
        "ORDER BY b.seen, b.text_id"
    )
    for row in found:
        yield msgspec.convert(dict(zip(Revision.__struct_fields__, row, strict=True)), Revision)


def quoted(columns: Iterable[str]) -> str:
    """Column names as SQL; they are the schema's own."""
    return ", ".join(f'"{name}"' for name in columns)
