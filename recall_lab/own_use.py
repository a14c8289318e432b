"""How often recall_lab itself was used: from the store, and from the log that the next capture folds in."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import msgspec

from recall_lab.activity import Activity
from recall_lab.errors import NoStoreError, UsageError
from recall_lab.model import Record
from recall_lab.settings import Settings
from recall_lab.times import from_utc, parse_time

GROUPS = ("command", "month", "repo")
_WENT_WELL = (0, 1, 130)  # done, the answer is no, interrupted


class UseRow(Record, frozen=True):
    """Uses of one command, in one month, or in one repository; ``first`` and ``last`` are UTC."""

    key: str | None
    uses: int
    failed: int
    seconds: float
    first: str
    last: str


class OwnUse(Record, frozen=True):
    """Counts of own use; ``noted`` says whether it is being noted at all, ``zone`` is the one of months."""

    by: str
    rows: tuple[UseRow, ...]
    total: int
    noted: bool
    zone: str


class _Use(NamedTuple):
    """One use, as the store and the log have it."""

    at: str
    command: str
    repo: str | None
    seconds: float
    exit_code: int


def own_use(settings: Settings, by: str = "command", *, since: str | None = None) -> OwnUse:
    """Count how often recall_lab was used.

    Args:
        settings: Where store and log are.
        by: ``command``, ``month`` or ``repo``.
        since: A time as people type it; only from then on.

    Raises:
        UsageError: there is no such grouping.
        TimeError: the time cannot be understood.
    """
    if by not in GROUPS:
        raise UsageError(f"there is no grouping {by!r}; use {', '.join(GROUPS)}")
    start = parse_time(since, settings.zone) if since else ""
    groups: dict[str | None, list[_Use]] = {}
    uses = [use for use in (*_stored(settings), *_waiting(settings)) if use.at >= start]
    for use in uses:
        groups.setdefault(_key(use, by, settings.zone), []).append(use)
    found = [_row(key, group) for key, group in groups.items()]
    order = (lambda row: row.key or "") if by == "month" else (lambda row: (-row.uses, row.key or ""))
    return OwnUse(
        by=by,
        rows=tuple(sorted(found, key=order)),
        total=len(uses),
        noted=settings.activity,
        zone=settings.zone,
    )


def _key(use: _Use, by: str, zone: str) -> str | None:
    if by == "month":
        return from_utc(use.at, zone).strftime("%Y-%m")
    return use.command if by == "command" else use.repo


def _row(key: str | None, uses: list[_Use]) -> UseRow:
    return UseRow(
        key=key,
        uses=len(uses),
        failed=sum(1 for use in uses if use.exit_code not in _WENT_WELL),
        seconds=round(sum(use.seconds for use in uses), 3),
        first=min(use.at for use in uses),
        last=max(use.at for use in uses),
    )


def _stored(settings: Settings) -> list[_Use]:
    from recall_lab.store import open_reader
    from recall_lab.store.status import activity_rows

    try:
        with open_reader(settings.store) as reader:
            return [_Use(*row) for row in activity_rows(reader)]
    except NoStoreError:
        return []


def _waiting(settings: Settings) -> list[_Use]:
    """What stands in the log; a line that cannot be read is left out."""
    found = []
    for path in (settings.activity_log.with_suffix(".folding"), settings.activity_log):
        with suppress(OSError):
            for line in path.read_bytes().splitlines():
                with suppress(msgspec.DecodeError):
                    found.append(_Use(*msgspec.structs.astuple(msgspec.json.decode(line, type=Activity))))
    return found
