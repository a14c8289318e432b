"""Small transcripts, and a capture that takes milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recall_lab.capture import index
from recall_lab.model import IndexReport, Redacted
from recall_lab.settings import Settings, load_settings
from recall_lab.store import open_reader

SESSION = "5f0c7a3e-1111-4222-8333-944455556666"


class _Text(msgspec.Struct):
    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


class FakeRedactor:
    """Takes out one word; stands in for the rules, whose loading takes seconds and which have tests of their own."""

    version = "test"

    def redact(self, texts: Sequence[str]) -> list[_Text]:
        return [
            _Text(Redacted(text.replace("hunter2", "[REDACTED:password]")), (("password", text.count("hunter2")),))
            if "hunter2" in text
            else _Text(Redacted(text))
            for text in texts
        ]


@pytest.fixture(autouse=True)
def _quick_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.capture.pipeline.open_redactor", lambda *_, **__: FakeRedactor())


def record(number: int, text: str, role: str = "user", **more: Any) -> bytes:
    """One Claude Code record as a line; uuid and time come from the number."""
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    fields = {
        "type": role,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012d}" if number else None,
        "sessionId": SESSION,
        "timestamp": f"2026-05-01T10:{number // 60:02d}:{number % 60:02d}.000Z",
        "cwd": "/repo/alpha",
        "version": "2.1.0",
        "gitBranch": "main",
        "isSidechain": False,
        "userType": "external",
        "message": {"role": role, "content": content},
    }
    return json.dumps({**fields, **more}).encode() + b"\n"


class Home:
    """A user's home with a store beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / ".claude" / "projects" / "-repo-alpha"
        self.project.mkdir(parents=True)
        self.file = self.project / f"{SESSION}.jsonl"
        self.settings = load_settings(root / "lab", {"HOME": str(root), "TZ": "UTC"})

    def with_settings(self, **changes: Any) -> Settings:
        self.settings = msgspec.structs.replace(self.settings, **changes)
        return self.settings

    def write(self, *lines: bytes, path: Path | None = None) -> Path:
        path = path or self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))
        return path

    def append(self, *lines: bytes) -> None:
        with self.file.open("ab") as file:
            file.write(b"".join(lines))

    def index(self, *paths: Path, **options: Any) -> IndexReport:
        return index(self.settings, paths, **options)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with open_reader(self.settings.store) as reader:
            return list(reader.connection.execute(sql))

    def texts(self) -> list[str]:
        return [
            text
            for (text,) in self.ask(
                "SELECT text FROM placements JOIN blocks USING (text_id) JOIN sources USING (source_id) ORDER BY path, ord"
            )
        ]

    def content(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that capture decided, without row numbers and times of capture."""
        return {
            "placements": self.ask(
                "SELECT s.path, p.ord, n.host, n.native_id, hex(b.block_id), hex(b.content_hash), p.turn, p.role, p.live "
                "FROM placements p JOIN sources s USING (source_id) JOIN sessions n ON n.session_id = p.session_id "
                "JOIN blocks b USING (text_id) ORDER BY 1, 2"
            ),
            "roles": self.ask(
                "SELECT hex(block_id), hex(content_hash), role, kind, text FROM blocks "
                "WHERE text_id IN (SELECT text_id FROM placements) ORDER BY 1, 2"
            ),
            "index": self.ask(
                "SELECT hex(block_id), hex(content_hash) FROM blocks WHERE text_id IN (SELECT rowid FROM fulltext) ORDER BY 1, 2"
            ),
            "ledger": self.ask(
                "SELECT path, record_type, disposition, records, bytes FROM ledger JOIN sources USING (source_id) "
                "ORDER BY 1, 2, 3"
            ),
            "sources": self.ask("SELECT path, size, cursor, content_hash = '', state, lines FROM sources ORDER BY 1"),
            "sessions": self.ask(
                "SELECT host, native_id, parent_id, relation, title, cwd, repo, started, ended FROM sessions ORDER BY 1, 2"
            ),
            "calls": self.ask(
                "SELECT path, hex(key), turn, model, output_tokens FROM model_calls JOIN sources USING (source_id) ORDER BY 1, 2"
            ),
            "tools": self.ask(
                "SELECT path, call_id, turn, tool, hex(request_block), hex(result_block), failed, ended "
                "FROM tool_calls JOIN sources USING (source_id) ORDER BY 1, 2"
            ),
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "user")


@pytest.fixture
def make_home(tmp_path: Path) -> Callable[[str], Home]:
    return lambda name: Home(tmp_path / name)


def lines(texts: Iterable[str]) -> list[bytes]:
    return [record(number, text, "user" if number % 2 == 0 else "assistant") for number, text in enumerate(texts)]
