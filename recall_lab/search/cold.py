"""Searching before there is an index: the newest transcripts are captured into a scratch store, searched, and dropped.

The same parsers, redaction and ranking run as for an index, so the answers are the same as far as the time reached.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from recall_lab.capture import discover, index
from recall_lab.capture.discovery import Discovery, Found
from recall_lab.errors import NotFoundError
from recall_lab.model import Answer
from recall_lab.search.engine import search
from recall_lab.settings import Settings
from recall_lab.store import Reader, open_reader, open_writer

_FIRST_BYTES: Final = 16_000_000  # captured before the speed of this machine is known
_LEAST_BYTES: Final = 1_000_000
_FASTEST: Final = 20_000_000  # bytes a second; what no machine reads in the time is not begun


class ColdScan(msgspec.Struct, frozen=True):
    """How far a scan came.

    Attributes:
        read: Transcripts that were read, the newest that fitted the time.
        found: Transcripts that there are.
        read_bytes: Bytes of those that were read.
        found_bytes: Bytes of all.
        seconds: How long it took.
    """

    read: int
    found: int
    read_bytes: int
    found_bytes: int
    seconds: float


@contextmanager
def cold_store(settings: Settings, *, seconds: float = 20.0, progress: bool = False) -> Iterator[tuple[Path, ColdScan]]:
    """Capture the newest transcripts into a scratch store that goes with the context.

    A transcript that is too large for the time that is left is passed over; smaller ones after it are read.

    Args:
        settings: Where transcripts are, and what is kept of them; of its home only the compiled rules are used.
        seconds: About how long to read; loading the redaction rules comes on top.
        progress: Show a progress bar on standard error.

    Raises:
        NotFoundError: there are no transcripts in the known folders.
        RedactionError: the detector cannot be loaded; nothing is read without it.
    """
    seen = discover(settings)
    if not seen.found:
        raise NotFoundError("no transcripts in the known folders; name a file or folder with `recall-lab index PATH`")
    newest = sorted(seen.found, key=_age, reverse=True)
    with tempfile.TemporaryDirectory(prefix="recall-lab-cold-") as scratch:
        there = msgspec.structs.replace(settings, home=Path(scratch) / "home")
        open_writer(there.store).close()  # a store, though nothing may fit the time
        read: list[Found] = []
        spent, bytes_read, allowed = 0.0, 0, _FIRST_BYTES
        while allowed >= _LEAST_BYTES and newest:
            part = _fitting(newest, allowed)
            if not part and not read:
                part = _smallest(newest, int(seconds * _FASTEST))
            if not part:
                break
            report = index(there, discovery=Discovery(tuple(part), ()), progress=progress)
            read.extend(part)
            taken = set(map(id, part))
            newest = [found for found in newest if id(found) not in taken]
            spent += report.seconds - report.rules_seconds
            bytes_read += sum(found.size for found in part)
            allowed = int((seconds - spent) * bytes_read / max(spent, 0.01))
        yield there.store, ColdScan(len(read), len(seen.found), bytes_read, seen.bytes, round(spent, 3))


def cold_search(
    settings: Settings,
    query: str,
    *,
    find: Callable[[Reader, str], Answer] = search,
    seconds: float = 20.0,
    progress: bool = False,
) -> Answer:
    """Search the raw transcripts, the newest first, as far as the time allows.

    Args:
        settings: Where transcripts are, and what is kept of them.
        query: Anything that a person types.
        find: Searches a store, as ``search`` does.
        seconds: About how long to read.
        progress: Show a progress bar on standard error.

    Returns:
        The answer, marked as a cold scan; its notice says how far the scan came and how to build the index.

    Raises:
        NotFoundError: there are no transcripts in the known folders.
        RedactionError: the detector cannot be loaded; nothing is read without it.
        UsageError: as for ``search``.
    """
    began = time.perf_counter()
    with cold_store(settings, seconds=seconds, progress=progress) as (store, scan), open_reader(store) as reader:
        answer = find(reader, query)
    whole = "all" if scan.read == scan.found else f"{scan.read:,} of {scan.found:,}"
    notice = (
        f"cold scan: there is no index yet; {whole} transcripts were read in {time.perf_counter() - began:.0f} s "
        f"({scan.read_bytes / 1e6:.0f} of {scan.found_bytes / 1e6:.0f} MB) and nothing was kept; "
        "`recall-lab index` builds the index"
    )
    return msgspec.structs.replace(answer, cold=True, notice=f"{notice}; {answer.notice}" if answer.notice else notice)


def _age(found: Found) -> float:
    try:
        return (found.part.file if found.part else found.path).stat().st_mtime
    except OSError:
        return 0.0


def _fitting(found: Sequence[Found], allowed: int) -> list[Found]:
    """The first of them that come to so many bytes together, without those that are too large."""
    fitting: list[Found] = []
    for one in found:
        if one.size <= allowed:
            fitting.append(one)
            allowed -= one.size
    return fitting


def _smallest(found: Sequence[Found], most: int) -> list[Found]:
    """The smallest of them, where it has at most so many bytes."""
    smallest = min(found, key=lambda one: one.size)
    return [smallest] if smallest.size <= most else []
