"""The part of the Lab that copies, restores, exports and takes things out; nothing destructive without a preview."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recall_lab.analysis import steps
from recall_lab.errors import StoreFullError, UsageError
from recall_lab.evidencing import Evidence
from recall_lab.model import Record

if TYPE_CHECKING:
    from recall_lab.store.backup import Backup
    from recall_lab.store.importing import Imported
    from recall_lab.store.purging import Purge, Selection

SESSION_FORMS = (".md", ".json")
STORE_FORMS = (".jsonl", ".db")


class Exported(Record, frozen=True):
    """A file that was written: its path, how many blocks it holds, its size in bytes."""

    file: str
    blocks: int
    bytes: int


class Upkeep(Evidence):
    """Looks after the store of one home."""

    def backup(self, target: Path | str) -> Backup:
        """Copy the store as it is at one moment, also while a capture runs, and check the copy.

        Raises:
            UsageError: the target exists.
            StoreError: it cannot be written, or does not pass its check.
        """
        from recall_lab.store.backup import backup

        return backup(self.reader, Path(target).expanduser())

    def restore(self, source: Path | str) -> Path | None:
        """Put a checked backup in the place of the store.

        Returns:
            Where the store that was replaced is now; ``None`` when there was none.

        Raises:
            NotFoundError: there is no such backup.
            StoreError: it is damaged, or not a store; the present store stays.
        """
        from recall_lab.store.backup import restore

        self.close()
        replaced = restore(Path(source).expanduser(), self.settings.store)
        self.refresh(full=True, progress=False)
        return replaced

    def export_session(self, session: str, target: Path | str) -> Exported:
        """Write one session as Markdown (its receipts verify) or as JSON, by the suffix.

        Raises:
            NotFoundError: no session is called that.
            UsageError: the suffix names no form, or the file cannot be written.
        """
        import msgspec

        from recall_lab.evidence import session_markdown, write_private

        path = _of_form(Path(target).expanduser(), SESSION_FORMS)
        view = self.session(session, dead=True)
        text = (
            session_markdown(view, self.zone)
            if path.suffix == ".md"
            else msgspec.json.format(msgspec.json.encode(view).decode())
        )
        write_private(path, text)
        return Exported(file=str(path), blocks=len(view.blocks), bytes=path.stat().st_size)

    def export_store(self, target: Path | str) -> Exported:
        """Write the whole store as JSON Lines, which ``import_store`` takes back, or as SQLite, by the suffix.

        Raises:
            UsageError: the suffix names no form, or the file exists or cannot be written.
            StoreFullError: the disk has no room; nothing is left behind.
        """
        from recall_lab.store.portable import export_lines

        path = _of_form(Path(target).expanduser(), STORE_FORMS)
        blocks = self.status().blocks
        if path.suffix == ".db":
            return Exported(file=str(path), blocks=blocks, bytes=self.backup(path).bytes)
        with _new_private(path) as descriptor, os.fdopen(descriptor, "wb", closefd=False) as file:
            for line in export_lines(self.reader):
                file.write(line)
        return Exported(file=str(path), blocks=blocks, bytes=path.stat().st_size)

    def import_store(self, source: Path | str, *, machine: str | None = None, progress: bool = True) -> Imported:
        """Take in another store, redacted on the way; what is known already stays as it is.

        Args:
            source: What ``export_store`` or ``backup`` wrote, or another store's file.
            machine: A label for the sources that the other store calls ``local``.
            progress: Show a progress bar.

        Raises:
            NotFoundError, UsageError: there is no such file, or it cannot be read.
            SourceError: it is neither an export nor a store; what came before the line that is wrong is kept.
            RedactionError: the detector cannot be loaded; nothing was taken in.
        """
        from recall_lab.capture import import_store

        with steps("importing", show=progress) as step:
            done = import_store(self.settings, Path(source).expanduser(), machine=machine, progress=step)
        self.refresh(progress=progress)
        return done

    def forget(self, selection: Selection, *, really: bool = False) -> Purge:
        """Say what would be forgotten; with ``really``, take it out of text, index, mirror and revisions for good.

        Raises:
            NotFoundError: nothing in the store matches.
            UsageError: the selection is empty, or names more than one thing.
        """
        from recall_lab.store import open_writer
        from recall_lab.store.purging import forget

        if not really:
            return forget(self.reader, selection)
        self.close()
        with open_writer(self.settings.store) as writer:
            gone = forget(writer, selection, writer=writer)
        self.refresh(full=True, progress=False)
        return gone

    def prune(self, *, keep: int = 3, missing: bool = True, really: bool = False) -> Purge:
        """Say which old revisions and rows of missing sources would go; with ``really``, take them out.

        Args:
            keep: Revisions kept of each block, the newest; pinned ones always stay.
            missing: Also take out sources whose transcript is gone.
            really: Do it.
        """
        from recall_lab.store import open_writer
        from recall_lab.store.purging import prune

        if not really:
            return prune(self.reader, keep=keep, missing=missing)
        self.close()
        with open_writer(self.settings.store) as writer:
            gone = prune(writer, keep=keep, missing=missing, writer=writer)
        self.refresh(full=True, progress=False)
        return gone


def _of_form(path: Path, forms: tuple[str, ...]) -> Path:
    if path.suffix.lower() not in forms:
        raise UsageError(f"{path.name}: choose one of the suffixes {', '.join(forms)}")
    return path


@contextmanager
def _new_private(path: Path) -> Iterator[int]:
    """A new file of the owner's, gone again if it cannot be finished."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise UsageError(f"{path}: is there already; name another file") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another place") from error
    try:
        yield descriptor
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and type(error) is OSError:
            raise StoreFullError(f"{path}: {error.strerror}; free some space, or choose another place") from error
        raise
    finally:
        os.close(descriptor)
