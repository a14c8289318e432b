"""Capture that keeps going: file events, and at most one pass a second."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Event

from watchfiles import watch as file_events

from recall_lab.capture.captured import CapturedBefore
from recall_lab.capture.discovery import discover, discover_changed, known_folders
from recall_lab.capture.indexing import index
from recall_lab.errors import NotFoundError, StoreBusyError
from recall_lab.model import IndexReport
from recall_lab.settings import Settings

_PASS_MS = 1000  # the least time between two passes
_SWEEP_SECONDS = 300  # a look at everything now and then: events can be lost, folders can appear
_FILES_A_PASS = 200


def watch(
    settings: Settings,
    paths: Iterable[Path] = (),
    *,
    stop: Event,
    report: Callable[[IndexReport], None],
    progress: bool = False,
) -> None:
    """Capture what is there, then what changes, until ``stop`` is set.

    Args:
        settings: Where store and transcripts are.
        paths: Files or folders to watch; the known folders of all hosts when there are none.
        stop: Set by somebody else to end the watch after the pass that is under way.
        report: Called after each pass that found something.
        progress: Show a progress bar for the first pass.

    Raises:
        NotFoundError: there is nothing to watch.
        StoreError: the store cannot be written.
    """
    named = [Path(path).absolute() for path in paths]
    folders = named or [folder for folder, _ in known_folders(settings)]
    if not folders:
        raise NotFoundError("no transcripts to watch yet; use a coding agent first, or name a folder")
    captured = CapturedBefore(settings.store)
    report(index(settings, named, discovery=discover(settings, named, captured=captured), progress=progress))
    waiting: dict[Path, None] = {}
    swept: float | None = None  # nothing told of what was written during the first pass: all is looked at once more
    events = file_events(
        *folders,
        stop_event=stop,
        debounce=_PASS_MS,
        rust_timeout=_PASS_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    for changes in events:
        for name in sorted(name for _, name in changes):
            waiting.update(dict.fromkeys(_files(Path(name))))
        whole = swept is None or time.monotonic() - swept > _SWEEP_SECONDS
        if not waiting and not whole:
            continue
        taken = list(waiting)[:_FILES_A_PASS]
        captured = CapturedBefore(settings.store)
        seen = discover(settings, named, captured=captured) if whole else discover_changed(settings, taken, captured)
        try:
            done = index(settings, named if whole else taken, discovery=seen) if seen.found else None
        except StoreBusyError:
            continue  # another capture is at work; the files wait for the next pass
        if whole:
            swept = time.monotonic()
        for path in taken:
            del waiting[path]
        if done and (done.sources_changed or done.problems):
            report(done)


def _files(path: Path) -> Iterator[Path]:
    """Yield what an event is about; a new folder may hold files that were written before it was watched."""
    if not path.is_dir():
        yield path
        return
    for base, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            yield Path(base, name)
