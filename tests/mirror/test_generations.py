"""Generations stand beside one another: readers are never disturbed, a kill leaves one whole, strangers' files are left alone."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from recall_lab.errors import MirrorError, NoStoreError
from recall_lab.mirror import check, connect, refresh
from tests.mirror.telling import Telling, said

REFRESH = (
    "import sys; from pathlib import Path; from recall_lab.mirror import refresh; refresh(*map(Path, sys.argv[1:3]))"
)


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.duckdb"))


def start(telling: Telling, code: str = REFRESH) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, str(telling.store), str(telling.folder)])


def test_files_are_private(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    assert stat.S_IMODE(telling.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in telling.folder.iterdir()} == {0o600}


def test_a_folder_that_others_may_read_is_closed_to_them(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.folder.mkdir(mode=0o755)
    telling.mirror().close()
    assert stat.S_IMODE(telling.folder.stat().st_mode) == 0o700


def test_a_reader_keeps_what_it_opened_and_its_generation_goes_when_it_closes(telling: Telling) -> None:
    telling.tell("main", said("a"))
    old = telling.mirror()
    telling.tell("main", said("a"), said("b", at=1))
    assert refresh(telling.store, telling.folder).held == 1
    assert old.rows("SELECT count(*) FROM blocks") == [(1,)]
    with connect(telling.folder) as new:
        assert new.rows("SELECT count(*) FROM blocks") == [(2,)]
        assert len(generations(telling.folder)) == 2
        old.close()
        assert refresh(telling.store, telling.folder).held == 0
        assert generations(telling.folder) == [new.path.name]


def test_a_generation_read_by_another_process_stays(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    [name] = generations(telling.folder)
    code = (
        "import sys; from pathlib import Path; from recall_lab.mirror import connect\n"
        "mirror = connect(Path(sys.argv[2])); print('open', flush=True); sys.stdin.read()\n"
        "print(mirror.rows('SELECT count(*) FROM blocks'))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "", str(telling.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"open\n"
        telling.tell("main", said("a"), said("b", at=1))
        assert refresh(telling.store, telling.folder).held == 1
        assert name in generations(telling.folder)
        told, _ = reader.communicate()
    assert told == b"[(1,)]\n"
    refresh(telling.store, telling.folder)
    assert name not in generations(telling.folder)


def test_two_refreshers_at_once_leave_one_mirror(telling: Telling) -> None:
    telling.tell("main", said("a"))
    processes = [start(telling) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert len(generations(telling.folder)) == 1
    assert check(telling.store, telling.folder).equal


def test_a_second_refresher_says_so_when_it_does_not_want_to_wait(telling: Telling) -> None:
    from recall_lab.mirror.generations import Folder

    telling.tell("main", said("a"))
    telling.mirror().close()
    with Folder(telling.folder).refreshing(0), pytest.raises(MirrorError, match="another process is refreshing"):
        refresh(telling.store, telling.folder, wait=0)


@pytest.mark.parametrize("when", [0.0, 0.15, 0.3, 0.5, 0.8])
def test_a_killed_refresh_leaves_the_old_generation(telling: Telling, when: float) -> None:
    killed_refresh(telling, when)


@pytest.mark.deep
@pytest.mark.parametrize("when", [number / 50 for number in range(100)])
def test_a_hundred_killed_refreshes(telling: Telling, when: float) -> None:
    killed_refresh(telling, when)


def killed_refresh(telling: Telling, when: float) -> None:
    for name in ("one", "two", "three", "four"):
        telling.tell(name, said(name))
    telling.mirror().close()
    telling.tell("one", said("one"), said("more", at=1))
    process = start(telling)
    time.sleep(when)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    with connect(telling.folder) as mirror:
        assert mirror.rows("SELECT count(*) FROM blocks")[0][0] in {4, 5}
    assert telling.rows("SELECT count(*) FROM blocks") == [(5,)]
    assert not list(telling.folder.glob("building-*"))
    assert check(telling.store, telling.folder).equal


def test_what_a_killed_refresh_left_is_swept(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    left = [telling.folder / f"building-000009-0123abcd.duckdb{end}" for end in ("", ".wal")]
    for path in left:
        path.write_bytes(b"half a mirror")
    (telling.folder / "building-000009-0123abcd.duckdb.tmp").mkdir()
    (telling.folder / "building-000009-0123abcd.duckdb.tmp" / "spilled").write_bytes(b"rows")
    refresh(telling.store, telling.folder)
    assert not list(telling.folder.glob("building-*"))


def test_a_folder_with_other_files_is_refused_and_left_alone(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.folder.mkdir()
    (telling.folder / "thesis.txt").write_text("mine")
    with pytest.raises(MirrorError, match=r"thesis\.txt.*did not make"):
        refresh(telling.store, telling.folder)
    assert [path.name for path in telling.folder.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    "pointer",
    [
        b"",
        b"\xff\xfe",
        b'{"file": "x"}',
        json.dumps({"made_by": "another program", "generation": 1, "file": "mirror-000001-0123abcd.duckdb"}).encode(),
        json.dumps({"made_by": "recall_lab mirror", "generation": 1, "file": "../../etc/passwd"}).encode(),
    ],
)
def test_a_pointer_that_recall_lab_did_not_write_is_refused(telling: Telling, pointer: bytes) -> None:
    telling.tell("main", said("a"))
    telling.folder.mkdir()
    (telling.folder / "current.json").write_bytes(pointer)
    for attempt in (lambda: refresh(telling.store, telling.folder), lambda: connect(telling.folder)):
        with pytest.raises(MirrorError, match="not made by recall_lab"):
            attempt()
    assert (telling.folder / "current.json").read_bytes() == pointer


def test_a_file_where_the_folder_should_be_is_refused(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.folder.write_text("mine")
    with pytest.raises(MirrorError):
        refresh(telling.store, telling.folder)
    assert telling.folder.read_text() == "mine"


@pytest.mark.parametrize("content", [None, b"", b"not a database", b"DUCK" * 5000])
def test_a_lost_or_damaged_generation_is_said_and_built_anew(telling: Telling, content: bytes | None) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    [path] = telling.folder.glob("*.duckdb")
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MirrorError, match="recall-lab mirror"):
        connect(telling.folder)
    assert refresh(telling.store, telling.folder).full
    assert telling.rows("SELECT count(*) FROM blocks") == [(1,)]


def overwritten(path: Path) -> None:
    """Damage a generation behind its head, so that it opens and fails only where it is read."""
    whole = path.read_bytes()
    path.write_bytes(whole[:20_000] + bytes(byte ^ 0x5A for byte in whole[20_000:]))


def test_a_generation_that_was_changed_is_built_anew_though_the_store_is_the_same(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    assert not refresh(telling.store, telling.folder).built
    [path] = telling.folder.glob("*.duckdb")
    overwritten(path)
    with pytest.raises(MirrorError, match="`recall-lab mirror --full`"), connect(telling.folder) as mirror:
        mirror.rows("SELECT text FROM blocks")
    done = refresh(telling.store, telling.folder)
    assert (done.built, done.full) == (True, True)
    assert telling.rows("SELECT count(*) FROM blocks") == [(1,)]


def test_a_generation_that_cannot_be_changed_is_built_anew(telling: Telling, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three", "four"):
        telling.tell(name, said(name))
    telling.mirror().close()
    telling.tell("one", said("one"), said("more", at=1))

    def damaged(*_: object) -> None:
        raise duckdb.Error("Corrupt database file: computed checksum 1 does not match stored checksum 2")

    monkeypatch.setattr("recall_lab.mirror.building.Builder.replace", damaged)
    done = refresh(telling.store, telling.folder)
    assert (done.full, done.sessions) == (True, 4)
    assert telling.rows("SELECT count(*) FROM blocks") == [(5,)]
    assert not [path.name for path in telling.folder.iterdir() if path.name.startswith("building-")]


def test_a_mirror_of_another_schema_is_built_anew(telling: Telling, monkeypatch: pytest.MonkeyPatch) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    monkeypatch.setattr("recall_lab.mirror.connecting.SCHEMA_VERSION", 99)
    monkeypatch.setattr("recall_lab.mirror.refreshing.SCHEMA_VERSION", 99)
    with pytest.raises(MirrorError, match="another version"):
        connect(telling.folder)
    assert refresh(telling.store, telling.folder).full
    connect(telling.folder).close()


def test_costs_are_computed_anew_when_the_price_catalogue_is_another(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.mirror.telling import called

    telling.tell("main", said("a"), model_calls=[called("c", output_tokens=1_000_000)])
    telling.mirror().close()
    monkeypatch.setattr("recall_lab.mirror.building.price_version", lambda: "next")
    monkeypatch.setattr("recall_lab.mirror.refreshing.price_version", lambda: "next")
    monkeypatch.setattr("recall_lab.mirror.building.prices_of", lambda _: [])
    done = refresh(telling.store, telling.folder)
    assert (done.built, done.full) == (True, False)
    assert telling.rows("SELECT cost_usd FROM model_calls") == [(None,)]


def test_no_store_and_no_mirror_are_clear_errors(telling: Telling) -> None:
    with pytest.raises(NoStoreError):
        refresh(telling.store, telling.folder)
    with pytest.raises(MirrorError, match="no mirror yet"):
        connect(telling.folder)


def test_a_mirror_can_be_read_where_nothing_can_be_written(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    for path in telling.folder.iterdir():
        path.chmod(0o400)
    telling.folder.chmod(0o500)
    before = {path.name: path.stat().st_mtime_ns for path in telling.folder.iterdir()}
    with connect(telling.folder) as mirror:
        assert mirror.rows("SELECT count(*) FROM blocks") == [(1,)]
    assert {path.name: path.stat().st_mtime_ns for path in telling.folder.iterdir()} == before
    telling.folder.chmod(0o700)


def test_a_failed_build_leaves_the_old_generation_and_nothing_half_made(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    telling.tell("main", said("a"), said("b", at=1))
    before = sorted(telling.folder.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    monkeypatch.setattr("recall_lab.mirror.building.Builder.build", full)
    with pytest.raises(MirrorError, match="could not be built"):
        refresh(telling.store, telling.folder)
    assert sorted(telling.folder.iterdir()) == before
    with connect(telling.folder) as mirror:
        assert mirror.rows("SELECT count(*) FROM blocks") == [(1,)]


FULL_DISK = """
import resource, sys
from pathlib import Path
from recall_lab.errors import MirrorError
from recall_lab.mirror import refresh
resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, 64_000))
try:
    refresh(Path(sys.argv[1]), Path(sys.argv[2]), full=sys.argv[3] == "full")
except MirrorError as error:
    print(str(error).count("\\n"), "could not be built" in str(error))
"""


@pytest.mark.parametrize("full", ["full", "incremental"])
def test_a_full_disk_leaves_the_old_generation(telling: Telling, full: str) -> None:
    for name in ("one", "two", "three", "four"):
        telling.tell(name, said(name))
    telling.mirror().close()
    telling.tell("one", *(said(f"more{at}", os.urandom(3_000).hex(), at=at) for at in range(60)))
    before = sorted(telling.folder.iterdir())
    command = [sys.executable, "-c", FULL_DISK, str(telling.store), str(telling.folder), full]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout == "0 True\n", told
    assert sorted(telling.folder.iterdir()) == before
    with connect(telling.folder) as mirror:
        assert mirror.rows("SELECT count(*) FROM blocks") == [(4,)]
    assert telling.rows("SELECT count(*) FROM blocks WHERE session = 'one'") == [(60,)]
