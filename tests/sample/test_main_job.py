"""The main job runs without a network and leaves no secret and no thought in anything that it writes."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.demo import command_here, run_demo
from recall_lab.errors import UsageError
from recall_lab.lab import open_lab
from recall_lab.sample import planted_secrets, planted_thoughts, sample_home

# Every socket but those between processes of one machine is refused; what is tried is written down.
BLOCK = """
import socket, sys
def refuse(self, address, *rest):
    print("NETWORK", address, file=sys.stderr)
    raise OSError("no network in this test")
def resolve(*rest, **more):
    print("NETWORK", rest[:1], file=sys.stderr)
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
socket.getaddrinfo = socket.gethostbyname = resolve
"""
DEMO = "import sys; from recall_lab.demo import run_demo; from pathlib import Path; sys.exit(run_demo(Path('demo')))"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, rules_cache: Path) -> Iterator[tuple[Path, str]]:
    """A finished demo and what it printed."""
    folder, printed = tmp_path_factory.mktemp("main-job") / "demo", io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
        assert run_demo(folder, file=printed) == 0
        yield folder, printed.getvalue()


def test_it_prints_a_search_with_why_a_quotation_and_tables_of_usage_and_coverage(demo: tuple[Path, str]) -> None:
    _, printed = demo
    assert "WHY:" in printed
    assert "We reject batching because a crash between the acknowledgement and the flush loses readings" in printed
    assert "valid: these characters stand in the retained text" in printed
    assert "absent: these characters are not in the retained text" in printed
    assert "claude-sonnet-4-5-20250929" in printed
    assert "harbour-coder-7b" in printed
    assert "\x1b" not in printed  # readable without colours


def test_it_writes_charts_and_a_brief_that_still_verifies(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    assert (folder / "usage_by_day.svg").read_text().startswith("<svg")
    assert (folder / "usage_by_day.png").read_bytes().startswith(b"\x89PNG")
    with open_lab(folder / "home") as lab:
        for name in ("brief.md", "brief.html", "brief.json"):
            verification = lab.verify(folder / name)
            assert verification.checked == verification.valid > 0


def test_its_last_line_can_be_typed_as_it_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/recall-lab", "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_here() == ".venv/bin/recall-lab"
    (tmp_path / "recall-lab").touch(0o755)
    assert command_here() == "recall-lab"


def test_what_it_writes_is_private(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in files} == {0}


def test_it_runs_again_in_the_same_folder_and_spares_a_foreign_one(tmp_path: Path, rules_cache: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "recall.db").write_text("mine")
    with pytest.raises(UsageError, match="not made by a demo"):
        run_demo(tmp_path, file=io.StringIO())
    assert (tmp_path / "home" / "recall.db").read_text() == "mine"


def everything_written(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def forms(text: str) -> list[bytes]:
    """How a text may stand in a file: as it is, in UTF-16, and escaped as in JSON or HTML."""
    escaped = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace("'", "&#x27;")
    return [text.encode(), text.encode("utf-16-le"), escaped.encode(), text.encode("unicode_escape")]


def test_no_secret_and_no_thought_stands_in_any_byte(demo: tuple[Path, str]) -> None:
    folder, printed = demo
    written = {**dict(everything_written(folder)), "standard output": printed.encode()}
    assert len(written) > 8
    for private in (*planted_secrets(), *planted_thoughts()):
        for form in forms(private):
            assert not [name for name, data in written.items() if form in data], "a planted text is in a file"


def test_no_secret_stands_in_the_mirrors_compressed_columns_or_is_found(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    private = (*planted_secrets(), *planted_thoughts())
    with open_lab(folder / "home") as lab:
        columns = lab.sql(
            "select table_name, column_name from information_schema.columns where data_type like '%VARCHAR%'"
        )
        for table, column in columns.itertuples(index=False):
            values = lab.sql(f'select distinct "{column}"::varchar as value from "{table}"')["value"].dropna()
            text = "\n".join(values)
            assert not [p for p in private if p in text], (table, column)
        for secret in planted_secrets():
            assert not [hit for hit in lab.search(f'"{secret}"', scope="all") if secret in hit.text]


def test_the_write_ahead_log_holds_none_either(
    tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    first, *rest = sorted(sample_home().rglob("*.jsonl"))
    with open_lab(tmp_path / "home", create=True) as lab:
        lab.index([first], progress=False)
        held = lab.status()  # a reader that keeps the log from being folded away
        lab.index(rest, progress=False)
        assert held.sources == 1
        log = tmp_path / "home" / "recall.db-wal"
        data = log.read_bytes() if log.exists() else b""
        for private in (*planted_secrets(), *planted_thoughts()):
            assert private.encode() not in data


def demo_in(tmp_path: Path, rules_cache: Path, *prefix: str) -> subprocess.CompletedProcess[str]:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(BLOCK)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RECALL_LAB")}
    environ |= {"HOME": str(tmp_path), "PYTHONPATH": str(site), "RECALL_LAB_CACHE_DIR": str(rules_cache)}
    return subprocess.run(
        [*prefix, sys.executable, "-c", DEMO], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )


def test_it_runs_with_sockets_blocked(tmp_path: Path, rules_cache: Path) -> None:
    done = demo_in(tmp_path, rules_cache)
    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr


def test_it_runs_where_there_is_no_network_at_all(tmp_path: Path, rules_cache: Path) -> None:
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rn", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    done = demo_in(tmp_path, rules_cache, unshare, "-rn")
    assert done.returncode == 0, done.stderr
