"""The days and months that a query names, as spans of time; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from recall_lab.typed_times import end_of, understand

_MARGIN: Final = timedelta(days=1)  # a day is told in some zone, and spoken of the day before and after

_YEAR = r"(?:19|20)\d\d"
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NAMED: Final = (
    rf"(?<![\w.:/-])(?:{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?|{_MONTH}\.? {_DAY}(?:,? {_YEAR})?|{_MONTH},? {_YEAR}|"
    rf"{_YEAR}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.{_YEAR})(?![\w/:-]|\.\d)"
)


def named_dates(text: str) -> tuple[str, ...]:
    """Find the days and months that a text names: ``3 June``, ``June 3rd, 2026``, ``May 2026``, ``2026-06-03``."""
    if not any(map(str.isdigit, text)):
        return ()
    # The cache of ``re`` keeps the pattern; most queries need none.
    return tuple(re.findall(_NAMED, " ".join(text.split()), re.IGNORECASE))


def spans_of(dates: Sequence[str], now: datetime) -> tuple[tuple[float, float], ...]:
    """When days and months are.

    Args:
        dates: As ``named_dates`` finds them; those that no calendar has are left out.
        now: The present moment; a day without a year is the latest that is not after it.

    Returns:
        Of each its beginning and end in milliseconds since 1970, UTC; a day has another day on both sides.
    """
    found: list[tuple[float, float]] = []
    for named in dates:
        with suppress(ValueError, OverflowError):
            start, span = understand(named, now)
            if span is not None:
                margin = _MARGIN if span == "day" else timedelta()
                bounds = (start - margin, end_of(start, span) + margin)
                found.append((1000 * bounds[0].timestamp(), 1000 * bounds[1].timestamp()))
    return tuple(found)
