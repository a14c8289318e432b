"""The redaction panel: places and kinds of what was taken out, and never a value."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from recall_lab.errors import UsageError
from recall_lab.lab import Lab, open_lab
from recall_lab.sample import planted_secrets
from tests.redaction import fakes


def test_it_shows_what_was_taken_out_and_where(lab: Lab) -> None:
    panel = lab.panels.redaction()
    assert panel.error == ""
    frame = panel.data()
    assert len(frame) == len(panel.table.rows) > 0
    assert {row[3] for row in panel.table.rows} == {f"{month:%Y-%m}" for month in frame.month}
    assert panel.figures.figures[0][0] == f"{frame.spans.sum():,}"
    assert "<svg" in panel.picture.svg
    shown = json.dumps([panel.table.rows, panel.figures.figures, panel.picture.svg])
    assert not [secret for secret in planted_secrets() if secret in shown]


def test_a_choice_filters_figures_table_and_code(lab: Lab) -> None:
    panel = lab.panels.redaction()
    kind = panel.data().kind.iloc[0]
    panel.kind.value = kind
    assert set(panel.data().kind) == {kind}
    assert panel.code == f"lab.query('secrets_by_source', kind={kind!r})"
    assert panel.data().equals(lab.query("secrets_by_source", kind=kind))
    assert panel.sql == lab.queries.get("secrets_by_source").sql


def test_an_unknown_filter_is_said(lab: Lab) -> None:
    with pytest.raises(UsageError, match="has no filter 'colour'"):
        lab.panels.redaction(colour="red")


def test_it_looks_at_the_raw_files_when_asked(
    tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(5))
    folder = tmp_path / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    record = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "11111111-1111-4111-8111-111111111111",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "cwd": "/src/one",
        "message": {"role": "user", "content": f"use {secret}"},
    }
    (folder / "11111111-1111-4111-8111-111111111111.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    for variable, value in (("HOME", tmp_path), ("RECALL_LAB_CACHE_DIR", rules_cache)):
        monkeypatch.setenv(variable, str(value))
    with open_lab(tmp_path / "home", create=True) as lab:
        lab.index(progress=False)
        panel = lab.panels.redaction()
        panel.audit.click()
        assert panel.error == ""
        (found,) = panel.found.rows
        assert found[0] == "github_token"
        assert found[4].endswith(".jsonl:1")
        assert secret not in json.dumps([panel.found.rows, panel.found.caption, panel.table.rows])
