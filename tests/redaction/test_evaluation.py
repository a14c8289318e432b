"""Measures on labelled files, and audits of raw ones; neither shows a value."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.errors import UsageError
from recall_lab.evaluation.audit import audit
from recall_lab.evaluation.redaction import compare_redaction, evaluate_redaction, shape, wilson
from recall_lab.redaction import Redactor
from tests.redaction import fakes


class _Span(NamedTuple):
    start: int
    end: int
    kind: str = "x"


class _Marks:
    """Finds runs of X."""

    version = "marks"

    def scan(self, texts: Sequence[str]) -> list[tuple[_Span, ...]]:
        import re

        return [tuple(_Span(*run.span()) for run in re.finditer("X+", text)) for text in texts]


class _Blind:
    version = "blind"

    def scan(self, texts: Sequence[str]) -> list[tuple[_Span, ...]]:
        return [() for _ in texts]


def _file(tmp_path: Path, *rows: dict[str, object]) -> Path:
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _row(text: str, *spans: list[int], kind: str = "k", label: str = "secret") -> dict[str, object]:
    return {"text": text, "spans": list(spans), "kind": kind, "label": label, "source": "test"}


def test_measures_by_hand(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        _row("ab XXXX cd", [3, 7]),  # found exactly
        _row("XX abcdefgh", [3, 11], kind="other"),  # missed, and two characters taken
        _row("X" * 19 + "y", [0, 20]),  # 95% are enough
        _row("plain", label="benign"),
        _row("aXb", label="benign", kind="lookalike"),
    )
    report = evaluate_redaction(path, _Marks())
    assert (report.rows, report.secrets) == (5, 3)
    assert report.recall == pytest.approx(2 / 3)
    assert report.precision == pytest.approx(2 / 4)
    assert report.f1 == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert report.over_redaction == pytest.approx(3 / (6 + 3 + 0 + 5 + 3))
    assert report.benign_hit_rate == pytest.approx(1 / 2)
    assert {kind: (found.found, found.total) for kind, found in report.by_kind.items()} == {
        "k": (2, 2),
        "other": (0, 1),
    }
    assert [(miss.kind, miss.shape, miss.line, miss.covered) for miss in report.misses] == [("other", "aaaa", 2, 0.0)]
    assert report.benign_hits == {"lookalike": 1}
    assert report.mb_per_s > 0
    assert report.recall_interval.low < 2 / 3 < report.recall_interval.high


def test_shares_of_nothing_are_unknown(tmp_path: Path) -> None:
    report = evaluate_redaction(_file(tmp_path, _row("plain", label="benign")), _Blind())
    assert (report.recall, report.precision, report.f1) == (None, None, None)
    assert report.benign_hit_rate == 0.0


def test_two_versions_of_the_rules_are_compared(tmp_path: Path) -> None:
    path = _file(tmp_path, _row("XXXX", [0, 4]), _row("XXXX", [0, 4], kind="b"))
    change = compare_redaction(path, _Blind(), _Marks())
    assert (change.gained, change.lost) == ({"b": 1, "k": 1}, {})
    assert compare_redaction(path, _Marks(), _Blind()).lost == {"b": 1, "k": 1}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "labelled.jsonl:2"),
        ('{"text": "a", "spans": [], "kind": "k"}', "label"),
        ('{"text": 1, "spans": [], "kind": "k", "label": "secret"}', "text"),
        ('{"text": "a", "spans": [[0, 2]], "kind": "k", "label": "secret"}', "outside"),
        ('{"text": "a", "spans": [[1, 1]], "kind": "k", "label": "secret"}', "outside"),
        ('{"text": "abc", "spans": [[0, 2], [1, 3]], "kind": "k", "label": "secret"}', "overlap"),
        ('{"text": "abc", "spans": [[0, 2]], "kind": "k", "label": "benign"}', "benign"),
        ('{"text": "abc", "spans": [], "kind": "k", "label": "other"}', "label"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = _file(tmp_path, _row("plain", label="benign"))
    path.write_text(path.read_text("utf-8") + line + "\n", "utf-8")
    with pytest.raises(UsageError) as error:
        evaluate_redaction(path, _Blind())
    assert ":2" in str(error.value)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_and_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        evaluate_redaction(tmp_path / "none.jsonl", _Blind())
    (tmp_path / "empty.jsonl").write_bytes(b"\n\n")
    with pytest.raises(UsageError, match="no rows"):
        evaluate_redaction(tmp_path / "empty.jsonl", _Blind())


def test_a_device_is_no_labelled_file() -> None:
    if not Path("/dev/zero").is_char_device():
        pytest.skip("there is no /dev/zero")
    with pytest.raises(UsageError, match="a device, not a file"):
        evaluate_redaction(Path("/dev/zero"), _Blind())


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(300 << 20)
    with pytest.raises(UsageError, match="larger than 256 MB"):
        evaluate_redaction(path, _Blind())


@given(st.text(min_size=8, max_size=80))
def test_a_shape_keeps_nothing_of_the_value(value: str) -> None:
    drawn = shape(value)
    assert len(drawn) <= 25
    assert not set("BCDEFGHbcdefgh12345678") & set(drawn)


def test_intervals_hold_the_share_and_narrow() -> None:
    wide, narrow = wilson(9, 10), wilson(900, 1000)
    assert wide.low < narrow.low < 0.9 < narrow.high < wide.high
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    assert wilson(10, 10).high == pytest.approx(1.0)


def test_an_audit_counts_by_place_and_shows_no_value(redactor: Redactor, tmp_path: Path) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(1))
    password = fakes.password(random.Random(2))
    session = tmp_path / "rollout-2026-03-04T05-06-07-0198a000-0000-7000-8000-000000000000.jsonl"
    records = [
        {"timestamp": "2026-03-04T05:06:07.000Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/srv/shop", "cli_version": "1", "originator": "x"}},
        {"timestamp": "2026-03-04T05:06:08.000Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"use {secret} and {secret}"}]}},
        {"timestamp": "2026-04-01T00:00:00.000Z", "type": "response_item", "payload": {"type": "reasoning", "encrypted_content": None, "summary": [], "password": password}},
    ]  # fmt: skip
    session.write_text(
        "".join(json.dumps(record) + "\n" for record in records) + f"torn {{ DB_PASSWORD={password}\n", "utf-8"
    )
    notes = tmp_path / "notes.md"
    notes.write_text(f"# notes\n\nexport GH={secret}\n\nnothing\n", "utf-8")
    (tmp_path / "binary.bin").write_bytes(b"\0" * 100 + secret.encode())
    result = audit([tmp_path], redactor)
    seen = [
        (leak.kind, leak.host, leak.repo, leak.month, Path(leak.file).name, leak.line, leak.count)
        for leak in result.findings
    ]
    assert seen == [
        ("github_token", None, None, None, "notes.md", 3, 1),
        ("github_token", "codex", "/srv/shop", "2026-03", session.name, 2, 2),
        ("password", "codex", "/srv/shop", "2026-04", session.name, 3, 1),
        ("password", "codex", "/srv/shop", "2026-04", session.name, 4, 1),
    ]
    assert result.by_kind() == {"github_token": 3, "password": 2}
    assert (result.files, result.unread) == (3, {})
    assert secret not in repr(result)
    assert password not in repr(result)


def test_an_audit_shows_no_value_of_a_place(redactor: Redactor, tmp_path: Path) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(3))
    file = tmp_path / f"for-{secret}" / "log.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps({"cwd": f"/srv/{secret}", "text": f"use {secret}"}) + "\n", "utf-8")
    result = audit([tmp_path], redactor)
    assert result.by_kind() == {"github_token": 2}
    assert {leak.repo for leak in result.findings} == {"/srv/[REDACTED:github_token]"}
    assert Path(result.findings[0].file).parent.name == "for-[REDACTED:github_token]"
    assert secret not in repr(result)


@pytest.mark.parametrize("name", ["log.jsonl", "log.txt"])
def test_an_audit_reads_files_in_pieces(
    redactor: Redactor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(3))
    file = tmp_path / name
    lines = [f"line {number} says nothing of note\n" for number in range(40_000)]
    lines[7], lines[30_000], lines[-1] = f"a {secret}\n", f"b {secret}\n", f"c {secret}"
    file.write_text("".join(lines), "utf-8")
    whole = audit([file], redactor)
    assert [leak.line for leak in whole.findings] == [8, 30_001, 40_000]
    assert whole.lines == len(lines)
    monkeypatch.setattr("recall_lab.evaluation.audit._PIECE", 20_000)
    monkeypatch.setattr("recall_lab.evaluation.audit._BATCH", 20_000)
    tracemalloc.start()
    pieces = audit([file], redactor)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert pieces == whole
    assert peak < file.stat().st_size


def test_an_audit_looks_at_a_line_that_is_longer_than_a_piece(
    redactor: Redactor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(4))
    file = tmp_path / "long.jsonl"
    file.write_text(json.dumps({"text": "x " * 500 + secret}) + "\n" + json.dumps({"text": secret}) + "\n", "utf-8")
    monkeypatch.setattr("recall_lab.evaluation.audit._PIECE", 900)
    found = audit([file], redactor)
    assert [leak.line for leak in found.findings] == [1, 2]
    assert found.lines == 2


def test_an_audit_of_nothing(redactor: Redactor, tmp_path: Path) -> None:
    assert audit([tmp_path], redactor).findings == ()
    with pytest.raises(UsageError, match="no such file"):
        audit([tmp_path / "gone"], redactor)


def test_an_audit_waits_for_no_pipe(tmp_path: Path, redactor: Redactor) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file.txt").write_text("nothing here")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        audit([tmp_path / "pipe"], redactor)
    assert audit([tmp_path], redactor).files == 1
