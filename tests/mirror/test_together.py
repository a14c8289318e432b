"""Kernels, the command and a watcher at once: captures, refreshes and readers, in processes of their own, none fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recall_lab.mirror import check, connect, refresh
from tests.mirror.telling import Telling, said

ROOT = Path(__file__).resolve().parents[2]
WATCHER = """
import sys, time
from pathlib import Path
from tests.mirror.telling import Telling, said
telling, end = Telling(Path(sys.argv[1])), time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < end:
    number += 1
    telling.tell(f"s{number % 5}", *(said(f"{number % 5}-{at}-{number}", at=at) for at in range(3)))
"""
COMMAND = """
import sys, time
from pathlib import Path
from recall_lab.mirror import refresh
folder, end = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    refresh(folder / "recall.db", folder / "mirror")
"""
KERNEL = """
import sys, time
from pathlib import Path
from recall_lab.mirror import connect
folder, end = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2])
asked = 0
while time.monotonic() < end:
    with connect(folder / "mirror") as mirror:
        for _ in range(5):
            [(blocks, texts)] = mirror.rows("SELECT count(*), count(text) FROM blocks")
            [(placed,)] = mirror.rows("SELECT count(DISTINCT text_id) FROM placements")
            assert blocks == texts == placed, (blocks, texts, placed)
            asked += 1
assert asked > 0
"""


def at_once(telling: Telling, seconds: float) -> None:
    telling.tell("first", said("a"))
    refresh(telling.store, telling.folder)
    arguments = [str(telling.store.parent), str(seconds)]
    started = [
        subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT, stderr=subprocess.PIPE)
        for code in (WATCHER, COMMAND, COMMAND, KERNEL, KERNEL)
    ]
    told = [process.communicate(timeout=60 + 4 * seconds)[1].decode() for process in started]
    assert [process.returncode for process in started] == [0] * 5, told
    refresh(telling.store, telling.folder)
    assert check(telling.store, telling.folder).equal
    assert len(list(telling.folder.glob("*.duckdb"))) == 1


def test_captures_refreshes_and_readers_at_once(telling: Telling) -> None:
    at_once(telling, 4)


@pytest.mark.deep
def test_captures_refreshes_and_readers_at_once_for_long(telling: Telling) -> None:
    at_once(telling, 60)


def test_a_kernel_may_refresh_what_it_reads(telling: Telling) -> None:
    telling.tell("first", said("a"))
    refresh(telling.store, telling.folder)
    held = []
    for number in range(4):
        held.append(connect(telling.folder))
        telling.tell("first", *(said(f"b{at}-{number}", at=at) for at in range(number + 2)))
        refresh(telling.store, telling.folder)
        with connect(telling.folder) as newest:
            assert newest.rows("SELECT count(*) FROM blocks") == [(number + 2,)]
    assert [mirror.rows("SELECT count(*) FROM blocks")[0][0] for mirror in held] == [1, 2, 3, 4]
    for mirror in held:
        mirror.close()
