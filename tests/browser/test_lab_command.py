"""``recall-lab lab``: from a home with transcripts to a notebook that runs on them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.sample import sample_home
from tests.browser.workbench import CHROMIUM, Workbench, watched_page

pytestmark = pytest.mark.browser


@contextlib.contextmanager
def lab_command(scratch: Path, rules_cache: Path, home: Path) -> Iterator[tuple[Workbench, Path]]:
    """Run ``recall-lab lab`` for a user whose home folder is ``home``; give its address and its output."""
    if CHROMIUM is None:
        pytest.skip("no chromium here: install it (Debian: apt-get install chromium) to run the browser tests")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "RECALL_LAB"))}
    environ |= {"HOME": str(home), "RECALL_LAB_CACHE_DIR": str(rules_cache), "RECALL_LAB_HOME": str(scratch / "store")}
    command = [sys.executable, "-m", "recall_lab", "lab", "--yes", "--no-browser", f"--port={port}"]
    command += ["--work", str(scratch / "work"), "--", "--ServerApp.port_retries=0"]
    output = scratch / "output.txt"
    with output.open("wb") as log:
        running = subprocess.Popen(command, env=environ, stdout=log, stderr=log, cwd=scratch)
    try:
        deadline = time.monotonic() + 120
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/lab\S*\?token=(\w+)", output.read_text())):
            assert running.poll() is None, output.read_text()
            assert time.monotonic() < deadline, output.read_text()
            time.sleep(0.3)
        yield Workbench(f"http://127.0.0.1:{port}", found[1], scratch / "work"), output
    finally:
        running.terminate()
        running.wait(30)


def test_it_captures_copies_and_opens_the_first_notebook(tmp_path: Path, rules_cache: Path) -> None:
    home = tmp_path / "user"
    shutil.copytree(sample_home(), home)
    with lab_command(tmp_path, rules_cache, home) as (bench, output), watched_page(bench) as (page, watch):
        assert "blocks added" in output.read_text()
        assert (tmp_path / "store" / "recall.db").exists()
        bench.open(page, "00_start_here.ipynb")
        bench.run_all(page)
        assert page.locator(".jp-OutputArea-output:has-text('Traceback')").all_inner_texts() == []
        page.locator(".rl-hit").first.wait_for()
        page.wait_for_timeout(500)
        assert page.get_by_text("Jupyter news").all_inner_texts() == [], "it asks whether it may use the network"
    assert watch.outside == []
    assert watch.errors == []


def test_without_transcripts_it_opens_the_sample(tmp_path: Path, rules_cache: Path) -> None:
    (tmp_path / "user").mkdir()
    with lab_command(tmp_path, rules_cache, tmp_path / "user") as (_, output):
        said = output.read_text()
    assert "opening the packaged sample" in said
    assert not (tmp_path / "store" / "recall.db").exists()
    assert "SAMPLE = True" in (tmp_path / "work" / "00_start_here.ipynb").read_text()
