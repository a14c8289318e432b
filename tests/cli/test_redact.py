"""``redact --hostile``: how long the rules take over texts that are made to slow them down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_an_audit_needs_no_place_to_write(recall_lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("words")
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(tmp_path / "file" / "cache"))
    ran = recall_lab("redact", "--audit", str(tmp_path / "file"), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["files"] == 1


def test_hostile_texts_are_timed_by_size(recall_lab: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.evaluation.hostile.PIECES", {"key_": "key_", "a": "a"})
    monkeypatch.setattr("recall_lab.evaluation.hostile.SIZES", (1000, 2000))
    slopes = recall_lab("redact", "--hostile", "--json").json
    assert [one["piece"] for one in slopes] == ["key_", "a"]
    assert all(list(one["seconds_per_mb"]) == ["1000", "2000"] for one in slopes)
    shown = recall_lab("redact", "--hostile").out
    assert "1 KB" in shown
    assert "key_" in shown


def test_one_thing_is_done_at_a_time(recall_lab: Command) -> None:
    for given in ((), ("--audit", "--hostile"), ("--hostile", "--dry-run"), ("--hostile", "notes.md")):
        assert recall_lab("redact", *given).code == 2
