"""Capture: find, plan, read, write; one transcript after the other, each safe to interrupt."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from tqdm.auto import tqdm

from recall_lab.activity import fold_activity
from recall_lab.capture.accounts import decode
from recall_lab.capture.agents import Key, agents_with_files, told_before
from recall_lab.capture.captured import CapturedBefore
from recall_lab.capture.discovery import LOCAL, Discovery, Found, discover
from recall_lab.capture.files import is_there, path_text
from recall_lab.capture.pipeline import Context, Failed, Ready, outcomes
from recall_lab.capture.planning import Plan, Planner
from recall_lab.capture.preparing import RedactsTexts
from recall_lab.capture.privacy import may_hold_secret
from recall_lab.capture.reading import Reading
from recall_lab.capture.rules import open_rules
from recall_lab.hosts import HOSTS
from recall_lab.model import Applied, IndexReport, SourceProblem
from recall_lab.settings import Settings
from recall_lab.store import Writer, open_writer
from recall_lab.store.packing import pack
from recall_lab.store.status import known_sources

_TOGETHER = 64  # sources of one batch each that are written in one transaction
_TOGETHER_BYTES = 4 << 20


def index(
    settings: Settings,
    paths: Iterable[Path] = (),
    *,
    host: str | None = None,
    rebuild: bool = False,
    progress: bool = False,
    discovery: Discovery | None = None,
    conversations: Collection[str] = (),
    cwd: Path | None = None,
) -> IndexReport:
    """Capture what is new.

    Args:
        settings: Where store and transcripts are, and what is kept.
        paths: Files or folders; the known folders of all hosts when there are none.
        host: The host of files that are not recognised.
        rebuild: Read the sources from the start and replace what was captured of them.
        progress: Show a progress bar on standard error.
        discovery: The result of ``discover``, when it was called before.
        conversations: Of the exports among the paths, these alone, by their ids.
        cwd: The folder that the named transcripts belong to, where they log none.

    Raises:
        SourceError: a named path is not there, or is not a transcript.
        NotFoundError: a conversation is in none of the paths.
        RedactionError: the detector cannot be loaded; nothing was captured.
        StoreError: the store cannot be written; earlier batches are kept.
    """
    started = time.perf_counter()
    named = list(paths)
    captured = CapturedBefore(settings.store)
    seen = discovery or discover(settings, named, host, conversations=conversations, cwd=cwd, captured=captured)
    with open_writer(settings.store) as writer:
        run = _Capture(settings, writer, rebuild=rebuild)
        try:
            run.capture(seen, progress=progress)
            if not named:
                run.mark_missing(seen)
            fold_activity(settings, writer.add_activity)
        finally:
            writer.checkpoint()
    pack(settings.store)
    return run.report(len(seen.found), seconds=time.perf_counter() - started)


class _Capture:
    """One call of ``index``: the writer, what it knew at the start, and the running counts."""

    def __init__(self, settings: Settings, writer: Writer, *, rebuild: bool) -> None:
        self._settings = settings
        self._writer = writer
        self._rebuild = rebuild
        self._known = known_sources(writer)
        self._planner = Planner(self._known, writer.hash_key, writer.staged_source)
        self._paths_redacted = any("[REDACTED:" in path for _, path in self._known)
        self._again: Collection[Key] = ()  # sources to read once more from their start
        self._redactor: RedactsTexts | None = None
        self._small: list[Reading] = []
        self.rules_seconds = 0.0
        self._changed = self._records = self._bytes = self._added = self._altered = 0
        self._problems: list[SourceProblem] = []

    def capture(self, seen: Discovery, *, progress: bool) -> None:
        """Read every transcript that has something new."""
        for path in seen.unrecognised:
            self._problems.append(_unrecognised(self._shown(path)))
        plans = [plan for found in self._to_look_at(seen) if (plan := self._carry_out(found)) is not None]
        jobs = [plan.job for plan in plans if plan.job]
        context = Context(
            rules_cache=self._settings.cache / "rules",
            tool_results=self._settings.tool_results,
            tool_result_cap=self._settings.tool_result_cap,
            private=self._settings.private,
            agents=agents_with_files(seen.found, self._known.values()),
            hash_key=self._writer.hash_key,
            rules=self._settings.redaction_rules,
            allow=self._settings.redaction_allow,
            mask_contacts=self._settings.mask_contacts,
        )
        total = sum(job.stat.size - (job.known.cursor if job.known else 0) for job in jobs)
        self._changed += len(jobs)
        # A generator is closed on any way out, so that the reading process ends with this one's work.
        with closing(outcomes(jobs, context)) as read, _progress_bar(total, show=progress and total > 0) as bar:
            for outcome in read:
                if isinstance(outcome, Ready):
                    self.rules_seconds = max(self.rules_seconds, outcome.rules_seconds)
                elif isinstance(outcome, Failed):
                    self._problems.append(_unreadable(self._shown(jobs[outcome.job].path), outcome.why))
                else:
                    self._take(plans[outcome.job], outcome.reading)
                    bar.update(outcome.reading.bytes)
            self._write_small()

    def _to_look_at(self, seen: Discovery) -> list[Found]:
        """Return what was found, and the sources that told of an agent whose own transcript is among it."""
        self._again = again = told_before(self._writer, seen.found, self._known)
        here = {found.path for found in seen.found} if again else set()
        others = (
            Found(Path(source.path), source.host, source.machine, source.size)
            for source in again.values()
            if Path(source.path) not in here and is_there(source.path)
        )
        return [*seen.found, *others]

    def _carry_out(self, found: Found) -> Plan | None:
        """Do what needs no reading; return the plan when there is something to read."""
        stored = self._stored_path(found.path)
        again = (found.machine, stored) in self._again
        plan = self._planner.plan(found, stored, rebuild=self._rebuild, again=again)
        if plan.problem:
            self._problems.append(plan.problem)
            if plan.problem.state == "source_changed":
                self._writer.set_source_state(stored, "source_changed", plan.problem.detail, found.machine)
        elif plan.touch:
            self._writer.touch_source(stored, plan.touch.size, plan.touch.mtime_ns, plan.touch.ctime_ns, found.machine)
        elif plan.action == "publish":
            applied = self._writer.publish(stored, found.machine)
            self._added += applied.blocks_added
            self._altered += applied.blocks_changed
            self._changed += 1
        return plan if plan.job else None

    def _stored_path(self, path: Path) -> str:
        """Return the path as the store writes it: redacted, where one of its paths was."""
        text = path_text(path)
        return self._redacted(text) if self._paths_redacted else text

    def _shown(self, path: Path) -> str:
        """Return the path as a problem may show it; the rules are loaded only for one that might hold a secret."""
        text = path_text(path)
        return self._redacted(text) if may_hold_secret(text) else text

    def _redacted(self, text: str) -> str:
        if self._redactor is None:
            self._redactor = open_rules(self._settings)
        return self._redactor.redact([text])[0].text

    def _take(self, plan: Plan, reading: Reading) -> None:
        """Write a batch; those of a replacement wait for the last and are published in one transaction."""
        if plan.replaces:
            self._replace(reading)
            return
        if plan.move_from:
            self._writer.move_source(plan.move_from, reading.batch.source.path, reading.batch.source.machine)
        if reading.last and reading.batch.anew:
            self._small.append(reading)
            if sum(small.bytes for small in self._small) < _TOGETHER_BYTES and len(self._small) < _TOGETHER:
                return
            self._write_small()
        else:
            self._count(reading, self._writer.apply(reading.batch))

    def _write_small(self) -> None:
        """Write the sources that each fit one batch, in one transaction."""
        readings, self._small = self._small, []
        for reading, applied in zip(readings, self._writer.apply_all(r.batch for r in readings), strict=True):
            self._count(reading, applied)

    def _replace(self, reading: Reading) -> None:
        """Publish a replacement at once when it fits one batch; else keep its batches aside until the last has come."""
        batch = reading.batch
        path, machine = batch.source.path, batch.source.machine
        if problem := self._no_successor(reading):
            self._writer.set_source_state(path, problem.state, problem.detail, machine)
            self._problems.append(problem)
            return
        if batch.anew:
            self._writer.drop_staged(path, machine)
            if reading.last:
                self._count(reading, self._writer.apply(batch))
                return
        self._writer.stage(batch, ready=reading.last)
        self._count(reading, self._writer.publish(path, machine) if reading.last else Applied())

    def _no_successor(self, reading: Reading) -> SourceProblem | None:
        """Say why a document that was written anew does not take the place of what was captured of it.

        It is half written or empty, or it is another conversation: then what is kept of the first would be lost.
        """
        source, session = reading.batch.source, reading.batch.session
        known = self._known.get((source.machine, source.path))
        if self._rebuild or known is None or known.host != source.host or not HOSTS[source.host].rewrites:
            return None
        before = decode(known.parser_state).session
        unfinished = source.state == "partial_record" and known.state != "partial_record"
        if unfinished or (session is None and before is not None):
            return SourceProblem(
                source=source.path,
                state="backlog",
                detail="the document is half written or empty; what was captured of it before stays",
                next="run `recall-lab index` again when it is",
            )
        if before is not None and session is not None and before.native_id != session.native_id:
            return SourceProblem(
                source=source.path,
                state="source_changed",
                detail="the file holds another conversation than before",
                next=f"`recall-lab index {source.path} --rebuild` takes it; the old one stays readable",
            )
        return None

    def _count(self, reading: Reading, applied: Applied) -> None:
        self._added += applied.blocks_added
        self._altered += applied.blocks_changed
        self._records += reading.records
        self._bytes += reading.bytes
        if applied.conflicts:
            self._problems.append(_conflict(reading.batch.source.path, applied.conflicts))

    def mark_missing(self, seen: Discovery) -> None:
        """Note the transcripts of this machine and its roots that are gone; their text stays searchable."""
        looked_at = {LOCAL, *(root.machine for root in self._settings.roots)}
        here = {(found.machine, self._stored_path(found.path)) for found in seen.found}
        for (machine, path), source in self._known.items():
            if machine not in looked_at or (machine, path) in here:
                continue
            if source.state != "source_missing" and not is_there(path):
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
            rules_seconds=round(self.rules_seconds, 3),
        )


def _progress_bar(total: int, *, show: bool) -> tqdm[NoReturn]:
    return tqdm(
        total=total, unit="B", unit_scale=True, desc="capturing", file=sys.stderr, disable=not show, leave=False
    )


def _unrecognised(path: str) -> SourceProblem:
    return SourceProblem(
        source=path,
        state="not_captured",
        detail="not recognised as a transcript",
        next=f"`recall-lab index {path} --host NAME` captures it, if you know whose it is",
    )


def _unreadable(path: str, why: str) -> SourceProblem:
    return SourceProblem(
        source=path,
        state="backlog",
        detail=f"could not be read to its end ({why})",
        next="run `recall-lab index` again; it goes on where it stopped",
    )


def _conflict(path: str, count: int) -> SourceProblem:
    return SourceProblem(
        source=path,
        state="conflict",
        detail=f"{count} records have the id of another record and a different text; both are kept",
        next="nothing needs to be done; `recall-lab read BLOCK --revision HASH` shows each",
    )
