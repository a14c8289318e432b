"""The one writer of the store: each public method is one transaction, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from recall_lab.model import Applied, Batch, Revision, Source, SourceState
from recall_lab.store import staging
from recall_lab.store.batches import BatchWriter
from recall_lab.store.connection import WriteLock, explained, make_private_folder, open_for_writing
from recall_lab.store.migrating import migrate
from recall_lab.store.scopes import Scope, set_scope

_MUCH = 20_000  # changed rows, after which the full-text index is put together
_STEPS, _PAGES = 128, 32  # so many steps at most, of so many pages each: 16 MB of index in one go


class Writer:
    """Holds the write lock from opening to closing."""

    def __init__(self, path: Path, wait: float = 10.0) -> None:
        self.path = path
        make_private_folder(path.parent)
        self._lock = WriteLock(path, wait)
        try:
            self.connection = open_for_writing(path)
            try:
                migrate(self.connection, path)
            except BaseException:
                self.connection.close()
                raise
        except BaseException:
            self._lock.release()
            raise
        self._batches = BatchWriter(self.connection)

    @property
    def hash_key(self) -> bytes:
        """Key of this store's file fingerprints; without it they say nothing of the file."""
        with explained(self.path):
            key: bytes = self.connection.execute("SELECT value FROM meta WHERE key = 'hash_key'").get
        return key

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """Run one write transaction; any error undoes it and is explained."""
        with explained(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self._batches.finish()
                self.connection.execute("COMMIT")
            except BaseException:
                self._batches.forget_caches()
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def apply(self, batch: Batch) -> Applied:
        """Write one batch: blocks, placements, calls, ledger, cursor and change number.

        Raises:
            StoreError: nothing of the batch was written.
        """
        with self.transaction():
            return self._batches.apply(batch)

    def apply_all(self, batches: Iterable[Batch]) -> list[Applied]:
        """Write several batches, each of another source, in one transaction: many small ones cost one commit.

        Raises:
            StoreError: nothing of any batch was written.
        """
        with self.transaction():
            return [self._batches.apply(batch) for batch in batches]

    def stage(self, batch: Batch, *, ready: bool) -> None:
        """Keep a batch of a rebuild aside; what is published of the source stays readable.

        Args:
            batch: The next batch of a source that the store knows.
            ready: Whether it is the last.
        """
        with self.transaction():
            staging.stage(self.connection, batch, ready=ready)

    def publish(self, path: str, machine: str = "local") -> Applied:
        """Put everything staged for a source in the place of what is published, in one transaction."""
        with self.transaction():
            return staging.publish(self.connection, self._batches, path, machine)

    def staged_source(self, path: str, machine: str = "local") -> Source | None:
        """Return how far the rebuild of a source has come; None when there is none."""
        with explained(self.path):
            return staging.staged_source(self.connection, path, machine)

    def drop_staged(self, path: str, machine: str = "local") -> None:
        """Give up a rebuild; what is published stays."""
        with self.transaction():
            staging.drop(self.connection, path, machine)

    def set_source_state(self, path: str, state: SourceState, detail: str, machine: str = "local") -> None:
        """Note what is the matter with a source; its text stays as it is."""
        with self.transaction() as db:
            db.execute(
                "UPDATE sources SET state = ?1, detail = ?2 WHERE machine = ?3 AND path = ?4 "
                "AND (state, detail) <> (?1, ?2)",
                (state, detail, machine, path),
            )

    def touch_source(self, path: str, size: int, mtime_ns: int, ctime_ns: int, machine: str = "local") -> None:
        """Note that a source's times moved while its content did not."""
        with self.transaction() as db:
            db.execute(
                "UPDATE sources SET size = ?, mtime_ns = ?, ctime_ns = ? WHERE machine = ? AND path = ?",
                (size, mtime_ns, ctime_ns, machine, path),
            )

    def move_source(self, old: str, new: str, machine: str = "local") -> None:
        """Follow a transcript that was moved or renamed; ids and citations stay."""
        with self.transaction() as db:
            db.execute("UPDATE sources SET path = ? WHERE machine = ? AND path = ?", (new, machine, old))
            db.execute("UPDATE OR REPLACE scopes SET path = ? WHERE machine = ? AND path = ?", (new, machine, old))

    def pin_scopes(self, pins: Iterable[Scope]) -> int:
        """Pin transcripts to a repository, or take their pins away; return how many sessions it reaches."""
        with self.transaction() as db:
            reached = set().union(*(set_scope(db, scope) for scope in pins))
            self._batches.retell(reached)
        return len(reached)

    def retell(self, sessions: Iterable[int]) -> None:
        """Say of sessions anew what their sources and their scope say."""
        with self.transaction():
            self._batches.retell(sessions)

    def add_activity(self, rows: Iterable[tuple[str, str, str | None, float, int]]) -> None:
        """Take in recall_lab's own use: (time, command, repository, seconds, exit code)."""
        with self.transaction() as db:
            db.executemany("INSERT INTO activity (at, command, repo, seconds, exit_code) VALUES (?, ?, ?, ?, ?)", rows)

    def add_revision(self, revision: Revision) -> None:
        """Take in an earlier text of a block; one that is known stays as it is."""
        with self.transaction():
            self._batches.add_revision(revision)

    def mend_index(self) -> int:
        """Put texts that stand in a session but not in the full-text index back; return how many."""
        with self.transaction():
            return self._batches.mend_index()

    def forget_caches(self) -> None:
        """Drop what is remembered of small strings, after rows were taken out past this writer's back."""
        self._batches.forget_caches()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the store, so that it can be read on a read-only disk."""
        with explained(self.path):
            if self.connection.total_changes() >= _MUCH:
                self._put_together()
            self.connection.execute("PRAGMA optimize")
            # Where a reader holds an older state the log is kept, and folded in next time.
            with suppress(apsw.BusyError):
                self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _put_together(self) -> None:
        """Make one piece of the full-text index: every look-up costs as many reads as there are pieces."""
        for _ in range(_STEPS):
            before = self.connection.total_changes()
            # Small steps: what one frees the next one uses, and the file does not grow.
            self.connection.execute("INSERT INTO fulltext (fulltext, rank) VALUES ('merge', ?)", (-_PAGES,))
            if self.connection.total_changes() - before < 2:  # as FTS5 tells that nothing is left to do
                return

    def close(self) -> None:
        """Close the store and let the next writer in; further calls do nothing."""
        self.connection.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_writer(path: Path, wait: float = 10.0) -> Writer:
    """Open or create the store for writing; ``wait`` is how many seconds to wait for another writer.

    Raises:
        StoreBusyError: another process holds it; the message says which.
        StoreError: it cannot be made, opened or written, or was not made by this program.
    """
    return Writer(path, wait)
