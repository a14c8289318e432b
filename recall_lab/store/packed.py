"""The packed file beside a large store: its layout, and how it is read.

It holds the columns of the store and the postings of its commonest words. It is a cache: it says nothing that the store
does not say, ``store.packing`` writes it when a capture ends, and a reader without it only starts slower. FTS5 walks a
common word's postings at some ten million a second, which takes too long at a million blocks; packed they are two
arrays. What was written to the store since then is read from the store.

Layout: eight bytes of magic, eight of header length (little-endian), a JSON header, then arrays at 64-byte bounds.
"""

from __future__ import annotations

from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from sys import byteorder
from typing import Any, Final, Literal

import apsw
import msgspec

from recall_lab.store.columns import Columns, change_number
from recall_lab.store.connection import Reader, explained

MAGIC: Final = b"RLPACK01"
ALIGN: Final = 64
COLUMNS: Final = tuple(name for name in Columns.__struct_fields__ if name != "change")


class Section(msgspec.Struct, frozen=True):
    """Where an array stands in the file; ``offset`` in bytes from its beginning."""

    dtype: str
    length: int
    offset: int

    @property
    def bytes(self) -> int:
        """How many bytes it takes."""
        return self.length * int(self.dtype[2:])


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
        header, base = header_of(data)
        arrays = {name: _section(data, base, section) for name, section in header.arrays.items()}
    except (OSError, ValueError, IndexError, msgspec.DecodeError):
        return None
    with explained(reader.path):
        if not is_of(header, reader.connection):
            return None
    columns = Columns(change=header.change, **{name: arrays[name] for name in COLUMNS})
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
        header, base = header_of(data)
        if header.change != change or not is_of(header, connection):
            return None
        found: dict[str, Any] = {}
        for name in COLUMNS:
            section = header.arrays[name]
            start = base + section.offset
            values = data[start : start + section.bytes]
            found[name] = values.cast("f") if section.dtype == "<f4" else values.cast(_FORMATS[section.dtype])
            if len(found[name]) != section.length:
                return None
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError):
        return None
    return found


def fingerprint(connection: apsw.Connection) -> str:
    """Say which store it is."""
    key: bytes = connection.execute("SELECT value FROM meta WHERE key = 'hash_key'").get
    return blake2b(key, digest_size=16).hexdigest()


def block_at(connection: apsw.Connection, text_id: int) -> str:
    """Return the block_id of a text, in hex; empty where there is none."""
    return connection.execute("SELECT hex(block_id) FROM blocks WHERE text_id = ?", (text_id,)).get or ""


def is_of(header: Header, connection: apsw.Connection) -> bool:
    """Say whether the file shows this store as it is or was; purging moves texts, and ends that."""
    return (
        header.store == fingerprint(connection)
        and header.change <= change_number(connection)
        and header.highest_block == block_at(connection, header.highest)
    )


def header_of(data: Any) -> tuple[Header, int]:
    """What the file says of itself, and where its arrays begin.

    Raises:
        ValueError: it is another file.
    """
    if bytes(data[:8]) != MAGIC:
        raise ValueError("another file")
    end = 16 + int.from_bytes(bytes(data[8:16]), "little")
    return msgspec.json.decode(bytes(data[16:end]), type=Header), -(-end // ALIGN) * ALIGN


def _section(data: Any, base: int, section: Section) -> Any:
    import numpy as np

    start = base + section.offset
    end = start + section.bytes
    if end > len(data):
        raise ValueError("the file is cut short")
    return np.asarray(data[start:end]).view(section.dtype)
