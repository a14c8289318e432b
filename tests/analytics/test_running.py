"""What a person typed becomes bound values; a mistake is said with the query's and the parameter's name."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from recall_lab.analytics import Catalogue, bind, run
from recall_lab.analytics.catalogue import parse_query
from recall_lab.errors import QueryError
from recall_lab.mirror import connect

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)


def query_of(kind: str, default: str = "none") -> Any:
    return parse_query(
        f"-- title: T\n-- description: D\n-- param p: {kind} = {default}; x\nSELECT $p", Path("/q/mine.sql")
    )


@pytest.mark.parametrize(
    ("kind", "typed", "bound"),
    [
        ("text", "it's $1; --", "it's $1; --"),
        ("integer", "12", 12),
        ("integer", 12, 12),
        ("number", "0.5", 0.5),
        ("flag", "yes", True),
        ("flag", False, False),
        ("zone", "Asia/Kathmandu", "Asia/Kathmandu"),
        ("zone", "local", "Europe/Berlin"),
        ("time", "2026-05-01", "2026-04-30T22:00:00.000"),
        ("end", "2026-05-01", "2026-05-01T22:00:00.000"),
        ("end", "2026-05-01T10:00Z", "2026-05-01T10:00:00.000"),
        ("time", "last 24h", "2026-05-09T12:00:00.000"),
        ("time", date(2026, 5, 1), "2026-04-30T22:00:00.000"),
        ("text", None, None),
        ("time", None, None),
        ("zone", None, "Europe/Berlin"),
    ],
)
def test_values_are_typed(kind: str, typed: Any, bound: Any) -> None:
    assert bind(query_of(kind), {"p": typed}, zone="Europe/Berlin", now=NOW) == {"p": bound}


@pytest.mark.parametrize(
    ("kind", "default", "bound"), [("integer", "7", 7), ("flag", "no", False), ("text", "none", None)]
)
def test_what_is_left_out_takes_its_default(kind: str, default: str, bound: Any) -> None:
    assert bind(query_of(kind, default), {}) == {"p": bound}


@pytest.mark.parametrize(
    ("kind", "typed", "message"),
    [
        ("integer", "many", "mine: the parameter 'p' cannot be used: 'many' is not of type integer"),
        ("number", "x", "not of type number"),
        ("flag", "perhaps", "not of type flag"),
        ("zone", "Mars/Olympus", "not a time zone"),
        ("time", "some day", "not a time that is understood"),
    ],
)
def test_a_value_that_does_not_fit_is_said(kind: str, typed: str, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        bind(query_of(kind), {"p": typed}, zone="UTC", now=NOW)
    assert message in str(raised.value)


def test_an_unknown_parameter_is_said_with_those_there_are() -> None:
    with pytest.raises(QueryError, match="usage_by_day has no parameter 'sinse'; it takes host, model, repo, since"):
        bind(Catalogue.load().get("usage_by_day"), {"sinse": "2026"})


def test_a_query_of_one_s_own_runs_and_its_mistakes_are_said(captured_sample: Path, tmp_path: Path) -> None:
    head = "-- title: T\n-- description: D\n"
    (tmp_path / "mine.sql").write_text(
        head + "-- param role: text = user; x\nSELECT count(*) AS n FROM blocks WHERE role = $role"
    )
    (tmp_path / "wrong.sql").write_text(head + "SELECT rol FROM blocks")
    catalogue = Catalogue.load([tmp_path])
    with connect(captured_sample / "mirror") as mirror:
        assert run(mirror, "mine", catalogue=catalogue)["n"].item() > 0
        assert run(mirror, "mine", catalogue=catalogue, role="' OR true --")["n"].item() == 0
        with pytest.raises(QueryError, match="rol"):
            run(mirror, "wrong", catalogue=catalogue)
