"""Capture: find, plan, read, write; one transcript after the other, each safe to interrupt."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from tqdm.auto import tqdm

from recall_lab.activity import fold_activity
from recall_lab.capture.discovery import Discovery, Found, discover
from recall_lab.capture.planning import Plan, Planner
from recall_lab.capture.preparing import Preparer
from recall_lab.capture.reading import Job, SourceReader, joined
from recall_lab.errors import RecallLabError
from recall_lab.hosts import HOSTS
from recall_lab.model import IndexReport, SourceProblem
from recall_lab.redaction import open_redactor
from recall_lab.settings import Settings
from recall_lab.store import Writer, open_writer
from recall_lab.store.status import known_sources


def index(
    settings: Settings,
    paths: Iterable[Path] = (),
    *,
    host: str | None = None,
    rebuild: bool = False,
    progress: bool = False,
    discovery: Discovery | None = None,
) -> IndexReport:
    """Capture what is new.

    Args:
        settings: Where store and transcripts are, and what is kept.
        paths: Files or folders; the known folders of all hosts when there are none.
        host: The host of files that are not recognised.
        rebuild: Read the sources from the start and replace what was captured of them.
        progress: Show a progress bar on standard error.
        discovery: The result of ``discover``, when it was called before.

    Raises:
        SourceError: a named path is not there, or is not a transcript.
        RedactionError: the detector cannot be loaded; nothing was captured.
        StoreError: the store cannot be written; earlier batches are kept.
    """
    started = time.perf_counter()
    named = list(paths)
    seen = discovery or discover(settings, named, host)
    with open_writer(settings.store) as writer:
        run = _Capture(settings, writer, rebuild=rebuild)
        try:
            run.capture(seen, progress=progress)
            if not named:
                run.mark_missing(seen)
            fold_activity(settings, writer.add_activity)
        finally:
            writer.checkpoint()
    return run.report(len(seen.found), seconds=time.perf_counter() - started)


class _Capture:
    """One call of ``index``: the writer, what it knew at the start, and the running counts."""

    def __init__(self, settings: Settings, writer: Writer, *, rebuild: bool) -> None:
        self._settings = settings
        self._writer = writer
        self._rebuild = rebuild
        self._known = known_sources(writer)
        self._planner = Planner(self._known, writer.hash_key)
        self._reader: SourceReader | None = None
        self._preparer: Preparer | None = None
        self._changed = self._records = self._bytes = self._added = self._altered = 0
        self._problems: list[SourceProblem] = []
        self._agents: frozenset[str] = frozenset()

    def capture(self, seen: Discovery, *, progress: bool) -> None:
        """Read every transcript that has something new."""
        self._agents = frozenset(
            agent for found in seen.found if (agent := HOSTS[found.host].agent_id(found.path)) is not None
        )
        for path in seen.unrecognised:
            self._problems.append(_unrecognised(path))
        plans = [(found, self._plan(found)) for found in seen.found]
        total = sum(
            plan.job.stat.size - (plan.job.known.cursor if plan.job.known else 0) for _, plan in plans if plan.job
        )
        with _progress_bar(total, show=progress and total > 0) as bar:
            for found, plan in plans:
                self._carry_out(found, plan, bar)

    def _plan(self, found: Found) -> Plan:
        return self._planner.plan(found, self._stored_path(found.path), rebuild=self._rebuild)

    def _stored_path(self, path: Path) -> str:
        text = str(path)
        return text if ("local", text) in self._known else self._prepare().small(text)

    def _prepare(self) -> Preparer:
        """Load the rules when the first text comes, not before: a pass that finds nothing new needs none."""
        if self._preparer is None:
            settings = self._settings
            redactor = open_redactor(settings.cache / "rules")
            self._preparer = Preparer(redactor, settings.tool_results, settings.tool_result_cap)
        return self._preparer

    def _carry_out(self, found: Found, plan: Plan, bar: tqdm[NoReturn]) -> None:
        if plan.problem:
            self._problems.append(plan.problem)
            if plan.problem.state == "source_changed":
                self._writer.set_source_state(plan.problem.source, "source_changed", plan.problem.detail, found.machine)
        elif plan.touch:
            stored = self._stored_path(found.path)
            self._writer.touch_source(stored, plan.touch.size, plan.touch.mtime_ns, plan.touch.ctime_ns, found.machine)
        elif plan.job:
            if plan.move_from:
                self._writer.move_source(plan.move_from, self._stored_path(found.path), found.machine)
            self._read(plan.job, bar)

    def _read(self, job: Job, bar: tqdm[NoReturn]) -> None:
        if self._reader is None:
            self._reader = SourceReader(
                self._prepare(), self._writer.hash_key, agents=self._agents, private=self._settings.private
            )
        replaces = job.known is None and (job.machine, self._stored_path(job.path)) in self._known
        readings = self._reader.read(job)
        if replaces:
            readings = iter([joined(list(readings))])
        try:
            for reading in readings:
                applied = self._writer.apply(reading.batch)
                self._added += applied.blocks_added
                self._altered += applied.blocks_changed
                self._records += reading.records
                self._bytes += reading.bytes
                bar.update(reading.bytes)
                if applied.conflicts:
                    self._problems.append(_conflict(reading.batch.source.path, applied.conflicts))
        except OSError as error:
            if isinstance(error, RecallLabError):
                raise
            self._problems.append(_unreadable(self._stored_path(job.path), error))
        self._changed += 1

    def mark_missing(self, seen: Discovery) -> None:
        """Note the transcripts that are gone; their text stays searchable."""
        here = {(found.machine, self._stored_path(found.path)) for found in seen.found}
        for (machine, path), source in self._known.items():
            if (machine, path) not in here and source.state != "source_missing" and not Path(path).exists():
                self._writer.set_source_state(
                    path, "source_missing", "the transcript is gone; its text is kept", machine
                )

    def report(self, seen: int, seconds: float) -> IndexReport:
        """Say what was done."""
        return IndexReport(
            sources_seen=seen,
            sources_changed=self._changed,
            records=self._records,
            bytes=self._bytes,
            blocks_added=self._added,
            blocks_changed=self._altered,
            seconds=round(seconds, 3),
            problems=tuple(self._problems),
        )


def _progress_bar(total: int, *, show: bool) -> tqdm[NoReturn]:
    return tqdm(
        total=total, unit="B", unit_scale=True, desc="capturing", file=sys.stderr, disable=not show, leave=False
    )


def _unrecognised(path: Path) -> SourceProblem:
    return SourceProblem(
        source=str(path),
        state="not_captured",
        detail="not recognised as a transcript",
        next=f"`recall-lab index {path} --host NAME` captures it, if you know whose it is",
    )


def _unreadable(path: str, error: OSError) -> SourceProblem:
    return SourceProblem(
        source=path,
        state="backlog",
        detail=f"could not be read to its end ({error.strerror})",
        next="run `recall-lab index` again; it goes on where it stopped",
    )


def _conflict(path: str, count: int) -> SourceProblem:
    return SourceProblem(
        source=path,
        state="conflict",
        detail=f"{count} records have the id of another record and a different text; both are kept",
        next="nothing needs to be done; `recall-lab read BLOCK --revision HASH` shows each",
    )
