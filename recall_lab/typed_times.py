"""The times that people type: words in, a moment out; pure.

A time of day stands before or after its day. A day without a year is the latest that is not in the future. Hours that
go back are hours that went by; days, weeks, months and years keep the time of day. Where clocks are put forward, a time
that there is not counts from before the change; where they are put back, the first of two is meant.
"""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import suppress
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Literal

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {"an": 1, "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_UNITS = {"s": "seconds", "sec": "seconds", "second": "seconds", "m": "minutes", "min": "minutes", "minute": "minutes"}
_UNITS |= {"h": "hours", "hr": "hours", "hour": "hours", "d": "days", "day": "days", "w": "weeks", "wk": "weeks"}
_UNITS |= {"week": "weeks", "mo": "months", "month": "months", "y": "years", "yr": "years", "year": "years"}
_ELAPSED = frozenset({"seconds", "minutes", "hours"})
_HOURS = {"noon": 12, "midnight": 0, "morning": 6, "afternoon": 12, "evening": 18, "night": 21}

_SPOKEN = (
    (re.compile(r"\b([ap])\.m\b\.?"), r"\1m"),
    (re.compile(r"\bhalf an hour\b"), "30 minutes"),
    (re.compile(r"\btonight\b"), "today night"),
    (re.compile(r"\bthis (morning|afternoon|evening|night)\b"), r"today \1"),
    (re.compile(r"\blast (evening|night)\b"), r"yesterday \1"),
    (re.compile(r"\b(?:at|on|the|of)\b"), " "),
)
_AGO = re.compile(rf"(?:(?:last|past) )?(\d{{1,6}}|{'|'.join(_NUMBERS)}) ?([a-z]+?)s?(?: ago)?(?: (?P<rest>.*))?")
_LAST = re.compile(r"(?:last|past) ([a-z]+)")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(?::(\d{2}))? ?(am|pm)?(?= |$)")
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?!\d)")
_YEAR = r"((?:19|20)\d{2})"
_SLASH = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?= |$)")
_DOTTED = re.compile(rf"(\d{{1,2}})\.(\d{{1,2}})\.{_YEAR}(?= |$)")
_MONTH_DAY = re.compile(rf"([a-z]{{3,9}})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?: {_YEAR})?(?= |$)")
_DAY_MONTH = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th|\.)? ([a-z]{{3,9}})\.?(?: {_YEAR})?(?= |$)")
_MONTH = re.compile(rf"([a-z]{{3,9}})\.?(?: {_YEAR})?")
_FROM_NOW = re.compile(r"\b(?:now|today|yesterday|tomorrow|ago|last|past|this|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b")

Span = Literal["day", "week", "month", "year"]


def understand(text: str, here: datetime) -> tuple[datetime, Span | None]:
    """Return the moment that was typed, and what was named by it where that is longer than a moment.

    Args:
        text: As a person typed it.
        here: The present moment in the zone that is meant.

    Raises:
        ValueError, OverflowError: it could not be understood, or there is no such time.
    """
    spoken = _spoken(text)
    if not spoken:
        raise ValueError(text)
    if spoken == "now":
        return here, None
    if counted := _counted(spoken):
        return _ago(*counted, here), None
    today = here.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if match := _ISO.match(spoken):
        return _iso(match, spoken[match.end() :], today)
    if named := _named(spoken, today):
        day, span, rest = named
        return (_at(day, rest), None) if rest and span == "day" else (_whole(day, rest), span)
    match = _CLOCK.match(spoken)
    clock = match[0] if match else spoken.partition(" ")[0]
    rest = spoken[len(clock) :].strip()
    if not rest:
        return _at(today, clock), None
    before = _named(rest, today)
    if before is None or before[1] != "day" or before[2]:
        raise ValueError(text)
    return _at(before[0], clock), None


def end_of(start: datetime, span: Span) -> datetime:
    """The end of what begins then."""
    if span in {"day", "week"}:
        return start + timedelta(days=1 if span == "day" else 7)
    return _months(start, 1 if span == "month" else 12)


def counts_from_now(text: str) -> bool:
    """Say whether a typed time is told from the present moment."""
    spoken = _spoken(text)
    return _FROM_NOW.search(spoken) is not None or _counted(spoken) is not None


def _spoken(text: str) -> str:
    """The words of a typed time, without those that say nothing."""
    cleaned = text.lower().replace(",", " ")
    for pattern, put in _SPOKEN:
        cleaned = pattern.sub(put, " ".join(cleaned.split()))
    return " ".join(cleaned.split())


def _whole(day: datetime, rest: str) -> datetime:
    if rest:
        raise ValueError(rest)
    return day


def _months(moment: datetime, count: int) -> datetime:
    """So many months later, or earlier; the last day of a month that is shorter."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise OverflowError(year)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _iso(match: re.Match[str], text: str, today: datetime) -> tuple[datetime, Span | None]:
    day = today.replace(year=int(match[1]), month=int(match[2]), day=int(match[3] or 1))
    rest = text.lstrip("t ")
    if not rest:
        return day, "day" if match[3] else "month"
    try:
        clock = datetime.fromisoformat(f"{day:%Y-%m-%d}T{rest.upper()}")
    except ValueError:
        return _at(day, rest), None
    return (clock if clock.tzinfo else clock.replace(tzinfo=today.tzinfo)), None


def _counted(text: str) -> tuple[int, str, str] | None:
    """How many of which unit ago, and the time of day that is told beside it."""
    match = _AGO.fullmatch(text)
    if match and match[2] in _UNITS:
        return int(_NUMBERS.get(match[1], match[1])), _UNITS[match[2]], match["rest"] or ""
    match = _LAST.fullmatch(text)
    unit = _UNITS.get(match[1]) if match else None
    return (1, unit, "") if unit in _ELAPSED else None


def _ago(count: int, unit: str, rest: str, here: datetime) -> datetime:
    if unit in _ELAPSED:
        if rest:
            raise ValueError(rest)
        return (here.astimezone(UTC) - timedelta(**{unit: count})).astimezone(here.tzinfo)
    day = _back(here.replace(fold=0), count, unit)
    return _at(day.replace(second=0, microsecond=0), rest) if rest else day


def _back(moment: datetime, count: int, unit: str) -> datetime:
    """So many days, weeks, months or years earlier, at the same time of day."""
    if unit in {"days", "weeks"}:
        return moment - timedelta(**{unit: count})
    return _months(moment, -count * (12 if unit == "years" else 1))


def _named(text: str, today: datetime) -> tuple[datetime, Span, str] | None:
    """The start of the day, week, month or year that the text begins with, which it is, and what is left."""
    first, _, rest = text.partition(" ")
    if first in {"today", "yesterday", "tomorrow"}:
        return today + timedelta(days=("yesterday", "today", "tomorrow").index(first) - 1), "day", rest
    if text.startswith("day before yesterday"):
        return today - timedelta(days=2), "day", text[len("day before yesterday") :].strip()
    if first in {"last", "past", "this"}:
        second, _, after = rest.partition(" ")
        if second in {"day", "week", "month", "year"}:
            return (*_this(second, today), after) if first == "this" else (_back(today, 1, f"{second}s"), "day", after)
        return _weekday(rest, today, last=first == "last")
    return _weekday(text, today, last=False) or _dated(text, today)


def _this(unit: str, today: datetime) -> tuple[datetime, Span]:
    if unit == "day":
        return today, "day"
    if unit == "week":
        return today - timedelta(days=today.weekday()), "week"
    return (today.replace(day=1), "month") if unit == "month" else (today.replace(month=1, day=1), "year")


def _weekday(text: str, today: datetime, *, last: bool) -> tuple[datetime, Span, str] | None:
    first, _, rest = text.partition(" ")
    number = _place(first, _DAYS)
    if number is None:
        return None
    back = (today.weekday() - number) % 7
    return today - timedelta(days=back or (7 if last else 0)), "day", rest


def _dated(text: str, today: datetime) -> tuple[datetime, Span, str] | None:
    if match := _SLASH.match(text):
        month, day = int(match[1]), int(match[2])
        if month > 12:  # there is one way to read it
            month, day = day, month
        year = f"20{match[3]}" if match[3] and len(match[3]) == 2 else match[3]
        return _recent(today, month, day, year), "day", text[match.end() :].strip()
    if match := _DOTTED.match(text):
        return _recent(today, int(match[2]), int(match[1]), match[3]), "day", text[match.end() :].strip()
    for pattern, month_at, day_at in ((_MONTH_DAY, 1, 2), (_DAY_MONTH, 2, 1)):
        match = pattern.match(text)
        number = _place(match[month_at], _MONTHS) if match else None
        if match and number is not None:
            return _recent(today, number + 1, int(match[day_at]), match[3]), "day", text[match.end() :].strip()
    if re.fullmatch(_YEAR, text):
        return today.replace(year=int(text), month=1, day=1), "year", ""
    match = _MONTH.fullmatch(text)
    number = _place(match[1], _MONTHS) if match else None
    return (_recent(today, number + 1, 1, match[2]), "month", "") if match and number is not None else None


def _place(word: str, names: tuple[str, ...]) -> int | None:
    """Which name a word of three letters or more is the beginning of."""
    return next((at for at, name in enumerate(names) if len(word) >= 3 and name.startswith(word)), None)


def _recent(today: datetime, month: int, day: int, year: str | None) -> datetime:
    """Without a year, the latest such day that is not in the future."""
    if year:
        return today.replace(year=int(year), month=month, day=day)
    for back in range(9):  # the longest that 29 February stays away
        with suppress(ValueError):
            found = today.replace(year=today.year - back, month=month, day=day)
            if found <= today:
                return found
    raise ValueError(month, day)


def _at(day: datetime, text: str) -> datetime:
    if text in _HOURS:
        return day.replace(hour=_HOURS[text], minute=0)
    match = _CLOCK.fullmatch(text)
    if not match or (match[2] is None and match[4] is None):
        raise ValueError(text)
    hour = int(match[1])
    if match[4]:
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + (12 if match[4] == "pm" else 0)
    return day.replace(hour=hour, minute=int(match[2] or 0), second=int(match[3] or 0))
