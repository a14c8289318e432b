"""What was taken out leaves no trace, also where the work was interrupted or somebody was in its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.capture import examine, repair
from recall_lab.errors import MirrorError
from recall_lab.lab import Lab
from recall_lab.model import ToolCall
from recall_lab.store import open_reader, open_writer
from recall_lab.store.purging import Selection, forget
from recall_lab.store.scrubbing import scrub_owed
from recall_lab.store.staging import staged_source
from tests.store.test_batches import ask, batch, block

from .conftest import Home, bytes_below, lines, record

WORD = "zebraquark"


@pytest.fixture
def filled(home: Home) -> Home:
    home.write(*lines([f"the {WORD} plan", "nothing special"]))
    home.write(record(7, "another"), path=home.project / ("6" + home.file.name[1:]))
    home.index()
    return home


def stop(*_: object) -> bool:
    raise KeyboardInterrupt


def test_an_interrupted_forget_is_finished_by_doctor_or_vacuum(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, open_writer(filled.settings.store) as writer:
        patch.setattr("recall_lab.store.purging.scrub", stop)
        # So that pages keep what was deleted, as a log that was not folded in does.
        writer.connection.execute("PRAGMA secure_delete = OFF")
        with pytest.raises(KeyboardInterrupt):
            forget(writer, Selection(session=filled.file.stem), writer=writer)
    assert filled.ask("SELECT text FROM blocks") == [("another",)]
    assert WORD.encode() in bytes_below(filled.settings.home)
    told = {one.check: one for one in examine(filled.settings)}
    assert (told["free pages"].grade, told["free pages"].next) == ("warning", "`recall-lab vacuum`")
    assert any("free pages cleared" in line for line in repair(filled.settings))
    assert WORD.encode() not in bytes_below(filled.settings.home)
    assert "free pages" not in {one.check for one in examine(filled.settings)}


def test_a_reader_of_an_older_state_is_named_and_vacuum_finishes(filled: Home) -> None:
    with Lab(filled.settings) as lab, open_reader(filled.settings.store) as other:
        other.connection.execute("BEGIN")
        assert other.connection.execute("SELECT count(*) FROM blocks").get == 3
        with open_writer(filled.settings.store) as writer:
            writer.connection.set_busy_timeout(50)
            forget(writer, Selection(session=filled.file.stem), writer=writer)
        assert scrub_owed(lab.reader)
        assert other.connection.execute("SELECT count(*) FROM blocks").get == 3
        other.connection.execute("ROLLBACK")
        assert lab.vacuum().scrubbed
        assert not scrub_owed(lab.reader)
    assert WORD.encode() not in bytes_below(filled.settings.home)


def test_an_older_generation_that_is_read_is_counted(filled: Home) -> None:
    with Lab(filled.settings) as lab, Lab(filled.settings) as other:
        lab.refresh(progress=False)
        assert other.records("SELECT count(*) FROM sessions")[1] == [(2,)]
        gone = lab.forget(session=filled.file.stem, really=True)
        assert (gone.held, gone.scrubbed) == (1, True)
        other.close()
        lab.refresh(progress=False)
    assert WORD.encode() not in bytes_below(filled.settings.home)


def test_a_rebuild_under_way_does_not_keep_what_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "home" / "recall.db"
    with open_writer(path) as writer:
        writer.apply(batch(block(1, f"the {WORD} plan"), block(2, "stays")))
        writer.stage(batch(block(1, f"the {WORD} plan again"), block(2, "stays")), ready=False)
        forget(writer, Selection(block=f"{1:032x}"), writer=writer)
        assert staged_source(writer.connection, "/t/a.jsonl", "local") is None
    assert WORD.encode() not in bytes_below(tmp_path)


def test_the_first_line_of_a_failure_goes_with_its_result_and_does_not_come_back(tmp_path: Path) -> None:
    path = tmp_path / "home" / "recall.db"
    call = ToolCall(call_id="t1", turn=1, tool="Bash", result_block=f"{1:032x}", failed=True, error=f"no {WORD}")
    told = batch(block(1, f"no {WORD}", kind="tool_result", role="tool"), block(2, "stays"), tool_calls=(call,))
    with open_writer(path) as writer:
        writer.apply(told)
        forget(writer, Selection(block=f"{1:032x}"), writer=writer)
        assert ask(writer, "SELECT failed, error FROM tool_calls") == [(1, None)]
        writer.apply(told)
        assert ask(writer, "SELECT failed, error FROM tool_calls") == [(1, None)]
    assert WORD.encode() not in bytes_below(tmp_path)


def test_times_of_a_session_follow_what_is_left(tmp_path: Path) -> None:
    days = [f"2026-05-0{day}T00:00:00.000Z" for day in (1, 2, 3)]
    with open_writer(tmp_path / "home" / "recall.db") as writer:
        writer.apply(batch(*(block(n, f"day {n}", timestamp=day) for n, day in enumerate(days, 1))))
        forget(writer, Selection(since=days[1]), writer=writer)
        assert ask(writer, "SELECT started, ended FROM sessions") == [(days[0], days[0])]


def test_a_wording_of_its_own_goes_where_another_session_has_another_one(tmp_path: Path) -> None:
    """The same record with two texts: both are kept until the session of one of them is forgotten."""
    with open_writer(tmp_path / "home" / "recall.db") as writer:
        writer.apply(batch(block(1, f"the {WORD} plan")))
        writer.apply(batch(block(1, "the other plan"), path="/t/b", session="s2"))
        purge = forget(writer, Selection(session="s1"), writer=writer)
        assert (purge.blocks, purge.texts, purge.kept_elsewhere) == (0, 1, 1)
        assert ask(writer, "SELECT text FROM blocks") == [("the other plan",)]
    assert WORD.encode() not in bytes_below(tmp_path)


def test_no_mirror_keeps_what_was_forgotten_where_none_can_be_built(
    filled: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MirrorError("no room")

    with Lab(filled.settings) as lab:
        lab.refresh(progress=False)
        with monkeypatch.context() as patch:
            patch.setattr("recall_lab.mirror.refresh", fail)
            assert lab.forget(session=filled.file.stem, really=True).scrubbed
        assert WORD.encode() not in bytes_below(filled.settings.home)
        assert lab.records("SELECT count(*) FROM sessions")[1] == [(1,)]
