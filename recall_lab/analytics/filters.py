"""What usage and coverage are narrowed by: how what was typed becomes bound values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from recall_lab.errors import UsageError
from recall_lab.model import CoverageFilters, UsageFilters
from recall_lab.times import check_zone, local_zone, parse_time

USAGE_FILTERS = tuple(UsageFilters.__annotations__)
COVERAGE_FILTERS = tuple(CoverageFilters.__annotations__)


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
