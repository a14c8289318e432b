"""Times that people type, and the zone that days belong to."""

from __future__ import annotations

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
    ],
)
def test_typed_times(typed: str, utc: str) -> None:
    assert parse_time(typed, BERLIN, NOW) == utc


def test_the_end_of_a_day_is_the_start_of_the_next_also_when_the_clocks_change() -> None:
    assert parse_time("2026-03-29", BERLIN, NOW) == "2026-03-28T23:00:00.000Z"
    assert parse_time("2026-03-29", BERLIN, NOW, end=True) == "2026-03-29T22:00:00.000Z"
    assert parse_time("yesterday 3pm", BERLIN, NOW, end=True) == "2026-05-13T13:00:00.000Z"


@pytest.mark.parametrize("typed", ["", "soon", "25:00", "13pm", "2026-13-40", "feb 30", "99999999999999h", "12"])
def test_what_is_not_a_time_says_what_would_be(typed: str) -> None:
    with pytest.raises(TimeError, match="try 2026-05-01"):
        parse_time(typed, BERLIN, NOW)


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
