"""What the counting commands say in words: names for what lacks one, zones, tables that stay readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.model import Redacted
from tests.cli.conftest import Command
from tests.mirror.telling import Telling, called, said


def test_calls_without_a_model_are_called_the_same_in_row_and_footnote(recall_lab: Command, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    Telling(tmp_path / "home").tell("main", said("a"), model_calls=[called("c", model=None, output_tokens=3)])
    ran = recall_lab("usage", "--by", "model")
    assert ran.code == 0
    assert ran.out.count("(no model)") == 2
    assert "(no repository)" in recall_lab("usage", "--by", "repo").out


def test_the_list_of_sessions_stays_readable_in_a_pipe(recall_lab: Command, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    long = Redacted("/srv/" + "deep/" * 40 + "repository")
    Telling(tmp_path / "home").tell("main", said("a"), title=Redacted("word " * 200), repo=long)
    lines = recall_lab("sessions").out.splitlines()
    assert any("…/deep/repository" in line for line in lines)
    assert max(map(len, lines)) <= 230


def test_a_zone_that_cannot_be_used_is_said_once(
    on_sample: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RECALL_LAB_ZONE")
    monkeypatch.setenv("TZ", "Mars/Olympus")
    ran = on_sample("usage")
    assert ran.code == 0
    assert "TZ=Mars/Olympus is not a time zone" in ran.line
    monkeypatch.setenv("RECALL_LAB_ZONE", "Europe/Helsinki")
    assert on_sample("usage").err == ""
