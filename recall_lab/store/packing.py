"""The columns of a large store, and the postings of its commonest words, packed in one file beside it.

The file is a cache: it holds nothing that the store does not say, it is written when a capture ends, and a reader
without it only starts slower. FTS5 walks a common word's postings at some ten million a second, which takes too long at
a million blocks; packed they are two arrays. What was written to the store since then is read from the store.

Layout: eight bytes of magic, eight of header length (little-endian), a JSON header, then arrays at 64-byte bounds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from sys import byteorder
from typing import IO, Any, Final, Literal

import apsw
import msgspec

from recall_lab.store.columns import Columns, change_number
from recall_lab.store.connection import Reader, explained, open_reader, rows, unmapped
from recall_lab.store.postings import Postings

MAGIC: Final = b"RLPACK01"
LARGE: Final = 4_000  # texts; smaller stores need no packing
BEHIND: Final = 4_096  # texts that may be missing from the packed postings before it is packed again
FEW: Final = 8  # changes that are not looked at more closely
COMMON: Final = 8_192  # texts that hold a word before its postings are packed
_GROWTH: Final = 1.25  # how much larger the index is when its words are counted again
_ALIGN: Final = 64


class Section(msgspec.Struct, frozen=True):
    """Where an array stands in the file; ``offset`` in bytes from its beginning."""

    dtype: str
    length: int
    offset: int


class Header(msgspec.Struct, frozen=True):
    """What the file says of itself.

    Attributes:
        store: Fingerprint of the store that it belongs to.
        change: Change number that the columns show.
        highest: Greatest text_id that the postings cover.
        highest_block: block_id of that text, in hex: another one there means that texts were purged.
        counted_at: Texts in the index when words were last counted.
        terms: The packed terms, in the order of their postings.
        arrays: Name -> section.
    """

    store: str
    change: int
    highest: int
    highest_block: str
    counted_at: int
    terms: tuple[str, ...]
    arrays: dict[str, Section]


class Packed(msgspec.Struct, frozen=True):
    """The file, mapped into memory.

    Attributes:
        columns: As of ``header.change``.
        header: What the file says of itself.
        places: term -> (first, end) in the two arrays.
        ids: text_ids, int32, ascending within a term.
        counts: How often, uint8, at most 255.
    """

    columns: Columns
    header: Header
    places: dict[str, tuple[int, int]]
    ids: Any
    counts: Any


_FORMATS: Final[dict[str, Literal["i", "q", "B"]]] = (
    {"<i4": "i", "<i8": "q", "|u1": "B"} if byteorder == "little" else {}
)
_COLUMNS: Final = tuple(name for name in Columns.__struct_fields__ if name != "change")


def packed_path(store: Path) -> Path:
    """Where the file stands."""
    return store.with_suffix(".packed")


def load(reader: Reader) -> Packed | None:
    """Map the file; None when there is none, or it does not belong to this state of the store.

    Call it inside a read transaction.
    """
    import numpy as np

    path = packed_path(reader.path)
    try:
        data = np.memmap(path, np.uint8, mode="r")
        header, base = _header(data)
        arrays = {name: _section(data, base, section) for name, section in header.arrays.items()}
    except (OSError, ValueError, IndexError, msgspec.DecodeError):
        return None
    with explained(reader.path):
        if header.store != _fingerprint(reader.connection) or not _still_true(reader.connection, header):
            return None
    columns = Columns(change=header.change, **{name: arrays[name] for name in _COLUMNS})
    starts = arrays["starts"].tolist()
    places = {term: (starts[n], starts[n + 1]) for n, term in enumerate(header.terms)}
    return Packed(columns, header, places, arrays["ids"], arrays["counts"])


def columns_of(store: Path, connection: apsw.Connection, change: int) -> dict[str, Any] | None:
    """The columns as views of the file, read without numpy; None when it shows another state of the store.

    Args:
        store: The store's file.
        connection: The store, inside a read transaction.
        change: The change number of that state.
    """
    try:
        with packed_path(store).open("rb") as file:
            data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        header, base = _header(data)
        if header.change != change or header.store != _fingerprint(connection):
            return None
        found: dict[str, Any] = {}
        for name in _COLUMNS:
            section = header.arrays[name]
            start, size = base + section.offset, section.length * int(section.dtype[2:])
            values = data[start : start + size]
            found[name] = values.cast("f") if section.dtype == "<f4" else values.cast(_FORMATS[section.dtype])
            if len(found[name]) != section.length:
                return None
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError):
        return None
    return found if _still_true(connection, header) else None


def discard(store: Path) -> None:
    """Take the file away, as after texts were purged; the next capture writes it anew."""
    packed_path(store).unlink(missing_ok=True)


def pack(store: Path) -> bool:
    """Write the file if the store is large and has grown; return whether it was written.

    Raises:
        StoreError: the store cannot be read.
    """
    with open_reader(store) as reader, explained(store), unmapped(reader):
        if reader.connection.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get < LARGE:
            discard(store)
            return False
        if _is_current(reader):
            return False
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
            try:
                _write(reader, index.columns, index.packable(terms), counted_at)
            except OSError:
                # A full or read-only disk costs the cache and nothing else.
                return False
    return True


def _is_current(reader: Reader) -> bool:
    """Whether so little changed since the file was written that it need not even be mapped."""
    try:
        with packed_path(reader.path).open("rb") as file:
            head = file.read(16)
            if head[:8] != MAGIC:
                return False
            header = msgspec.json.decode(file.read(int.from_bytes(head[8:], "little")), type=Header)
    except (OSError, MemoryError, msgspec.DecodeError):
        return False
    if header.store != _fingerprint(reader.connection) or not _still_true(reader.connection, header):
        return False
    highest: int = reader.connection.execute("SELECT max(text_id) FROM blocks").get
    # A capture that wrote few texts may still have moved many.
    return highest - header.highest < BEHIND and change_number(reader.connection) - header.change < FEW


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


def _write(reader: Reader, columns: Columns, postings: Iterable[tuple[str, Postings]], counted_at: int) -> None:
    """Write the file; the postings of one term at a time are in memory."""
    from tempfile import TemporaryFile

    import numpy as np

    path = packed_path(reader.path)
    terms: list[str] = []
    starts = [0]
    with TemporaryFile(dir=path.parent) as ids, TemporaryFile(dir=path.parent) as counts:
        for term, found in postings:
            terms.append(term)
            ids.write(found.ids.astype(np.int32, copy=False).tobytes())
            counts.write(np.minimum(found.counts, 255).astype(np.uint8).tobytes())
            starts.append(starts[-1] + len(found.ids))
        arrays = {name: np.ascontiguousarray(getattr(columns, name)) for name in _COLUMNS}
        arrays["starts"] = np.array(starts, np.int64)
        written = {name: (values.dtype, len(values)) for name, values in arrays.items()}
        written |= {"ids": (np.dtype(np.int32), starts[-1]), "counts": (np.dtype(np.uint8), starts[-1])}
        highest = columns.size - 1
        header = Header(
            store=_fingerprint(reader.connection),
            change=columns.change,
            highest=highest,
            highest_block=_block_at(reader.connection, highest),
            counted_at=counted_at,
            terms=tuple(terms),
            arrays=_sections(written),
        )
        views = {name: BytesIO(values.tobytes()) for name, values in arrays.items()}
        _save(path, header, {**views, "ids": ids, "counts": counts})


def _sections(arrays: dict[str, tuple[Any, int]]) -> dict[str, Section]:
    """Lay arrays of these types and lengths out one after the other."""
    sections: dict[str, Section] = {}
    offset = 0
    for name, (dtype, length) in arrays.items():
        offset = -(-offset // _ALIGN) * _ALIGN
        sections[name] = Section(dtype.str, length, offset)
        offset += length * dtype.itemsize
    return sections


def _save(path: Path, header: Header, arrays: dict[str, IO[bytes]]) -> None:
    """Write beside and rename, so that readers see the old file or the new one."""
    from shutil import copyfileobj

    text = msgspec.json.encode(header)
    # The arrays' offsets count from the first bound after the header.
    base = -(-(16 + len(text)) // _ALIGN) * _ALIGN
    beside = path.with_name(path.name + ".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + len(text).to_bytes(8, "little") + text)
            for name, section in header.arrays.items():
                file.seek(base + section.offset)
                arrays[name].seek(0)
                copyfileobj(arrays[name], file)
            file.truncate(base + max(s.offset + _size(s) for s in header.arrays.values()))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _size(section: Section) -> int:
    import numpy as np

    return section.length * np.dtype(section.dtype).itemsize


def _header(data: Any) -> tuple[Header, int]:
    """What the file says of itself, and where its arrays begin.

    Raises:
        ValueError: it is another file.
    """
    if bytes(data[:8]) != MAGIC:
        raise ValueError("another file")
    end = 16 + int.from_bytes(bytes(data[8:16]), "little")
    return msgspec.json.decode(bytes(data[16:end]), type=Header), -(-end // _ALIGN) * _ALIGN


def _section(data: Any, base: int, section: Section) -> Any:
    import numpy as np

    start = base + section.offset
    end = start + _size(section)
    if end > len(data):
        raise ValueError("the file is cut short")
    return np.asarray(data[start:end]).view(section.dtype)


def _fingerprint(connection: apsw.Connection) -> str:
    key: bytes = connection.execute("SELECT value FROM meta WHERE key = 'hash_key'").get
    return blake2b(key, digest_size=16).hexdigest()


def _block_at(connection: apsw.Connection, text_id: int) -> str:
    return connection.execute("SELECT hex(block_id) FROM blocks WHERE text_id = ?", (text_id,)).get or ""


def _still_true(connection: apsw.Connection, header: Header) -> bool:
    return header.change <= change_number(connection) and header.highest_block == _block_at(connection, header.highest)
