"""``index`` with an account export: preview, one conversation, a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.capture.test_exports import IDS, TALKS

from .conftest import Command


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(TALKS))
    return path


def test_a_preview_lists_and_captures_nothing(recall_lab: Command, export: Path, tmp_path: Path) -> None:
    listed = recall_lab("index", str(export), "--preview", "--json").json["conversations"]
    assert [(one["id"], one["title"], one["messages"]) for one in listed] == [
        (own, f"Talk {number}", len(talk["chat_messages"]))
        for number, (own, talk) in enumerate(zip(IDS, TALKS, strict=True), 1)
    ]
    shown = recall_lab("index", str(export), "--preview")
    assert "Talk 2" in shown.out
    assert "3 conversations" in shown.out
    assert not (tmp_path / "home" / "recall.db").exists()


def test_one_conversation_with_a_folder_of_its_own(recall_lab: Command, export: Path, tmp_path: Path) -> None:
    folder = tmp_path / "beta"
    folder.mkdir()
    done = recall_lab("index", str(export), "--conversation", IDS[1], "--cwd", str(folder), "--json").json
    assert (done["sources_seen"], done["blocks_added"], done["problems"]) == (1, 1, [])
    [hit] = recall_lab("search", "caching", "--json").json["hits"]
    assert (hit["host"], hit["session"], hit["cwd"]) == ("claudeai-export", IDS[1], str(folder))
    assert hit["source"] == f"{export}#{IDS[1]}"


def test_what_cannot_be_done_is_said_in_one_line(recall_lab: Command, export: Path) -> None:
    for argv, says in (
        (["index", "--preview"], "name an export"),
        (["index", "--yes", "--cwd", "."], "name the export"),
        (["index", str(export), "--conversation", "nobody"], "--preview"),
        (["index", str(export), "--watch", "--conversation", IDS[0]], "--watch"),
    ):
        ran = recall_lab(*argv)
        assert ran.code == 2
        assert says in ran.line
