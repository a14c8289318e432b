"""Taking in what ``portable.export_lines`` wrote: nothing of it is trusted more than a transcript.

Every text goes through the detector again, every string that a person or an agent may have written with it; hashes,
identifiers and index words are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from recall_lab.errors import SourceError
from recall_lab.model import Batch, PlacedBlock, Redacted, Revision
from recall_lab.store.portable import BLOBS, FORMAT, TABLES, VERSION, Header, Line, SourceLine, Table, hash_of, quoted
from recall_lab.store.scopes import reached_sessions
from recall_lab.store.writer import Writer
from recall_lab.text_entities import analyse

_MAX_LINE = 1 << 28  # bytes; longer lines were not written by ``export_lines``
# What the format itself writes: numbers of hosts and the store, never words.
_NOT_TEXT = frozenset(
    {"block_id", "content_hash", "head_hash", "tail_hash", "key", "request_block", "result_block", "role", "kind"}
    | {"relation", "state", "disposition", "timestamp", "started", "ended", "at", "what"}
)


class Cleaned(NamedTuple):
    """A text with its secrets taken out, and how many spans of each kind those were."""

    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


Clean = Callable[[Sequence[str]], Sequence[Cleaned]]


class Imported(msgspec.Struct, frozen=True):
    """How many sources and blocks came in, how many sources were known already, and how many are not wanted."""

    sources: int
    blocks: int
    skipped: int
    left_out: int = 0


def check_lines(lines: Iterable[bytes]) -> None:
    """Read an export to its end and write nothing: every line is of this format, and none is missing at the end.

    Raises:
        SourceError: it is not so; the message says where.
    """
    number, awaited = 0, set(TABLES)
    try:
        for number, line in enumerate(_decoded(lines), 1):
            if number == 1:
                _check_header(line.header)
            elif sum(part is not None for part in (line.source, line.blocks, line.revision, line.table)) != 1:
                raise SourceError(f"line {number}: neither a source, blocks, a revision nor a table")
            if line.table is not None:
                _check_table(line.table, number)
                awaited.discard(line.table.name)
    except SourceError as error:
        raise SourceError(f"{error}; nothing was taken in, write the export again with `recall-lab export`") from error
    if not number:
        raise SourceError("the file is empty; name one that `recall-lab export` wrote")
    if awaited:
        raise SourceError(
            f"line {number}: the export ends too early; nothing was taken in, write it again with `recall-lab export`"
        )


def import_lines(
    writer: Writer,
    lines: Iterable[bytes],
    clean: Clean,
    *,
    rules: str,
    machine: str | None = None,
    wanted: Callable[[SourceLine], bool] | None = None,
    resumable: Callable[[bytes], bool] = bool,
) -> Imported:
    """Take in an export; each source in whole transactions, what is known already stays as it is.

    Args:
        writer: The store to write.
        lines: JSON Lines.
        clean: Takes the secrets out of texts.
        rules: Version of the rules that ``clean`` goes by.
        machine: A label for the sources that the other store calls ``local``.
        wanted: Says of a source whether it may come in; all may when left out.
        resumable: Whether capture can go on from the state that is kept with a source; else the source is read from its
            start when it is captured again.

    Raises:
        SourceError: a line is not of this format, or a value does not fit; what came before it is kept, and told.
    """
    run = _Import(writer, clean, rules, _Terms(machine=machine, wanted=wanted, resumable=resumable))
    number = 0
    try:
        for number, line in enumerate(_decoded(lines), 1):
            run.take(line, number)
        run.finish()
    except SourceError as error:
        raise SourceError(f"{error}; {run.kept()}") from error
    except (msgspec.DecodeError, ValueError, LookupError, OverflowError, apsw.ConstraintError) as error:
        # The value is not told: it may be anything.
        raise SourceError(f"line {number}: a value does not fit, the export is damaged; {run.kept()}") from error
    return Imported(run.sources, run.blocks, run.skipped, run.left_out)


def _decoded(lines: Iterable[bytes]) -> Iterator[Line]:
    for number, data in enumerate(lines, 1):
        if len(data) > _MAX_LINE:
            raise SourceError(f"line {number}: longer than {_MAX_LINE} bytes, so not of an export of recall_lab")
        try:
            yield msgspec.json.decode(data, type=Line)
        except (msgspec.DecodeError, RecursionError, ValueError, OverflowError) as error:
            why = str(error) if isinstance(error, msgspec.DecodeError) else "a value does not fit"
            raise SourceError(f"line {number}: {why}, so no export of recall_lab, or a damaged one") from error


def _check_header(header: Header | None) -> bytes:
    """Return the key of the other store's fingerprints."""
    if header is None or header.format != FORMAT:
        raise SourceError("line 1: not the header of an export of recall_lab")
    if header.version != VERSION:
        raise SourceError(f"line 1: export version {header.version}, this program reads {VERSION}: upgrade recall-lab")
    try:
        return bytes.fromhex(header.hash_key)
    except ValueError as error:
        raise SourceError("line 1: the key in the header is damaged") from error


def _check_table(table: Table, number: int) -> tuple[str, ...]:
    """Return the columns of a table that this format knows."""
    columns = TABLES.get(table.name)
    if columns is None or table.columns != columns:
        raise SourceError(f"line {number}: table {table.name!r} is not known, so the export is of another version")
    if any(len(row) != len(columns) for row in table.rows):
        raise SourceError(f"line {number}: a row of table {table.name!r} has not as many values as columns")
    return columns


class _Terms(msgspec.Struct, frozen=True, kw_only=True):
    """On what terms sources come in; see ``import_lines``."""

    machine: str | None
    wanted: Callable[[SourceLine], bool] | None
    resumable: Callable[[bytes], bool]


class _Import:
    """Puts lines together to sources, and writes each when its last line is there."""

    def __init__(self, writer: Writer, clean: Clean, rules: str, terms: _Terms) -> None:
        self._writer = writer
        self._clean = clean
        self._rules = rules
        self._terms = terms
        self._open: SourceLine | None = None
        self._chunks: list[tuple[PlacedBlock, ...]] = []
        self._moved: dict[tuple[str, str], str] = {}  # (block_id, content_hash in the file) -> content_hash here
        self._small: dict[str, str] = {}
        self._same_key = False
        self.sources = self.blocks = self.skipped = self.left_out = 0

    def kept(self) -> str:
        """What an error has to say of what came before it."""
        if not (self.sources or self.blocks):
            return "nothing was taken in, write the export again with `recall-lab export`"
        came = f"{self.sources:,} source{'s' * (self.sources != 1)} and {self.blocks:,} block{'s' * (self.blocks != 1)}"
        return f"{came} came in before it; write the export again and import that, what is here already stays as it is"

    def take(self, line: Line, number: int) -> None:
        """Take in one line; they count from 1."""
        if number == 1:
            self._start(line.header)
        elif line.source is not None:
            self.finish()
            self._begin(line.source)
        elif line.blocks is not None:
            if self._open is not None:
                self._chunks.append(self._cleaned_blocks(line.blocks))
        else:
            self.finish()
            if line.revision is not None:
                self._revision(line.revision)
            elif line.table is not None:
                self._table(line.table, number)

    def _start(self, header: Header | None) -> None:
        key = _check_header(header)
        with self._writer.transaction() as db:
            if not db.execute("SELECT EXISTS (SELECT 1 FROM sources)").get:
                db.execute("UPDATE meta SET value = ? WHERE key = 'hash_key'", (key,))
        self._same_key = self._writer.hash_key == key

    def _begin(self, line: SourceLine) -> None:
        """Open a source, unless as much of it is here already."""
        line = self._cleaned_source(line)
        source = msgspec.structs.replace(line.source, machine=self._label(line.source.machine))
        if not self._same_key:
            # Fingerprints of another key cannot be compared; the source is read from its start if it is here at all.
            source = msgspec.structs.replace(source, head_hash="", tail_hash="", content_hash="")
        known = self._writer.connection.execute(
            "SELECT cursor FROM sources WHERE machine = ? AND path = ?", (source.machine, source.path)
        ).get
        if self._terms.wanted is not None and not self._terms.wanted(line):
            self.left_out += 1
        elif known is not None and known >= source.cursor:
            self.skipped += 1
        else:
            self._open = msgspec.structs.replace(line, source=source)

    def finish(self) -> None:
        """Write the source whose lines are complete."""
        line, chunks, self._open, self._chunks = self._open, self._chunks, None, []
        if line is None:
            return
        for batch in _batches(line, chunks, self._rules):
            self.blocks += self._writer.apply(batch).blocks_added
        self.sources += 1

    def _label(self, machine: str) -> str:
        return self._terms.machine if self._terms.machine and machine == "local" else machine

    # ---- through the detector again --------------------------------------------------------------------------------

    def _cleaned_blocks(self, blocks: tuple[PlacedBlock, ...]) -> tuple[PlacedBlock, ...]:
        cleaned = self._clean([block.text for block in blocks])
        facts = self._cleaned([{**msgspec.structs.asdict(b), "text": "", "entities": "", "words": ""} for b in blocks])
        return tuple(
            self._retold(msgspec.convert(told, PlacedBlock), block, text)
            for block, told, text in zip(blocks, facts, cleaned, strict=True)
        )

    def _retold(self, told: PlacedBlock, block: PlacedBlock, cleaned: Cleaned) -> PlacedBlock:
        text, looked = cleaned.text, analyse(cleaned.text)
        content_hash = self._hash_of(block.block_id, block.content_hash, text)
        return msgspec.structs.replace(
            told,
            text=text,
            content_hash=content_hash,
            original_length=block.original_length + len(text) - len(block.text),
            findings=added(block.findings, cleaned.findings),
            entities=looked.spans,
            words=looked.words,
        )

    def _hash_of(self, block_id: str, was: str, text: str) -> str:
        content_hash = hash_of(text)
        if content_hash != was:
            self._moved[block_id, was] = content_hash
        return content_hash

    def _cleaned_source(self, line: SourceLine) -> SourceLine:
        state = line.source.parser_state or b""
        as_text = state.decode("latin-1").replace("\x00", " ")
        sound = bool(state) and self._clean([as_text])[0].text == as_text and self._terms.resumable(state)
        [facts] = self._cleaned([msgspec.to_builtins(line, builtin_types=(bytes,))])
        source = {**facts["source"], "parser_state": state}
        if not sound:
            source |= {"parser_state": b"", "resume_offset": 0, "resume_ord": 0}
        return msgspec.convert({**facts, "source": source}, SourceLine)

    def _cleaned(self, facts: list[Any]) -> list[Any]:
        """Clean every string in plain values, all unknown ones at once."""
        new = list(dict.fromkeys(text for text in _strings(facts) if text not in self._small))
        if new:
            self._small.update(zip(new, (item.text for item in self._clean(new)), strict=True))
        return [replace_all(value, self._small) for value in facts]

    # ---- what stands in no source ----------------------------------------------------------------------------------

    def _revision(self, revision: Revision) -> None:
        [cleaned] = self._clean([revision.text])
        self._writer.add_revision(
            msgspec.structs.replace(
                revision,
                text=cleaned.text,
                content_hash=self._hash_of(revision.block_id, revision.content_hash, cleaned.text),
                original_length=revision.original_length + len(cleaned.text) - len(revision.text),
                rules=self._rules,
                entities=analyse(cleaned.text).spans,
            )
        )

    def _table(self, table: Table, number: int) -> None:
        columns = _check_table(table, number)
        told = self._cleaned([dict(zip(columns, row, strict=True)) for row in table.rows])
        values = [tuple(self._value(row, name) for name in columns) for row in told]
        marks = ", ".join("?" * len(columns))
        same = " AND ".join(f'"{name}" IS ?' for name in columns)
        with self._writer.transaction() as db:
            db.executemany(
                f"INSERT OR IGNORE INTO {table.name} ({quoted(columns)}) SELECT {marks} "
                f"WHERE NOT EXISTS (SELECT 1 FROM {table.name} WHERE {same})",
                ((*row, *row) for row in values),
            )
        if table.name == "scopes" and values:
            self._writer.retell(reached_sessions(self._writer.connection))

    def _value(self, row: dict[str, Any], name: str) -> object:
        value = row[name]
        if name == "content_hash":
            value = self._moved.get((str(row.get("block_id")), str(value)), value)
        if name == "machine":
            value = self._label(str(value))
        return bytes.fromhex(str(value)) if name in BLOBS else value


def added(known: Iterable[tuple[str, int]], more: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Add up counts of findings by kind."""
    counts: dict[str, int] = dict(known)
    for kind, spans in more:
        counts[kind] = counts.get(kind, 0) + spans
    return tuple(sorted(counts.items()))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in _NOT_TEXT:
                yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def replace_all(value: Any, put: Mapping[str, str]) -> Any:
    """Put strings in the place of others, anywhere in plain values but in what can hold no text."""
    if isinstance(value, str):
        return put.get(value, value)
    if isinstance(value, dict):
        return {name: inner if name in _NOT_TEXT else replace_all(inner, put) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [replace_all(inner, put) for inner in value]
    return value


def _batches(line: SourceLine, chunks: list[tuple[PlacedBlock, ...]], rules: str) -> Iterator[Batch]:
    """Make one batch a chunk; the last one carries books, calls and final state."""
    chunks = chunks or [()]
    source, from_ord = line.source, 0
    for number, blocks in enumerate(chunks, 1):
        last = number == len(chunks)
        yield Batch(
            source=source if last else msgspec.structs.replace(source, state="backlog", cursor=0, parser_state=b""),
            session=line.session,
            children=line.children,
            from_ord=from_ord,
            anew=number == 1,
            blocks=blocks,
            dead=line.dead if last else (),
            ledger=line.ledger if last else (),
            problems=line.problems if last else (),
            model_calls=line.model_calls if last else (),
            tool_calls=line.tool_calls if last else (),
            rules_version=rules,
        )
        from_ord = blocks[-1].ord + 1 if blocks else from_ord
