"""Watching: what is written appears, and the watch ends when it is told to."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest

from recall_lab.capture.watching import watch
from recall_lab.errors import NotFoundError
from recall_lab.model import IndexReport

from .conftest import Home, lines, record


def eventually(true: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.05)
    return False


def test_appended_and_new_files_are_captured_until_the_watch_is_stopped(home: Home) -> None:
    home.write(*lines(["one"]))
    stop, reports, errors = Event(), list[IndexReport](), list[BaseException]()

    def run() -> None:
        try:
            watch(home.settings, stop=stop, report=reports.append)
        except BaseException as error:
            errors.append(error)
            raise

    thread = Thread(target=run)
    thread.start()
    try:
        assert eventually(lambda: len(reports) == 1)
        home.append(record(1, "two", "assistant"))
        assert eventually(lambda: home.texts() == ["one", "two"])
        home.write(record(7, "three"), path=home.project.with_name("-new") / home.file.name.replace("5", "6", 1))
        assert eventually(lambda: home.texts() == ["three", "one", "two"] or home.texts() == ["one", "two", "three"])
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()
    assert errors == []


def test_what_is_written_during_the_first_pass_is_not_missed(home: Home) -> None:
    home.write(*lines(["one"]))
    stop, reports = Event(), list[IndexReport]()

    def report(done: IndexReport) -> None:
        reports.append(done)
        if len(reports) == 1:
            home.append(record(1, "two", "assistant"))

    thread = Thread(target=lambda: watch(home.settings, stop=stop, report=report))
    thread.start()
    try:
        assert eventually(lambda: bool(reports) and home.texts() == ["one", "two"])
    finally:
        stop.set()
        thread.join(20)


def test_nothing_to_watch_says_so(home: Home) -> None:
    home.project.rmdir()
    home.project.parent.rmdir()
    with pytest.raises(NotFoundError, match="no transcripts"):
        watch(home.settings, stop=Event(), report=lambda _: None)
