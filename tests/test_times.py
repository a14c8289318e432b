"""Times that people type, and the zone that days belong to."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.errors import RecallLabError, TimeError, UsageError
from recall_lab.times import check_zone, local_zone, normalise_time, parse_time, show_time, to_utc

NOW = datetime(2026, 5, 14, 15, 30, tzinfo=UTC)  # a Thursday; 17:30 in Berlin
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("typed", "utc"),
    [
        ("now", "2026-05-14T15:30:00.000Z"),
        ("today", "2026-05-13T22:00:00.000Z"),
        ("yesterday", "2026-05-12T22:00:00.000Z"),
        ("yesterday 3pm", "2026-05-13T13:00:00.000Z"),
        ("2pm", "2026-05-14T12:00:00.000Z"),
        ("12am", "2026-05-13T22:00:00.000Z"),
        ("12:15 pm", "2026-05-14T10:15:00.000Z"),
        ("14:30", "2026-05-14T12:30:00.000Z"),
        ("noon", "2026-05-14T10:00:00.000Z"),
        ("2026-05-01", "2026-04-30T22:00:00.000Z"),
        ("2026-05", "2026-04-30T22:00:00.000Z"),
        ("2026-05-01T14:30", "2026-05-01T12:30:00.000Z"),
        ("2026-05-01 14:30", "2026-05-01T12:30:00.000Z"),
        ("2026-05-01 2pm", "2026-05-01T12:00:00.000Z"),
        ("2026-05-01T14:30:00Z", "2026-05-01T14:30:00.000Z"),
        ("2026-05-01T14:30:00.250+05:00", "2026-05-01T09:30:00.250Z"),
        ("2026-01-15", "2026-01-14T23:00:00.000Z"),
        ("last 48h", "2026-05-12T15:30:00.000Z"),
        ("48h", "2026-05-12T15:30:00.000Z"),
        ("2 days ago", "2026-05-12T15:30:00.000Z"),
        ("30 min ago", "2026-05-14T15:00:00.000Z"),
        ("last week", "2026-05-06T22:00:00.000Z"),
        ("last tuesday", "2026-05-11T22:00:00.000Z"),
        ("tuesday 9:00", "2026-05-12T07:00:00.000Z"),
        ("last thursday", "2026-05-06T22:00:00.000Z"),
        ("thursday", "2026-05-13T22:00:00.000Z"),
        ("jan 5 2pm", "2026-01-05T13:00:00.000Z"),
        ("5 Jan 2026", "2026-01-04T23:00:00.000Z"),
        ("1/5 2pm", "2026-01-05T13:00:00.000Z"),
        ("december 24", "2025-12-23T23:00:00.000Z"),
        ("12/24/2024", "2024-12-23T23:00:00.000Z"),
        ("3pm yesterday", "2026-05-13T13:00:00.000Z"),
        ("at 2:30 p.m. on jan 5", "2026-01-05T13:30:00.000Z"),
        ("14:30 1/5", "2026-01-05T13:30:00.000Z"),
        ("2.30pm", "2026-05-14T12:30:00.000Z"),
        ("14h30", "2026-05-14T12:30:00.000Z"),
        ("yesterday at noon", "2026-05-13T10:00:00.000Z"),
        ("midnight", "2026-05-13T22:00:00.000Z"),
        ("this morning", "2026-05-14T04:00:00.000Z"),
        ("yesterday evening", "2026-05-13T16:00:00.000Z"),
        ("last night", "2026-05-13T19:00:00.000Z"),
        ("the day before yesterday", "2026-05-11T22:00:00.000Z"),
        ("tomorrow", "2026-05-14T22:00:00.000Z"),
        ("January 5th, 2026 2pm", "2026-01-05T13:00:00.000Z"),
        ("5th of January 2pm", "2026-01-05T13:00:00.000Z"),
        ("jan 2026", "2025-12-31T23:00:00.000Z"),
        ("january", "2025-12-31T23:00:00.000Z"),
        ("2026", "2025-12-31T23:00:00.000Z"),
        ("2026/05/01", "2026-04-30T22:00:00.000Z"),
        ("1/5/26", "2026-01-04T23:00:00.000Z"),
        ("13/5", "2026-05-12T22:00:00.000Z"),
        ("05.01.2026 14:30", "2026-01-05T13:30:00.000Z"),
        ("feb 29", "2024-02-28T23:00:00.000Z"),
        ("an hour ago", "2026-05-14T14:30:00.000Z"),
        ("half an hour ago", "2026-05-14T15:00:00.000Z"),
        ("last hour", "2026-05-14T14:30:00.000Z"),
        ("90 seconds ago", "2026-05-14T15:28:30.000Z"),
        ("two days ago", "2026-05-12T15:30:00.000Z"),
        ("3 days ago 2pm", "2026-05-11T12:00:00.000Z"),
        ("a week ago", "2026-05-07T15:30:00.000Z"),
        ("3 months ago", "2026-02-14T16:30:00.000Z"),
        ("last month", "2026-04-13T22:00:00.000Z"),
        ("this week", "2026-05-10T22:00:00.000Z"),
        ("this month", "2026-04-30T22:00:00.000Z"),
        ("this year", "2025-12-31T23:00:00.000Z"),
        ("Thurs 9am", "2026-05-14T07:00:00.000Z"),
    ],
)
def test_typed_times(typed: str, utc: str) -> None:
    assert parse_time(typed, BERLIN, NOW) == utc


def test_the_end_of_a_day_is_the_start_of_the_next_also_when_the_clocks_change() -> None:
    assert parse_time("2026-03-29", BERLIN, NOW) == "2026-03-28T23:00:00.000Z"
    assert parse_time("2026-03-29", BERLIN, NOW, end=True) == "2026-03-29T22:00:00.000Z"
    assert parse_time("yesterday 3pm", BERLIN, NOW, end=True) == "2026-05-13T13:00:00.000Z"


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("2026-04", "2026-03-31T22:00:00.000Z", "2026-04-30T22:00:00.000Z"),
        ("dec 2025", "2025-11-30T23:00:00.000Z", "2025-12-31T23:00:00.000Z"),
        ("2025", "2024-12-31T23:00:00.000Z", "2025-12-31T23:00:00.000Z"),
        ("jan 5", "2026-01-04T23:00:00.000Z", "2026-01-05T23:00:00.000Z"),
        ("this week", "2026-05-10T22:00:00.000Z", "2026-05-17T22:00:00.000Z"),
        ("48h", "2026-05-12T15:30:00.000Z", "2026-05-12T15:30:00.000Z"),
    ],
)
def test_the_end_of_what_was_named_is_where_it_ends(typed: str, start: str, end: str) -> None:
    assert parse_time(typed, BERLIN, NOW) == start
    assert parse_time(typed, BERLIN, NOW, end=True) == end


@pytest.mark.parametrize(
    ("typed", "now", "utc"),
    [
        # On 29 March 2026 clocks went from 2:00 to 3:00, on 25 October they go from 3:00 to 2:00.
        ("2026-03-29 02:30", "2026-04-01T10:00", "2026-03-29T01:30"),  # there is none: as far after midnight
        ("2026-03-29 03:30", "2026-04-01T10:00", "2026-03-29T01:30"),
        ("2026-10-25 02:30", "2026-11-01T10:00", "2026-10-25T00:30"),  # there are two: the first
        ("2026-10-25 02:30+01:00", "2026-11-01T10:00", "2026-10-25T01:30"),
        ("last 48h", "2026-03-30T10:00", "2026-03-28T10:00"),  # time that went by
        ("2 days ago", "2026-03-30T10:00", "2026-03-28T11:00"),  # the same time of day
        ("last week", "2026-04-01T10:00", "2026-03-24T23:00"),
        ("last week 3pm", "2026-04-01T10:00", "2026-03-25T14:00"),
        ("yesterday 3pm", "2026-03-29T10:00", "2026-03-28T14:00"),
        ("last sunday", "2026-03-30T10:00", "2026-03-28T23:00"),
        ("1 hour ago", "2026-10-25T01:30", "2026-10-25T00:30"),
        ("today", "2026-10-25T12:00", "2026-10-24T22:00"),
    ],
)
def test_times_about_a_change_of_the_clocks(typed: str, now: str, utc: str) -> None:
    assert parse_time(typed, BERLIN, datetime.fromisoformat(f"{now}Z")) == f"{utc}:00.000Z"


@pytest.mark.parametrize(
    "typed",
    [
        "", "soon", "25:00", "13pm", "2026-13-40", "feb 30", "99999999999999h", "12", "monkey", "sunset 5", "janet 5",
        "marvin 5 2pm", "last banana", "yesterday yesterday", "2pm 3pm", "32/13", "0 jan", "at", "on", "last", "ago",
        "0000", "0001-01-01", "9999-12-31 23:59-23:00", "a", "the", "999999 years ago", "999999 months ago",
    ],
)  # fmt: skip
def test_what_is_not_a_time_says_what_would_be(typed: str) -> None:
    with pytest.raises(TimeError, match="try 2026-05-01"):
        parse_time(typed, BERLIN, NOW)


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
PIECES = st.sampled_from([
    "last", "past", "this", "the", "on", "at", "of", "ago", "now", "today", "yesterday", "tomorrow", "before", "day",
    "days", "week", "month", "year", "hour", "h", "m", "mo", "jan", "january", "feb", "29", "sept", "dec", "tue",
    "tuesday", "sat", "sunday", "noon", "midnight", "night", "morning", "am", "pm", "2pm", "14:30", "0", "5", "12",
    "31", "99", "1/5", "29/2", "13/13", "1/5/26", "2026", "2026-05", "2026-02-29", "2026-05-01T", "2024/02/29",
    "9999-12-31", "0001-01-01", "T14:30Z", "+25:00", "02:30", "5th", "3.", "a", "an", "two", "999999", "٣", "５",
])  # fmt: skip


@given(st.lists(PIECES, max_size=5), st.sampled_from((" ", "", ", ")), MOMENTS, st.booleans())
def test_any_words_of_times_are_a_time_or_a_clear_error(
    pieces: list[str], between: str, now: datetime, end: bool
) -> None:
    for zone in (BERLIN, "America/Sao_Paulo", "Pacific/Apia", "UTC"):
        with suppress(TimeError):
            assert datetime.fromisoformat(parse_time(between.join(pieces), zone, now, end=end))


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_a_clear_error(text: str) -> None:
    try:
        assert parse_time(text, BERLIN, NOW).endswith("Z")
    except RecallLabError as error:
        assert "\n" not in str(error)


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_stored_times_read_back_and_sort_as_text(moment: datetime) -> None:
    text = to_utc(moment)
    assert parse_time(text, BERLIN, NOW) == text
    assert (text < to_utc(NOW)) == (moment.replace(microsecond=moment.microsecond // 1000 * 1000) < NOW)


@pytest.mark.parametrize(
    ("logged", "kept"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01T10:00:00.123456", "2026-05-01T10:00:00.123Z"),
        ("2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00.000Z"),
        (1777629600, "2026-05-01T10:00:00.000Z"),
        (1777629600000, "2026-05-01T10:00:00.000Z"),
        ("not a time", None),
        (None, None),
        (True, None),
        (1e300, None),
    ],
)
def test_transcripts_times(logged: object, kept: str | None) -> None:
    assert normalise_time(logged) == kept


def test_shown_in_the_zone() -> None:
    assert show_time("2026-05-01T10:00:00.000Z", BERLIN) == "2026-05-01 12:00"
    assert show_time(None, BERLIN) == ""


def test_zones() -> None:
    assert local_zone({"TZ": "Asia/Tokyo"}) == "Asia/Tokyo"
    assert check_zone("UTC") == "UTC"
    for name in ("Mars/Olympus", "../etc/passwd", ""):
        with pytest.raises(UsageError, match="IANA"):
            check_zone(name)
