"""A named query says what it is in its head; a mistake in a head is said with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.analytics import CHARTS, Catalogue
from recall_lab.analytics.catalogue import parse_query
from recall_lab.analytics.documentation import document
from recall_lab.errors import QueryError

HEAD = "-- title: T\n-- description: D\n"


def test_a_head_is_understood() -> None:
    query = parse_query(
        "-- title: Usage by day\n-- description: Tokens and cost,\n--   by day.\n"
        "-- param since: time = none; only calls from then on\n-- param limit: integer = 10; at most; so many\n"
        '-- chart: bars name=repo title="By repo"\n\nSELECT $since, $limit, \'$no\', "$nor" -- $this\n;\n',
        Path("/q/usage.sql"),
    )
    assert (query.name, query.title, query.description) == ("usage", "Usage by day", "Tokens and cost, by day.")
    assert [(p.name, p.type, p.default, p.meaning) for p in query.parameters] == [
        ("since", "time", None, "only calls from then on"),
        ("limit", "integer", "10", "at most; so many"),
    ]
    assert query.chart is not None
    assert (query.chart.name, query.chart.options) == ("bars", {"name": "repo", "title": "By repo"})
    assert query.sql.startswith("SELECT")
    assert not query.sql.endswith(";")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Bad-Name.sql", HEAD + "SELECT 1", "small letters"),
        ("q.sql", "SELECT 1", "lacks `-- title"),
        ("q.sql", "-- title: T\nSELECT 1", "lacks `-- description"),
        ("q.sql", HEAD, "no SQL"),
        ("q.sql", "-- hello\n" + HEAD + "SELECT 1", "q.sql:1: expected"),
        ("q.sql", HEAD + "-- title: T\nSELECT 1", "q.sql:3: a second"),
        ("q.sql", HEAD + "-- param a: integer; x\nSELECT $a", "q.sql:3: write a parameter"),
        ("q.sql", HEAD + "-- param a: date = none; x\nSELECT $a", "'date' is no type"),
        ("q.sql", HEAD + "-- param A: text = none; x\nSELECT $A", "q.sql:3: write a parameter"),
        ("q.sql", HEAD + "-- param a: text = none; x\nSELECT 1", "'a' is not used"),
        ("q.sql", HEAD + "-- param a: text = none; x\n-- param a: text = none; x\nSELECT $a", "two parameters"),
        ("q.sql", HEAD + "SELECT $b", "$b, which the head does not declare"),
        ("q.sql", HEAD + "-- chart: bars name\nSELECT 1", "q.sql:3: write a chart"),
        ("q.sql", HEAD + '-- chart: bars name="\nSELECT 1', "q.sql:3: write a chart"),
    ],
)
def test_a_mistake_is_said_where_it_is(name: str, text: str, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        parse_query(text, Path("/q") / name)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_user_s_folder_adds_queries_and_replaces_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text(HEAD + "SELECT 1 AS one")
    (tmp_path / "sessions.sql").write_text(HEAD + "SELECT 2 AS two")
    (tmp_path / "notes.txt").write_text("not a query")
    shipped, both = Catalogue.load(), Catalogue.load([tmp_path, tmp_path / "not there"])
    assert len(both) == len(shipped) + 1
    assert both.get("mine").sql == "SELECT 1 AS one"
    assert both.get("sessions").sql == "SELECT 2 AS two"
    assert "mine" in both
    assert "mine" not in shipped


def test_a_file_that_cannot_be_used_is_said_and_leaves_the_others_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_bytes(b"\xff\xfe")
    (tmp_path / "sessions.sql").write_text("SELECT 1")
    (tmp_path / "good.sql").write_text(HEAD + "SELECT 1 AS one")
    catalogue = Catalogue.load([tmp_path])
    assert catalogue.get("usage_by_day").sql == Catalogue.load().get("usage_by_day").sql
    assert catalogue.get("good").sql == "SELECT 1 AS one"
    for name, message in (("mine", r"mine\.sql: cannot be read"), ("sessions", r"sessions\.sql: the head lacks")):
        with pytest.raises(QueryError, match=message):
            catalogue.get(name)
        assert name not in catalogue
    assert [line.partition(": ")[0] for line in catalogue.unusable] == [
        str(tmp_path / "mine.sql"), str(tmp_path / "sessions.sql")
    ]  # fmt: skip
    later = tmp_path / "later"
    later.mkdir()
    (later / "mine.sql").write_text(HEAD + "SELECT 3 AS three")
    mended = Catalogue.load([tmp_path, later])
    assert mended.get("mine").sql == "SELECT 3 AS three"
    assert len(mended.unusable) == 1


def test_an_unknown_name_names_its_neighbours() -> None:
    with pytest.raises(QueryError, match="did you mean usage_by_day"):
        Catalogue.load().get("usage_by_dya")


def test_the_shipped_queries_are_many_and_their_charts_exist() -> None:
    catalogue = Catalogue.load()
    assert len(catalogue) >= 30
    assert {query.chart.name for query in catalogue if query.chart} <= CHARTS.keys()
    assert [query.name for query in catalogue] == sorted(query.name for query in catalogue)


def test_the_page_of_queries_is_current() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "queries.md"
    assert page.read_text(encoding="utf-8") == document(Catalogue.load()), (
        "run python -m recall_lab.analytics.documentation"
    )
