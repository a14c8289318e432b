"""What DuckDB does ends when a person wants it to, and says so."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Timer

import duckdb
import pytest

from recall_lab.errors import QueryError
from recall_lab.mirror import Mirror, refresh
from recall_lab.mirror.interrupting import interruptible, limited
from tests.mirror.telling import Telling, said

ENDLESS = "SELECT count(*) FROM range(1_000_000_000) a, range(1_000_000) b WHERE a.range * b.range % 7 = 3"


@pytest.fixture(autouse=True)
def _listening() -> Iterator[None]:
    """Somebody listens to Ctrl-C, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.fixture
def mirror(telling: Telling) -> Iterator[Mirror]:
    telling.tell("main", said("a"))
    with telling.mirror() as opened:
        yield opened


def test_ctrl_c_is_no_error_of_the_sql(database: duckdb.DuckDBPyConnection) -> None:
    def taken_for_an_error() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise duckdb.InvalidInputException("'pandas' is required but it was not installed") from error

    with pytest.raises(KeyboardInterrupt), interruptible(database):
        taken_for_an_error()


def test_ctrl_c_that_was_forgotten_on_the_way_ends_it_all_the_same(database: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(database), suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_other_errors_and_other_listeners_stay_what_they_are(database: duckdb.DuckDBPyConnection) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="mine"), interruptible(database):
        raise ValueError("mine")
    assert signal.getsignal(signal.SIGINT) is before
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append("a press"))
    try:
        with interruptible(database):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["a press"]


def test_a_thread_reads_without_listening(mirror: Mirror) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(mirror.rows, "SELECT 1").result() == [(1,)]


def test_ctrl_c_ends_an_endless_query(mirror: Mirror) -> None:
    assert mirror.sql("SELECT 1 AS one").one.tolist() == [1]  # pandas is there by now
    Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        mirror.sql(ENDLESS)
    assert mirror.rows("SELECT 1") == [(1,)]


def test_ctrl_c_that_comes_before_the_query_has_begun_ends_it_all_the_same(
    database: duckdb.DuckDBPyConnection,
) -> None:
    def pressed_too_early() -> None:
        with suppress(KeyboardInterrupt):  # as DuckDB does, where it loads a module first
            signal.raise_signal(signal.SIGINT)
        database.execute(ENDLESS)

    with pytest.raises(KeyboardInterrupt), interruptible(database):
        pressed_too_early()
    assert database.execute("SELECT 1").fetchall() == [(1,)]


def test_a_limit_that_is_over_before_the_query_has_begun_ends_it_all_the_same(
    database: duckdb.DuckDBPyConnection,
) -> None:
    def begun_too_late() -> None:
        time.sleep(0.1)
        database.execute(ENDLESS)

    with pytest.raises(QueryError, match="stopped after"), limited(database, 0.01):
        begun_too_late()
    assert database.execute("SELECT 1").fetchall() == [(1,)]


def test_ctrl_c_ends_a_build_and_leaves_the_old_generation(telling: Telling, monkeypatch: pytest.MonkeyPatch) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    before = sorted(telling.folder.iterdir())

    def pressed(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise RuntimeError("Query interrupted") from error

    monkeypatch.setattr("recall_lab.mirror.building.Builder.build", pressed)
    with pytest.raises(KeyboardInterrupt):
        refresh(telling.store, telling.folder, full=True)
    assert sorted(telling.folder.iterdir()) == before


def test_an_endless_query_stops_at_its_limit(mirror: Mirror) -> None:
    with pytest.raises(QueryError, match=r"stopped after 0\.1 s") as raised:
        mirror.records(ENDLESS, seconds=0.1)
    assert "\n" not in str(raised.value)
    assert mirror.records("SELECT 1 AS one", seconds=60) == (("one",), [(1,)])
