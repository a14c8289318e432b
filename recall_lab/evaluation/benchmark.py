"""A benchmark folder: read, checked, and captured into a store of its own through capture's code.

``corpus.jsonl`` {id, text, title?, tags?, session?, scope?, timestamp?, turn?}; ``queries.jsonl`` {id, text, scope?,
stratum?}; ``qrels.tsv`` query, document, grade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from recall_lab.capture.preparing import Preparer, RedactsTexts
from recall_lab.errors import NotFoundError, UsageError
from recall_lab.hosts.base import RawBlock, RawSession, make_id
from recall_lab.model import Batch, LedgerRow, PlacedBlock, Source
from recall_lab.store import open_writer

HOST: Final = "benchmark"
_ROWS_AT_ONCE: Final = 2000


class Row(msgspec.Struct, frozen=True):
    """A row of the corpus."""

    id: str
    text: str
    title: str | None = None
    tags: tuple[str, ...] = ()
    session: str | None = None
    scope: str | None = None
    timestamp: str | None = None
    turn: int | None = None


class Question(msgspec.Struct, frozen=True):
    """A query of the benchmark."""

    id: str
    text: str
    scope: str | None = None
    stratum: str | None = None


class Benchmark(msgspec.Struct, frozen=True):
    """A benchmark folder, read.

    Attributes:
        rows: The corpus.
        questions: The queries.
        grades: By query, the grade of each judged document; a query without a grade above 0 is unanswerable.
        newest: The corpus's newest timestamp, from which recency counts.
    """

    rows: tuple[Row, ...]
    questions: tuple[Question, ...]
    grades: dict[str, dict[str, int]]
    newest: datetime


class Captured(msgspec.Struct, frozen=True):
    """Where the rows are in the store: by block_id the row's id, and by scope the repository that stands for it."""

    rows: dict[str, str]
    scopes: dict[str, str]


_Line = TypeVar("_Line", Row, Question)


def read_benchmark(folder: Path) -> Benchmark:
    """Read a benchmark folder.

    Raises:
        NotFoundError: a file is missing.
        UsageError: a line cannot be read; the message names file and line.
    """
    rows = tuple(_lines(folder / "corpus.jsonl", Row))
    questions = tuple(_lines(folder / "queries.jsonl", Question))
    known = {row.id for row in rows}
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_text(folder / "qrels.tsv").splitlines(), 1):
        if not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) != 3 or not parts[2].strip().lstrip("-").isdigit():
            raise UsageError(f"qrels.tsv line {number}: expected query, document and grade, separated by tabs")
        if parts[1] not in known:
            raise UsageError(f"qrels.tsv line {number}: corpus.jsonl has no such document; check the id")
        grades.setdefault(parts[0], {})[parts[1]] = int(parts[2])
    moments = [moment for row in rows if (moment := utc(row.timestamp))]
    return Benchmark(rows, questions, grades, max(moments, default=datetime.now(UTC)))


def capture_benchmark(benchmark: Benchmark, store: Path, redactor: RedactsTexts) -> Captured:
    """Write the corpus into a new store: each row one block of its session, in the order of its turns or lines.

    Raises:
        StoreError: the store cannot be written.
    """
    sessions: dict[tuple[str | None, str], list[Row]] = {}
    for row in benchmark.rows:
        sessions.setdefault((row.scope, row.session or row.id), []).append(row)
    preparer = Preparer(redactor, tool_results="full")
    blocks: dict[str, str] = {}
    scopes: dict[str, str] = {}
    with open_writer(store) as writer:
        for part in _parts(list(sessions.items())):
            raw = [_blocks(rows) for _, rows in part]
            prepared = iter(preparer.prepare([block for group in raw for block in group]).blocks)
            for (key, rows), group in zip(part, raw, strict=True):
                batch = _batch(preparer, key, rows, [next(prepared) for _ in group])
                if key[0] is not None:
                    scopes[key[0]] = (batch.session and batch.session.repo) or ""
                writer.apply(batch)
            blocks.update((make_id(HOST, row.id), row.id) for _, rows in part for row in rows)
    return Captured(blocks, scopes)


def utc(text: str | None) -> datetime | None:
    """Read a row's timestamp; without a zone it is UTC.

    Raises:
        UsageError: it is no ISO 8601 time.
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"corpus.jsonl: {text!r} is no ISO 8601 time; write 2026-05-01T12:00:00Z") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _blocks(rows: Sequence[Row]) -> list[RawBlock]:
    ordered = sorted(enumerate(rows), key=lambda pair: (pair[1].turn if pair[1].turn is not None else pair[0], pair[0]))
    return [
        RawBlock(
            block_id=make_id(HOST, row.id),
            role="user",
            kind="text",
            text="\n".join(filter(None, (row.title, row.text, " ".join(row.tags)))),
            ord=place,
            turn=row.turn if row.turn is not None else place,
            offset=0,
            timestamp=moment.isoformat().replace("+00:00", "Z") if (moment := utc(row.timestamp)) else None,
        )
        for place, (_, row) in enumerate(ordered)
    ]


def _batch(
    preparer: Preparer, key: tuple[str | None, str], rows: Sequence[Row], blocks: Sequence[PlacedBlock]
) -> Batch:
    scope, name = key
    native_id = name if scope is None else f"{scope}:{name}"
    size = sum(len(row.text.encode("utf-8", "replace")) for row in rows)
    session = preparer.session(HOST, RawSession(native_id=native_id, title=rows[0].title), scope)
    return Batch(
        source=Source(host=HOST, path=preparer.small(native_id), size=size, cursor=size, state="complete"),
        session=session,
        from_ord=0,
        blocks=tuple(blocks),
        ledger=(LedgerRow(record_type="row", disposition="indexed", records=len(rows), bytes=size),),
        rules_version=preparer.rules_version,
    )


def _parts(sessions: list[Any]) -> Iterator[list[Any]]:
    """Cut the sessions into parts of some thousand rows, so that redaction works on large buffers."""
    part: list[Any] = []
    count = 0
    for session in sessions:
        part.append(session)
        count += len(session[1])
        if count >= _ROWS_AT_ONCE:
            yield part
            part, count = [], 0
    if part:
        yield part


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFoundError(
            f"{path}: not there; a benchmark folder holds corpus.jsonl, queries.jsonl and qrels.tsv"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as UTF-8 text") from error


def _lines(path: Path, kind: type[_Line]) -> Iterator[_Line]:
    # Only a line feed ends a line; a text may hold U+2028.
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=kind)
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                raise UsageError(f"{path.name} line {number}: {error}") from error
