"""Opening the store: who may write, who may read, and what SQLite's errors mean to a person."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar
from urllib.parse import quote

import apsw

from recall_lab.errors import NoStoreError, StoreBusyError, StoreError, StoreFullError, StoreVersionError

APPLICATION_ID = 0x524C4142  # "RLAB"
_MAGIC = b"SQLite format 3\x00"  # https://sqlite.org/fileformat2.html
_HEADER_BYTES = 100
_APPLICATION_AT = 68
SCHEMA_VERSION = 2
BUSY_MS = 10_000  # how long a reader or writer waits for another's short transaction
_READER_PRAGMAS = "PRAGMA query_only = 1; PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -32768"

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


@contextmanager
def explained(path: Path, kept: str = "what was written before is kept") -> Iterator[None]:
    """Turn SQLite's errors into one line with the next step.

    Args:
        path: The database file.
        kept: What holds when a write fails for want of room.

    Raises:
        StoreBusyError, StoreFullError, StoreVersionError, StoreError: as the name says.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"{path}: another process is writing; try again, or end the other `recall-lab index`"
        ) from error
    except apsw.FullError as error:
        raise StoreFullError(f"{path}: no room left on the disk; {kept}, free some space and repeat") from error
    except apsw.NotADBError as error:
        raise StoreVersionError(f"{path}: not a recall_lab store; move it away or choose another --home") from error
    except apsw.CorruptError as error:
        raise StoreError(f"{path}: the file is damaged; restore a backup, or move it away and index again") from error
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError) as error:
        raise StoreError(
            f"{path}: cannot be written; check the folder's permissions or choose another --home"
        ) from error
    except apsw.CantOpenError as error:
        raise StoreError(f"{path}: cannot be opened; check the folder and its permissions") from error
    except apsw.IOError as error:
        raise StoreFullError(
            f"{path}: the disk refused a read or write (full, failing, or the file may not grow); {kept}, "
            "free some space, see to the disk or raise the limit, and repeat"
        ) from error


def explains(read: Callable[Concatenate[Reader, _Asked], _Answer]) -> Callable[Concatenate[Reader, _Asked], _Answer]:
    """Make a function over a reader explain SQLite's errors; it must have read everything when it returns."""

    @wraps(read)
    def explaining(reader: Reader, /, *args: _Asked.args, **options: _Asked.kwargs) -> _Answer:
        with explained(reader.path):
            return read(reader, *args, **options)

    return explaining


def refuse_foreign(path: Path) -> None:
    """Refuse a file that is not a SQLite database; SQLite itself takes a very short one for empty and writes over it.

    Raises:
        StoreVersionError: it is something else.
    """
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head and head != _MAGIC:
        raise StoreVersionError(f"{path}: not a recall_lab store; move it away or choose another --home")


def is_of_another_program(path: Path) -> bool:
    """Whether a file is a database that some other program made; nothing is opened."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError:
        return False
    whole = len(head) == _HEADER_BYTES and head.startswith(_MAGIC)
    return whole and int.from_bytes(head[_APPLICATION_AT : _APPLICATION_AT + 4], "big") != APPLICATION_ID


def check_is_store(connection: apsw.Connection, path: Path) -> int:
    """Return the schema version of a store made by recall_lab; 0 for an empty file.

    Raises:
        StoreVersionError: another program made it, or a newer recall_lab.
    """
    application = connection.pragma("application_id")
    version = connection.pragma("user_version")
    empty = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").get
    if application == 0 and version == 0 and empty:
        return 0
    if application != APPLICATION_ID:
        raise StoreVersionError(f"{path}: made by another program; move it away or choose another --home")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise StoreVersionError(
            f"{path}: made by a newer recall_lab (schema {version}, not {SCHEMA_VERSION}); upgrade recall-lab"
        )
    return version


def rows(connection: apsw.Connection, sql: str, bindings: Any = ()) -> list[Any]:
    """Return all rows of a statement as tuples; their types are the schema's business."""
    return list(connection.execute(sql, bindings))


@contextmanager
def unmapped(reader: Reader) -> Iterator[None]:
    """Do not map the store's pages: where it is read from end to end they would count as this process's memory."""
    mapped = reader.connection.pragma("mmap_size")
    reader.connection.pragma("mmap_size", 0)
    try:
        yield
    finally:
        reader.connection.pragma("mmap_size", mapped)


def has_live_wal(path: Path) -> bool:
    """Say whether a write-ahead log with content lies beside the store."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


class OnStore(Protocol):
    """What a question to the store needs: a reader, or a writer between its transactions."""

    @property
    def path(self) -> Path:
        """The store's file."""
        ...

    @property
    def connection(self) -> apsw.Connection:
        """The open connection."""
        ...


class Reader:
    """The store, opened so that no row can change; works while a capture runs and on a read-only disk.

    Args:
        path: Its file.
        older: Open it also where its schema is an older one.
    """

    def __init__(self, path: Path, *, older: bool = False) -> None:
        self.path = path
        if not path.exists():
            raise NoStoreError(f"{path}: there is no store yet; run `recall-lab index` first")
        try:
            refuse_foreign(path)
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
        with explained(path):
            self.connection = self._open(path)
            try:
                self.connection.set_busy_timeout(BUSY_MS)
                self.connection.execute(_READER_PRAGMAS)
                version = check_is_store(self.connection, path)
                if version == 0:
                    raise NoStoreError(f"{path}: the store is empty; run `recall-lab index` first")
                if version < SCHEMA_VERSION and not older:
                    raise StoreVersionError(
                        f"{path}: made by an older recall_lab (schema {version}, not {SCHEMA_VERSION}); "
                        "`recall-lab index` copies it and brings it up to date"
                    )
            except BaseException:
                self.connection.close()
                raise

    @staticmethod
    def _open(path: Path) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        uri = "file:" + quote(str(path.absolute()))
        try:
            connection = apsw.Connection(uri + "?mode=ro", flags=flags)
            connection.set_busy_timeout(BUSY_MS)
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
            # A write-ahead-log store cannot make its shared-memory file on a read-only disk. Without a live log nothing
            # is missing from the main file, so it may be read as immutable.
            if has_live_wal(path):
                raise
            connection = apsw.Connection(uri + "?immutable=1", flags=flags)
        return connection

    def close(self) -> None:
        """Close the connection; further calls do nothing."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_reader(path: Path) -> Reader:
    """Open the store read-only.

    Raises:
        NoStoreError: there is none, or it is empty.
        StoreError: it cannot be opened or was not made by this program.
    """
    return Reader(path)


class WriteLock:
    """One capture at a time: an advisory lock file beside the store that says who holds it."""

    def __init__(self, path: Path, wait: float = 10.0) -> None:
        self.path = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror}); choose another --home") from error
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    holder = os.pread(self._file, 64, 0).decode("ascii", "replace").strip() or "another process"
                    os.close(self._file)
                    raise StoreBusyError(
                        f"{path}: held by {holder}; wait for it to end, or end it, and repeat"
                    ) from None
                time.sleep(0.05)
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"process {os.getpid()}".encode("ascii"), 0)
        except OSError:
            pass  # a full disk costs the name of the holder, not the lock

    def release(self) -> None:
        """Let the next one in."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def make_private_folder(folder: Path, step: str = "choose another --home") -> None:
    """Make the folder and the parents that are missing (0700); ``step`` is what to do where that cannot be.

    Raises:
        StoreError: it cannot be made, or a file stands in its place.
    """
    try:
        for missing in reversed([parent for parent in folder.parents if not parent.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)  # `parents` would make them for everybody
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made ({error.strerror}); {step}") from error


def open_for_writing(path: Path) -> apsw.Connection:
    """Open or create the store (0600, write-ahead log); its schema may be an older one, see ``migrating``.

    Raises:
        StoreError: it cannot be made, opened or written, or was not made by this program.
    """
    make_private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror}); choose another --home") from error
    refuse_foreign(path)
    with explained(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(BUSY_MS)
            version = check_is_store(connection, path)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")
            connection.execute("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON")
            if version == 0:
                _create(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _create(connection: apsw.Connection) -> None:
    from importlib.resources import files

    schema = files("recall_lab.store").joinpath("schema.sql").read_text(encoding="utf-8")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have created it between the check and the lock.
        if not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").get:
            connection.execute(schema)
            connection.execute(
                "INSERT INTO meta (key, value) VALUES ('change', 0), ('hash_key', ?), ('lineage', ?)",
                (os.urandom(32), os.urandom(16)),
            )
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
