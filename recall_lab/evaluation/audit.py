"""Which secrets raw transcripts, or the files of any folder, still hold: by kind, host, repository and month.

The raw files are looked at, not the store: also what capture leaves out (thinking, whole tool outputs, snapshots) lies
on the disk as it is. A finding names file and line, so that a key can be found and rotated, and never a value.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from recall_lab.capture.repositories import Repositories
from recall_lab.errors import UsageError
from recall_lab.evaluation.redaction import ScansTexts
from recall_lab.hosts import recognise

_HEAD_LINES = 30
_HEAD_BYTES = 65_536
_BATCH = 4_000_000  # code points scanned at once
_LONGEST_VALUE = 2_000  # of a text that is shown to the detector together with its field's name
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv"})
_BINARY_HEAD = 8_192
_PIECE = 8_000_000  # bytes of a file in memory at once; a longer line is looked at in pieces


class Leak(msgspec.Struct, frozen=True):
    """How many secrets of a kind one line of a file holds. ``month`` is YYYY-MM; None where it is not known."""

    kind: str
    host: str | None
    repo: str | None
    month: str | None
    file: str
    line: int
    count: int


class Audit(msgspec.Struct, frozen=True):
    """What an audit found and how much it looked at; ``unread`` are files that could not be read, with the reason."""

    findings: tuple[Leak, ...]
    files: int
    lines: int
    bytes: int
    rules_version: str
    unread: dict[str, str] = {}

    def by_kind(self) -> dict[str, int]:
        """How many secrets of each kind, the most first."""
        counts: Counter[str] = Counter()
        for leak in self.findings:
            counts[leak.kind] += leak.count
        return dict(counts.most_common())


class _Place(msgspec.Struct, frozen=True):
    """Where a text comes from."""

    file: str
    line: int
    host: str | None
    repo: str | None
    month: str | None


def audit(paths: Iterable[Path], redactor: ScansTexts, *, progress: Callable[[int], None] | None = None) -> Audit:
    """Look for secrets in files and folders as they are.

    Args:
        paths: Transcripts, other files, or folders of them.
        redactor: Finds the secrets.
        progress: Called with the bytes of each file that is done.

    Raises:
        UsageError: A path does not exist, or is neither a file nor a folder.
    """
    counts: Counter[tuple[_Place, str]] = Counter()
    unread: dict[str, str] = {}
    files = lines = size = 0
    repositories = Repositories()
    for path in _files(paths):
        try:
            with path.open("rb") as file:
                read = _Read(file, path)
                _count(_texts(read, repositories), redactor, counts)
        except OSError as error:
            unread[str(path)] = error.strerror or "cannot be read"
            continue
        files, size, lines = files + 1, size + read.bytes, lines + read.lines
        if progress:
            progress(read.bytes)
    shown = _without_secrets({name for place, _ in counts for name in (place.file, place.repo) if name}, redactor)
    leaks = [
        Leak(kind, place.host, place.repo and shown[place.repo], place.month, shown[place.file], place.line, count)
        for (place, kind), count in counts.items()
    ]
    leaks.sort(key=lambda leak: (leak.file, leak.line, leak.kind))
    return Audit(tuple(leaks), files, lines, size, redactor.version, unread)


def _without_secrets(names: Iterable[str], redactor: ScansTexts) -> dict[str, str]:
    """Each path and repository as it may be shown: these, too, can hold a secret."""
    told = sorted(names)
    shown = {}
    for name, findings in zip(told, redactor.scan(told), strict=True):
        shown[name] = name
        for finding in reversed(findings):
            shown[name] = f"{shown[name][: finding.start]}[REDACTED:{finding.kind}]{shown[name][finding.end :]}"
    return shown


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            for base, folders, names in os.walk(path):
                folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
                yield from (Path(base, name) for name in sorted(names) if Path(base, name).is_file())
        elif path.is_file():
            yield path
        elif path.exists():
            raise UsageError(f"{path}: neither a file nor a folder; name transcripts, or folders of them")
        else:
            raise UsageError(f"{path}: there is no such file or folder; check the name")


class _Read:
    """A file that is read piece by piece, and how much of it there is.

    Attributes:
        path: The file.
        bytes: Its size, as it is now.
        lines: Its lines, as far as they were read; none of what is no text.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self.path = path
        self.bytes = os.fstat(file.fileno()).st_size
        self.lines = 0
        self.head = [file.readline(_PIECE)[:_HEAD_BYTES].rstrip(b"\n") for _ in range(_HEAD_LINES)]
        self.binary = b"\0" in b"\n".join(self.head)[:_BINARY_HEAD]

    def records(self) -> Iterator[tuple[int, bytes]]:
        """The lines with their numbers; the pieces of a line that is too long have the same one."""
        self._file.seek(0)
        starts = True
        while line := self._file.readline(_PIECE):
            self.lines += starts
            starts = line.endswith(b"\n")
            yield self.lines, line

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Pieces of whole lines, as far as they fit, with the number of the first line."""
        self._file.seek(0)
        piece = rest = b""
        self.lines = 1 if self.bytes else 0
        while chunk := self._file.read(_PIECE):
            piece = rest + chunk
            end = piece.rfind(b"\n") + 1 or len(piece)
            yield self.lines, piece[:end]
            self.lines += piece.count(b"\n", 0, end)
            rest = piece[end:]
        if rest:
            yield self.lines, rest
        elif piece.endswith(b"\n"):
            self.lines -= 1


class _Text(msgspec.Struct, frozen=True):
    """A text and its place; of a file that is one text (``lines``), the line is counted from the finding's offset."""

    place: _Place
    text: str
    lines: bool = False


def _count(texts: Iterable[_Text], redactor: ScansTexts, counts: Counter[tuple[_Place, str]]) -> None:
    batch: list[_Text] = []
    filled = 0
    for item in texts:
        batch.append(item)
        filled += len(item.text)
        if filled > _BATCH:
            _scan(batch, redactor, counts)
            batch, filled = [], 0
    _scan(batch, redactor, counts)


def _scan(batch: Sequence[_Text], redactor: ScansTexts, counts: Counter[tuple[_Place, str]]) -> None:
    for item, findings in zip(batch, redactor.scan([item.text for item in batch]), strict=True):
        line, before = item.place.line, 0
        for finding in findings:
            place = item.place
            if item.lines:
                line += item.text.count("\n", before, finding.start)
                before = finding.start
                place = msgspec.structs.replace(place, line=line)
            counts[place, finding.kind] += 1


def _texts(read: _Read, repositories: Repositories) -> Iterator[_Text]:
    """The texts of a file: the strings of its records where its lines are JSON, else its text, in pieces."""
    if read.binary:
        return
    path = read.path
    host = recognise(read.head, path)
    name = host.name if host else None
    if path.suffix != ".jsonl":
        for number, piece in read.pieces():
            yield _Text(_Place(str(path), number, name, None, None), piece.decode("utf-8", "replace"), lines=True)
        return
    cwd = remote = month = None
    for number, line in read.records():
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            record = None
        facts = _facts(record)
        cwd, remote, month = facts["cwd"] or cwd, facts["remote"] or remote, facts["month"] or month
        place = _Place(str(path), number, name, repositories.key(remote, cwd), month)
        if record is None:
            yield _Text(place, line.decode("utf-8", "replace"))
        else:
            yield from (_Text(place, text) for text in _leaves(record))


def _facts(record: Any) -> dict[str, str | None]:
    """Folder, git remote and month of a record of any host, as far as it tells them."""
    facts: dict[str, str | None] = {"cwd": None, "remote": None, "month": None}
    if not isinstance(record, dict):
        return facts
    inner = record.get("payload")
    for part in (record, inner if isinstance(inner, dict) else {}):
        if isinstance(part.get("cwd"), str):
            facts["cwd"] = part["cwd"]
        git = part.get("git")
        if isinstance(git, dict) and isinstance(git.get("repository_url"), str):
            facts["remote"] = git["repository_url"]
        stamp = part.get("timestamp")
        if isinstance(stamp, str) and (month := _MONTH.match(stamp)):
            facts["month"] = month[0]
    return facts


def _leaves(record: Any) -> Iterator[str]:
    """Every string of a record; a short one together with its field's name, which may be what tells a secret."""
    stack: list[tuple[str, Any]] = [("", record)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, str):
            if value:
                yield f"{name}: {value}" if name and len(value) <= _LONGEST_VALUE and "\n" not in value else value
        elif isinstance(value, dict):
            stack.extend((str(key), item) for key, item in value.items())
        elif isinstance(value, list):
            stack.extend((name, item) for item in value)
