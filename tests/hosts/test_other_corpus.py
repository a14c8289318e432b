"""Real sessions of pi, Copilot and Gemini CLI, and exports: every file is captured, to the byte, without thinking."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_lab.capture import index
from recall_lab.hosts import HOSTS
from recall_lab.settings import Settings, load_settings
from recall_lab.store import open_reader
from recall_lab.store.status import status
from tests.hosts.reading import problems_of, read

pytestmark = pytest.mark.corpus

_THINKING = {
    "pi": lambda found: found.get("thinking") if found.get("type") == "thinking" else None,
    "copilot": lambda found: found.get("reasoningText") or found.get("reasoningOpaque"),
    "gemini-cli": lambda found: found.get("description") if {"subject", "description"} <= found.keys() else None,
    "claudeai-export": lambda _: None,
    "chatgpt-export": lambda found: (
        " ".join(map(str, found.get("parts") or ()))
        if found.get("content_type") in {"thoughts", "reasoning_recap"}
        else None
    ),
}


@pytest.fixture
def files(corpus: Path) -> list[Path]:
    return sorted(path for path in (corpus / "transcripts" / "other").rglob("*") if path.is_file())


@pytest.fixture
def home(tmp_path: Path, corpus: Path, rules_cache: Path) -> Settings:
    env = {"HOME": str(tmp_path), "TZ": "UTC", "RECALL_LAB_CACHE_DIR": str(rules_cache)}
    settings = load_settings(tmp_path / "lab", env)
    index(settings, [corpus / "transcripts" / "other"])
    return settings


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def documents(path: Path) -> Iterator[Any]:
    """Yield what a file holds, as far as a plain decoder reads it."""
    text = path.read_text("utf-8", "replace")
    for part in text.split("\n") if path.suffix == ".jsonl" else [text]:
        try:
            yield json.loads(part)
        except ValueError:
            continue


def test_every_file_is_captured_and_the_ledger_adds_up(home: Settings, files: list[Path]) -> None:
    with open_reader(home.store) as reader:
        seen = status(reader)
        sources = dict(reader.connection.execute("SELECT path, size FROM sources"))
        hosts = dict(reader.connection.execute("SELECT path, host FROM sources"))
    assert sources == {str(path): path.stat().st_size for path in files}
    assert hosts == {str(path): path.parent.name for path in files}
    assert seen.states == {"complete": len(files)}
    assert seen.bytes.total == sum(sources.values())
    assert seen.records.total >= sum(1 for path in files for line in path.read_bytes().split(b"\n") if line.strip())
    assert seen.unknown_types == {}


def test_a_second_look_reads_nothing(home: Settings, corpus: Path) -> None:
    assert index(home, [corpus / "transcripts" / "other"]).sources_changed == 0


def test_each_host_keeps_its_promises_on_each_file(files: list[Path]) -> None:
    for path in files:
        data = path.read_bytes()
        host = HOSTS[path.parent.name]
        whole = read(host, data, path.name)
        assert problems_of(whole, data) == []
        assert len({block.block_id for block in whole.own}) == len(whole.own)
        cut = read(host, data, path.name, cuts=[len(data) // 3, len(data) // 2])
        assert (cut.blocks, cut.ledger) == (whole.blocks, whole.ledger)


def test_no_thinking_is_in_the_store(home: Settings, files: list[Path]) -> None:
    with open_reader(home.store) as reader:
        kept = "\n".join(text for (text,) in reader.connection.execute("SELECT text FROM blocks"))
    thoughts = 0
    for path in files:
        said = _THINKING[path.parent.name]
        for found in objects(list(documents(path))):
            thought = said(found)
            if isinstance(thought, str) and len(thought) > 60:
                thoughts += 1
                assert thought[:200] not in kept
    assert thoughts > 200
