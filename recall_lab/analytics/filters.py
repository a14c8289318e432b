"""What usage and coverage are narrowed by: the one list of it, and how what was typed becomes bound values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypedDict

from recall_lab.errors import UsageError
from recall_lab.times import check_zone, local_zone, parse_time


class UsageFilters(TypedDict, total=False):
    """Filters of usage. What is left out, or None, keeps all.

    ``host``, ``repo`` and ``model`` are names; "(no repository)" and the like, as reports call what has none, keep just
    that. ``since`` and ``until`` are times as people type them; an ``until`` that is a day includes it.
    """

    since: str | None
    until: str | None
    host: str | None
    repo: str | None
    model: str | None


class CoverageFilters(UsageFilters, total=False):
    """Filters of coverage: those of usage, for the sources and by when they were last written, and ``state``."""

    state: str | None


USAGE_FILTERS = ("since", "until", "host", "repo", "model")
COVERAGE_FILTERS = (*USAGE_FILTERS, "state")


def check_filters(what: str, given: Iterable[str], known: tuple[str, ...]) -> None:
    """See that all filters are known ones.

    Raises:
        UsageError: one is not; the message names those that are.
    """
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise UsageError(f"{what} has no filter {unknown[0]!r}; it has {', '.join(known)}")


def bound(
    what: str, given: Mapping[str, object], known: tuple[str, ...], zone: str | None, now: datetime | None = None
) -> tuple[dict[str, str | None], str]:
    """Return the values to bind, one for each known filter, and the zone that times are meant in.

    Args:
        what: What is narrowed, for an error.
        given: Filters as they were given.
        known: Those that there are.
        zone: IANA zone; this machine's when None.
        now: The present moment, for relative times.

    Raises:
        UsageError: there is no such filter or zone.
        TimeError: a time cannot be understood.
    """
    check_filters(what, given, known)
    here = check_zone(zone) if zone else local_zone()
    values: dict[str, str | None] = {name: str(given[name]) if given.get(name) else None for name in known}
    for name in ("since", "until"):
        if typed := values[name]:
            values[name] = parse_time(typed, here, now, end=name == "until").removesuffix("Z")
    return values, here
