"""Secrets of many issuers in many places are found; kinds and places that the rules were not written from count too."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from recall_lab.evaluation.redaction import evaluate_redaction
from recall_lab.redaction import Redactor
from tests.redaction import fakes


def _missed(redactor: Redactor, rows: list[tuple[str, str, str, int, int]]) -> list[tuple[str, str]]:
    missed = []
    for (kind, context, _, start, end), findings in zip(rows, redactor.scan([row[2] for row in rows]), strict=True):
        covered = sum(max(0, min(end, f.end) - max(start, f.start)) for f in findings)
        if covered < 0.95 * (end - start):
            missed.append((kind, context))
    return missed


def test_every_kind_in_every_place(redactor: Redactor) -> None:
    rng = random.Random(20)
    rows = [
        (kind, context, *fakes.place(template, name, make(rng)))
        for kind, (name, make) in fakes.TOKENS.items()
        for context, template in fakes.CONTEXTS.items()
    ]
    missed = _missed(redactor, rows)
    assert len(missed) <= 0.01 * len(rows)
    by_kind, by_context = Counter(kind for kind, _ in missed), Counter(context for _, context in missed)
    assert not [kind for kind, count in by_kind.items() if count > 0.25 * len(fakes.CONTEXTS)]
    assert not [context for context, count in by_context.items() if count > 0.15 * len(fakes.TOKENS)]


@pytest.mark.parametrize("context", fakes.PASSWORD_CONTEXTS)
def test_passwords_in_their_own_places(redactor: Redactor, context: str) -> None:
    rng = random.Random(21)
    template = fakes.PASSWORD_CONTEXTS[context]
    rows = [("password", context, *fakes.place(template, "DB_PASSWORD", fakes.password(rng))) for _ in range(20)]
    assert len(_missed(redactor, rows)) <= 1


@pytest.mark.parametrize("context", ["env-file", "json-in-json", "xml", "query", "conn", "bearer", "url-like"])
def test_nothing_but_the_secret_is_taken(redactor: Redactor, context: str) -> None:
    template = fakes.CONTEXTS.get(context, "see https://x.example.org/?token=VALUE&page=2 for it")
    secret = fakes.TOKENS["unknown-token"][1](random.Random(8))
    text, start, end = fakes.place(template, "ZORB_TOKEN", secret)
    (findings,) = redactor.scan([text])
    assert [(f.start, f.end) for f in findings] == [(start, end)]


@pytest.mark.corpus
def test_the_labelled_file_meets_its_bars(redactor: Redactor, corpus: Path) -> None:
    report = evaluate_redaction(corpus / "redaction" / "dev.jsonl", redactor)
    assert report.recall is not None
    assert report.recall >= 0.98
    assert report.precision is not None
    assert report.precision >= 0.97
    assert report.over_redaction is not None
    assert report.over_redaction <= 0.005
    assert report.benign_hit_rate is not None
    assert report.benign_hit_rate <= 0.02
