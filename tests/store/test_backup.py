"""A backup is checked, private, and brings back what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.errors import NotFoundError, StoreError, UsageError
from recall_lab.store import open_reader, open_writer
from recall_lab.store.backup import backup, check, restore

from .test_batches import ask, batch, block


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "recall.db"
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "first"), block(2, "second")))
    return path


def test_back_and_forth(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "safe" / "copy.db"
    with open_reader(path) as reader:
        made = backup(reader, target)
    assert made.rows["blocks"] == 2
    assert target.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]
    with open_writer(path) as writer:
        writer.apply(batch(block(3, "third"), from_ord=3))
    kept = restore(target, path)
    assert kept is not None
    assert check(kept)["blocks"] == 3
    assert check(path) == made.rows
    with open_writer(path) as writer:
        assert ask(writer, "SELECT text FROM blocks ORDER BY text_id") == [("first",), ("second",)]


def test_a_backup_while_a_capture_writes_is_whole(path: Path, tmp_path: Path) -> None:
    with open_writer(path) as writer, open_reader(path) as reader:
        writer.apply(batch(block(3, "third"), from_ord=3))
        assert backup(reader, tmp_path / "copy.db").rows["blocks"] == 3


def test_nothing_is_written_over(path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine", encoding="utf-8")
    with open_reader(path) as reader, pytest.raises(UsageError, match="exists"):
        backup(reader, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text(encoding="utf-8") == "mine"


def test_a_damaged_backup_is_refused_and_the_store_stays(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with open_reader(path) as reader:
        backup(reader, target)
    data = bytearray(target.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\x00" * 4096 * 3
    target.write_bytes(data)
    before = check(path)
    with pytest.raises(StoreError):
        restore(target, path)
    assert check(path) == before


def test_no_backup_there(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="recall-lab backup"):
        restore(tmp_path / "none.db", path)


def test_restoring_into_an_empty_home(path: Path, tmp_path: Path) -> None:
    with open_reader(path) as reader:
        backup(reader, tmp_path / "copy.db")
    other = tmp_path / "new" / "recall.db"
    assert restore(tmp_path / "copy.db", other) is None
    assert check(other)["blocks"] == 2
