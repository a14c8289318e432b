"""UTC in, the user's zone out.

Times are kept as UTC ISO 8601 text with milliseconds and a ``Z``, so that they sort as text. Days belong to an IANA
zone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from recall_lab.errors import TimeError, UsageError
from recall_lab.typed_times import end_of, understand

_EXAMPLES = "try 2026-05-01, 2026-05-01T14:30, yesterday 3pm, last 48h, 2 days ago, last tuesday, jan 5 2pm or 14:30"


def local_zone(environ: Mapping[str, str] | None = None) -> str:
    """Return the IANA name of this machine's zone: TZ, else /etc/localtime, else UTC."""
    env = os.environ if environ is None else environ
    name = env.get("TZ", "").lstrip(":")
    if name and _is_zone(name):
        return name
    target = os.path.realpath("/etc/localtime")
    name = target.partition("zoneinfo/")[2]
    return name if name and _is_zone(name) else "UTC"


def ignored_zone(environ: Mapping[str, str] | None = None) -> str | None:
    """Return what TZ says where that is no zone that can be used, so that ``local_zone`` passes over it."""
    name = (os.environ if environ is None else environ).get("TZ", "").lstrip(":")
    return name if name and not _is_zone(name) else None


def check_zone(name: str) -> str:
    """Return ``name`` if it is an IANA zone.

    Raises:
        UsageError: it is none.
    """
    if not _is_zone(name):
        raise UsageError(f"{name!r} is not a time zone; use an IANA name such as Europe/Berlin")
    return name


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def to_utc(moment: datetime) -> str:
    """Return an aware datetime as UTC ISO 8601 text with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_now() -> str:
    """Return the present moment as UTC ISO 8601 text."""
    return to_utc(datetime.now(UTC))


def normalise_time(text: object) -> str | None:
    """Return a transcript's timestamp (ISO 8601 text, or epoch seconds or milliseconds) as UTC text, or None."""
    try:
        if isinstance(text, str):
            moment = datetime.fromisoformat(text)
            return to_utc(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
        if isinstance(text, int | float) and not isinstance(text, bool):
            return to_utc(datetime.fromtimestamp(text / 1000 if abs(text) > 1e11 else text, UTC))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def from_utc(text: str, zone: str) -> datetime:
    """Return stored UTC text as an aware datetime in the zone."""
    return datetime.fromisoformat(text).astimezone(ZoneInfo(zone))


def show_time(text: str | None, zone: str) -> str:
    """Return stored UTC text as a person in the zone reads it (``2026-05-01 14:30``); empty for None."""
    return from_utc(text, zone).strftime("%Y-%m-%d %H:%M") if text else ""


def parse_time(text: str, zone: str, now: datetime | None = None, *, end: bool = False) -> str:
    """Understand a time that a person typed, in the ways that ``typed_times`` knows.

    Args:
        text: ``2026-05-01``, ``2026-05-01T14:30Z``, ``yesterday 3pm``, ``3pm yesterday``, ``last 48h``,
            ``2 days ago``, ``last tuesday``, ``this morning``, ``jan 5 2pm``, ``1/5 2pm`` (month first), ``jan 2026``,
            ``14:30``, ``now``.
        zone: IANA zone that it is meant in.
        now: The present moment (aware); else the clock's.
        end: For a day, week, month or year without a time, return its end instead of its start.

    Returns:
        UTC ISO 8601 text with milliseconds.

    Raises:
        TimeError: it could not be understood.
    """
    here = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone))
    try:
        moment, span = understand(text, here)
        return to_utc(end_of(moment, span) if end and span else moment)
    except (ValueError, OverflowError):
        raise TimeError(f"{text!r} is not a time that is understood; {_EXAMPLES}") from None
