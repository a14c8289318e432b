"""A backup is checked, private, and brings back what it holds."""

from __future__ import annotations

import resource
from pathlib import Path

import apsw
import pytest

from recall_lab.errors import NotFoundError, StoreError, StoreFullError, UsageError
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


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
def test_a_copy_for_which_there_is_no_room_says_what_holds_and_what_next(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
) -> None:
    good, target = tmp_path / "good.db", tmp_path / "copy.db"
    with open_reader(path) as reader:
        backup(reader, good)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("recall_lab.store.backup._copy", fail)
    with open_reader(path) as reader, pytest.raises(StoreFullError) as made:
        backup(reader, target)
    with pytest.raises(StoreFullError) as restored:
        restore(good, path)
    assert str(made.value).startswith(f"{target}: ")
    assert "no copy is left and the store is as it was, free some space" in str(made.value)
    assert str(restored.value).startswith(f"{path}: ")
    assert "the store is as it was, free some space" in str(restored.value)
    assert "captured" not in f"{made.value} {restored.value}"
    assert not target.exists()
    assert check(path)["blocks"] == 2


def test_a_limit_on_file_sizes_leaves_no_half_copy(path: Path, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_reader(path) as reader:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, hard))
        try:
            with pytest.raises(StoreFullError, match=r"no copy is left .* and repeat"):
                backup(reader, tmp_path / "copy.db")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.glob("copy.db*"))


def test_a_folder_that_cannot_be_made_for_a_backup_is_no_matter_of_the_home(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with open_reader(path) as reader, pytest.raises(StoreError, match="choose another place"):
        backup(reader, tmp_path / "file" / "copy.db")


def test_no_backup_there(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="recall-lab backup"):
        restore(tmp_path / "none.db", path)


def test_restoring_into_an_empty_home(path: Path, tmp_path: Path) -> None:
    with open_reader(path) as reader:
        backup(reader, tmp_path / "copy.db")
    other = tmp_path / "new" / "recall.db"
    assert restore(tmp_path / "copy.db", other) is None
    assert check(other)["blocks"] == 2


def test_a_backup_of_an_older_version_comes_back_up_to_date_and_stays_as_it_is(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with open_reader(path) as reader:
        made = backup(reader, target)
    db = apsw.Connection(str(target))
    db.execute("DROP INDEX source_sessions_by_folder")
    db.execute("CREATE INDEX source_sessions_by_folder ON source_sessions (json_extract(facts, '$.cwd'))")
    db.pragma("user_version", 1)
    db.close()
    before = target.read_bytes()
    store = tmp_path / "other" / "recall.db"
    assert restore(target, store) is None
    assert check(store) == made.rows
    assert sorted(file.name for file in store.parent.iterdir()) == ["recall.db", "recall.db.lock"]
    assert target.read_bytes() == before
