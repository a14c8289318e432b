"""What a person types as SQL reaches the mirror and nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recall_lab.errors import QueryError
from recall_lab.mirror import Mirror
from tests.mirror.telling import Telling, said


@pytest.fixture
def mirror(telling: Telling) -> Mirror:
    telling.tell("main", said("a", "hello 👋", role="user"), said("b", at=1))
    return telling.mirror()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('/etc/*')",
        "COPY blocks TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_parquet('https://example.org/x.parquet')",
        "SET enable_external_access = true",
        "SET autoinstall_known_extensions = true",
        "RESET enable_external_access",
        "PRAGMA enable_external_access=true",
        "SET lock_configuration = false",
        "SELECT * FROM local_variable",
        "DELETE FROM blocks",
        "DROP TABLE blocks",
        "CREATE TABLE t AS SELECT 1",
        "UPDATE mirror SET value = 'x'",
    ],
)
def test_nothing_outside_is_reached_and_nothing_is_changed(mirror: Mirror, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me")
    local_variable = mirror.sql("SELECT 1 AS one")
    assert len(local_variable) == 1
    before = mirror.path.read_bytes()
    with pytest.raises(QueryError) as raised:
        mirror.sql(sql.format(secret=secret, folder=tmp_path))
    assert "\n" not in str(raised.value)
    assert "do not read me" not in str(raised.value)
    assert mirror.path.read_bytes() == before
    made = {path.name for path in tmp_path.iterdir() if not path.name.startswith("recall.db")}
    assert made == {"mirror", "secret.txt"}


def test_values_are_bound_by_name_and_by_place(mirror: Mirror) -> None:
    hostile = "x'; DROP TABLE blocks; --"
    assert mirror.rows("SELECT $a", {"a": hostile}) == [(hostile,)]
    assert mirror.rows("SELECT ? || ?", ["a", "b"]) == [("ab",)]
    frame = mirror.sql("SELECT role, text FROM blocks WHERE role = $role", {"role": "user"})
    assert frame.to_dict("records") == [{"role": "user", "text": "hello 👋"}]


@pytest.mark.parametrize(
    ("sql", "said_so"),
    [
        ("SELEKT 1", "syntax error"),
        ("SELECT * FROM bloks", "bloks does not exist"),
        ("SELECT rol FROM blocks", "rol"),
        ("SELECT $a", "a"),
        ("", "there is no SQL"),
        ("-- a comment", "there is no SQL"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_is_wrong(mirror: Mirror, sql: str, said_so: str) -> None:
    with pytest.raises(QueryError) as raised:
        mirror.sql(sql)
    assert said_so in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_about_data_does_not_quote_the_data(mirror: Mirror) -> None:
    with pytest.raises(QueryError) as raised:
        mirror.sql("SELECT text::INTEGER FROM blocks")
    assert "hello" not in str(raised.value)
    assert "Conversion Error" in str(raised.value)


def test_threads_do_not_read_one_another_s_results(mirror: Mirror) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: mirror.rows("SELECT sum(range) + ? FROM range(1000)", [n])[0][0], range(40)))
    assert found == [499_500 + n for n in range(40)]


def test_columns_are_listed_for_completion(mirror: Mirror) -> None:
    columns = mirror.columns()
    assert columns["blocks"][:3] == ["text_id", "block_id", "content_hash"]
    assert {"sessions", "turns", "placements", "model_calls", "tool_calls", "ledger", "sources"} <= columns.keys()


def test_days_are_those_of_a_zone(mirror: Mirror) -> None:
    # The hour that Berlin skips in spring: 01:30 UTC is 03:30 there.
    sql = "SELECT local_time(TIMESTAMP '2026-03-29 01:30:00', $zone), local_time(TIMESTAMP '2026-05-01 23:30:00', $zone)::DATE"
    [(time, day)] = mirror.rows(sql, {"zone": "Europe/Berlin"})
    assert (time.hour, day.isoformat()) == (3, "2026-05-02")
