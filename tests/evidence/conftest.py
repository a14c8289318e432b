"""Fixtures of the evidence tests."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from tiny_store import TinyStore

from recall_lab.capture import index
from recall_lab.model import Redacted
from recall_lab.settings import Settings, load_settings

FILES = 24
LARGEST = 2_000_000


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[TinyStore]:
    tiny = TinyStore(tmp_path / "home")
    yield tiny
    tiny.close()


class Kept(msgspec.Struct):
    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


class Nothing:
    """Takes nothing out: loading the rules is measured elsewhere, and ids and places are what counts here."""

    version = "test"

    def redact(self, texts: Sequence[str]) -> list[Kept]:
        return [Kept(Redacted(text)) for text in texts]


@pytest.fixture
def home(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home with copies of some Claude Code and Codex transcripts."""
    monkeypatch.setattr("recall_lab.capture.pipeline.open_redactor", lambda *_, **__: Nothing())
    source = corpus / "transcripts" / "home"
    files = [path for path in sorted(source.rglob("*.jsonl")) if path.stat().st_size < LARGEST]
    for path in random.Random(5).sample(files, min(FILES, len(files))):
        target = tmp_path / "user" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    settings = load_settings(tmp_path / "lab", {"HOME": str(tmp_path / "user"), "TZ": "UTC"})
    index(settings)
    return settings
