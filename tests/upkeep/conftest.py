"""A home whose rules can be changed: the second set takes out one word more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from recall_lab.model import Redacted
from tests.capture.conftest import FakeRedactor, Home, lines, make_home, record

__all__ = ["Home", "Stricter", "bytes_below", "home", "lines", "make_home", "record"]

WORD = "zebraquark"


class _Text(msgspec.Struct):
    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


class Stricter(FakeRedactor):
    """Rules that also know the word."""

    version = "stricter"

    def redact(self, texts: Sequence[str]) -> list[_Text]:
        made = []
        for one in super().redact(texts):
            found = one.text.count(WORD)
            more = (("token", found),) if found else ()
            made.append(_Text(Redacted(one.text.replace(WORD, "[REDACTED:token]")), (*one.findings, *more)))
        return made


@pytest.fixture
def first_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, FakeRedactor)


def use(monkeypatch: pytest.MonkeyPatch, rules: type[FakeRedactor]) -> None:
    """Let every part of the program redact by these rules."""
    for module in ("capture.pipeline", "redaction"):
        monkeypatch.setattr(f"recall_lab.{module}.open_redactor", lambda *_, **__: rules())


@pytest.fixture
def stricter(monkeypatch: pytest.MonkeyPatch) -> object:
    """Call it to change the rules."""
    return lambda: use(monkeypatch, Stricter)


@pytest.fixture
def home(tmp_path: Path, first_rules: None) -> Home:
    return Home(tmp_path / "user")


def bytes_below(folder: Path) -> bytes:
    """Every byte of every file below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
