"""What holds for every command: exit codes, one JSON value, one line for an error, nothing raw in a terminal."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from recall_lab.cli._frame import Face, encode
from recall_lab.cli._main import cli
from recall_lab.cli._overview import COMMANDS
from tests.cli.conftest import Command


def test_the_overview_says_what_each_command_says_of_itself() -> None:
    with cli.make_context("recall-lab", [], resilient_parsing=True, obj=Face()) as context:
        for name, entry in COMMANDS.items():
            command = cli.get_command(context, name)
            assert command is not None
            assert command.name == name
            assert (command.help or "").splitlines()[0] == entry.line


def test_help_and_version_are_printed(recall_lab: Command) -> None:
    assert "Search and read" in recall_lab("--help").out
    assert recall_lab().out == recall_lab("--help").out
    assert recall_lab("--version").out.startswith("recall-lab ")
    for name in COMMANDS:
        assert recall_lab(name, "--help").code == 0


def test_the_overview_loads_no_room(process: Command) -> None:
    code = "import sys; from recall_lab.cli import run; run(['--help']); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    heavy = {"pandas", "numpy", "duckdb", "altair", "apsw", "rich", "ipywidgets", "IPython", "kingfisher_sdk", "tqdm"}
    assert not loaded & heavy
    assert not {name for name in loaded if name.startswith(("recall_lab.store", "recall_lab.search"))}


def every_command(group: click.Group, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from every_command(found, *words, name)
        else:
            yield (*words, name), found


def test_an_empty_path_is_a_usage_error_wherever_one_is_named(recall_lab: Command, tmp_path: Path) -> None:
    tried = 0
    for words, found in every_command(cli):
        for parameter in found.params:
            if not isinstance(parameter.type, click.Path):
                continue
            tried += 1
            option = (max(parameter.opts, key=len),) if isinstance(parameter, click.Option) else ()
            ran = recall_lab(*words, *option, "")
            assert ran.code == 2, words
            assert "the path is empty; name one" in ran.line, words
    assert tried > 50
    assert "the path is empty" in recall_lab("--home", "", "status").line
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["sources", "--state", "nonsense"], "'source_missing'"),
        (["serch"], "did you mean search"),
        (["frobnicate"], "--help lists them"),
        (["status", "--frob"], "--frob"),
        (["search"], "type some words"),
        (["search", "batching", "-flush"], "search -- batching -flush"),
        (["search", "x", "--limit", "many"], "many"),
        (["status", "extra"], "extra"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_2(recall_lab: Command, argv: list[str], words: str) -> None:
    ran = recall_lab(*argv)
    assert ran.code == 2
    assert words in ran.line
    assert ran.line.startswith("recall-lab: ")
    assert ran.out == ""


def test_without_a_store_the_next_step_is_named(recall_lab: Command) -> None:
    for argv in (["status"], ["search", "x"], ["read", "0" * 32], ["usage"], ["sql", "select 1"], ["verify", "x.md"]):
        ran = recall_lab(*argv)
        assert ran.code == 2
        assert "recall-lab index" in ran.line


def test_an_error_with_json_is_one_json_value_too(recall_lab: Command) -> None:
    ran = recall_lab("status", "--json")
    assert ran.json["error"]["kind"] == "NoStoreError"
    assert ran.json["exit_code"] == ran.code == 2
    assert ran.line


def test_an_error_nobody_foresaw_says_where_and_not_what(recall_lab: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("words of a transcript")

    monkeypatch.setattr("recall_lab.lab.open_lab", fail)
    ran = recall_lab("status")
    assert ran.code == 2
    assert "unexpected ValueError at" in ran.line
    assert "words of a transcript" not in ran.err
    monkeypatch.setenv("RECALL_LAB_DEBUG", "1")
    assert "Traceback" in recall_lab("status").err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_the_systems_errors_are_one_line_with_a_next_step(
    recall_lab: Command, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "/a/file")

    monkeypatch.setattr("recall_lab.lab.open_lab", fail)
    ran = recall_lab("status")
    assert ran.code == 2
    assert os.strerror(number) in ran.line
    assert "/a/file; " in ran.line


def test_an_interrupt_is_130(recall_lab: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("recall_lab.lab.open_lab", interrupt)
    ran = recall_lab("status")
    assert ran.code == 130
    assert "interrupted" in ran.err


def test_an_interrupted_question_keeps_its_line(recall_lab: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: object, **__: object) -> None:
        raise click.Abort

    monkeypatch.setattr("recall_lab.lab.open_lab", leave)
    monkeypatch.setattr("recall_lab.cli._terminal.is_terminal", lambda _: True)
    ran = recall_lab("status")
    assert ran.code == 130
    assert ran.err.startswith("\nrecall-lab: interrupted")


def test_ctrl_c_ends_a_process_with_130(tmp_path: Path) -> None:
    # A test run in the background may ignore the signal, and so would its children.
    code = (
        "import signal, sys, time, recall_lab.lab\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def wait(*a, **k):\n    print('waiting', flush=True)\n    time.sleep(60)\n"
        "recall_lab.lab.open_lab = wait\n"
        "from recall_lab.cli import main; main(['status'])"
    )
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "waiting\n"
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert err.startswith("recall-lab: interrupted")
    assert "Traceback" not in err


def test_ctrl_c_while_the_program_loads_is_one_line_and_130() -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'recall_lab.cli._main':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from recall_lab.cli import main; main(['status', '--json'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130
    assert done.stderr == "recall-lab: interrupted; what was finished is kept, run it again to go on\n"
    assert json.loads(done.stdout)["exit_code"] == 130


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("argv", ["--help", "status", "search the --json", "query", "sql 'select 1'"])
def test_closed_streams_lead_nowhere(captured_sample: Path, closed: str, argv: str) -> None:
    environ = {**os.environ, "RECALL_LAB_HOME": str(captured_sample), "RECALL_LAB_ACTIVITY": "off"}
    command = f"{sys.executable} -m recall_lab {argv} {closed}"
    done = subprocess.run(["bash", "-c", command], env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) != (">&-" in closed.split())


def test_a_reader_that_leaves_is_no_error(captured_sample: Path) -> None:
    environ = {**os.environ, "RECALL_LAB_HOME": str(captured_sample), "RECALL_LAB_ACTIVITY": "off"}
    command = f"{sys.executable} -m recall_lab search the --limit 1000 --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("{", "", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line(captured_sample: Path) -> None:
    environ = {**os.environ, "RECALL_LAB_HOME": str(captured_sample), "RECALL_LAB_ACTIVITY": "off"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "recall_lab", "status", "--json"],
            env=environ,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "recall-lab: No space left on device; free some room on that disk and run the command again"
    ]


@pytest.mark.parametrize("argv", [["status"], ["search", "the", "--limit", "20"], ["sql", "SELECT * FROM blocks"]])
def test_a_reader_that_leaves_a_text_answer_is_no_error(captured_sample: Path, argv: list[str]) -> None:
    environ = {**os.environ, "RECALL_LAB_HOME": str(captured_sample), "RECALL_LAB_ACTIVITY": "off"}
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "recall_lab", *argv],
            env=environ,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    "argv",
    [
        ["sessions", "--project", "a\udcff"],
        ["sessions", "--branch", "a\udcff"],
        ["continue", "0", "--host", "a\udcff"],
        ["usage", "--repo", "a\udcff"],
        ["query", "usage_by_day", "--host", "a\udcff"],
        ["query", "usage_by_day", "--param", "host", "a\udcff"],
    ],
)
def test_an_argument_that_is_not_utf8_finds_nothing_and_is_no_bug(
    recall_lab: Command, captured_sample: Path, argv: list[str]
) -> None:
    ran = recall_lab(*argv, "--home", str(captured_sample))
    assert ran.code in (0, 2)
    assert "unexpected" not in ran.err


@pytest.mark.parametrize(
    "argv",
    [
        ["bench", "--transcripts", "nan"],
        ["bench", "--transcripts", "1", "--file-size", "inf"],
        ["bench", "--transcripts", "1e308"],
        ["search", "the", "--half-life", "nan"],
        ["search", "the", "--half-life=-1"],
        ["sql", "select 1", "--time-limit", "inf"],
    ],
)
def test_what_is_no_number_to_count_with_is_a_usage_error(
    recall_lab: Command, captured_sample: Path, argv: list[str]
) -> None:
    ran = recall_lab(*argv, "--home", str(captured_sample))
    assert ran.code == 2
    assert "unexpected" not in ran.line


@pytest.mark.parametrize("number", [str(2**63), str(-(2**63) - 1), "9" * 30])
@pytest.mark.parametrize("argv", [["sessions", "--offset"], ["sessions", "--limit"], ["search", "the", "--offset"]])
def test_a_number_beyond_all_counts_is_a_usage_error(
    recall_lab: Command, captured_sample: Path, argv: list[str], number: str
) -> None:
    ran = recall_lab(*argv, number, "--home", str(captured_sample))
    assert ran.code == 2
    assert argv[-1].strip("-") in ran.line
    assert "unexpected" not in ran.line


def test_a_very_long_argument_does_not_drown_the_next_step(recall_lab: Command, captured_sample: Path) -> None:
    ran = recall_lab("session", "x" * 10_000, "--home", str(captured_sample), "--json")
    assert ran.code == 2
    assert len(ran.line) < 1000
    assert ran.line.startswith("recall-lab: no session")
    assert ran.json["error"]["message"] == ran.line.removeprefix("recall-lab: ")


def test_sql_of_a_file_that_is_not_text_is_one_line(recall_lab: Command, captured_sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_bytes(b"SELECT '\xff'")
    ran = recall_lab("sql", "--file", str(file), "--home", str(captured_sample))
    assert ran.code == 2
    assert str(file) in ran.line
    assert "UTF-8" in ran.line


def test_json_survives_names_that_are_not_utf8_and_keeps_the_terminal_safe() -> None:
    assert json.loads(encode({"path": "a\udcffb"})) == {"path": "a\udcffb"}
    text = encode({"x": "\x1b[31m \x9b \x7f \u202e é 用户"})
    assert not set(text) & set("\x1b\x9b\x7f\u202e")
    assert json.loads(text)["x"] == "\x1b[31m \x9b \x7f \u202e é 用户"
    assert "é 用户" in text
    assert encode({"cost": float("nan")}) == '{"cost":null}'


def test_home_may_stand_before_or_after_the_command(recall_lab: Command, tmp_path: Path) -> None:
    for argv in (["--home", str(tmp_path / "x"), "status"], ["status", "--home", str(tmp_path / "x")]):
        assert str(tmp_path / "x") in recall_lab(*argv).line


def test_activity_notes_the_command_and_never_the_query(
    recall_lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    recall_lab("search", "my-private-words")
    (line,) = (home / "activity.jsonl").read_text().splitlines()
    noted = json.loads(line)
    assert (noted["command"], noted["exit_code"]) == ("search", 2)
    assert "my-private-words" not in line
    assert (home / "activity.jsonl").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("RECALL_LAB_ACTIVITY", "off")
    recall_lab("status")
    assert len((home / "activity.jsonl").read_text().splitlines()) == 1


def test_a_command_that_does_not_exist_yet_makes_no_home(recall_lab: Command, tmp_path: Path) -> None:
    recall_lab("status")
    assert not (tmp_path / "home").exists()
