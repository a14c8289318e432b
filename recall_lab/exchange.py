"""The part of the Lab that copies the store, brings it back, writes it for others and takes others' in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recall_lab.analysis import steps
from recall_lab.errors import StoreFullError, UsageError
from recall_lab.evidencing import Evidence
from recall_lab.model import Record

if TYPE_CHECKING:
    from recall_lab.store.backup import Backup
    from recall_lab.store.importing import Imported
    from recall_lab.store.read_records import SessionInfo

SESSION_FORMS = (".md", ".json")
STORE_FORMS = (".jsonl", ".db")
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class Exported(Record, frozen=True):
    """What was written: the file or folder, how many blocks it holds, its size in bytes, and in how many files."""

    file: str
    blocks: int
    bytes: int
    files: int = 1


class Restored(Record, frozen=True):
    """What a restore did.

    Attributes:
        replaced: Where the store that was there is now.
        returned: How many sessions and blocks are back that were forgotten since the backup was made.
    """

    replaced: str | None
    returned: int


class Exchange(Evidence):
    """Moves the store of one home, whole or in parts."""

    def backup(self, target: Path | str) -> Backup:
        """Copy the store as it is at one moment, also while a capture runs, and check the copy.

        Raises:
            UsageError: the target exists.
            StoreError: it cannot be written, or does not pass its check.
        """
        from recall_lab.store.backup import backup

        return backup(self.reader, Path(target).expanduser())

    def restore(self, source: Path | str, *, progress: bool = False) -> Restored:
        """Put a checked backup in the place of the store, which is kept beside it, and build the mirror anew.

        Raises:
            NotFoundError: there is no such backup.
            UsageError: it is the store itself.
            StoreError: it is damaged, or not a store; the present store stays.
        """
        from recall_lab.store import open_reader
        from recall_lab.store.backup import restore
        from recall_lab.store.forgotten import forgotten, held_of

        self.close()
        replaced = restore(Path(source).expanduser(), self.settings.store)
        gone = forgotten(replaced) if replaced is not None else frozenset()
        with open_reader(self.settings.store) as reader:
            returned = held_of(reader, gone)
        self._drop_stale_vectors()
        self.refresh(full=True, progress=progress)
        return Restored(replaced=None if replaced is None else str(replaced), returned=returned)

    def export_session(self, session: str, target: Path | str) -> Exported:
        """Write one session as Markdown or as JSON, by the suffix; the receipts of both verify.

        Raises:
            NotFoundError: no session is called that.
            UsageError: the suffix names no form, or the file cannot be written.
        """
        from recall_lab.evidence import write_private

        path = _of_form(Path(target).expanduser(), SESSION_FORMS)
        text, blocks = self.session_text(session, "markdown" if path.suffix.lower() == ".md" else "json")
        write_private(path, text)
        return Exported(file=str(path), blocks=blocks, bytes=path.stat().st_size)

    def session_text(self, session: str, form: Literal["markdown", "json"] = "markdown") -> tuple[str, int]:
        """One whole session as text, dead branches included, and how many blocks that are.

        Raises:
            NotFoundError: no session is called that.
        """
        from recall_lab.evidence import session_json, session_markdown

        view = self.session(session, dead=True)
        if form == "markdown":
            return session_markdown(view, self.zone), len(view.blocks)
        return session_json(view), len(view.blocks)

    def export_sessions(self, folder: Path | str, *, progress: bool = True) -> Exported:
        """Write every session as Markdown, one private file each; each file verifies.

        Args:
            folder: Made (0700) where it is missing; files of the same names are replaced.
            progress: Show a progress bar.

        Raises:
            UsageError: the folder cannot be made or written.
            StoreFullError: the disk has no room.
        """
        from recall_lab.evidence import write_private

        place = Path(folder).expanduser()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{place}: cannot be made ({error.strerror}); choose another folder") from error
        every = self.sessions(limit=None)
        blocks = size = 0
        with steps("exporting", show=progress) as step:
            for number, info in enumerate(every, 1):
                text, held = self.session_text(info.native_id, "markdown")
                path = place / file_name(info)
                write_private(path, text)
                blocks, size = blocks + held, size + path.stat().st_size
                if step is not None:
                    step(number, len(every))
        return Exported(file=str(place), blocks=blocks, bytes=size, files=len(every))

    def export_store(self, target: Path | str, *, sqlite: bool = False, progress: bool = True) -> Exported:
        """Write the whole store as JSON Lines, or as SQLite: both are what ``import_store`` takes back.

        Args:
            target: A new file, .jsonl or .db.
            sqlite: Write SQLite whatever the suffix.
            progress: Show a progress bar.

        Raises:
            UsageError: the suffix names no form, or the file exists or cannot be written.
            StoreFullError: the disk has no room; nothing is left behind.
        """
        from recall_lab.store.portable import export_lines

        path = Path(target).expanduser()
        blocks = self.status().blocks
        if sqlite or _of_form(path, STORE_FORMS).suffix.lower() == ".db":
            return Exported(file=str(path), blocks=blocks, bytes=self.backup(path).bytes)
        total = self.settings.store.stat().st_size
        with (
            _new_private(path) as descriptor,
            steps("exporting", show=progress) as step,
            os.fdopen(descriptor, "wb", closefd=False) as file,
        ):
            for line in export_lines(self.reader):
                file.write(line)
                if step is not None:
                    step(min(file.tell(), total), total)
        return Exported(file=str(path), blocks=blocks, bytes=path.stat().st_size)

    def import_store(self, source: Path | str, *, machine: str | None = None, progress: bool = True) -> Imported:
        """Take in another store, redacted on the way; what is known already stays as it is.

        An export is read to its end first, so that of one that was cut off nothing comes in.

        Args:
            source: What ``export_store`` or ``backup`` wrote, or another store's file.
            machine: A label for the sources that the other store calls ``local``.
            progress: Show a progress bar.

        Raises:
            NotFoundError, UsageError: there is no such file, or it cannot be read.
            SourceError: it is neither an export nor a store, or damaged; the message says whether anything came in.
            RedactionError: the detector cannot be loaded; nothing was taken in.
        """
        from recall_lab.capture import import_store

        with steps("importing", show=progress) as step:
            done = import_store(self.settings, Path(source).expanduser(), machine=machine, progress=step)
        self.refresh(progress=progress)
        return done


def file_name(info: SessionInfo) -> str:
    """Name a session's file: day, host and id, of letters that every file system takes."""
    from hashlib import sha256

    plain = _PLAIN.sub("-", info.native_id).strip(".-")
    if plain != info.native_id or len(plain) > 100:
        plain = f"{plain[:100]}-{sha256(info.native_id.encode()).hexdigest()[:8]}"
    return f"{(info.started or 'undated')[:10]}-{_PLAIN.sub('-', info.host)}-{plain}.md"


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
            step = "free some space, raise the limit on file sizes, or choose another place"
            raise StoreFullError(f"{path}: {error.strerror}, so nothing of it is left; {step}") from error
        raise
    finally:
        os.close(descriptor)
