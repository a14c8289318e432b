"""Deciding what is new: each transcript on the disk against what the store knows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from recall_lab.capture.accounts import decode
from recall_lab.capture.discovery import Found
from recall_lab.capture.files import Opener, Stat, begins_with, head_of, is_there
from recall_lab.capture.reading import Job
from recall_lab.hosts import HOSTS
from recall_lab.model import Source, SourceProblem, SourceState

_RESUMABLE: tuple[SourceState, ...] = ("complete", "partial_record", "backlog", "conflict", "source_missing")


class Plan(msgspec.Struct, frozen=True):
    """What is to be done about one transcript.

    ``move_from`` is the stored path of a transcript that was moved here; ``replaces`` says that something stands under
    this path already, and ``publish`` that a rebuild was read to its end; ``touch`` notes new file times only.
    """

    action: Literal["nothing", "touch", "read", "publish", "problem"]
    job: Job | None = None
    touch: Stat | None = None
    move_from: str | None = None
    replaces: bool = False
    problem: SourceProblem | None = None


class Planner:
    """Holds what the store knows, for one pass of capture."""

    def __init__(
        self,
        known: Mapping[tuple[str, str], Source],
        key: bytes,
        staged: Callable[[str, str], Source | None],
    ) -> None:
        self._known = known
        self._staged = staged
        self._key = key
        self._lost: dict[tuple[str, str], Source] | None = None
        self._opener = Opener()

    def plan(self, found: Found, stored_path: str, *, rebuild: bool, again: bool = False) -> Plan:
        """Decide about one transcript.

        Args:
            found: The transcript.
            stored_path: Its path as the store writes it (redacted).
            rebuild: Read from the start, replacing what stands under the path.
            again: Likewise, but only one that begins with what was captured of it.
        """
        plan = self._plan(found, stored_path, rebuild=rebuild)
        known = self._known.get((found.machine, stored_path))
        goes_on = plan.action in {"nothing", "touch"} or (plan.job is not None and plan.job.known is known)
        if again and known is not None and known.state in _RESUMABLE and goes_on:
            return _read(found, plan.job.stat if plan.job else Stat.of(found.path, found.part), known)
        return plan

    def _plan(self, found: Found, stored_path: str, *, rebuild: bool) -> Plan:
        try:
            stat = Stat.of(found.path, found.part)
            known = self._known.get((found.machine, stored_path))
            if known is None:
                return self._unknown(found, stat)
            if known.state in {"rebuilding", "rebuild_ready"}:
                return self._go_on_rebuilding(found, stat, known)
            if rebuild or known.host != found.host or _moves_to(found.cwd, known):
                return _read(found, stat, known)
            if known.state == "off":
                return Plan("nothing") if stat.same_as(known) else _read(found, stat, known)
            if stat.same_as(known) and known.state in {"complete", "partial_record", "conflict"}:
                return Plan("nothing")
            return self._moved_on(found, stat, known)
        except OSError as error:
            problem = SourceProblem(
                source=stored_path,
                state="not_captured",
                detail=f"cannot be read ({error.strerror})",
                next="check the file's permissions and run `recall-lab index` again",
            )
            return Plan("problem", problem=problem)

    def _go_on_rebuilding(self, found: Found, stat: Stat, known: Source) -> Plan:
        """A rebuild was interrupted: it goes on where it stopped, unless the file changed again."""
        staged = self._staged(known.path, known.machine)
        if staged is None or stat.size < staged.cursor or not self._begins_with(found, staged):
            return _read(found, stat, known)
        if known.state == "rebuild_ready" and stat.size == staged.cursor:
            return Plan("publish")
        return Plan("read", job=_job(found, stat, staged), replaces=True)

    def _moved_on(self, found: Found, stat: Stat, known: Source) -> Plan:
        if stat.size < known.cursor or not self._begins_with(found, known):
            if HOSTS[found.host].rewrites:
                return _read(found, stat, known)
            what = "is shorter than" if stat.size < known.cursor else "differs from"
            problem = SourceProblem(
                source=known.path,
                state="source_changed",
                detail=f"the file {what} what was captured",
                next=f"`recall-lab index {known.path} --rebuild` takes the new content; the old one stays readable",
            )
            return Plan("problem", problem=problem)
        if stat.size == known.cursor and known.state in {"complete", "partial_record", "conflict"}:
            return Plan("touch", touch=stat)
        return Plan("read", job=_job(found, stat, known))

    def _begins_with(self, found: Found, source: Source) -> bool:
        return begins_with(found.path, source, self._key, found.part, self._opener)

    def _unknown(self, found: Found, stat: Stat) -> Plan:
        """A file under a new path: perhaps one that was moved."""
        for lost in self._candidates(found, stat):
            if self._begins_with(found, lost):
                return Plan("read", job=_job(found, stat, lost), move_from=lost.path)
        return _read(found, stat)

    def _candidates(self, found: Found, stat: Stat) -> Iterable[Source]:
        if self._lost is None:
            self._lost = {
                key: source
                for key, source in self._known.items()
                if source.state in _RESUMABLE and source.cursor > 0 and not is_there(source.path)
            }
        if not self._lost:
            return
        head = head_of(found.path, self._key, found.part, self._opener)
        for (machine, path), source in self._lost.items():
            same_name = _last_name(path) == _last_name(found.path.name)
            if machine != found.machine or source.host != found.host or source.cursor > stat.size:
                continue
            if same_name or (source.head_hash == head and source.cursor >= 4096):
                yield source


def _last_name(path: str) -> str:
    """Return the name of a file, or of a conversation in one."""
    return Path(path).name.rpartition("#")[2]


def _job(found: Found, stat: Stat, known: Source | None = None, cwd: str | None = None) -> Job:
    return Job(found.path, found.host, found.machine, stat, known, found.part, found.cwd or cwd)


def _read(found: Found, stat: Stat, replaced: Source | None = None) -> Plan:
    """Read from the start; a folder that a person gave to what is replaced stays."""
    session = decode(replaced.parser_state).session if replaced else None
    given = session.cwd if session and HOSTS[found.host].rewrites else None
    return Plan("read", job=_job(found, stat, cwd=given), replaces=replaced is not None)


def _moves_to(cwd: str | None, known: Source) -> bool:
    """Say whether a person gives a source another folder than it has."""
    session = decode(known.parser_state).session if cwd else None
    return session is not None and session.cwd != cwd
