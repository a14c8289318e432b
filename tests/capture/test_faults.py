"""Killed, out of room, on a read-only disk: nothing is half written, and the next run ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from recall_lab.errors import NoStoreError, StoreError
from recall_lab.store import open_reader, open_writer
from recall_lab.store.backup import check
from recall_lab.store.purging import prune
from recall_lab.store.status import status

from .conftest import SESSION, Home, lines
from .test_index import assert_same, index_copy

ROOT = Path(__file__).resolve().parents[2]


def start(home: Home, step: str, limit: int = 0) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.capture.child", str(home.root), step, str(limit)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout
    assert child.stdout.readline() == b"go\n"
    return child


def run(home: Home, step: str, limit: int = 0) -> tuple[int, str]:
    child = start(home, step, limit)
    _, errors = child.communicate(timeout=120)
    return child.returncode, errors.decode()


def kill_within(home: Home, step: str, seconds: float) -> bool:
    """Start the step and kill it after so long; say whether it was still at work."""
    child = start(home, step)
    time.sleep(seconds)
    busy = child.poll() is None
    child.kill()
    child.communicate()
    return busy


def fill(home: Home, word: str, count: int = 40, files: int = 3) -> None:
    for number in range(files):
        name = SESSION.replace("5f0c7a3e", f"{number:08x}")
        texts = [f"{word} {number} {line} " + "x" * 200 for line in range(count)]
        made = [line.replace(SESSION.encode(), name.encode()) for line in lines(texts)]
        made = [line.replace(b"00000000-0000", f"{number:08x}-0000".encode()) for line in made]
        home.write(*made, path=home.project / f"{name}.jsonl")


def prepare(home: Home, step: str) -> None:
    """Bring the home to where the step has something to do."""
    if step == "index":
        fill(home, "old")
        return
    fill(home, "old", 20 if step == "append" else 40)
    assert run(home, "index")[0] == 0
    if step == "append":
        fill(home, "old")
        return
    fill(home, "new")
    if step == "prune":
        assert run(home, "rebuild")[0] == 0


def duration(home: Home, step: str, spare: Path) -> float:
    """Measure an undisturbed run on a copy."""
    shutil.copytree(home.root, spare)
    other = Home.__new__(Home)
    other.root = spare
    started = time.monotonic()
    child = start(other, step)
    ready = time.monotonic()
    child.communicate(timeout=120)
    return max(0.02, time.monotonic() - ready) if ready > started else 0.1


def kills() -> list[object]:
    few = [pytest.param(5, id="5")]
    return [*few, pytest.param(100, id="100", marks=pytest.mark.deep)]


@pytest.mark.parametrize("times", kills())
@pytest.mark.parametrize("step", ["index", "append", "rebuild", "prune"])
def test_killed_at_any_point(home: Home, tmp_path: Path, step: str, times: int) -> None:
    prepare(home, step)
    whole = duration(home, step, tmp_path / "spare")
    dice = random.Random(f"{step} {times}")
    pristine = tmp_path / "pristine"
    shutil.copytree(home.root, pristine)
    for _ in range(times):
        shutil.rmtree(home.root)
        shutil.copytree(pristine, home.root)
        kill_within(home, step, dice.uniform(0, whole))
        if home.settings.store.exists():
            # Killed before the schema was there, the store is an empty one; else it is whole.
            with suppress(NoStoreError):
                check(home.settings.store)
        assert run(home, step)[0] == 0
        check(home.settings.store)
        expected = Home(tmp_path / "expected")
        index_copy(home, expected)
        assert_same(home, expected)
        if step == "prune":
            assert home.ask("SELECT count(*) FROM blocks WHERE text_id NOT IN (SELECT text_id FROM placements)") == [
                (0,)
            ]
        shutil.rmtree(expected.root)


def test_a_full_disk_keeps_what_was_captured_and_says_so(home: Home, tmp_path: Path) -> None:
    fill(home, "old", 400)
    code, errors = run(home, "index", limit=600_000)
    assert code == 2
    assert errors.count("\n") == 1
    assert "disk" in errors
    check(home.settings.store)
    kept = len(home.texts())
    assert 0 < kept < 1200
    assert run(home, "index")[0] == 0
    expected = Home(tmp_path / "expected")
    index_copy(home, expected)
    assert_same(home, expected)


def test_no_room_at_all(home: Home) -> None:
    fill(home, "old", 2, 1)
    code, errors = run(home, "index", limit=1000)
    assert code == 2
    assert errors.count("\n") == 1
    assert "Traceback" not in errors


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A little file system of its own, where the system allows one to be made."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here: a read-only disk cannot be tried")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_read_only_disk_is_read_and_refused_for_writing(small_disk: Path) -> None:
    home = Home(small_disk / "user")
    fill(home, "old", 4)
    home.index()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with open_reader(home.settings.store) as reader:
        assert status(reader).blocks == 12
    with pytest.raises(StoreError, match="cannot be") as caught:
        home.index()
    assert "\n" not in str(caught.value)


def test_a_full_file_system(small_disk: Path) -> None:
    home = Home(small_disk / "user")
    fill(home, "old", 300)
    filler = small_disk / "filler"
    room = os.statvfs(small_disk)
    filler.write_bytes(b"\0" * (room.f_bavail * room.f_frsize - 500_000))
    code, errors = run(home, "index")
    assert (code, errors.count("\n")) == (2, 1)
    assert "disk" in errors
    filler.unlink()
    assert run(home, "index")[0] == 0
    check(home.settings.store)


def test_pruning_is_not_undone_by_a_reader(home: Home) -> None:
    prepare(home, "prune")
    with open_reader(home.settings.store) as reader:
        reader.connection.execute("BEGIN")
        before = reader.connection.execute("SELECT count(*) FROM blocks").get
        with open_writer(home.settings.store) as writer:
            purge = prune(writer, keep=0, writer=writer)
        assert purge.texts == 120
        assert reader.connection.execute("SELECT count(*) FROM blocks").get == before
    with open_reader(home.settings.store) as reader:
        assert reader.connection.execute("SELECT count(*) FROM blocks").get == before - 120
