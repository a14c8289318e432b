"""``report`` writes a page, and ``jupyter recall-lab`` is ``recall-lab lab``."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.conftest import Command

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_the_report_is_where_it_was_asked_for(on_sample: Command, tmp_path: Path) -> None:
    ran = on_sample("report", "--out", str(tmp_path / "r.html"), "--since", "2020-01-01", "--json")
    assert ran.code == 0
    assert ran.json["file"] == str(tmp_path / "r.html")
    assert ran.json["bytes"] == (tmp_path / "r.html").stat().st_size
    ran = on_sample("report", "--since", "soonish")
    assert ran.code == 2
    assert "is not a time" in ran.line
    assert not Path("recall-lab-report.html").exists()


def test_jupyter_recall_lab_opens_the_workbench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Jupyter finds a program of this name and gives it what follows `jupyter recall-lab`.
    module, name = tomllib.loads(PROJECT.read_text())["project"]["scripts"]["jupyter-recall-lab"].split(":")
    monkeypatch.setattr(sys, "argv", ["jupyter-recall-lab", "--help"])
    with pytest.raises(SystemExit) as left:
        getattr(import_module(module), name)()
    assert left.value.code == 0
    assert "Open JupyterLab on your own copy of the notebooks" in capsys.readouterr().out
