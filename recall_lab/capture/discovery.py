"""Finding transcripts: in the known folders of hosts, or in the paths that a person names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from recall_lab.errors import SourceError, UsageError
from recall_lab.hosts import HOSTS, recognise
from recall_lab.settings import Settings

_HEAD_LINES = 30
_HEAD_BYTES = 4_000_000  # the first 30 lines, should they be long
_TOPS = frozenset({"projects", "sessions", "archived_sessions"})
_SUFFIXES = frozenset({".jsonl", ".json", ".zip"})


class Found(msgspec.Struct, frozen=True):
    """A transcript on the disk; ``size`` in bytes."""

    path: Path
    host: str
    machine: str
    size: int


class Discovery(msgspec.Struct, frozen=True):
    """What was found, and what was looked at and not recognised."""

    found: tuple[Found, ...]
    unrecognised: tuple[Path, ...]

    @property
    def bytes(self) -> int:
        """Bytes of all transcripts found."""
        return sum(found.size for found in self.found)

    def folders(self) -> dict[Path, tuple[int, int]]:
        """Return (files, bytes) for the folders that a person would name: the host's, not every project's."""
        counts: dict[Path, tuple[int, int]] = {}
        for found in self.found:
            parts = found.path.parts
            stop = next((i for i, part in enumerate(parts) if part in _TOPS), None)
            folder = Path(*parts[: stop + 1]) if stop else found.path.parent
            files, size = counts.get(folder, (0, 0))
            counts[folder] = (files + 1, size + found.size)
        return counts


def known_folders(settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield (folder, machine) of every place where a known host keeps transcripts and that exists."""
    homes = [(settings.user_home, "local"), *((root.path, root.machine) for root in settings.roots)]
    for home, machine in homes:
        for name in (".claude/projects", ".config/claude/projects", ".codex/sessions", ".codex/archived_sessions"):
            if (home / name).is_dir():
                yield home / name, machine
    if settings.claude_home and (settings.claude_home / "projects").is_dir():
        yield settings.claude_home / "projects", "local"
    if settings.codex_home:
        for name in ("sessions", "archived_sessions"):
            if (settings.codex_home / name).is_dir():
                yield settings.codex_home / name, "local"


def discover(settings: Settings, paths: Iterable[Path] = (), host: str | None = None) -> Discovery:
    """List the transcripts in ``paths``, or in the known folders when there are none.

    Args:
        settings: Where to look.
        paths: Files or folders that a person named.
        host: The host of files that are not recognised.

    Raises:
        SourceError: a named path does not exist, or a named file is not a transcript.
        UsageError: ``host`` is not known.
    """
    if host is not None and host not in HOSTS:
        raise UsageError(f"host {host!r} is not known; use one of {', '.join(sorted(HOSTS))}")
    named = [Path(path).absolute() for path in paths]
    search = _Search(host)
    for path in named:
        if path.is_dir():
            search.walk(path, "local")
        else:
            search.found[path] = _named_file(path, host)
    if not named:
        for folder, machine in known_folders(settings):
            search.walk(folder, machine)
    return search.result()


def discover_changed(settings: Settings, paths: Iterable[Path]) -> Discovery:
    """List those of the paths that are transcripts; what is not one, or is gone, is passed over."""
    machines = dict(known_folders(settings))
    search = _Search(None)
    for path in paths:
        folder = next((folder for folder in machines if path.is_relative_to(folder)), path.parent)
        search.look_at(path, folder, machines.get(folder, "local"))
    return Discovery(search.result().found, ())


def _named_file(path: Path, host: str | None) -> Found:
    try:
        size = path.stat().st_size
        name = host or recognise_file(path)
    except FileNotFoundError:
        raise SourceError(f"{path}: there is no such file or folder; check the name") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if not path.is_file():
        raise SourceError(f"{path}: not a regular file; name a transcript or a folder")
    if name is None:
        why = "is empty" if size == 0 else "is not a transcript of a known host"
        raise SourceError(f"{path}: {why}; `--host NAME` says whose it is ({', '.join(sorted(HOSTS))})")
    return Found(path, name, "local", size)


class _Search:
    """Collects what was found and what was not recognised."""

    def __init__(self, host: str | None) -> None:
        self._host = host
        self.found: dict[Path, Found] = {}
        self._unrecognised: set[Path] = set()

    def walk(self, folder: Path, machine: str) -> None:
        """Look through a folder; links are followed for files that stay inside it, never for folders."""
        for base, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                self.look_at(Path(base, name), folder, machine)

    def look_at(self, path: Path, folder: Path, machine: str) -> None:
        """Take in a file below the folder if it is a transcript."""
        if path.suffix not in _SUFFIXES or path.name.endswith(".meta.json") or path in self.found:
            return
        try:
            if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
                self._unrecognised.add(path)
                return
            size = path.stat().st_size
            host = recognise_file(path) or _by_place(path, folder) or self._host
        except OSError:
            self._unrecognised.add(path)
            return
        if host is None:
            self._unrecognised.add(path)
        else:
            self.found[path] = Found(path, host, machine, size)

    def result(self) -> Discovery:
        """Return everything in the order of the paths."""
        return Discovery(tuple(self.found[path] for path in sorted(self.found)), tuple(sorted(self._unrecognised)))


def _by_place(path: Path, folder: Path) -> str | None:
    """A file that says nothing of itself (empty, or torn) is of the host whose folder it lies in."""
    if path.suffix != ".jsonl":
        return None
    parts = set(folder.parts)
    if "projects" in parts and parts & {".claude", "claude"}:
        return "claude-code"
    if ".codex" in parts:
        return "codex"
    return None


def recognise_file(path: Path) -> str | None:
    """Return the name of the host whose transcript this is, judged by its first records, or None."""
    with path.open("rb") as file:
        head = file.read(65536)
        if head.count(b"\n") < _HEAD_LINES:
            head += file.read(_HEAD_BYTES)
    host = recognise(head.split(b"\n", _HEAD_LINES)[:_HEAD_LINES], path)
    return host.name if host else None
