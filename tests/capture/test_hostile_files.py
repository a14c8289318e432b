"""Files that no host writes, in places where hosts write: each costs itself, never the capture."""

from __future__ import annotations

import json
import os
import threading
from contextlib import closing
from typing import Any

import apsw
import msgspec
import pytest

from recall_lab.capture import discover
from recall_lab.capture.accounts import decode, encode
from recall_lab.capture.indexing import index

from .conftest import SESSION, Home, lines, record


def progress(number: int, agent: str, text: str) -> bytes:
    """A message of an agent as its caller's transcript carries it."""
    message = {
        "type": "user",
        "uuid": f"00000000-0000-4000-9000-{number:012d}",
        "timestamp": "2026-05-01T10:00:09.000Z",
        "message": {"role": "user", "content": text},
    }
    data = {"type": "agent_progress", "agentId": agent, "message": message}
    return record(number, "", type="progress", toolUseID="t", data=data, message=None)


def test_a_pipe_in_a_folder_is_not_waited_for(home: Home) -> None:
    home.write(*lines(["one"]))
    os.mkfifo(home.project / "pipe.jsonl")
    seen: list[Any] = []
    looking = threading.Thread(target=lambda: seen.append(discover(home.settings)), daemon=True)
    looking.start()
    looking.join(5)
    assert [found.path for found in seen[0].found] == [home.file]


def test_a_link_to_itself_costs_itself(home: Home) -> None:
    home.write(*lines(["one"]))
    loop = home.project / "loop.jsonl"
    loop.symlink_to(loop.name)
    seen = discover(home.settings)
    assert [found.path for found in seen.found] == [home.file]
    assert seen.unrecognised == (loop,)


@pytest.mark.parametrize("left", [b"", b"noise\n"])
@pytest.mark.parametrize("by_name", [True, False])
def test_a_captured_file_that_says_nothing_of_itself_any_more_has_changed(
    home: Home, left: bytes, *, by_name: bool
) -> None:
    file = home.write(*lines(["one", "two"]), path=home.root / "elsewhere" / f"{SESSION}.jsonl")
    named = file if by_name else file.parent
    index(home.settings, [named])
    file.write_bytes(left)
    assert [problem.state for problem in index(home.settings, [named]).problems] == ["source_changed"]
    assert home.texts() == ["one", "two"]
    assert home.ask("SELECT state FROM sources") == [("source_changed",)]
    index(home.settings, [named], rebuild=True)
    assert home.ask("SELECT size FROM sources") == [(len(left),)]


def test_names_that_are_not_utf8_stay_apart(home: Home) -> None:
    folder = os.fsencode(home.project)
    for byte, text in ((b"\xfe", "one"), (b"\xff", "two")):
        with open(folder + b"/" + byte + b".jsonl", "wb") as file:  # noqa: PTH123 - a name of bytes
            file.write(record(ord(byte), text, sessionId=text))
    home.index()
    assert home.texts() == ["one", "two"]
    assert home.index().sources_changed == 0


def test_a_file_is_one_source_by_whatever_way_it_is_named(home: Home) -> None:
    file = home.write(*lines(["one"]))
    home.index()
    assert home.index(file.parent / ".." / file.parent.name / file.name, file.parent / "." / file.name).records == 0
    assert home.ask("SELECT path FROM sources") == [(str(file),)]


def test_the_id_of_an_agent_is_redacted_everywhere(home: Home) -> None:
    home.write(record(0, "one"), progress(1, "hunter2", "of the agent"))
    home.index()
    home.append(progress(2, "hunter2", "more of the agent"))
    home.index()
    assert home.texts() == ["one", "of the agent", "more of the agent"]
    for file in home.settings.home.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes(), file


def test_what_was_kept_by_another_version_of_a_host_is_read_anew(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    before = home.content()
    with closing(apsw.Connection(str(home.settings.store))) as store:
        settled = decode(store.execute("SELECT parser_state FROM sources").get)
        older = encode(msgspec.structs.replace(settled, parser=msgspec.msgpack.encode([0])))
        store.execute("UPDATE sources SET parser_state = ?", (older,))
    home.append(record(2, "three"))
    home.index()
    assert home.content()["placements"][: len(before["placements"])] == before["placements"]
    assert "three" in home.texts()


def test_what_was_replaced_in_a_line_is_noted(home: Home) -> None:
    bad = json.dumps({**json.loads(record(1, "a X b")), "cwd": "/repo/alpha"}).encode().replace(b"X", b"\xff")
    home.write(record(0, "one"), bad + b"\n", record(2, "\ud800"))
    home.index()
    noted = home.ask("SELECT offset, disposition, reason FROM problems ORDER BY offset")
    assert [(disposition, reason) for _, disposition, reason in noted] == [
        ("indexed", "bad UTF-8 replaced"),
        ("indexed", "lone surrogate replaced"),
    ]
    assert noted[0][0] == len(record(0, "one"))
