"""Sessions that are one document each: they are written anew as they grow, and that is no accident."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from recall_lab.capture import discover
from recall_lab.capture.discovery import recognise_file
from recall_lab.settings import load_settings
from recall_lab.store import open_reader
from recall_lab.store.status import status

from .conftest import SESSION, Home, lines, record


def gemini(*texts: str, session: str = SESSION, **more: Any) -> bytes:
    messages = [
        {
            "id": f"{nth:08x}-1111-4222-8333-944455556666",
            "timestamp": f"2026-05-01T10:00:0{nth}.000Z",
            "type": "gemini" if nth % 2 else "user",
            "content": text,
        }
        for nth, text in enumerate(texts)
    ]
    head = {"sessionId": session, "projectHash": "ab" * 32, "startTime": "2026-05-01T10:00:00.000Z"}
    return json.dumps({**head, "messages": messages, **more}, indent=2).encode()


@pytest.fixture
def chat(home: Home) -> Path:
    return home.root / ".gemini" / "tmp" / "alpha" / "chats" / "session-2026-05-01T10-00-5f0c7a3e.json"


def states(home: Home) -> list[str]:
    return [state for (state,) in home.ask("SELECT state FROM sources WHERE host = 'gemini-cli'")]


def test_a_document_that_grew_is_read_anew_and_its_texts_keep_their_ids(home: Home, chat: Path) -> None:
    home.write(gemini("why batching?", "for latency"), path=chat)
    assert home.index().blocks_added == 2
    before = home.ask("SELECT text_id, hex(block_id), text FROM blocks")
    home.write(gemini("why batching?", "for latency", "since when?"), path=chat)
    report = home.index()
    assert (report.problems, report.blocks_added, report.blocks_changed) == ((), 1, 0)
    assert home.texts() == ["why batching?", "for latency", "since when?"]
    assert home.ask("SELECT text_id, hex(block_id), text FROM blocks")[:2] == before
    assert states(home) == ["complete"]
    with open_reader(home.settings.store) as reader:
        assert status(reader).bytes.total == chat.stat().st_size
    assert home.index().sources_changed == 0


def test_a_text_that_was_written_otherwise_becomes_a_revision(home: Home, chat: Path) -> None:
    home.write(gemini("why batching?", "for latency"), path=chat)
    home.index()
    home.write(gemini("why batching?", "for throughput"), path=chat)
    report = home.index()
    assert (report.problems, report.blocks_changed) == ((), 1)
    assert home.texts() == ["why batching?", "for throughput"]
    assert home.ask("SELECT text FROM blocks WHERE text_id NOT IN (SELECT text_id FROM placements)") == [
        ("for latency",)
    ]


def test_one_that_is_half_written_takes_nothing_away(home: Home, chat: Path) -> None:
    whole = gemini("why batching?", "for latency")
    home.write(whole, path=chat)
    home.index()
    home.write(gemini("why batching?", "for latency", "since when?")[:-40], path=chat)
    report = home.index()
    assert [problem.state for problem in report.problems] == ["backlog"]
    assert (home.texts(), states(home)) == (["why batching?", "for latency"], ["backlog"])
    home.write(gemini("why batching?", "for latency", "since when?"), path=chat)
    assert home.index().problems == ()
    assert (home.texts()[2:], states(home)) == (["since when?"], ["complete"])


@pytest.mark.parametrize("content", [b"", b"\n", b"{}", b"[1, 2]"])
def test_one_that_holds_nothing_takes_nothing_away(home: Home, chat: Path, content: bytes) -> None:
    home.write(gemini("why batching?"), path=chat)
    home.index()
    home.write(content, path=chat)
    assert [problem.state in {"backlog", "source_changed"} for problem in home.index(chat).problems] == [True]
    assert home.texts() == ["why batching?"]
    home.write(gemini("why batching?", "for latency"), path=chat)
    assert home.index().problems == ()
    assert home.texts() == ["why batching?", "for latency"]


def test_one_that_was_never_whole_gives_what_it_has(home: Home, chat: Path) -> None:
    whole = gemini("why batching?", "for latency")
    for size in (len(whole) - 60, len(whole) - 50, len(whole)):
        home.write(whole[:size], path=chat)
        assert home.index().problems == ()
        with open_reader(home.settings.store) as reader:
            assert status(reader).bytes.total == size
    assert (home.texts(), states(home)) == (["why batching?", "for latency"], ["complete"])


def test_another_conversation_under_the_same_name_is_asked_about(home: Home, chat: Path) -> None:
    home.write(gemini("why batching?"), path=chat)
    home.index()
    home.write(gemini("something else", session="another"), path=chat)
    [problem] = home.index().problems
    assert (problem.state, "--rebuild" in problem.next) == ("source_changed", True)
    assert home.texts() == ["why batching?"]
    assert home.index(chat, rebuild=True).problems == ()
    assert home.texts() == ["something else"]


def test_a_private_document_is_left_out(home: Home, chat: Path) -> None:
    home.write(gemini("why batching?"), path=chat)
    home.with_settings(private=(SESSION,))
    home.index()
    assert (home.texts(), states(home)) == ([], ["off"])


def test_a_project_is_told_by_the_file_beside_the_chats(home: Home, chat: Path) -> None:
    project = "/repo/alpha"
    home.write(gemini("why?", projectHash=sha256(project.encode()).hexdigest()), path=chat)
    home.write(project.encode(), path=chat.parent.parent / ".project_root")
    home.index()
    assert home.ask("SELECT cwd FROM sessions") == [(project,)]


def test_a_folder_given_by_a_person_stays_when_the_document_grows(home: Home, chat: Path) -> None:
    home.write(gemini("why batching?"), path=chat)
    home.index()
    home.index(chat, cwd=Path("/repo/beta"))
    home.write(gemini("why batching?", "for latency"), path=chat)
    home.index()
    assert home.ask("SELECT cwd FROM sessions") == [("/repo/beta",)]
    assert home.index(chat, cwd=Path("/repo/beta")).sources_changed == 0


def test_the_known_folders_of_every_host(home: Home) -> None:
    pi = json.dumps({"type": "session", "id": SESSION, "timestamp": "2026-05-01T10:00:00.000Z", "cwd": "/repo"})
    copilot = json.dumps(
        {
            "type": "session.start",
            "data": {"sessionId": SESSION},
            "id": SESSION,
            "timestamp": "2026-05-01T10:00:00.000Z",
        }
    )
    sessions = {
        ".pi/agent/sessions/--repo--/t_1.jsonl": pi,
        ".copilot/session-state/5f0c/events.jsonl": copilot,
        ".copilot/session-state/5f0d.jsonl": copilot,
        ".gemini/tmp/alpha/chats/session-1.json": gemini("why?").decode(),
    }
    beside = {
        ".copilot/session-state/5f0c/files/data.json": '{"messages": [{"role": "user", "content": "x"}]}',
        ".gemini/tmp/alpha/logs.json": "[]",
        ".gemini/settings.json": "{}",
    }
    for name, text in (sessions | beside).items():
        home.write(text.encode() + b"\n", path=home.root / name)
    seen = discover(home.settings)
    assert {str(found.path.relative_to(home.root)): found.host for found in seen.found} == dict(
        zip(sessions, ["pi", "copilot", "copilot", "gemini-cli"], strict=True)
    )
    assert seen.unrecognised == ()
    elsewhere = {"PI_CODING_AGENT_DIR": ".pi/agent", "COPILOT_HOME": ".copilot", "GEMINI_CLI_HOME": "."}
    env = {name: str(home.root / place) for name, place in elsewhere.items()}
    moved = discover(load_settings(home.root / "lab", {"HOME": str(home.root / "nobody"), "TZ": "UTC", **env}))
    assert moved.found == seen.found


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "null",
        '{"name": "package", "version": "1.0.0", "dependencies": {}}',
        '{"messages": {"hello": "Hello", "bye": "Bye"}}',
        '[{"filePath": "a.js", "messages": [{"ruleId": "semi", "message": "missing"}]}]',
        '{"messages": [{"role": "admin", "content": "x"}]}',
        '{"messages": [{"id": 1, "content": "x"}]}',
        '{"messages": [{"role": "system", "content": "only a prompt"}]}',
        '{"mapping": {"_doc": {"properties": {}}}}',
        '{"sessionId": "x", "messages": []}',
        '[{"role": "user", "name": "someone"}]',
        '{"type": "session", "id": "x"}\n',
        '{"type": "message", "message": {"role": "user", "content": "x"}}\n',
        '{"type": "user.message", "data": {}}\n',
        '{"messages": [{"role": "user", "content": "a"}]}\n{"messages": [{"role": "user", "content": "b"}]}\n',
    ],
)
def test_data_that_is_no_transcript_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(text)
    assert recognise_file(path) is None


def test_a_document_is_known_by_more_than_its_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    notes = {f"note {number}": "x" * 50 for number in range(3000)}
    inner = {"mapping": {"a": {"id": "a", "message": None, "parent": None}}, "current_node": "a"}
    path.write_text(json.dumps({"notes": notes, "payload": inner}, indent=2))
    assert recognise_file(path) == "chatgpt-export"


def test_equal_size_and_time_do_not_hide_a_new_document(home: Home, chat: Path) -> None:
    home.write(gemini("aaaa"), path=chat)
    home.index()
    stat = chat.stat()
    home.write(gemini("bbbb"), path=chat)
    os.utime(chat, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    home.index()
    assert home.texts() == ["bbbb"]


def test_lines_still_wait_for_a_person_when_they_were_changed(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    home.write(record(0, "other"))
    assert [problem.state for problem in home.index().problems] == ["source_changed"]
