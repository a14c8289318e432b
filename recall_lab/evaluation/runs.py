"""Evaluations are kept, with date, version and settings, and compared with the last of the same kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from recall_lab._version import __version__
from recall_lab.errors import StoreError
from recall_lab.times import utc_now


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation.

    Attributes:
        at: When it ended, UTC.
        kind: ``retrieval``, ``redaction`` or ``known-items``.
        name: What was measured: the folder's or file's name.
        version: Version of recall_lab.
        settings: What was configured.
        metrics: Measure -> value.
    """

    at: str
    kind: str
    name: str
    version: str
    settings: dict[str, Any]
    metrics: dict[str, float | None]


def runs_file(home: Path) -> Path:
    """Where runs are kept: JSON Lines, 0600."""
    return home / "evaluations.jsonl"


def keep_run(
    home: Path, kind: str, name: str, metrics: dict[str, float | None], settings: dict[str, Any] | None = None
) -> Run:
    """Keep a run.

    Raises:
        StoreError: the file cannot be written.
    """
    run = Run(at=utc_now(), kind=kind, name=name, version=__version__, settings=settings or {}, metrics=metrics)
    path = runs_file(home)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(msgspec.json.encode(run) + b"\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror}); the run was not kept") from error
    return run


def kept_runs(home: Path, kind: str | None = None, name: str | None = None) -> tuple[Run, ...]:
    """Return the runs that were kept, the oldest first; lines that are no runs are passed over."""
    try:
        lines = runs_file(home).read_bytes().split(b"\n")
    except OSError:
        return ()
    found = []
    for line in filter(None, lines):
        try:
            run = msgspec.json.decode(line, type=Run)
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue
        if kind in {None, run.kind} and name in {None, run.name}:
            found.append(run)
    return tuple(found)


def since_last(home: Path, run: Run) -> dict[str, float]:
    """By measure, how much a run differs from the one before it of the same kind and name; empty for the first."""
    before = [one for one in kept_runs(home, run.kind, run.name) if one.at < run.at]
    if not before:
        return {}
    return changes(run, before[-1])


def changes(run: Run, before: Run) -> dict[str, float]:
    """By measure that both have, how much a run differs from an earlier one."""
    return {
        measure: value - old
        for measure, value in run.metrics.items()
        if value is not None and (old := before.metrics.get(measure)) is not None
    }
