"""UTC in, the user's zone out; and the times that people type.

Times are kept as UTC ISO 8601 text with milliseconds and a ``Z``, so that they sort as text. Days belong to an IANA
zone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from recall_lab.errors import TimeError, UsageError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = {"m": "minutes", "min": "minutes", "minute": "minutes", "h": "hours", "hr": "hours", "hour": "hours"}
_UNITS |= {"d": "days", "day": "days", "w": "weeks", "wk": "weeks", "week": "weeks"}
_UNITS |= {"mo": "months", "month": "months", "y": "years", "yr": "years", "year": "years"}
_EXAMPLES = "try 2026-05-01, 2026-05-01T14:30, yesterday 3pm, last 48h, 2 days ago, last tuesday, jan 5 2pm or 14:30"

_AGO = re.compile(r"(?:last\s+|past\s+)?(\d{1,6})\s*([a-z]+?)s?(?:\s+ago)?")
_CLOCK = re.compile(r"(?:at\s+)?(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(am|pm)?")
_ISO = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?")
_SLASH = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}))?")
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?")


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
    """Understand a time that a person typed.

    Args:
        text: ``2026-05-01``, ``2026-05-01T14:30Z``, ``yesterday 3pm``, ``last 48h``, ``2 days ago``, ``last tuesday``,
            ``jan 5 2pm``, ``1/5 2pm`` (month first), ``14:30``, ``now``.
        zone: IANA zone that it is meant in.
        now: The present moment (aware); else the clock's.
        end: For a day without a time, return its end instead of its start.

    Returns:
        UTC ISO 8601 text with milliseconds.

    Raises:
        TimeError: it could not be understood.
    """
    here = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone))
    cleaned = " ".join(text.lower().replace(",", " ").split())
    try:
        moment, whole_day = _understand(cleaned, here)
        if end and whole_day:
            moment += timedelta(days=1)
        return to_utc(moment)
    except (ValueError, OverflowError):
        raise TimeError(f"{text!r} is not a time that is understood; {_EXAMPLES}") from None


def _understand(text: str, here: datetime) -> tuple[datetime, bool]:
    if not text:
        raise ValueError(text)
    if text == "now":
        return here, False
    if _ISO.match(text):
        return _iso(text, here)
    if (match := _AGO.fullmatch(text)) and match[2] in _UNITS and text != match[1]:
        return _ago(int(match[1]), _UNITS[match[2]], here), False
    day, rest = _day(text, here)
    if not rest:
        return day, True
    return _at(day, rest), False


def _iso(text: str, here: datetime) -> tuple[datetime, bool]:
    match = _ISO.match(text)
    assert match
    parts = [int(part) for part in match[0].split("-")]
    day = here.replace(year=parts[0], month=parts[1], day=parts[2] if len(parts) > 2 else 1, hour=0, minute=0)
    day = day.replace(second=0, microsecond=0, fold=0)
    rest = text[match.end() :].lstrip("t ")
    if not rest:
        return day, len(parts) > 2
    try:
        clock = datetime.fromisoformat(f"{day:%Y-%m-%d}T{rest.upper()}")
    except ValueError:
        return _at(day, rest), False
    return (clock if clock.tzinfo else clock.replace(tzinfo=here.tzinfo)), False


def _ago(count: int, unit: str, here: datetime) -> datetime:
    if unit == "months":
        return here - timedelta(days=30 * count)
    if unit == "years":
        return here - timedelta(days=365 * count)
    return (here.astimezone(UTC) - timedelta(**{unit: count})).astimezone(here.tzinfo)


def _day(text: str, here: datetime) -> tuple[datetime, str]:
    """Return the start of the day that the text begins (or ends) with, and what is left: a time of day."""
    today = here.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    first, _, rest = text.partition(" ")
    if first in {"today", "yesterday"}:
        return today - timedelta(days=first == "yesterday"), rest
    if first == "last" and rest.partition(" ")[0] in {"week", "month", "year"}:
        unit, _, rest = rest.partition(" ")
        return _ago(1, f"{unit}s", today), rest
    weekday, _, after = (rest if first in {"last", "on", "this"} else text).partition(" ")
    if weekday[:3] in _DAYS and weekday.isalpha():
        back = (today.weekday() - _DAYS.index(weekday[:3])) % 7
        return today - timedelta(days=back or (7 if first == "last" else 0)), after
    if match := _SLASH.match(text):
        return _recent(today, int(match[1]), int(match[2]), match[3]), text[match.end() :].strip()
    if (match := _MONTH_DAY.match(text)) and match[1][:3] in _MONTHS:
        return _recent(today, _MONTHS.index(match[1][:3]) + 1, int(match[2]), match[3]), text[match.end() :].strip()
    if (match := _DAY_MONTH.match(text)) and match[2][:3] in _MONTHS:
        return _recent(today, _MONTHS.index(match[2][:3]) + 1, int(match[1]), match[3]), text[match.end() :].strip()
    return today, text


def _recent(today: datetime, month: int, day: int, year: str | None) -> datetime:
    """Without a year, the latest such day that is not in the future."""
    if year:
        return today.replace(year=int(year), month=month, day=day)
    found = today.replace(month=month, day=day)
    return found if found <= today else found.replace(year=found.year - 1)


def _at(day: datetime, text: str) -> datetime:
    if text in {"noon", "midnight"}:
        return day.replace(hour=12 if text == "noon" else 0)
    match = _CLOCK.fullmatch(text.strip())
    if not match or (match[2] is None and match[4] is None):
        raise ValueError(text)
    hour = int(match[1])
    if match[4]:
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + (12 if match[4] == "pm" else 0)
    return day.replace(hour=hour, minute=int(match[2] or 0), second=int(match[3] or 0))
