"""Removing what recall_lab made for a home: known by name, never a folder as a whole, never through a link.

Anything else that lies there stays, and so does a folder that holds it. A person's own queries and notebooks that were
changed are among it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from recall_lab.model import Record
from recall_lab.settings import FILE_NAME, Settings
from recall_lab.store.connection import WriteLock, is_of_another_program

_HOME = re.compile(
    r"recall\.db(-wal|-shm|-journal|\.lock|\.part|\.v\d+\.bak(\.part)?)?|recall\.packed(\.new)?"
    r"|recall-replaced-[0-9TZ-]+\.db(-wal|-shm|-journal)?"
    r"|activity\.(jsonl|folding)|evaluations\.jsonl|mirror-is-behind|sample-is-complete|made-by-recall-lab-demo|"
    + re.escape(FILE_NAME)
)
_FOLDERS = {
    "mirror": re.compile(
        r"current\.json(\.new)?|refresh\.lock|(mirror|building)-\d{6,}-[0-9a-f]{8}\.(duckdb|duckdb\.wal|lease)"
    ),
    "cursors": re.compile(r"[0-9a-f]{32}\.json|\.[0-9a-f]{32}\.json\.[0-9a-f]+\.part"),
}
_FOLDERS["vectors"] = re.compile(r"\d{8}\.vectors(\.new)?|build\.lock")
_FOLDERS["judgments"] = re.compile(r"(corpus\.jsonl|queries\.jsonl|qrels\.tsv)(\.part)?")
_RULES = re.compile(r"[0-9a-f]{32}\.vscdb")
_SAMPLE = re.compile(r"sample-.+-[0-9a-f]{8}")
_STORE = "recall.db"
_STORE_FILES = {_STORE, *(f"{_STORE}-{part}" for part in ("wal", "shm", "journal"))}
_LOCK = "recall.db.lock"


class Removal(Record, frozen=True):
    """What goes, or went.

    Attributes:
        done: Whether it went; else this is a preview.
        files: Files that recall_lab made.
        folders: Folders that are empty then.
        kept: What lies beside them and stays, because recall_lab did not make it or a person changed it.
        bytes: Size of the files.
    """

    done: bool
    files: tuple[str, ...]
    folders: tuple[str, ...]
    kept: tuple[str, ...]
    bytes: int


def plan(settings: Settings) -> Removal:
    """Say what would be removed."""
    files = tuple(dict.fromkeys(_made_in(settings.home, settings.cache)))
    gone = set(files)
    folders = tuple(folder for folder in _places(settings.home, settings.cache) if _is_left_empty(folder, gone))
    kept = [
        path
        for place in (settings.home, settings.cache)
        for path in _below(place)
        if path not in gone and path not in folders
    ]
    return Removal(
        done=False,
        files=tuple(map(str, files)),
        folders=tuple(map(str, folders)),
        kept=tuple(map(str, dict.fromkeys(kept))),
        bytes=sum(path.lstat().st_size for path in files),
    )


def remove(settings: Settings) -> Removal:
    """Remove it.

    Raises:
        StoreBusyError: a capture is under way; nothing was removed.
    """
    if not settings.home.is_dir():
        return plan(settings)
    lock = WriteLock(settings.store)
    try:
        planned = plan(settings)
        for name in planned.files:
            with suppress(FileNotFoundError):
                Path(name).unlink()
        for name in planned.folders:
            with suppress(OSError):
                Path(name).rmdir()
    finally:
        lock.release()
    return msgspec.structs.replace(planned, done=True)


def _made_in(home: Path, cache: Path) -> Iterator[Path]:
    """Every file that recall_lab made in a home and in its cache."""
    foreign = is_of_another_program(home / _STORE)
    yield from (path for path in _named(home, _HOME) if not (foreign and path.name in _STORE_FILES))
    for name, pattern in _FOLDERS.items():
        yield from _named(home / name, pattern)
    yield from _copies(home / "work")
    yield from _named(cache / "rules", _RULES)
    for folder in _samples(cache):
        yield from _made_in(folder, folder / "cache")


def _places(home: Path, cache: Path) -> Iterator[Path]:
    """The folders that recall_lab made, those inside before those around."""
    for folder in _samples(cache):
        yield from _places(folder, folder / "cache")
    yield cache / "rules"
    yield cache
    yield from (home / name for name in (*_FOLDERS, "work"))
    yield home


def _samples(cache: Path) -> list[Path]:
    if not _is_folder(cache):
        return []
    return [path for path in sorted(cache.iterdir()) if _SAMPLE.fullmatch(path.name) and _is_folder(path)]


def _named(folder: Path, pattern: re.Pattern[str]) -> Iterator[Path]:
    if _is_folder(folder):
        for path in sorted(folder.iterdir()):
            if pattern.fullmatch(path.name) and path.is_file() and not path.is_symlink():
                yield path


def _copies(work: Path) -> Iterator[Path]:
    """The notebooks that were copied into a work folder and that nobody changed, and what was written beside them."""
    from recall_lab.workbench import written_copies

    if _is_folder(work):
        known = written_copies(work)
        for path in sorted(work.iterdir()):
            if path.is_file() and not path.is_symlink():
                same = known.get(path.name) == hashlib.sha256(path.read_bytes()).hexdigest()
                if same or path.name in {".gitignore", ".copies.json"}:
                    yield path


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _below(folder: Path) -> Iterator[Path]:
    """What lies in a folder: files, and folders that stay, without what is in folders that recall_lab does not know."""
    if _is_folder(folder):
        for path in sorted(folder.iterdir()):
            known = path.name in {*_FOLDERS, "work", "cache", "rules"} or _SAMPLE.fullmatch(path.name)
            if known and _is_folder(path):
                yield from _below(path)
            else:
                yield path


def _is_left_empty(folder: Path, gone: set[Path]) -> bool:
    """Whether nothing is in a folder, and in the folders of it, but what goes."""
    if not _is_folder(folder):
        return False
    return all(
        path in gone or (_is_folder(path) and _is_left_empty(path, gone))
        for path in folder.iterdir()
        if path.name != _LOCK
    )
