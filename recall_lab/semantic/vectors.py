"""Vectors on the disk: segments that are written once, mapped into memory, and looked through by numpy.

A segment is a file: 64 bytes of head, then arrays. Each row is one passage of one text; the rows of a text stand in one
segment. A vector is kept as one signed byte a number and a factor; beside it stand the signs of its numbers, one bit
each, by which a large collection is narrowed before dot products are taken.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

MAGIC: Final = b"RLVECT01"
LARGEST: Final = 65_536  # rows of a segment
EXACT: Final = 100_000  # rows; up to so many every dot product is taken
_HEAD: Final = 64
_ROWS_AT_ONCE: Final = 8192
_NARROWED: Final = 10  # times the wanted number that pass to the dot products
_PASSAGES: Final = 8  # of one text at most
_SUFFIX: Final = ".vectors"

Array = Any  # numpy


def vectors_folder(store: Path) -> Path:
    """Where the vectors of a store stand."""
    return store.parent / "vectors"


class Rows(msgspec.Struct, frozen=True):
    """Passages and their vectors; arrays of one length.

    Attributes:
        hashes: The first eight bytes of the text's content hash, big-endian; uint64.
        texts: text_id; int32.
        starts: Where the passage begins in its text, code points; int32.
        ends: Where it ends; int32.
        scales: What a byte of the vector is multiplied by; float32.
        vectors: int8, shape (n, dims).
        signs: Bit k of a row is set where number k is above 0; uint8, shape (n, dims / 8).
    """

    hashes: Array
    texts: Array
    starts: Array
    ends: Array
    scales: Array
    vectors: Array
    signs: Array

    def __len__(self) -> int:
        return len(self.texts)

    def taken(self, chosen: Array) -> Rows:
        """Some of the rows, by mask or places."""
        return Rows(*(getattr(self, name)[chosen] for name in self.__struct_fields__))


class Segment(msgspec.Struct, frozen=True):
    """A file of rows."""

    path: Path
    fingerprint: str
    rows: Rows


class Found(msgspec.Struct, frozen=True):
    """The passage of a text that comes nearest.

    Attributes:
        cosine: Of its vector and the query's.
        hash: The first eight bytes of the content hash that the text had when the vector was made.
        start: Where the passage begins, code points.
        end: Where it ends.
    """

    cosine: float
    hash: int
    start: int
    end: int


def packed(texts: Sequence[tuple[int, int, int, int]], vectors: Array) -> Rows:
    """Make rows.

    Args:
        texts: For each (text_id, hash, start, end).
        vectors: float32, shape (n, dims), of length 1.
    """
    import numpy as np

    largest = np.abs(vectors).max(axis=1) if len(vectors) else np.empty(0, np.float32)
    scales = (largest / 127).astype(np.float32)
    whole = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    columns = list(zip(*texts, strict=True)) if texts else [(), (), (), ()]
    return Rows(
        hashes=np.array(columns[1], np.uint64),
        texts=np.array(columns[0], np.int32),
        starts=np.array(columns[2], np.int32),
        ends=np.array(columns[3], np.int32),
        scales=scales,
        vectors=whole,
        signs=np.packbits(vectors > 0, axis=1),
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """One after another."""
    import numpy as np

    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__struct_fields__))


def segments(folder: Path, fingerprint: str | None = None) -> tuple[Segment, ...]:
    """Map the segments of a folder, in the order they were written; files that are none are passed over.

    Args:
        folder: See ``vectors_folder``.
        fingerprint: Only those of this model.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return ()
    found = [segment for path in paths if (segment := _mapped(path))]
    return tuple(one for one in found if fingerprint in {None, one.fingerprint})


def write_segment(folder: Path, fingerprint: str, rows: Rows) -> Path:
    """Write rows as the next segment (0600), so that readers see all of it or nothing.

    Raises:
        OSError: the folder cannot be written.
    """
    numbers = [int(path.stem) for path in folder.glob(f"*{_SUFFIX}") if path.stem.isdigit()]
    path = folder / f"{max(numbers, default=0) + 1:08}{_SUFFIX}"
    _save(path, fingerprint, rows)
    return path


def replace_segment(segment: Segment, rows: Rows) -> None:
    """Put other rows in a segment's place; without any, the file goes.

    Raises:
        OSError: the folder cannot be written.
    """
    if len(rows):
        _save(segment.path, segment.fingerprint, rows)
    else:
        segment.path.unlink(missing_ok=True)


def still_say(rows: Rows, ids: Array, hashes: Array) -> Array:
    """Which rows belong to a text that still says what it said when they were made.

    Args:
        rows: Passages.
        ids: The texts there are; text_ids.
        hashes: The first eight bytes of their content hashes; uint64.

    Returns:
        bool, shape (len(rows),).
    """
    import numpy as np

    size = int(max(ids.max(initial=-1), rows.texts.max(initial=-1))) + 1
    now, there = np.zeros(size, np.uint64), np.zeros(size, bool)
    now[ids], there[ids] = hashes, True
    return there[rows.texts] & (now[rows.texts] == rows.hashes)


def nearest(found: Sequence[Segment], query: Array, eligible: Array, count: int) -> dict[int, Found]:
    """The texts that come nearest.

    Args:
        found: The segments of one model.
        query: float32, shape (dims,), of length 1.
        eligible: Which texts may be found; bool by text_id.
        count: How many texts at most.

    Returns:
        By text_id its best passage.
    """
    import numpy as np

    places = [np.flatnonzero(_among(eligible, segment.rows.texts)) for segment in found]
    if sum(len(segment.rows) for segment in found) > EXACT:
        places = _narrowed(found, places, np.packbits(query > 0), _NARROWED * count)
    best: dict[int, Found] = {}
    for segment, chosen in zip(found, places, strict=True):
        cosines = _cosines(segment.rows, chosen, query)
        most = min(len(chosen), _PASSAGES * count)
        top = np.argpartition(-cosines, most - 1)[:most] if most else np.empty(0, np.int64)
        top = top[np.argsort(-cosines[top])]
        _keep_best(best, segment.rows, chosen[top], cosines[top], count)
    order = sorted(best, key=lambda text: (-best[text].cosine, -text))
    return {text: best[text] for text in order[:count]}


def _narrowed(found: Sequence[Segment], places: Sequence[Array], signs: Array, count: int) -> list[Array]:
    """Of the rows at these places, the ``count`` that differ from the query in the fewest signs."""
    import numpy as np

    apart = [_apart(segment.rows.signs, signs)[chosen] for segment, chosen in zip(found, places, strict=True)]
    every = np.concatenate(apart)
    if len(every) <= count:
        return list(places)
    most = np.partition(every, count)[count]
    return [chosen[distances <= most] for chosen, distances in zip(places, apart, strict=True)]


def cosines_of(found: Sequence[Segment], query: Array, texts: Array) -> dict[int, Found]:
    """The best passages of these texts; texts without vectors are left out."""
    import numpy as np

    best: dict[int, Found] = {}
    if len(texts):
        wanted = np.zeros(int(texts.max()) + 1, bool)
        wanted[texts] = True
        for segment in found:
            places = np.flatnonzero(_among(wanted, segment.rows.texts))
            _keep_best(best, segment.rows, places, _cosines(segment.rows, places, query))
    return best


def _keep_best(best: dict[int, Found], rows: Rows, places: Array, cosines: Array, most: int | None = None) -> None:
    """Keep of each text its best passage; with ``most`` of the first so many texts, the places being the best first."""
    columns = (rows.texts[places], cosines, rows.hashes[places], rows.starts[places], rows.ends[places])
    seen: set[int] = set()
    for text, cosine, said, start, end in zip(*(column.tolist() for column in columns), strict=True):
        known = best.get(text)
        if known is None or cosine > known.cosine:
            best[text] = Found(cosine, said, start, end)
        seen.add(text)
        if len(seen) == most:
            break


def _among(eligible: Array, texts: Array) -> Array:
    """Which rows belong to eligible texts; texts newer than ``eligible`` do not."""
    import numpy as np

    inside = texts < len(eligible)
    return inside & eligible[np.where(inside, texts, 0)] if len(eligible) else np.zeros(len(texts), bool)


def _cosines(rows: Rows, places: Array, query: Array) -> Array:
    import numpy as np

    found = np.empty(len(places), np.float32)
    for start in range(0, len(places), _ROWS_AT_ONCE):
        some = places[start : start + _ROWS_AT_ONCE]
        found[start : start + _ROWS_AT_ONCE] = (rows.vectors[some].astype(np.float32) @ query) * rows.scales[some]
    return found


def _apart(signs: Array, query: Array) -> Array:
    """In how many signs each row differs from the query."""
    import numpy as np

    # Eight bytes at a time where the width allows it; adding up column by column is faster than along rows.
    kind = np.uint64 if signs.shape[1] % 8 == 0 else np.uint8
    words, wanted = np.ascontiguousarray(signs).view(kind), query.view(kind)
    different = np.zeros(len(words), np.uint16)
    for column in range(words.shape[1]):
        different += np.bitwise_count(words[:, column] ^ wanted[column])
    return different


def _layout(count: int, dims: int) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Name, type and shape of the arrays in a file, in order; wide numbers first keep all of them aligned."""
    yield "hashes", "<u8", (count,)
    yield "texts", "<i4", (count,)
    yield "starts", "<i4", (count,)
    yield "ends", "<i4", (count,)
    yield "scales", "<f4", (count,)
    yield "vectors", "i1", (count, dims)
    yield "signs", "u1", (count, dims // 8)


def _mapped(path: Path) -> Segment | None:
    """Map a file; None when it is no segment, or cut short."""
    import numpy as np

    try:
        data = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError):
        return None
    if len(data) < _HEAD or bytes(data[:8]) != MAGIC:
        return None
    count, dims = (int(number) for number in data[8:16].view("<u4"))
    arrays: dict[str, Array] = {}
    at = _HEAD
    for name, kind, shape in _layout(count, dims):
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        if at + size > len(data):
            return None
        arrays[name] = np.asarray(data[at : at + size]).view(kind).reshape(shape)
        at += size
    return Segment(path, bytes(data[16:32]).hex(), Rows(**arrays))


def _save(path: Path, fingerprint: str, rows: Rows) -> None:
    import numpy as np

    count, dims = rows.vectors.shape
    head = MAGIC + np.array([count, dims], "<u4").tobytes() + bytes.fromhex(fingerprint)
    beside = path.with_name(path.name + ".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(head.ljust(_HEAD, b"\x00"))
            for name, kind, _ in _layout(count, dims):
                file.write(np.ascontiguousarray(getattr(rows, name), dtype=kind).tobytes())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
