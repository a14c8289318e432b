"""A rebuild is staged: what is published stays whole until the replacement has reached its end."""

from __future__ import annotations

from typing import Any

import pytest

from recall_lab.capture import reading
from recall_lab.store.writer import Writer

from .conftest import Home, lines
from .test_index import assert_ledger_covers_files, assert_same, index_copy, states


@pytest.fixture(params=[8, 10**9], ids=["", "old checkpoints"])
def long_home(home: Home, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Home:
    """A home whose one source takes several batches, captured, then written anew."""
    monkeypatch.setattr(reading, "_READ_PER_STATE", request.param)
    monkeypatch.setattr(reading, "BATCH_CHARS", 1000)
    monkeypatch.setattr("recall_lab.capture.files._CHUNK", 2000)
    home.write(*lines(f"old {number} " + "x" * 300 for number in range(30)))
    home.index()
    home.write(*lines(f"new {number} " + "y" * 300 for number in range(40)))
    return home


def new_texts() -> list[str]:
    return [f"new {number} " + "y" * 300 for number in range(40)]


def fail_at(monkeypatch: pytest.MonkeyPatch, method: str, call: int) -> None:
    real = getattr(Writer, method)
    calls = iter(range(1000))

    def failing(self: Writer, *args: Any, **kwargs: Any) -> Any:
        if next(calls) == call:
            raise KeyboardInterrupt
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Writer, method, failing)


@pytest.mark.parametrize("call", [0, 1, 5])
def test_interrupted_while_reading(long_home: Home, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    before = long_home.texts()
    with monkeypatch.context() as patch:
        fail_at(patch, "stage", call)
        with pytest.raises(KeyboardInterrupt):
            long_home.index(long_home.file, rebuild=True)
    assert long_home.texts() == before
    if call:
        assert states(long_home) == {long_home.file.name: "rebuilding"}
        report = long_home.index()
        assert 0 < report.records < 40
    else:
        long_home.index(long_home.file, rebuild=True)
    assert_published(long_home)


def test_interrupted_before_publishing(long_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = long_home.texts()
    with monkeypatch.context() as patch:
        fail_at(patch, "publish", 0)
        with pytest.raises(KeyboardInterrupt):
            long_home.index(long_home.file, rebuild=True)
    assert long_home.texts() == before
    assert states(long_home) == {long_home.file.name: "rebuild_ready"}
    assert long_home.index().blocks_changed == 30
    assert_published(long_home)


def test_the_file_changes_again_meanwhile(long_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        fail_at(patch, "stage", 3)
        with pytest.raises(KeyboardInterrupt):
            long_home.index(long_home.file, rebuild=True)
    long_home.write(*lines(["short"]))
    long_home.index()
    assert long_home.texts() == ["short"]
    assert_nothing_staged(long_home)


def test_undisturbed(long_home: Home) -> None:
    report = long_home.index(long_home.file, rebuild=True)
    assert (report.blocks_changed, report.records) == (30, 40)
    assert_published(long_home)


def assert_published(home: Home) -> None:
    assert home.texts() == new_texts()
    assert states(home) == {home.file.name: "complete"}
    assert_ledger_covers_files(home)
    assert_nothing_staged(home)
    fresh = Home(home.root / "fresh")
    index_copy(home, fresh)
    assert_same(home, fresh)


def assert_nothing_staged(home: Home) -> None:
    assert home.ask("SELECT count(*) FROM staged") == [(0,)]
