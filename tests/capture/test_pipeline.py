"""The reading process: what it reads is what one process reads, and it ends with the one that started it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.capture import pipeline
from recall_lab.capture.files import Stat
from recall_lab.capture.pipeline import Context, Failed, Read, Ready, Task, decode_task, encode_task, outcomes
from recall_lab.capture.reading import Job
from recall_lab.errors import RedactionError, SourceError

from .conftest import Home, lines


def context(rules_cache: Path) -> Context:
    return Context(rules_cache, "capped", 8000, (), frozenset(), b"k" * 32)


def jobs(home: Home, count: int = 3) -> list[Job]:
    found = []
    for number in range(count):
        path = home.write(*lines([f"text {number}", "answer"]), path=home.project / f"{number:08x}{'0' * 28}.jsonl")
        found.append(Job(path, "claude-code", "local", Stat.of(path)))
    return found


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(pipeline, "_processors", lambda: 2)


@pytest.mark.usefixtures("beside")
def test_both_ways_of_reading_agree(home: Home, rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    alone = [outcome for outcome in pipeline.read_all(jobs(home), context(rules_cache)) if isinstance(outcome, Read)]
    monkeypatch.setattr(pipeline, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(pipeline, "_processors", lambda: 2)
    other = list(outcomes(jobs(home), context(rules_cache)))
    assert isinstance(other[0], Ready)

    assert [type(outcome) for outcome in other].count(Ready) == 2

    def strip(outcomes: list[Read]) -> list[object]:
        found = [msgspec.structs.replace(read.reading.batch, rules_version="") for read in outcomes]
        return [msgspec.structs.replace(batch, source=None) for batch in sorted(found, key=lambda b: b.source.path)]

    assert strip(alone) == strip([outcome for outcome in other if isinstance(outcome, Read)])


@pytest.mark.usefixtures("beside")
def test_a_file_that_went_away_costs_that_file(home: Home, rules_cache: Path) -> None:
    todo = jobs(home)
    todo[1].path.unlink()
    got = list(outcomes(todo, context(rules_cache)))
    told = {outcome.job: type(outcome) for outcome in got if not isinstance(outcome, Ready)}
    assert told == {0: Read, 1: Failed, 2: Read}


@pytest.mark.usefixtures("beside")
def test_an_interrupt_does_not_meet_a_process_that_starts(
    home: Home, rules_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    start = subprocess.Popen

    def start_and_interrupt(*command: Any, **streams: Any) -> subprocess.Popen[bytes]:
        child = start(*command, **streams)
        child.send_signal(signal.SIGINT)
        return child

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    monkeypatch.setattr(subprocess, "Popen", start_and_interrupt)
    got = [outcome for outcome in outcomes(jobs(home), context(rules_cache)) if not isinstance(outcome, Ready)]
    assert [type(outcome) for outcome in got] == [Read, Read, Read]
    assert capfd.readouterr().err == ""
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


@pytest.mark.usefixtures("beside")
def test_closing_early_ends_the_process(home: Home, rules_cache: Path) -> None:
    before = children()
    read = outcomes(jobs(home, 30), context(rules_cache))
    next(read)
    assert children() != before
    read.close()
    assert children() == before


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split())


@pytest.mark.usefixtures("beside")
def test_rules_that_cannot_be_loaded_are_said_in_one_line(home: Home, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(RedactionError, match="detector") as caught:
        list(outcomes(jobs(home), context(blocked / "cache")))
    assert "\n" not in str(caught.value)


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"/" not in name and b"\0" not in name))
def test_any_file_name_reaches_the_other_process(name: bytes) -> None:
    path = Path(os.fsdecode(b"/" + name))
    job = Job(path, "codex", "local", Stat(1, 2, 3))
    task = Task(context(Path("/cache")), (job,))
    assert decode_task(encode_task(task)) == task


def test_every_job_is_dealt_out_once_and_the_loads_are_alike() -> None:
    jobs = [Job(Path(f"/{size}"), "codex", "local", Stat(size, 0, 0)) for size in (9, 1, 8, 2, 7, 3)]
    shares = pipeline._shares(jobs, 2)
    assert sorted(number for share in shares for number in share) == list(range(6))
    assert [sum(jobs[number].stat.size for number in share) for share in shares] == [15, 15]
    assert pipeline._shares(jobs[:1], 4) == [[0]]


@pytest.mark.usefixtures("beside")
def test_a_reading_process_that_dies_is_said(home: Home, rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline.sys, "executable", "/bin/false")
    with pytest.raises(SourceError, match="run `recall-lab index` again"):
        list(outcomes(jobs(home), context(rules_cache)))
