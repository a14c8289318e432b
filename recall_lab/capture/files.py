"""Reading a transcript's bytes: lines, fingerprints, and what changed since the last time."""

from __future__ import annotations

import errno
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol

import msgspec

from recall_lab.hosts.base import Line
from recall_lab.model import Source

_CHUNK = 1 << 20
_EDGE = 4096  # bytes of the head and tail fingerprints
_SMALL_BYTES = 65536
_AT_ONCE = 1 << 26  # bytes of a part that are read at once


class Readable(Protocol):
    """What reading a source takes of a file."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``; empty at the end."""
        ...

    def seek(self, offset: int, /) -> object:
        """Go to an offset."""
        ...


class Part(msgspec.Struct, frozen=True):
    """Where a source lies inside a file: one conversation of an export.

    ``entry`` is the archive's entry that holds it; None where the file itself does. Offsets are bytes, uncompressed.
    """

    file: Path
    entry: str | None
    start: int
    end: int


class Stat(msgspec.Struct, frozen=True):
    """What the file system says of a file."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: Path, part: Part | None = None) -> Stat:
        """Ask the file system; raises OSError. A part is as large as it is, and as old as its file."""
        found = (part.file if part else path).stat()
        return cls(part.end - part.start if part else found.st_size, found.st_mtime_ns, found.st_ctime_ns)

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
    def ends_line(self) -> bool:
        """Whether a line ends here; so does nothing at all."""
        return self._tail.endswith(b"\n") or not self._tail

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


def read_prefix(file: Readable, length: int, into: Fingerprint) -> Fingerprint:
    """Take the next ``length`` bytes of the file into the fingerprint, and return it."""
    while length > 0 and (data := file.read(min(_CHUNK, length))):
        into.update(data)
        length -= len(data)
    return into


def head_of(path: Path, key: bytes, part: Part | None = None, opener: Opener | None = None) -> str:
    """Return the hash of the source's first bytes."""
    with (opener or Opener()).open(path, part) as file:
        return read_prefix(file, _EDGE, Fingerprint(key)).head


def begins_with(path: Path, source: Source, key: bytes, part: Part | None = None, opener: Opener | None = None) -> bool:
    """Say whether the file begins with everything that was captured of the source."""
    with (opener or Opener()).open(path, part) as file:
        return read_prefix(file, source.cursor, Fingerprint(key)).content == source.content_hash


def is_there(path: str) -> bool:
    """Say whether a source's file exists; that of a conversation in an export is named before the ``#``."""
    return Path(path).exists() or ("#" in path and Path(path.rpartition("#")[0]).exists())


class Opener:
    """Opens sources; of an archive it keeps the last entry open, because an entry can only be read forwards."""

    def __init__(self) -> None:
        self._key: tuple[Path, str] | None = None
        self._archive: zipfile.ZipFile | None = None
        self._entry: IO[bytes] | None = None
        self._part: tuple[Part, bytes] | None = None

    @contextmanager
    def open(self, path: Path, part: Part | None) -> Iterator[Readable]:
        """Open a source at its start; raises OSError."""
        if part is None:
            with path.open("rb") as file:
                yield file
        elif part.entry is not None:
            yield self._of_archive(part, part.entry)
        else:
            with part.file.open("rb") as file:
                yield _Window(file, part)

    def _of_archive(self, part: Part, entry: str) -> Readable:
        if self._part and self._part[0] == part:
            return BytesIO(self._part[1])
        if self._key != (part.file, entry) or self._entry is None:
            self._close()
            with readable_archive():
                self._archive = zipfile.ZipFile(part.file)
                self._entry = self._archive.open(entry)
            self._key = (part.file, entry)
        if part.end - part.start > _AT_ONCE:
            return _Window(self._entry, part)
        with readable_archive():
            self._entry.seek(part.start)
            self._part = part, self._entry.read(part.end - part.start)
        return BytesIO(self._part[1])

    def _close(self) -> None:
        for thing in (self._entry, self._archive):
            if thing is not None:
                thing.close()
        self._key = self._archive = self._entry = self._part = None


@contextmanager
def readable_archive() -> Iterator[None]:
    """Turn what can be wrong with an archive into an OSError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, ValueError) as error:
        locked = isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError)
        why = "the archive needs a password" if locked else "the archive is damaged"
        raise OSError(errno.EIO, why) from None


class _Window:
    """A part of an open file."""

    def __init__(self, file: IO[bytes], part: Part) -> None:
        self._file = file
        self._start, self._end = part.start, part.end
        self._at = part.start
        self.seek(0)

    def read(self, size: int, /) -> bytes:
        """Return the next bytes of the part."""
        with readable_archive():
            data = self._file.read(max(min(size, self._end - self._at), 0))
        self._at += len(data)
        return data

    def seek(self, offset: int, /) -> None:
        """Go to an offset in the part."""
        self._at = self._start + offset
        with readable_archive():
            self._file.seek(self._at)


def path_text(path: Path) -> str:
    r"""Return a path as text, different for different files: a byte that is not UTF-8 is written ``\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_small(path: Path) -> bytes:
    """Return the content of a small file beside a transcript; empty when there is none that can be read."""
    try:
        if path.is_symlink() or path.stat().st_size > _SMALL_BYTES:
            return b""
        return path.read_bytes()
    except OSError:
        return b""


def read_lines(file: Readable, start: int, end: int) -> Iterator[list[Line]]:
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
