"""Vectors follow the texts: made once, gone on with, and gone with their text."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from recall_lab.errors import StoreBusyError
from recall_lab.semantic import build, drop_stale, vectors_folder
from recall_lab.semantic.vectors import segments
from recall_lab.store import open_writer
from recall_lab.store.connection import WriteLock
from recall_lab.store.purging import Selection, forget
from tests.search.conftest import History, batch, block

from .conftest import KnowsByHeart

TEXTS = ("the car is fast", "we decline the offer", "rain at night")


def folder_of(history: History) -> Path:
    return vectors_folder(history.path)


def held(history: History) -> list[int]:
    return sorted(text for segment in segments(folder_of(history)) for text in segment.rows.texts.tolist())


def test_only_what_is_new_is_embedded(history: History, model: KnowsByHeart) -> None:
    history.say("one", *TEXTS)
    assert build(history.read(), folder_of(history), model).texts == 3
    assert sorted(model.seen) == sorted(TEXTS)
    assert build(history.read(), folder_of(history), model).texts == 0
    history.say("two", "a swift vehicle")
    again = build(history.read(), folder_of(history), model)
    assert (again.texts, again.dropped, again.waiting) == (1, 0, 0)
    assert model.seen[3:] == ["a swift vehicle"]
    assert stat.S_IMODE(folder_of(history).stat().st_mode) == 0o700


def test_what_tools_and_hosts_wrote_is_left_to_words(history: History, model: KnowsByHeart) -> None:
    history.write(
        batch(
            "s",
            (
                block("prose", 0),
                block("ls -la", 1, role="tool", kind="tool_use"),
                block("total 0", 2, role="tool", kind="tool_result"),
                block("you are an agent", 3, role="host"),
            ),
        )
    )
    build(history.read(), folder_of(history), model)
    assert model.seen == ["prose"]


class Interrupted(KnowsByHeart):
    """Somebody presses Ctrl-C during its second batch."""

    def passages(self, texts):
        if self.seen:
            raise KeyboardInterrupt
        return super().passages(texts)


def test_an_interrupted_build_keeps_what_it_made_and_is_gone_on_with(history: History, model: KnowsByHeart) -> None:
    history.say("s", *(f"text number {n}" for n in range(150)))
    with pytest.raises(KeyboardInterrupt):
        build(history.read(), folder_of(history), Interrupted())
    made = len(held(history))
    assert 0 < made < 150
    assert build(history.read(), folder_of(history), model).texts == 150 - made
    assert len(set(held(history))) == len(held(history)) == 150


def test_a_build_may_be_cut_short_and_says_what_waits(history: History, model: KnowsByHeart) -> None:
    history.say("s", *TEXTS)
    done = build(history.read(), folder_of(history), model, most=2)
    assert (done.texts, done.waiting) == (2, 1)


def test_a_changed_text_loses_its_vectors_and_gets_others(history: History, model: KnowsByHeart) -> None:
    history.write(batch("s", (block("before the change", 0, block_id="a" * 32), block("stays", 1))))
    build(history.read(), folder_of(history), model)
    history.write(batch("s", (block("after the change", 0, block_id="a" * 32), block("stays", 1))))
    model.seen.clear()
    done = build(history.read(), folder_of(history), model)
    assert (done.texts, done.dropped) == (1, 1)
    assert model.seen == ["after the change"]


def test_vectors_of_a_forgotten_text_leave_the_disk(history: History, model: KnowsByHeart) -> None:
    history.say("keep", TEXTS[0]).say("drop", TEXTS[1])
    build(history.read(), folder_of(history), model)
    (segment,) = segments(folder_of(history))
    gone = next(n for n, text in enumerate(segment.rows.texts) if text == 2)
    secret = segment.rows.vectors[gone].tobytes()
    with open_writer(history.path) as writer:
        forget(writer, Selection(session="drop"), writer=writer)
    assert drop_stale(history.read(), folder_of(history)) == 1
    assert held(history) == [1]
    assert all(secret not in path.read_bytes() for path in folder_of(history).iterdir())
    assert drop_stale(history.read(), folder_of(history)) == 0
    assert drop_stale(history.read(), folder_of(history) / "nowhere") == 0


def test_another_model_starts_anew(history: History, model: KnowsByHeart) -> None:
    history.say("s", *TEXTS)
    build(history.read(), folder_of(history), model)
    other = KnowsByHeart("cd" * 16)
    done = build(history.read(), folder_of(history), other)
    assert (done.texts, done.dropped) == (3, 3)
    assert {segment.fingerprint for segment in segments(folder_of(history))} == {other.fingerprint}


def test_many_small_segments_become_one(history: History, model: KnowsByHeart) -> None:
    for number in range(9):
        history.say(f"s{number}", f"text {number}")
        build(history.read(), folder_of(history), model)
    assert len(segments(folder_of(history))) < 8
    assert held(history) == list(range(1, 10))


def test_one_build_at_a_time(history: History, model: KnowsByHeart) -> None:
    history.say("s", *TEXTS)
    build(history.read(), folder_of(history), model)
    lock = WriteLock(folder_of(history) / "build")
    try:
        with pytest.raises(StoreBusyError):
            build(history.read(), folder_of(history), model)
    finally:
        lock.release()
