"""The set that is made when it is asked for: true to its labels, the same for a seed, and found by the rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from recall_lab.evaluation.labelled import SECRETS, labelled_rows, write_labelled
from recall_lab.evaluation.labelled_places import PASSWORD_PLACES, PLACES
from recall_lab.evaluation.redaction import evaluate_redaction, read_rows
from recall_lab.redaction import Redactor


def test_a_seed_makes_the_same_private_file(tmp_path: Path) -> None:
    first, second = write_labelled(tmp_path / "a.jsonl", seed=3), write_labelled(tmp_path / "b.jsonl", seed=3)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != write_labelled(tmp_path / "c.jsonl", seed=4).read_bytes()
    assert first.stat().st_mode & 0o777 == 0o600
    assert read_rows(first) == list(labelled_rows(seed=3))


def test_every_kind_and_every_place_of_passwords_is_in_it() -> None:
    rows = list(labelled_rows(seed=5, per_kind=2))
    kinds = Counter(row.kind for row in rows if row.label == "secret")
    assert set(SECRETS) <= set(kinds)
    assert kinds["password"] == len(PASSWORD_PLACES)
    assert min(kinds.values()) >= 2
    assert all(row.text[start:end].strip() for row in rows for start, end in row.spans)


@pytest.mark.parametrize("seed", [11, 12])
def test_the_rules_meet_their_bars_on_the_made_set(redactor: Redactor, tmp_path: Path, seed: int) -> None:
    report = evaluate_redaction(write_labelled(tmp_path / "set.jsonl", seed=seed, per_kind=6), redactor)
    assert report.recall is not None
    assert report.recall >= 0.98
    assert report.precision is not None
    assert report.precision >= 0.98
    assert report.over_redaction is not None
    assert report.over_redaction <= 0.005
    assert not report.benign_hits
    assert len(PLACES) > 50


def test_the_measures_of_kinds_add_up_to_the_whole(redactor: Redactor, tmp_path: Path) -> None:
    report = evaluate_redaction(write_labelled(tmp_path / "set.jsonl", per_kind=1), redactor)
    assert sum(one.secrets for one in report.kinds) == report.secrets
    assert sum(one.found for one in report.kinds) == report.secrets - len(report.misses)
    assert sum(one.rows for one in report.kinds) == report.rows
    frame = report.frame()
    assert list(frame.kind) == [one.kind for one in report.kinds]
    assert set(report.summary().measure) >= {"recall", "precision", "f1"}
