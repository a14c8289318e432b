"""Taking in another store, an export in JSON Lines or the SQLite file itself, redacted on the way like a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from recall_lab.capture.accounts import decode
from recall_lab.capture.preparing import clean
from recall_lab.capture.privacy import is_private
from recall_lab.capture.rules import open_rules
from recall_lab.errors import NotFoundError, SourceError, UsageError
from recall_lab.settings import Settings
from recall_lab.store import open_reader, open_writer
from recall_lab.store.importing import Cleaned, Imported, check_lines, import_lines
from recall_lab.store.packing import pack
from recall_lab.store.portable import SourceLine, export_lines

_SQLITE = b"SQLite format 3\x00"
_LONGEST = 1 << 28  # bytes of a line

Step = Callable[[int, int], None]


def import_store(
    settings: Settings, source: Path, *, machine: str | None = None, progress: Step | None = None
) -> Imported:
    """Take in another store; what is known already stays as it is, what the settings call private stays out.

    An export is read to its end before anything of it is written, so that of one that was cut off nothing comes in.

    Args:
        settings: Where this store is.
        source: What ``export`` or ``backup`` wrote, or another store.
        machine: A label for the sources that the other store calls ``local``.
        progress: Called with (bytes done, bytes in all).

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read, or is this store.
        SourceError: it is neither an export nor a store, or damaged; the message says whether anything came in.
        RedactionError: the detector cannot be loaded; nothing was taken in.
        StoreError: the store cannot be written.
    """
    if not source.is_file():
        raise NotFoundError(f"{source}: there is no such file; name one that `recall-lab export` wrote")
    if settings.store.exists() and settings.store.samefile(source):
        raise UsageError(f"{source}: is the store of this home; name another one, or another --home")
    with _lines_of(source) as lines, _naming(source):
        check_lines(lines)
    redactor = open_rules(settings)

    def redacted(texts: Sequence[str]) -> list[Cleaned]:
        return [Cleaned(one.text, one.findings) for one in redactor.redact([clean(text) for text in texts])]

    def wanted(line: SourceLine) -> bool:
        told = [session for session in (line.session, *line.children) if session]
        ids = [name for session in told for name in (session.native_id, session.parent_id)]
        return not is_private(settings.private, ids, [line.source.path, *(session.cwd for session in told)])

    with _lines_of(source) as lines, open_writer(settings.store) as writer, _naming(source):
        done = import_lines(
            writer,
            _counted(lines, source.stat().st_size, progress),
            redacted,
            rules=redactor.version,
            machine=machine,
            wanted=wanted,
            resumable=_can_be_resumed,
        )
        writer.checkpoint()
    pack(settings.store)
    return done


@contextmanager
def _lines_of(source: Path) -> Iterator[Iterable[bytes]]:
    """The lines of an export, or of the export that a store would write."""
    try:
        file = source.open("rb")
    except OSError as error:
        raise UsageError(f"{source}: cannot be read ({error.strerror}); check its permissions") from error
    with file:
        head = file.read(len(_SQLITE))
        file.seek(0)
        if head != _SQLITE:
            yield iter(lambda: file.readline(_LONGEST + 1), b"")
            return
    with open_reader(source) as reader:
        yield export_lines(reader)


@contextmanager
def _naming(source: Path) -> Iterator[None]:
    """Let what is wrong with a line say which file it stands in."""
    try:
        yield
    except SourceError as error:
        raise SourceError(f"{source}: {error}") from error


def _counted(lines: Iterable[bytes], size: int, progress: Step | None) -> Iterator[bytes]:
    done = 0
    for line in lines:
        yield line
        done += len(line)
        if progress is not None:
            progress(min(done, size), size)


def _can_be_resumed(state: bytes) -> bool:
    try:
        decode(state)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return False
    return True
