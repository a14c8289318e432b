"""A pinned repository stands above what the transcript's folder says, whatever happens to the transcript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_lab.lab import Lab
from recall_lab.store import open_writer
from recall_lab.store.importing import Cleaned, import_lines
from recall_lab.store.portable import export_lines
from recall_lab.store.purging import Selection, forget, prune

from .conftest import Home, lines, record

AGENT = "a1b2c3d4"
OWN, PINNED = "/repo/alpha", "git.example.org/harbour/lighthouse"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    repo = tmp_path / "lighthouse"
    (repo / ".git").mkdir(parents=True)
    (repo / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{PINNED}.git\n')
    return repo


@pytest.fixture(autouse=True)
def _quick_rules(monkeypatch: pytest.MonkeyPatch, first_rules: None) -> None:
    """Every redactor is the small one."""


def subagent(home: Home) -> Path:
    line = json.loads(record(7, "from the subagent"))
    line |= {"isSidechain": True, "agentId": AGENT}
    path = home.project / home.file.stem / "subagents" / f"agent-{AGENT}.jsonl"
    return home.write(json.dumps(line).encode() + b"\n", path=path)


def repos(home: Home) -> dict[str, str]:
    return dict(home.ask("SELECT native_id, repo FROM sessions ORDER BY native_id"))


def test_a_pin_survives_append_rebuild_and_move(home: Home, folder: Path) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    assert repos(home) == {home.file.stem: OWN}
    with Lab(home.settings) as lab:
        done = lab.rescope(str(home.file), cwd=folder)
    assert (done.sessions, done.pins[0].repo) == (1, PINNED)
    assert repos(home) == {home.file.stem: PINNED}
    home.append(record(5, "appended"))
    home.index()
    assert repos(home) == {home.file.stem: PINNED}
    home.index(home.file, rebuild=True)
    assert repos(home) == {home.file.stem: PINNED}
    moved = home.file.with_name("moved") / home.file.name
    moved.parent.mkdir()
    home.file.rename(moved)
    home.index()
    assert home.ask("SELECT path FROM scopes") == [(str(moved),)]
    assert repos(home) == {home.file.stem: PINNED}
    with Lab(home.settings) as lab:
        lab.rescope(home.file.stem, auto=True)
        assert lab.scopes() == ()
        assert lab.check_mirror().equal
    assert repos(home) == {home.file.stem: OWN}


@pytest.mark.parametrize("before", [True, False])
def test_subagents_go_with_their_session_captured_before_or_after(home: Home, folder: Path, before: bool) -> None:
    home.write(*lines(["one", "two"]))
    if before:
        subagent(home)
    home.index()
    with Lab(home.settings) as lab:
        lab.rescope(str(home.file), cwd=folder)
    if not before:
        subagent(home)
        home.index()
    assert set(repos(home).values()) == {PINNED}
    assert len(repos(home)) == 2
    with Lab(home.settings) as lab:
        assert lab.rescope(str(home.file), auto=True).sessions == 2
    assert set(repos(home).values()) == {OWN}


def test_the_change_is_seen_by_search_and_mirror(home: Home, folder: Path) -> None:
    home.write(*lines(["the zebraquark plan", "two"]))
    home.index()
    with Lab(home.settings) as lab:
        lab.refresh(progress=False)
        lab.rescope(str(home.file), cwd=folder)
        assert lab.search("zebraquark", scope="all")[0].repo == PINNED
        assert lab.records("SELECT repo FROM sessions")[1] == [(PINNED,)]


def test_pins_travel_with_an_export_and_take_the_machine_with_them(
    home: Home, make_home: Callable[[str], Home], folder: Path
) -> None:
    home.write(*lines(["one", "two"]))
    subagent(home)
    home.index()
    with Lab(home.settings) as lab:
        lab.rescope(str(home.file), cwd=folder)
        exported = list(export_lines(lab.reader))
    other = make_home("other")
    with open_writer(other.settings.store) as writer:
        import_lines(writer, exported, lambda texts: [Cleaned(t) for t in texts], rules="test", machine="laptop")
    assert set(repos(other).values()) == {PINNED}
    assert other.ask("SELECT machine, path, repo FROM scopes") == [("laptop", str(home.file), PINNED)]


def test_a_pin_goes_with_what_it_is_of(home: Home, folder: Path) -> None:
    other = home.write(*lines(["elsewhere"]), path=home.project / ("6" + home.file.name[1:]))
    home.write(*lines(["one", "two"]))
    home.index()
    with Lab(home.settings) as lab:
        lab.rescope(str(home.file), cwd=folder)
        lab.rescope(str(other), cwd=folder)
    with open_writer(home.settings.store) as writer:
        forget(writer, Selection(session=home.file.stem), writer=writer)
        assert home.ask("SELECT path FROM scopes") == [(str(other),)]
        writer.set_source_state(str(other), "source_missing", "gone")
        prune(writer, writer=writer)
    assert home.ask("SELECT count(*) FROM scopes") == [(0,)]
