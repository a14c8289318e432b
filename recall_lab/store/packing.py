"""Writing the packed file beside a large store when a capture ends; ``store.packed`` says what it is.

The columns of a store that ``store.light`` can read are packed without numpy: a capture that has no use for it need
not load it.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from sys import byteorder
from typing import IO, Any, Final

import apsw
import msgspec

from recall_lab.store.columns import Columns, change_number
from recall_lab.store.connection import Reader, explained, open_reader, rows, unmapped
from recall_lab.store.light_columns import LIGHT, LightColumns, read_columns
from recall_lab.store.packed import (
    ALIGN,
    COLUMNS,
    MAGIC,
    Header,
    Packed,
    Section,
    block_at,
    fingerprint,
    is_of,
    packed_path,
)
from recall_lab.store.postings import Postings

LARGE: Final = 4_000  # texts; smaller stores need no packing
BEHIND: Final = 4_096  # texts that may be missing from the packed postings before it is packed again
FEW: Final = 8  # changes that are not looked at more closely
COMMON: Final = 8_192  # texts that hold a word before its postings are packed
_GROWTH: Final = 1.25  # how much larger the index is when its words are counted again

_Array = tuple[str, int, IO[bytes]]  # type as numpy writes it, length, and what it holds


def discard(store: Path) -> None:
    """Take the file away, as after texts were purged; the next capture writes it anew."""
    packed_path(store).unlink(missing_ok=True)


def pack(store: Path) -> bool:
    """Write the file if the store is large and has grown; return whether it was written.

    Raises:
        StoreError: the store cannot be read.
    """
    with open_reader(store) as reader, explained(store), unmapped(reader):
        texts: int = reader.connection.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get
        if texts < LARGE:
            discard(store)
            return False
        if _is_current(reader, texts):
            return False
        try:
            return _pack_columns(reader) if texts <= LIGHT else _pack_all(reader)
        except OSError:
            return False  # a full or read-only disk costs the cache and nothing else


def _is_current(reader: Reader, texts: int) -> bool:
    """Whether so little changed since the file was written that it need not even be mapped."""
    try:
        with packed_path(reader.path).open("rb") as file:
            head = file.read(16)
            if head[:8] != MAGIC:
                return False
            header = msgspec.json.decode(file.read(int.from_bytes(head[8:], "little")), type=Header)
    except (OSError, MemoryError, msgspec.DecodeError):
        return False
    if not is_of(header, reader.connection):
        return False
    # A capture that wrote few texts may still have moved many.
    return texts - header.highest < BEHIND and change_number(reader.connection) - header.change < FEW


def _pack_columns(reader: Reader) -> bool:
    """Pack the columns alone: of so few texts the postings are read as quickly from the index."""
    db = reader.connection
    db.execute("BEGIN")
    try:
        columns = read_columns(db, change_number(db))
        arrays = {name: _plain(name, getattr(columns, name)) for name in COLUMNS}
        none = {"starts": _plain("starts", [0]), "ids": _plain("text", ()), "counts": _plain("late", ())}
        _write(reader, columns, (), 0, arrays | none)
    finally:
        db.execute("COMMIT")
    return True


def _plain(name: str, values: Any) -> _Array:
    """An array of the standard library, typed as ``Columns`` has it."""
    code, dtype = {"moment": ("q", "i8"), "starts": ("q", "i8"), "length": ("f", "f4")}.get(name, ("i", "i4"))
    if name in {"late", "nature"}:
        return "|u1", len(values), BytesIO(bytes(values))
    return f"{'<' if byteorder == 'little' else '>'}{dtype}", len(values), BytesIO(array(code, values).tobytes())


def _pack_all(reader: Reader) -> bool:
    """Pack the columns, and the postings of the commonest words."""
    from recall_lab.store.fulltext import fulltext_of

    index = fulltext_of(reader)
    with index.snapshot():
        packed = index.packed
        if packed and not _is_behind(index.columns, packed):
            return False
        total = index.size()
        if packed and total < _GROWTH * packed.header.counted_at:
            terms, counted_at = packed.header.terms, packed.header.counted_at
        else:
            terms, counted_at = _common_terms(reader.connection), total
        _write_all(reader, index.columns, index.packable(terms), counted_at)
    return True


def _is_behind(columns: Columns, packed: Packed) -> bool:
    return (
        columns.size - 1 - packed.header.highest >= BEHIND
        or abs(len(columns.text) - len(packed.columns.text)) >= BEHIND
        or columns.change - packed.header.change >= BEHIND
    )


def _common_terms(connection: apsw.Connection) -> tuple[str, ...]:
    connection.execute("PRAGMA query_only = 0")
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.counted USING fts5vocab('main', 'fulltext', 'row')")
    finally:
        connection.execute("PRAGMA query_only = 1")
    try:
        return tuple(t for (t,) in rows(connection, "SELECT term FROM counted WHERE doc >= ? ORDER BY 1", (COMMON,)))
    finally:
        connection.execute("PRAGMA query_only = 0; DROP TABLE temp.counted; PRAGMA query_only = 1")


def _write_all(reader: Reader, columns: Columns, postings: Iterable[tuple[str, Postings]], counted_at: int) -> None:
    """Write the file; the postings of one term at a time are in memory."""
    from tempfile import TemporaryFile

    import numpy as np

    terms: list[str] = []
    starts = [0]
    with TemporaryFile(dir=reader.path.parent) as ids, TemporaryFile(dir=reader.path.parent) as counts:
        for term, found in postings:
            terms.append(term)
            ids.write(found.ids.astype(np.int32, copy=False).tobytes())
            counts.write(np.minimum(found.counts, 255).astype(np.uint8).tobytes())
            starts.append(starts[-1] + len(found.ids))
        values = {name: np.ascontiguousarray(getattr(columns, name)) for name in COLUMNS}
        values["starts"] = np.array(starts, np.int64)
        arrays: dict[str, _Array] = {
            name: (one.dtype.str, len(one), BytesIO(one.tobytes())) for name, one in values.items()
        }
        arrays["ids"] = (np.dtype(np.int32).str, starts[-1], ids)
        arrays["counts"] = (np.dtype(np.uint8).str, starts[-1], counts)
        _write(reader, columns, terms, counted_at, arrays)


def _write(
    reader: Reader, columns: Columns | LightColumns, terms: Iterable[str], counted_at: int, arrays: Mapping[str, _Array]
) -> None:
    """Lay the arrays out one after the other, and write the file."""
    sections: dict[str, Section] = {}
    offset = 0
    for name, (dtype, length, _) in arrays.items():
        offset = -(-offset // ALIGN) * ALIGN
        sections[name] = Section(dtype, length, offset)
        offset += sections[name].bytes
    highest = columns.size - 1
    header = Header(
        store=fingerprint(reader.connection),
        change=columns.change,
        highest=highest,
        highest_block=block_at(reader.connection, highest),
        counted_at=counted_at,
        terms=tuple(terms),
        arrays=sections,
    )
    _save(packed_path(reader.path), header, {name: content for name, (_, _, content) in arrays.items()})


def _save(path: Path, header: Header, arrays: dict[str, IO[bytes]]) -> None:
    """Write beside and rename, so that readers see the old file or the new one."""
    from shutil import copyfileobj

    text = msgspec.json.encode(header)
    # The arrays' offsets count from the first bound after the header.
    base = -(-(16 + len(text)) // ALIGN) * ALIGN
    beside = path.with_name(path.name + ".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + len(text).to_bytes(8, "little") + text)
            for name, section in header.arrays.items():
                file.seek(base + section.offset)
                arrays[name].seek(0)
                copyfileobj(arrays[name], file)
            file.truncate(base + max(s.offset + s.bytes for s in header.arrays.values()))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
