"""Vectors by the command line and the Lab: made, counted, used, and gone with what is forgotten."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recall_lab.cli import run
from recall_lab.lab import Lab, open_lab
from recall_lab.semantic.vectors import segments
from recall_lab.uninstalling import plan
from tests.search.conftest import History

from .conftest import KnowsByHeart

TEXTS = ("the automobile was swift", "a quiet river")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two sessions, and the model that knows by heart."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    history = History(folder / "recall.db")
    for number, text in enumerate(TEXTS):
        history.say(f"s{number}", text)
    history.close()
    monkeypatch.setattr("recall_lab.semantic.models.open_model", lambda _=None: KnowsByHeart())
    monkeypatch.setattr("recall_lab.semantic.finding.open_model", lambda _=None: KnowsByHeart())
    monkeypatch.setattr("recall_lab.semantic.finding.model_files", lambda _=None: None)
    return folder


def asked(capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> dict:
    assert run(["--home", str(home), *words, "--json"]) == 0
    return msgspec.json.decode(capsys.readouterr().out)


def test_build_status_and_search_by_the_command_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, home, "search", "quick vehicle", "--mode", "hybrid")["notice"].startswith("searched by words")
    assert asked(capsys, home, "semantic", "status")["embedded"] == 0
    assert asked(capsys, home, "semantic", "build", "--most", "1") == {
        "texts": 1,
        "passages": 1,
        "dropped": 0,
        "waiting": 1,
    }
    assert asked(capsys, home, "semantic", "build")["texts"] == 1
    assert asked(capsys, home, "semantic", "status")["embedded"] == 2
    for mode, found in (("hybrid", [TEXTS[0]]), ("semantic", [TEXTS[0]]), ("lexical", [])):
        hits = asked(capsys, home, "search", "quick vehicle", "--mode", mode)["hits"]
        assert [hit["text"] for hit in hits] == found


def test_a_person_reads_the_same_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--home", str(home), "semantic", "build"]) == 0
    assert run(["--home", str(home), "semantic", "status"]) == 0
    assert run(["--home", str(home), "search", "quick vehicle", "--mode", "hybrid"]) == 0
    said = capsys.readouterr().out
    assert "2 texts embedded in 2 passages" in said
    assert "vectors: 2 of 2 texts" in said
    assert "similar in meaning" in said


def test_without_the_extra_one_line_says_what_to_do(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr("recall_lab.semantic.models.find_spec", lambda _: None)
    for words in (["semantic", "build"], ["search", "quick vehicle", "--mode", "semantic"]):
        assert run(["--home", str(home), *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "pip install" in said or "semantic build" in said


def test_what_is_forgotten_loses_its_vectors_at_once(home: Path) -> None:
    with Lab(open_lab(home).settings) as lab:
        lab.build_vectors(progress=False)
        lab.forget(session="s0", really=True)
        (segment,) = segments(home / "vectors")
        assert len(segment.rows) == 1
        lab.forget(session="s1", really=True)
        assert segments(home / "vectors") == ()


def test_uninstall_knows_the_vectors(home: Path) -> None:
    with open_lab(home) as lab:
        lab.build_vectors(progress=False)
        found = plan(lab.settings)
    assert any(name.endswith(".vectors") for name in found.files)
    assert not [name for name in found.kept if "vectors" in name]


def test_a_mode_that_there_is_none_of(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--home", str(home), "search", "x", "--mode", "magic"]) == 2
    with open_lab(home) as lab, pytest.raises(ValueError, match="no mode"):
        lab.search("x", mode="magic")


def test_the_panel_searches_by_meaning(home: Path) -> None:
    with open_lab(home) as lab:
        panel = lab.panels.search("quick vehicle")
        panel.mode.value = "hybrid"
        assert panel.results.hits == []
        assert "recall-lab semantic build" in panel.results.status
        lab.build_vectors(progress=False)
        panel.search()
        assert panel.code == "lab.search('quick vehicle', mode='hybrid')"
        assert any(word.startswith("similar in meaning") for word in panel.results.hits[0]["why"])
        panel.mode.value = ""
        assert panel.results.hits == []
