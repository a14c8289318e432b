"""An older store is copied, then brought up to date in steps; what fails leaves a store that can be opened."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from recall_lab.errors import StoreError, StoreVersionError
from recall_lab.store import Writer, open_reader, open_writer
from recall_lab.store.connection import SCHEMA_VERSION
from recall_lab.store.migrating import migrate, shipped_steps
from tests.store.test_batches import batch, block

NEXT, LAST = SCHEMA_VERSION + 1, SCHEMA_VERSION + 2
STEPS = {
    NEXT: "CREATE TABLE added (x INTEGER) STRICT; INSERT INTO added VALUES (1)",
    LAST: "UPDATE added SET x = x + 1",
}
COPY = f"recall.db.v{SCHEMA_VERSION}.bak"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "recall.db"
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "kept by every version")))
    return path


@pytest.fixture
def later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall_lab that is two versions ahead of the store."""
    assert version(path) == SCHEMA_VERSION
    monkeypatch.setattr("recall_lab.store.connection.SCHEMA_VERSION", LAST)


def version(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found: int = db.pragma("user_version")
    db.close()
    return found


def test_every_version_since_the_first_has_its_step() -> None:
    assert set(shipped_steps()) == set(range(2, SCHEMA_VERSION + 1))


def test_a_store_of_today_is_left_alone(path: Path) -> None:
    with open_writer(path) as writer:
        assert migrate(writer.connection, path, {}) is None
    assert [file.name for file in path.parent.glob("*.bak*")] == []


@pytest.mark.usefixtures("later")
def test_steps_run_in_their_order_after_a_copy_was_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.store.migrating.shipped_steps", lambda: STEPS)
    with open_writer(path) as writer:
        assert writer.connection.execute("SELECT x FROM added").get == 2
        assert writer.connection.execute("SELECT text FROM blocks").get == "kept by every version"
    with open_reader(path) as reader:
        assert reader.connection.execute("SELECT count(*) FROM blocks").get == 1
    copy = path.with_name(COPY)
    assert (version(path), version(copy), copy.stat().st_mode & 0o777) == (LAST, SCHEMA_VERSION, 0o600)
    monkeypatch.setattr("recall_lab.store.connection.SCHEMA_VERSION", SCHEMA_VERSION)
    with open_reader(copy) as reader:
        assert reader.connection.execute("SELECT text FROM blocks").get == "kept by every version"


@pytest.mark.usefixtures("later")
def test_a_reader_changes_nothing_and_says_what_does(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreVersionError, match=r"older recall_lab.*recall-lab index"):
        open_reader(path)
    assert path.read_bytes() == before


@pytest.mark.usefixtures("later")
def test_a_missing_step_changes_nothing(path: Path) -> None:
    with pytest.raises(StoreVersionError, match=f"cannot be brought to {NEXT}"):
        Writer(path)
    assert version(path) == SCHEMA_VERSION
    assert list(path.parent.glob("*.bak*")) == []


@pytest.mark.usefixtures("later")
def test_a_step_that_fails_is_undone_and_the_copy_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {NEXT: STEPS[NEXT], LAST: "UPDATE added SET x = 9; INSERT INTO nowhere VALUES (1)"}
    monkeypatch.setattr("recall_lab.store.migrating.shipped_steps", lambda: broken)
    with pytest.raises(StoreError, match=rf"step {LAST} .*{re.escape(COPY)} is as it was"):
        Writer(path)
    assert version(path) == NEXT
    monkeypatch.setattr("recall_lab.store.migrating.shipped_steps", lambda: STEPS)
    with open_writer(path) as writer:  # the lock was let go of, and the rest goes on from there
        assert writer.connection.execute("SELECT x FROM added").get == 2


@pytest.mark.usefixtures("later")
def test_no_room_for_the_copy_leaves_the_store_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.store.migrating.shipped_steps", lambda: STEPS)
    path.with_name(COPY + ".part").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        Writer(path)
    assert version(path) == SCHEMA_VERSION


def test_a_store_of_the_first_version_is_the_same_as_a_new_one_after_its_steps(path: Path, tmp_path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP INDEX source_sessions_by_folder")
    db.execute("CREATE INDEX source_sessions_by_folder ON source_sessions (json_extract(facts, '$.cwd'))")
    db.pragma("user_version", 1)
    db.close()
    with open_writer(path) as old, open_writer(tmp_path / "new" / "recall.db") as new:
        schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
        assert list(old.connection.execute(schema)) == list(new.connection.execute(schema))
        assert old.connection.execute("SELECT text FROM blocks").get == "kept by every version"
    assert version(path) == SCHEMA_VERSION
