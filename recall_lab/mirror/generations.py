"""The mirror's folder: generations beside one another, a pointer that names the current one, locks.

    mirror/current.json              names the generation that readers open; replaced atomically
           mirror-000007-1f2e3d4c.duckdb   a generation; never changed once the pointer has named it
           mirror-000007-1f2e3d4c.lease    readers hold it locked (shared) while they read
           building-....duckdb       a generation in the making; what a killed refresh left is swept by the next
           refresh.lock              held by the one process that refreshes

A generation has a name that was never used before, because DuckDB hands a process the file it already has open when the
same path is opened again.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from recall_lab.errors import MirrorError

POINTER = "current.json"
_LOCK = "refresh.lock"
_MADE_BY = "recall_lab mirror"
_NAME = re.compile(r"mirror-(\d{6,})-[0-9a-f]{8}\.duckdb")
_OURS = re.compile(r"(mirror|building)-\d{6,}-[0-9a-f]{8}\.(duckdb|duckdb\.wal|duckdb\.tmp|lease)")


class Pointer(msgspec.Struct, frozen=True):
    """What ``current.json`` says; ``size`` (bytes) and ``mtime_ns`` are those of the file when it was finished."""

    made_by: str
    generation: int
    file: str
    size: int = 0
    mtime_ns: int = 0


class Folder:
    """A mirror's folder on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # ---- reading -------------------------------------------------------------------------------------------------

    def pointer(self) -> Pointer | None:
        """Return the pointer, or None where no mirror has been made yet.

        Raises:
            MirrorError: what stands there was not made by recall_lab.
        """
        try:
            text = (self.path / POINTER).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise MirrorError(f"{self.path / POINTER}: cannot be read ({error.strerror})") from error
        try:
            pointer = msgspec.json.decode(text, type=Pointer)
        except msgspec.DecodeError:
            pointer = None
        if pointer is None or pointer.made_by != _MADE_BY or not _NAME.fullmatch(pointer.file):
            raise MirrorError(
                f"{self.path / POINTER}: not made by recall_lab; move it away, then run `recall-lab mirror`"
            )
        return pointer

    def current(self) -> Path | None:
        """Return the file of the current generation, or None where there is none."""
        pointer = self.pointer()
        return None if pointer is None else self.path / pointer.file

    def intact(self) -> Path | None:
        """Return the file of the current generation if it is as it was finished; None where it is not, or is none."""
        pointer = self.pointer()
        if pointer is None:
            return None
        path = self.path / pointer.file
        try:
            found = path.stat()
        except OSError:
            return None
        return path if (found.st_size, found.st_mtime_ns) == (pointer.size, pointer.mtime_ns) else None

    def lease(self, generation: Path) -> int | None:
        """Hold a generation so that no refresh removes it; return the descriptor to close, or None without a lock."""
        try:
            descriptor = os.open(generation.with_suffix(".lease"), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor

    # ---- writing -------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the folder (0700), or see that it is a mirror's.

        Raises:
            MirrorError: it cannot be made, or holds files that recall_lab did not make.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            names = self._names()
        except OSError as error:
            raise MirrorError(
                f"{self.path}: cannot hold the mirror ({error.strerror}); choose another --home"
            ) from error
        strangers = [
            name for name in names if name not in {POINTER, POINTER + ".new", _LOCK} and not _OURS.fullmatch(name)
        ]
        if strangers:
            raise MirrorError(
                f"{self.path}: holds {min(strangers)!r}, which recall_lab did not make; "
                "move it away or choose another --home"
            )
        self.pointer()
        # DuckDB makes its files readable for others before a finished generation is closed to them.
        if stat.S_IMODE(self.path.stat().st_mode) & 0o077:
            self.path.chmod(0o700)

    @contextmanager
    def refreshing(self, wait: float) -> Iterator[None]:
        """Be the only one who refreshes; wait for another up to ``wait`` seconds.

        Raises:
            MirrorError: another process is still at it, or the lock cannot be made.
        """
        try:
            descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise MirrorError(f"{self.path}: cannot be written ({error.strerror}); choose another --home") from error
        try:
            deadline = time.monotonic() + wait
            while not _locked(descriptor, fcntl.LOCK_EX):
                if time.monotonic() >= deadline:
                    raise MirrorError(
                        f"{self.path}: another process is refreshing the mirror; try again when it is done"
                    )
                time.sleep(0.02)
            yield
        finally:
            os.close(descriptor)

    def new_name(self) -> tuple[int, Path]:
        """Return the next generation's number and the path to build it at."""
        numbers = [int(found[1]) for name in self._names() if (found := _NAME.fullmatch(name))]
        pointer = self.pointer()
        number = max([*numbers, pointer.generation if pointer else 0]) + 1
        return number, self.path / f"building-{number:06d}-{secrets.token_hex(4)}.duckdb"

    def publish(self, number: int, built: Path) -> Path:
        """Make the built file the current generation and return its path.

        After the rename of the pointer, and not before, readers find it; a kill at any point leaves one whole
        generation.
        """
        final = built.with_name(built.name.replace("building-", "mirror-"))
        built.chmod(0o600)
        _make_durable(built)
        os.close(os.open(final.with_suffix(".lease"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        built.rename(final)
        made = final.stat()
        pointer = Pointer(_MADE_BY, number, final.name, made.st_size, made.st_mtime_ns)
        _write_through(self.path / POINTER, msgspec.json.encode(pointer))
        return final

    def sweep(self) -> int:
        """Remove what killed refreshes left and old generations that nobody reads; return how many are still read.

        The caller holds the refresh lock.
        """
        current = self.current()
        held = 0
        for name in sorted(self._names()):
            path = self.path / name
            if name.startswith("building-") and _OURS.fullmatch(name):
                _remove(path)
            elif _NAME.fullmatch(name) and path != current:
                held += not self._remove_unread(path)
        return held

    def _names(self) -> list[str]:
        return [path.name for path in self.path.iterdir()]

    def _remove_unread(self, generation: Path) -> bool:
        lease = generation.with_suffix(".lease")
        try:
            descriptor = os.open(lease, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            _remove(generation)
            return True
        try:
            if not _locked(descriptor, fcntl.LOCK_EX):
                return False
            _remove(generation)
            _remove(lease)
            return True
        finally:
            os.close(descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove(path: Path) -> None:
    """Remove a file, or a folder of DuckDB's temporary files."""
    try:
        if path.is_dir():
            for inner in path.iterdir():
                inner.unlink(missing_ok=True)
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise MirrorError(f"{path}: cannot be removed ({error.strerror}); remove it by hand") from error


def _make_durable(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_through(path: Path, content: bytes) -> None:
    new = path.with_name(path.name + ".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    new.replace(path)
