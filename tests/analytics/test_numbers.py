"""Tokens are right to the last one: by hand, by an independent script, by every grouping."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recall_lab.analytics import GROUPINGS, usage
from recall_lab.capture import index
from recall_lab.errors import TimeError, UsageError
from recall_lab.mirror import Mirror, connect, refresh
from recall_lab.settings import load_settings
from tests.analytics import plain_count, transcripts


def mirrored(home: Path, transcripts_in: Path, rules_cache: Path) -> Mirror:
    """Capture the transcripts of a home folder and open their mirror."""
    environ = {"HOME": str(transcripts_in), "RECALL_LAB_CACHE_DIR": str(rules_cache), "RECALL_LAB_YES": "true"}
    settings = load_settings(home, environ)
    report = index(settings, progress=False)
    assert report.sources_seen > 0
    refresh(settings.store, settings.mirror)
    return connect(settings.mirror)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transcripts.write_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory, made: Path, rules_cache: Path) -> Iterator[Mirror]:
    with mirrored(tmp_path_factory.mktemp("store"), made, rules_cache) as opened:
        yield opened


def counted(mirror: Mirror) -> dict[str, dict[str, int]]:
    classes = ("calls", *plain_count.CLASSES)
    return {str(row.key): {name: getattr(row, name) for name in classes} for row in usage(mirror, "host").rows}


def test_every_trap_of_counting_comes_out_as_worked_out_by_hand(mirror: Mirror) -> None:
    assert counted(mirror) == {"claude-code": transcripts.CLAUDE, "codex": transcripts.CODEX}


def test_the_independent_script_agrees(mirror: Mirror, made: Path) -> None:
    assert plain_count.count(made) == counted(mirror)


@pytest.mark.corpus
def test_the_independent_script_agrees_on_real_transcripts(corpus: Path, tmp_path: Path, rules_cache: Path) -> None:
    home = corpus / "transcripts" / "home"
    with mirrored(tmp_path / "store", home, rules_cache) as mirror:
        found = counted(mirror)
        assert {host: found[host] for host in ("claude-code", "codex")} == plain_count.count(home)
        by_model = {row.key: row for row in usage(mirror, "model", host="claude-code").rows}
        told = plain_count.count_by_model(home)
        assert by_model.keys() == told.keys()
        for model, count in told.items():
            assert {name: getattr(by_model[model], name) for name in count} == count
        reconciles(mirror)


def reconciles(mirror: Mirror) -> None:
    whole = usage(mirror, "host").total
    for by in GROUPINGS:
        report = usage(mirror, by, zone="Asia/Kathmandu")
        assert msgspec.structs.replace(report.total, cost_usd=None) == msgspec.structs.replace(whole, cost_usd=None)
        assert report.total.cost_usd == pytest.approx(whole.cost_usd, abs=1e-9)
        for name in ("calls", *plain_count.CLASSES, "unpriced_calls"):
            assert sum(getattr(row, name) for row in report.rows) == getattr(whole, name), (by, name)
        assert sum(row.cost_usd or 0 for row in report.rows) == pytest.approx(whole.cost_usd, abs=1e-9)


def test_the_sums_of_every_grouping_equal_the_total(mirror: Mirror) -> None:
    reconciles(mirror)


def test_a_copied_call_belongs_to_the_session_it_was_made_in(mirror: Mirror) -> None:
    by_session = {row.key: row.calls for row in usage(mirror, "session", host="claude-code").rows}
    assert by_session == {transcripts.MAIN: 9, f"{transcripts.MAIN}/a1b2c3d": 1, transcripts.FORK: 1}


def test_days_are_those_of_the_zone(mirror: Mirror) -> None:
    days = lambda zone: {row.key: row.calls for row in usage(mirror, "day", zone=zone, host="claude-code").rows}  # noqa: E731
    assert days("Europe/London") == {"2026-05-01": 11}
    assert days("Europe/Berlin") == {"2026-05-01": 10, "2026-05-02": 1}
    assert usage(mirror, "day", zone="Europe/Berlin").zone == "Europe/Berlin"


def test_an_unknown_model_is_listed_and_has_no_cost(mirror: Mirror) -> None:
    report = usage(mirror, "model", host="claude-code")
    [row] = [row for row in report.rows if row.key == "a-model-of-tomorrow"]
    assert (row.cost_usd, row.unpriced_calls) == (None, 1)
    assert report.unpriced_models == ("a-model-of-tomorrow",)
    assert report.total.unpriced_calls == 1
    assert report.total.cost_usd is not None


def test_a_report_over_nothing_priced_has_no_cost_at_all(mirror: Mirror) -> None:
    report = usage(mirror, "day", model="a-model-of-tomorrow")
    assert report.total.cost_usd is None
    empty = usage(mirror, "day", model="nobody")
    assert (empty.rows, empty.total.calls, empty.total.cost_usd) == ((), 0, None)


@pytest.mark.parametrize(
    ("wanted", "calls"),
    [
        ({"since": "2026-05-02"}, 8),  # the late call is of that day in Berlin
        ({"until": "2026-05-01"}, 10),
        ({"since": "2026-05-01 12:00", "until": "2026-05-01 12:02"}, 3),  # in summer two hours ahead of UTC
        ({"host": "codex"}, 7),
        ({"model": "claude-sonnet-4-5-20250929"}, 1),
        ({"repo": "nowhere"}, 0),
    ],
)
def test_filters_narrow_what_is_counted(mirror: Mirror, wanted: dict[str, Any], calls: int) -> None:
    assert usage(mirror, "host", zone="Europe/Berlin", **wanted).total.calls == calls


def test_what_cannot_be_grouped_or_understood_is_said(mirror: Mirror) -> None:
    with pytest.raises(UsageError, match="use one of day, model, repo, host, branch, session"):
        usage(mirror, "weather")
    with pytest.raises(UsageError, match="not a time zone"):
        usage(mirror, "day", zone="Mars/Olympus")
    with pytest.raises(TimeError):
        usage(mirror, "day", since="the day before the flood")


def test_a_report_has_the_keys_that_programs_rely_on(mirror: Mirror) -> None:
    report = msgspec.to_builtins(usage(mirror, "day"))
    assert report.keys() >= {"rows", "total", "unpriced_models", "price_catalogue", "zone"}
    keys = {"key", "calls", *plain_count.CLASSES, "cost_usd", "unpriced_calls"}
    assert all(row.keys() >= keys for row in [*report["rows"], report["total"]])
    assert report["price_catalogue"].keys() == {"name", "version", "date"}
    frame = usage(mirror, "day").frame()
    assert list(frame.columns)[:2] == ["key", "calls"]
    assert frame["calls"].sum() == report["total"]["calls"]
