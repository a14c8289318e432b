"""Reading a transcript's bytes: lines, fingerprints, and what changed since the last time."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import msgspec

from recall_lab.hosts.base import Line
from recall_lab.model import Source

_CHUNK = 1 << 20
_EDGE = 4096  # bytes of the head and tail fingerprints
_SMALL_BYTES = 65536


class Stat(msgspec.Struct, frozen=True):
    """What the file system says of a file."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: Path) -> Stat:
        """Ask the file system; raises OSError."""
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def same_as(self, source: Source) -> bool:
        """Say whether nothing moved since the source was captured."""
        return (self.size, self.mtime_ns, self.ctime_ns) == (source.size, source.mtime_ns, source.ctime_ns)


class Fingerprint:
    """A keyed running hash of everything before the cursor, and of both ends of it."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._all = blake2b(digest_size=16, key=key)
        self._head = b""
        self._tail = b""

    def update(self, data: bytes) -> None:
        """Take in the next bytes."""
        self._all.update(data)
        if len(self._head) < _EDGE:
            self._head += data[: _EDGE - len(self._head)]
        self._tail = data[-_EDGE:] if len(data) >= _EDGE else (self._tail + data)[-_EDGE:]

    @property
    def content(self) -> str:
        """Hash of everything taken in."""
        return self._all.hexdigest()

    @property
    def head(self) -> str:
        """Hash of the first bytes."""
        return blake2b(self._head, digest_size=16, key=self._key).hexdigest()

    @property
    def tail(self) -> str:
        """Hash of the last bytes."""
        return blake2b(self._tail, digest_size=16, key=self._key).hexdigest()


def read_prefix(file: BinaryIO, length: int, into: Fingerprint) -> Fingerprint:
    """Take the next ``length`` bytes of the file into the fingerprint, and return it."""
    while length > 0 and (data := file.read(min(_CHUNK, length))):
        into.update(data)
        length -= len(data)
    return into


def head_of(path: Path, key: bytes) -> str:
    """Return the hash of the file's first bytes."""
    with path.open("rb") as file:
        return read_prefix(file, _EDGE, Fingerprint(key)).head


def begins_with(path: Path, source: Source, key: bytes) -> bool:
    """Say whether the file begins with everything that was captured of the source."""
    with path.open("rb") as file:
        return read_prefix(file, source.cursor, Fingerprint(key)).content == source.content_hash


def read_small(path: Path) -> bytes:
    """Return the content of a small file beside a transcript; empty when there is none that can be read."""
    try:
        if path.is_symlink() or path.stat().st_size > _SMALL_BYTES:
            return b""
        return path.read_bytes()
    except OSError:
        return b""


def read_lines(file: BinaryIO, start: int, end: int) -> Iterator[list[Line]]:
    """Yield the lines between two byte offsets, about 1 MB at a time; split on line feeds only."""
    file.seek(start)
    offset, rest = start, [b""]
    left = end - start
    while left > 0 and (data := file.read(min(_CHUNK, left))):
        left -= len(data)
        if b"\n" not in data:
            rest.append(data)
            continue
        pieces = data.split(b"\n")
        pieces[0] = b"".join([*rest, pieces[0]])
        rest = [pieces.pop()]
        lines = []
        for piece in pieces:
            lines.append(Line(offset, len(piece) + 1, piece))
            offset += len(piece) + 1
        yield lines
    last = b"".join(rest)
    if last:
        yield [Line(offset, len(last), last, ended=False)]
