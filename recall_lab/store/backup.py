"""A copy of the store that is known to be good, and going back to one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import apsw
import msgspec

from recall_lab.errors import NotFoundError, StoreBusyError, StoreError, StoreFullError, UsageError
from recall_lab.store.connection import Reader, WriteLock, explained, make_private_folder, rows
from recall_lab.store.migrating import migrate
from recall_lab.store.packing import discard
from recall_lab.times import utc_now

_PAGES_A_STEP = 4096
_UNTOUCHED = "the store is as it was"
_BESIDE = ("-wal", "-shm", "-journal")
_COUNTED = ("sources", "sessions", "blocks", "placements", "model_calls", "tool_calls", "ledger", "pins", "judgments")


class Backup(msgspec.Struct, frozen=True):
    """A checked copy: where it is, its size in bytes, and the rows that it holds by table."""

    file: str
    bytes: int
    rows: dict[str, int]


def backup(reader: Reader, target: Path) -> Backup:
    """Copy the store as it is at one moment, also while a capture runs, and check the copy.

    Args:
        reader: The store.
        target: The file to write (0600); it must not exist.

    Raises:
        UsageError: the target exists.
        StoreError: it cannot be written, or the copy does not pass its check; nothing is left behind.
    """
    if target.exists():
        raise UsageError(f"{target}: exists already; choose another name")
    make_private_folder(target.parent, "choose another place")
    part = target.with_name(target.name + ".part")
    try:
        with explained(target, "no copy is left and the store is as it was"):
            _copy(reader, part)
        counted = check(part)
        part.rename(target)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{target}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        _unlink(part)
    return Backup(str(target), target.stat().st_size, counted)


def check(path: Path, name: Path | None = None) -> dict[str, int]:
    """Check a store file from end to end: pages, constraints, references, index; return its rows by table.

    Args:
        path: The file.
        name: What an error calls it, where it is a copy.

    Raises:
        StoreError: something is wrong with it; the message says what.
    """
    name = name or path
    with Reader(path) as reader, explained(name):
        db = reader.connection
        found = [line for (line,) in rows(db, "PRAGMA integrity_check(5)") if line != "ok"]
        found += [f"a row of {table} refers to nothing" for table, *_ in rows(db, "PRAGMA foreign_key_check")[:5]]
        missing = db.execute(
            "SELECT count(*) FROM blocks WHERE text_id IN (SELECT text_id FROM placements) "
            "AND text_id NOT IN (SELECT id FROM fulltext_docsize)"
        ).get
        twice = db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM blocks GROUP BY block_id, content_hash HAVING count(*) > 1)"
        ).get
        if twice:
            found.append(f"{twice} texts are there twice")
        if missing:
            found.append(f"{missing} texts are not in the full-text index")
        if found:
            raise StoreError(f"{name}: damaged ({'; '.join(found)}); use another backup, or index again")
        return {table: db.execute(f"SELECT count(*) FROM {table}").get for table in _COUNTED}


def restore(source: Path, store: Path, *, wait: float = 10.0) -> Path | None:
    """Put a checked backup in the place of the store; the store that was there is kept beside it.

    A backup of an older version is brought up to date on the way; the backup itself stays as it is.

    Args:
        source: A file that ``backup`` wrote.
        store: Where the store is, or will be.
        wait: Seconds to wait for another writer.

    Returns:
        Where the store that was replaced is now; None when there was none.

    Raises:
        NotFoundError: there is no such backup.
        StoreError: the backup is damaged or not a store, or cannot be copied; the present store stays.
    """
    if not source.is_file():
        raise NotFoundError(f"{source}: there is no such file; name a file that `recall-lab backup` wrote")
    if store.exists() and store.samefile(source):
        raise UsageError(f"{source}: is the store itself; name a file that `recall-lab backup` wrote")
    Reader(source, older=True).close()
    make_private_folder(store.parent)
    lock = WriteLock(store, wait)
    part = store.with_name(store.name + ".part")
    try:
        with explained(store, _UNTOUCHED):
            with Reader(source, older=True) as reader:
                _copy(reader, part)
            _bring_up_to_date(part, source)
        check(part, source)
        with explained(store, _UNTOUCHED):
            # Whoever follows the change numbers must not take the restored ones for a later state of what was there.
            db = apsw.Connection(str(part))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('lineage', ?)", (os.urandom(16),))
            db.close()
        kept = _set_aside(store)
        part.rename(store)
        discard(store)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{store}: cannot be written ({error.strerror}); the store is as it was") from error
    finally:
        _unlink(part)
        lock.release()
    return kept


def kept_beside(store: Path) -> tuple[Path, ...]:
    """Older states of the store that a restore or a new schema set aside; they still hold what was purged since."""
    replaced = store.parent.glob(f"{store.stem}-replaced-*{store.suffix}")
    return tuple(sorted((*replaced, *store.parent.glob(f"{store.name}.v*.bak"))))


def _bring_up_to_date(copy: Path, source: Path) -> None:
    with explained(source):
        db = apsw.Connection(str(copy))
        try:
            migrate(db, copy, kept=source)
        finally:
            db.close()


def _copy(reader: Reader, target: Path) -> None:
    """Write the store as it is at one moment to a private file, its write-ahead log folded in."""
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    copy = apsw.Connection(str(target))
    with copy.backup("main", reader.connection, "main") as work:
        while not work.done:
            work.step(_PAGES_A_STEP)
    copy.execute("PRAGMA journal_mode = DELETE")
    copy.close()
    with target.open("rb") as file:
        os.fsync(file.fileno())


def _unlink(path: Path) -> None:
    """Remove a database file and what SQLite keeps beside it."""
    for name in (path, *(path.with_name(path.name + end) for end in _BESIDE)):
        with suppress(OSError):
            name.unlink()


def _set_aside(store: Path) -> Path | None:
    """Rename the store, its log folded in where that can be done, so that nothing of it is lost."""
    if not store.exists():
        return None
    stamp = utc_now().replace(":", "").replace(".", "")
    kept = store.with_name(f"{store.stem}-replaced-{stamp}{store.suffix}")
    try:
        with explained(store, _UNTOUCHED):
            db = apsw.Connection(str(store))
            db.execute("PRAGMA journal_mode = DELETE")
            db.close()
    except (StoreBusyError, StoreFullError):
        raise
    except StoreError:
        # A damaged store is what one restores a backup for; it is kept as it is, with its log.
        for end in _BESIDE:
            with suppress(FileNotFoundError):
                store.with_name(store.name + end).rename(kept.with_name(kept.name + end))
    store.rename(kept)
    return kept
