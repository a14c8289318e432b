"""The command line in this process and in its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall_lab.cli import run


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value that it must be."""
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """Standard error as the one line that it must be."""
        (line,) = self.err.splitlines()
        return line


Command = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rules_cache: Path) -> None:
    """No test reads the machine's own history, settings or repository."""
    home = tmp_path / "user"
    home.mkdir()
    hosts = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "COPILOT_HOME", "GEMINI_CLI_HOME")
    for name in (*hosts, "RECALL_LAB_YES", "RECALL_LAB_ACTIVITY", "RECALL_LAB_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    monkeypatch.setenv("RECALL_LAB_ZONE", "UTC")
    monkeypatch.chdir(home)


@pytest.fixture
def recall_lab(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process."""

    def call(*argv: str) -> Ran:
        capsys.readouterr()
        code = run(argv)
        found = capsys.readouterr()
        return Ran(code, found.out, found.err)

    return call


@pytest.fixture
def on_sample(recall_lab: Command, captured_sample: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command on the packaged sample."""
    monkeypatch.setenv("RECALL_LAB_HOME", str(captured_sample))
    monkeypatch.setenv("RECALL_LAB_ACTIVITY", "off")
    return recall_lab


@pytest.fixture
def process() -> Command:
    """Run a command in a process of its own, with no terminal."""

    def call(*argv: str, **environ: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "recall_lab", *argv],
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call
