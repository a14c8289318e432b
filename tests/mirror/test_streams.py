"""Rows on their way from the store into DuckDB: nothing changes on it, and nothing stays behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.errors import StoreError
from recall_lab.mirror import refresh
from recall_lab.store import arrow, open_reader, reading_ahead
from recall_lab.store.arrow import ArrowStream
from recall_lab.store.mirroring import STREAMS, snapshot
from tests.mirror.telling import Telling, said

COLUMNS = (
    ("a", "int32"),
    ("b", "int64"),
    ("c", "float64"),
    ("d", "bool"),
    ("e", "string"),
    ("f", "utf8"),
    ("g", "binary"),
)
TEXT = st.text(st.characters(exclude_categories=("Cs",)))
ROW = st.tuples(
    *(
        st.none() | values
        for values in (
            st.integers(-(2**31), 2**31 - 1),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.booleans(),
            TEXT,
            TEXT.map(str.encode),
            st.binary(),
        )
    )
)
ROWS = st.lists(ROW, min_size=1, max_size=40)


def read(rows: ArrowStream, sql: str = "SELECT * FROM rows") -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.register("rows", rows)
        return database.execute(sql).fetchall()


def columns_of(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return list(zip(*rows, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.lists(ROWS, max_size=4))
def test_every_kind_of_value_and_what_is_missing_arrive_as_they_were(batches: list[list[tuple[Any, ...]]]) -> None:
    told = [(*row[:5], None if row[5] is None else row[5].decode(), row[6]) for rows in batches for row in rows]
    assert read(ArrowStream(COLUMNS, map(columns_of, batches))) == told
    assert not arrow._held


def test_a_batch_of_more_rows_than_a_vector_of_duckdb_arrives() -> None:
    numbers = [None if number % 3 == 0 else number for number in range(5000)]
    texts = [None if number % 5 == 0 else "ä" * (number % 7) for number in range(5000)]
    found = read(ArrowStream((("n", "int64"), ("t", "string")), [(numbers, texts)]))
    assert found == list(zip(numbers, texts, strict=True))


def test_a_stream_that_breaks_off_says_why_and_keeps_nothing() -> None:
    def broken() -> Iterator[Sequence[Any]]:
        yield [[1, 2]]
        raise StoreError("the disk is gone")

    rows = ArrowStream((("n", "int64"),), broken())
    with pytest.raises(duckdb.Error, match="the disk is gone"):
        read(rows)
    assert isinstance(rows.error, StoreError)
    assert not arrow._held


def test_a_stream_of_which_only_some_is_wanted_keeps_nothing() -> None:
    rows = ArrowStream((("n", "int64"),), ([[number] * 3000] for number in range(100)))
    assert read(rows, "SELECT n FROM rows LIMIT 1") == [(0,)]
    assert not arrow._held


def test_streams_are_read_ahead_in_their_order_whatever_is_left_of_the_one_before(telling: Telling) -> None:
    telling.tell("main", *(said(str(at), at=at) for at in range(3)))
    with open_reader(telling.store) as reader, snapshot(reader):
        names = ("sessions", "placements", "texts")
        with reading_ahead.reading_ahead(reader, names) as streams:
            assert read(streams["sessions"], "SELECT count(*) FROM rows") == [(1,)]
            assert read(streams["texts"], "SELECT count(*) FROM rows") == [(3,)]
        before = threading.active_count()
        with reading_ahead.reading_ahead(reader, tuple(STREAMS)):
            pass
        assert threading.active_count() == before
        assert reader.connection.execute("SELECT count(*) FROM blocks").get == 3
    assert not arrow._held


def test_a_store_that_cannot_be_read_to_its_end_is_what_a_refresh_says(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling.tell("main", said("a"))
    with telling.mirror():
        pass

    def damaged(*_: object) -> Iterator[Sequence[Any]]:
        raise StoreError("recall.db: damaged")
        yield []

    monkeypatch.setattr(reading_ahead, "batches", damaged)
    with pytest.raises(StoreError, match=r"recall\.db: damaged"):
        refresh(telling.store, telling.folder, full=True)
    assert not list(telling.folder.glob("building-*"))
    assert gc.isenabled()
    monkeypatch.undo()
    with telling.mirror() as mirror:
        assert mirror.rows("SELECT count(*) FROM blocks") == [(1,)]


def test_a_build_shows_no_progress_of_its_own_to_a_person_at_a_prompt(telling: Telling) -> None:
    telling.tell("main", said("a"))
    code = """if True:
        import sys
        from pathlib import Path
        from recall_lab.mirror import building, refresh
        class Builder(building.Builder):
            def build(self, *args):
                print(self._db.execute("SELECT current_setting('enable_progress_bar')").fetchall())
                super().build(*args)
        import recall_lab.mirror.refreshing as refreshing
        refreshing.Builder = Builder
        refresh(Path(sys.argv[1]), Path(sys.argv[2]))
    """
    command = [sys.executable, "-c", code, str(telling.store), str(telling.folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert ran.stdout == "[(False,)]\n"


def test_a_refresh_loads_nothing_that_takes_longer_than_its_work(telling: Telling) -> None:
    telling.tell("main", said("a"))
    code = (
        "import sys; from pathlib import Path; from recall_lab.mirror import refresh; "
        "refresh(Path(sys.argv[1]), Path(sys.argv[2])); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code, str(telling.store), str(telling.folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert not set(ran.stdout.split()) & {"numpy", "pandas", "pyarrow", "genai_prices", "pydantic"}
