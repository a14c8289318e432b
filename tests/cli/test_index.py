"""``index``: asks once, captures, says what went wrong, and is safe to use with bad input."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recall_lab.sample import planted_secrets, sample_home
from tests.cli.conftest import Command


@pytest.fixture
def transcripts() -> Path:
    """The sample's transcripts as the user's own."""
    home = Path(os.environ["HOME"])
    shutil.copytree(sample_home(), home, dirs_exist_ok=True)
    return home


def in_a_terminal(*argv: str, answer: str) -> tuple[int, str]:
    """Run a command in a terminal and type one answer to its question."""
    master, slave = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "recall_lab", *argv],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        start_new_session=True,
    )
    os.close(slave)
    shown, answered, deadline = b"", False, time.monotonic() + 90
    while time.monotonic() < deadline:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if not answered and b"[Y/n]" in shown:
            os.write(master, answer.encode())
            answered = True
    os.close(master)
    return running.wait(30), shown.decode()


def test_without_a_terminal_the_first_capture_needs_yes(process: Command, transcripts: Path, tmp_path: Path) -> None:
    ran = process("index")
    assert ran.code == 2
    assert "--yes" in ran.line
    assert "transcripts" in ran.line
    assert not (tmp_path / "home").exists()


def test_index_gives_the_keys_of_the_contract_and_the_second_reads_nothing(
    recall_lab: Command, transcripts: Path, tmp_path: Path
) -> None:
    first = recall_lab("index", "--yes", "--json").json
    assert first.keys() >= {
        "sources_seen", "sources_changed", "records", "bytes", "blocks_added", "blocks_changed", "seconds", "problems",
    }  # fmt: skip
    assert first["sources_seen"] == first["sources_changed"] > 10
    assert all(problem.keys() >= {"source", "state", "detail", "next"} for problem in first["problems"])
    second = recall_lab("index", "--json").json
    assert (second["sources_changed"], second["records"], second["blocks_added"]) == (0, 0, 0)
    assert recall_lab("mirror", "--check", "--json").json["equal"] is True
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o077 == 0, path
            content = path.read_bytes()
            assert not [secret for secret in planted_secrets() if secret.encode() in content]


def test_yes_may_be_a_setting(recall_lab: Command, transcripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_LAB_YES", "on")
    assert recall_lab("index").code == 0


def test_paths_are_captured_without_a_question(recall_lab: Command, transcripts: Path) -> None:
    (one, *_) = sorted((transcripts / ".codex").rglob("*.jsonl"))
    assert recall_lab("index", str(one), "--json").json["sources_seen"] == 1


def test_in_a_terminal_it_lists_what_it_would_read_and_asks_once(transcripts: Path, tmp_path: Path) -> None:
    code, shown = in_a_terminal("index", answer="n\n")
    assert code == 1
    assert str(transcripts / ".claude" / "projects") in shown
    assert "files, " in shown
    assert "Nothing was captured" in shown
    assert not (tmp_path / "home" / "recall.db").exists()
    code, shown = in_a_terminal("index", answer="y\n")
    assert code == 0, shown
    assert "blocks added" in shown
    code, shown = in_a_terminal("index", answer="")
    assert code == 0
    assert "[Y/n]" not in shown


def test_bad_paths_are_one_line_each(recall_lab: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "poem.txt").write_text("no transcript\n")
    for name, words in (("missing", "no such file"), ("empty.jsonl", "empty"), ("poem.txt", "not a transcript")):
        ran = recall_lab("index", str(tmp_path / name))
        assert ran.code == 2
        assert words in ran.line
    assert "is not known" in recall_lab("index", str(tmp_path / "poem.txt"), "--host", "frob").line


def test_a_folder_without_transcripts_lists_what_it_did_not_recognise(recall_lab: Command, tmp_path: Path) -> None:
    folder = tmp_path / "things"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"a": 1}\n')
    ran = recall_lab("index", str(folder), "--json")
    assert ran.code == 0
    assert ran.json["problems"][0]["state"] == "not_captured"


def test_a_store_of_another_program_is_left_alone(recall_lab: Command, transcripts: Path, tmp_path: Path) -> None:
    store = tmp_path / "home" / "recall.db"
    store.parent.mkdir()
    store.write_bytes(b"SQLite format 3\x00" + b"\x00" * 84 + b"something else" * 400)
    before = store.read_bytes()
    for argv in (["index", "--yes"], ["status"], ["search", "x"]):
        ran = recall_lab(*argv)
        assert ran.code == 2
        assert ran.line
    assert store.read_bytes() == before


def test_a_file_size_limit_is_one_line_and_what_was_there_stays(transcripts: Path, tmp_path: Path) -> None:
    command = f"ulimit -f 64; exec {sys.executable} -m recall_lab index --yes"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_hostile_text_reaches_the_terminal_written_out(recall_lab: Command, tmp_path: Path) -> None:
    record = {
        "type": "user",
        "uuid": "11111111-1111-4111-8111-111111111111",
        "parentUuid": None,
        "sessionId": "22222222-2222-4222-8222-222222222222",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "cwd": "/tmp/\x1b[2J",
        "version": "2.0.0",
        "gitBranch": "main\u202e",
        "userType": "external",
        "isSidechain": False,
        "message": {
            "role": "user",
            "content": "marmalade \x1b]0;owned\x07 \x9b31m \u202etxt.exe <script>alert(1)</script>",
        },
    }
    file = tmp_path / "22222222-2222-4222-8222-222222222222.jsonl"
    file.write_text(json.dumps(record) + "\n")
    assert recall_lab("index", str(file)).code == 0
    found = recall_lab("search", "marmalade", "--json")
    block = found.json["hits"][0]["block_id"]
    session = found.json["hits"][0]["session"]
    shown = [found, recall_lab("search", "marmalade"), recall_lab("read", block), recall_lab("session", session)]
    shown += [recall_lab("sessions"), recall_lab("sources"), recall_lab("sql", "select * from blocks")]
    shown += [recall_lab("query", "sessions"), recall_lab("usage", "--by", "repo")]
    for ran in shown:
        assert ran.code == 0
        assert not set(ran.out + ran.err) & set("\x1b\x07\x9b\u202e")
    assert "\\x1b]0;owned\\x07" in shown[1].out
