"""Finding transcripts: in the known folders of hosts, or in the paths that a person names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

import msgspec

from recall_lab.capture.exports import Held, alone_in, held_in
from recall_lab.capture.files import Part
from recall_lab.errors import NotFoundError, SourceError, UsageError
from recall_lab.hosts import HOSTS, recognise
from recall_lab.settings import Settings

_HEAD_LINES = 30
_HEAD_BYTES = 4_000_000  # the first 30 lines, should they be long; or the beginning of a document
_TOPS = frozenset({"projects", "sessions", "archived_sessions", "session-state", "history-session-state"})
_BY_PLACE = {".codex": "codex", ".copilot": "copilot", ".gemini": "gemini-cli", ".pi": "pi"}
_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (".claude", ("projects",)),
    (".config/claude", ("projects",)),
    (".codex", ("sessions", "archived_sessions")),
    (".pi/agent", ("sessions",)),
    (".copilot", ("session-state", "history-session-state")),
    (".gemini", ("tmp",)),
)
LOCAL = "local"  # the label of this machine
_SUFFIXES = frozenset({".jsonl", ".json", ".zip"})


class Captured(Protocol):
    """What was captured before."""

    def host_of(self, path: Path, /) -> str | None:
        """Return the host of what was captured of a file, or None."""
        ...

    def unchanged(self, path: Path, stat: os.stat_result, /) -> str | None:
        """Return the same when the file is as it was then, by its size and times."""
        ...


class _Nothing:
    """Nothing was captured before."""

    def host_of(self, _path: Path, /) -> None:
        return None

    def unchanged(self, _path: Path, _stat: os.stat_result, /) -> None:
        return None


_NOTHING = _Nothing()


class Found(msgspec.Struct, frozen=True):
    """A transcript on the disk; ``size`` in bytes.

    A conversation in an export has a ``part``, and its path is the export's with ``#`` and its name. ``cwd`` is the
    folder that a person says it belongs to.
    """

    path: Path
    host: str
    machine: str
    size: int
    part: Part | None = None
    cwd: str | None = None

    @property
    def place(self) -> tuple[Path, str, int]:
        """Where it lies, for reading one after the other what lies in one file."""
        return (self.part.file, self.part.entry or "", self.part.start) if self.part else (self.path, "", 0)


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
            tops = (i for i, part in enumerate(parts) if part in _TOPS or parts[i - 1 : i + 1] == (".gemini", "tmp"))
            stop = next(tops, None)
            folder = Path(*parts[: stop + 1]) if stop else found.path.parent
            files, size = counts.get(folder, (0, 0))
            counts[folder] = (files + 1, size + found.size)
        return counts


def known_folders(settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield (folder, machine) of every place where a known host keeps transcripts and that exists."""
    return (place for place in known_places(settings) if place[0].is_dir())


def known_places(settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield (folder, machine) of every place where a known host may keep transcripts."""
    homes = [(settings.user_home, LOCAL), *((root.path, root.machine) for root in settings.roots)]
    places: list[tuple[Path, tuple[str, ...], str]] = [
        (home / base, names, machine) for home, machine in homes for base, names in _PLACES
    ]
    named = zip(
        (settings.claude_home, settings.codex_home, settings.pi_home, settings.copilot_home),
        (("projects",), ("sessions", "archived_sessions"), ("sessions",), ("session-state", "history-session-state")),
        strict=True,
    )
    places += [(home, names, LOCAL) for home, names in named if home]
    if settings.gemini_home:
        places.append((settings.gemini_home / ".gemini", ("tmp",), LOCAL))
    for base, names, machine in places:
        for name in names:
            yield base / name, machine


def machine_of(settings: Settings, path: Path) -> str:
    """Return the label of the machine whose files lie where this one does: that of the innermost home around it."""
    homes = [(settings.user_home, LOCAL), *((root.path, root.machine) for root in settings.roots)]
    around = [(len(home.parts), machine) for home, machine in homes if path.is_relative_to(home)]
    return max(around, key=lambda found: found[0], default=(0, LOCAL))[1]


def discover(
    settings: Settings,
    paths: Iterable[Path] = (),
    host: str | None = None,
    *,
    conversations: Collection[str] = (),
    cwd: Path | None = None,
    captured: Captured = _NOTHING,
) -> Discovery:
    """List the transcripts in ``paths``, or in the known folders when there are none.

    Args:
        settings: Where to look.
        paths: Files or folders that a person named.
        host: The host of files that are not recognised.
        conversations: Of the exports among the paths, these alone, by their ids.
        cwd: The folder that the named transcripts belong to, where they log none.
        captured: What was captured before: whose a file was that says nothing of itself, and which need no look.

    Raises:
        SourceError: a named path does not exist, or a named file is not a transcript.
        NotFoundError: a conversation is in none of the paths.
        UsageError: ``host`` is not known, or there is no path to choose from.
    """
    if host is not None and host not in HOSTS:
        raise UsageError(f"host {host!r} is not known; use one of {', '.join(sorted(HOSTS))}")
    named = [_direct(path) for path in paths]
    if not named and (conversations or cwd):
        raise UsageError("name the export: conversations are chosen, and given a folder, in a file that is named")
    search = _Search(host, captured)
    for path in named:
        machine = machine_of(settings, path)
        if path.is_dir():
            search.walk(path, machine)
        else:
            search.found.update((found.path, found) for found in _named_file(path, machine, host, captured))
    if not named:
        for folder, machine in known_folders(settings):
            search.walk(folder, machine)
    if conversations:
        search.choose(conversations)
    return search.result(str(cwd.absolute()) if cwd else None)


def discover_changed(settings: Settings, paths: Iterable[Path], captured: Captured = _NOTHING) -> Discovery:
    """List those of the paths that are transcripts; what is not one, or is gone, is passed over."""
    machines = dict(known_folders(settings))
    search = _Search(None, captured)
    for path in paths:
        folder = next((folder for folder in machines if path.is_relative_to(folder)), path.parent)
        search.look_at(path, folder, machines.get(folder) or machine_of(settings, path))
    return Discovery(search.result().found, ())


def _direct(path: Path) -> Path:
    """Return the absolute path without ``..``, so that a file is one source by whatever way it is named."""
    absolute = path.absolute()
    direct = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, which are sources of their own
    try:
        return direct if direct.samefile(absolute) else absolute
    except OSError:
        return absolute


def _named_file(path: Path, machine: str, host: str | None, captured: Captured) -> list[Found]:
    file, mark, name = str(path).rpartition("#")
    if mark and not path.exists() and Path(file).is_file():
        held = [found for found in _named_file(Path(file), machine, host, captured) if found.path == path]
        if not held:
            raise SourceError(f"{file}: holds no conversation {name!r}; `--preview` lists those that it does")
        return held
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise SourceError(f"{path}: not a regular file; name a transcript or a folder")
        found = _sources(path, machine, size, host)
        if not found and (known := _by_place(path, path.parent) or captured.host_of(path)):
            found = [Found(path, known, machine, size)]
    except SourceError:
        raise
    except FileNotFoundError:
        raise SourceError(f"{path}: there is no such file or folder; check the name") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if not found:
        why = "is empty" if size == 0 else "is not a transcript of a known host"
        raise SourceError(f"{path}: {why}; `--host NAME` says whose it is ({', '.join(sorted(HOSTS))})")
    return found


def _sources(path: Path, machine: str, size: int, host: str | None) -> list[Found]:
    """Return the sources in a file: the file itself, or the conversations in an export; none when it is neither."""
    name = host or recognise_file(path)
    if path.suffix == ".zip" or (name is not None and HOSTS[name].collects):
        held = held_in(path, host)
        if held:
            return [_conversation(path, machine, one) for one in held]
    return [Found(path, name, machine, size)] if name is not None and path.suffix != ".zip" else []


def _conversation(path: Path, machine: str, held: Held) -> Found:
    part = held.part
    return Found(path.with_name(f"{path.name}#{held.name}"), held.host, machine, part.end - part.start, part)


class _Search:
    """Collects what was found and what was not recognised."""

    def __init__(self, host: str | None, captured: Captured) -> None:
        self._host = host
        self._captured = captured
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
        if _beside(path, folder):
            return
        stat = _stat_inside(path, folder)
        if stat is None:
            self._unrecognised.add(path)
            return
        size = stat.st_size
        if host := self._captured.unchanged(path, stat):
            self.found[path] = Found(path, host, machine, size)
            return
        try:
            found = _sources(path, machine, size, None)
        except OSError:
            found = []
        if not found and path.suffix != ".zip":
            host = _by_place(path, folder) or self._host or self._captured.host_of(path)
            found = [Found(path, host, machine, size)] if host else []
        if not found:
            self._unrecognised.add(path)
        self.found.update((one.path, one) for one in found)

    def choose(self, conversations: Collection[str]) -> None:
        """Keep the conversations of these names alone.

        Raises:
            NotFoundError: one of them is nowhere.
        """
        chosen = {path: found for path, found in self.found.items() if _name_of(found) in conversations}
        missing = set(conversations) - {_name_of(found) for found in chosen.values()}
        if missing:
            raise NotFoundError(
                f"conversation {min(missing)!r} is not in the files named; `--preview` lists those that are"
            )
        self.found, self._unrecognised = chosen, set()

    def result(self, cwd: str | None = None) -> Discovery:
        """Return everything in the order in which it lies on the disk."""
        found = sorted(self.found.values(), key=lambda found: found.place)
        if cwd is not None:
            found = [msgspec.structs.replace(one, cwd=cwd) for one in found]
        return Discovery(tuple(found), tuple(sorted(self._unrecognised)))


def _name_of(found: Found) -> str:
    """Return what a conversation of an export is called; nothing for any other file."""
    if found.part:
        return found.path.name.removeprefix(f"{found.part.file.name}#")
    return next((held.name for held in alone_in(found.path)), "") if HOSTS[found.host].collects else ""


def _beside(path: Path, folder: Path) -> bool:
    """Say whether a file in a known folder is one of the many that are no transcripts there."""
    if folder.name == "session-state":  # each session's folder holds events, and whatever the agent made
        return path.name != "events.jsonl" and path.parent != folder
    if folder.parts[-2:] == (".gemini", "tmp"):
        return "chats" not in path.relative_to(folder).parts
    return False


def _stat_inside(path: Path, folder: Path) -> os.stat_result | None:
    """Return a file's size and times; None when it is none, is gone, or is a link that leads out of the folder."""
    try:
        # A pipe would be waited for when it is opened.
        found = path.stat()
        inside = not path.is_symlink() or path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link that leads to itself is a RuntimeError in some versions of pathlib
        return None
    return found if inside and S_ISREG(found.st_mode) else None


def _by_place(path: Path, folder: Path) -> str | None:
    """A file that says nothing of itself (empty, or torn) is of the host whose folder it lies in."""
    if path.suffix != ".jsonl":
        return None
    parts = set(folder.parts)
    if "projects" in parts and parts & {".claude", "claude"}:
        return "claude-code"
    return next((host for place, host in _BY_PLACE.items() if place in parts), None)


def recognise_file(path: Path) -> str | None:
    """Return the name of the host whose transcript this is, judged by how it begins, or None."""
    with path.open("rb") as file:
        head = file.read(65536)
        # A line that is no whole object begins a document, whose beginning may be long.
        if head.count(b"\n") < _HEAD_LINES or not head.lstrip().partition(b"\n")[0].rstrip().endswith(b"}"):
            head += file.read(_HEAD_BYTES)
    host = recognise(head.split(b"\n"), path)
    return host.name if host else None
