"""A benchmark folder is captured as a transcript is, searched in its scopes, and measured as by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evaluation.measures import MEASURES, by_query
from recall_lab.evaluation.retrieval import evaluate_retrieval
from recall_lab.model import Redacted
from recall_lab.search import SearchConfig, parse_config


class Text(NamedTuple):
    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


class Plain:
    """Takes out the one secret of these tests."""

    version = "test"

    def redact(self, texts: Any) -> list[Text]:
        return [Text(Redacted(text.replace("hunter2", "[REDACTED:password]"))) for text in texts]


ROWS = [
    {"id": "d1", "text": "the queue was moved to postgres", "session": "s1", "scope": "a", "turn": 0},
    {
        "id": "d2",
        "text": "the cache stays in redis",
        "session": "s1",
        "scope": "a",
        "turn": 1,
        "timestamp": "2026-01-01",
    },
    {"id": "d3", "text": "postgres queue again", "session": "s2", "scope": "b", "timestamp": "2026-01-02T10:00:00Z"},
    {"id": "d4", "text": "hunter2 opens the door", "session": "s2", "scope": "b"},
    *({"id": f"x{n}", "text": f"nothing of it, number {n}", "session": f"x{n}", "scope": "a"} for n in range(30)),
]
QUERIES = [
    {"id": "q1", "text": "where is the queue", "scope": "a", "stratum": "one"},
    {"id": "q2", "text": "redis", "scope": "a", "stratum": "one"},
    {"id": "q3", "text": "obsidian orchard", "scope": "a", "stratum": "none"},
    {"id": "q4", "text": "queue", "stratum": "two"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)))
    (tmp_path / "qrels.tsv").write_text("q1\td1\t1\nq2\td2\t2\nq4\td3\t1\nq4\td1\t0\n")
    return tmp_path


def test_the_report_has_the_keys_and_the_values(folder: Path) -> None:
    report = evaluate_retrieval(folder, redactor=Plain())
    found = json.loads(msgspec.json.encode(report))
    assert {"queries", "config", "metrics", "by_stratum", "latency_ms"} <= found.keys()
    assert found["queries"] == 4
    assert found["metrics"]["hit@1"] == 1.0
    assert found["metrics"]["abstention"] == 1.0
    assert set(found["metrics"]) == {
        *("recall@5", "recall@10", "mrr@10", "ndcg@10", "hit@1"),
        *("session_hit@1", "session_hit@5", "session_mrr", "abstention"),
    }
    assert set(found["by_stratum"]) == {"one", "none", "two"}
    assert found["by_stratum"]["none"]["recall@5"] is None
    assert set(found["latency_ms"]) == {"p50", "p95"}


def test_two_configurations_are_compared_query_by_query(folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = evaluate_retrieval(
        folder, redactor=Plain(), against=parse_config("plain"), progress=lambda *step: steps.append(step)
    )
    assert report.comparison["recall@5"].queries == 3
    assert steps[-1] == (8, 8)


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("corpus.jsonl", '{"id": "d1"}', UsageError),
        ("corpus.jsonl", '{"id": "d1", "text": "x", "timestamp": "tomorrow"}', UsageError),
        ("queries.jsonl", "not json", UsageError),
        ("qrels.tsv", "q1 d1 1", UsageError),
        ("qrels.tsv", "q1\tnowhere\t1", UsageError),
        ("qrels.tsv", None, NotFoundError),
    ],
)
def test_what_is_no_benchmark_says_where(folder: Path, file: str, text: str | None, error: type[Exception]) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(error, match=file.replace(".", r"\.")):
        evaluate_retrieval(folder, redactor=Plain())


def test_measures_by_hand() -> None:
    found = by_query(MEASURES, {"q": ["a", "b", "c", "d"]}, {"q": {"b": 1, "d": 1, "z": 1}, "missing": {"a": 1}})
    assert found["recall@5"] == {"q": pytest.approx(2 / 3), "missing": 0.0}
    assert found["mrr@10"]["q"] == pytest.approx(1 / 2)
    assert found["hit@1"]["q"] == 0
    # (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3) + 1/2)
    assert found["ndcg@10"]["q"] == pytest.approx(0.49819, abs=1e-4)


@pytest.mark.parametrize("typed", ["default", "plain", "near=0", "default, near=0.1 ,tiers=false", "plain,k1=0.9"])
def test_configurations_as_typed(typed: str) -> None:
    assert isinstance(parse_config(typed), SearchConfig)


@pytest.mark.parametrize("typed", ["fast", "near=much", "nearness=1", "recency=0.9", "near=0,plain"])
def test_what_is_no_configuration_says_so(typed: str) -> None:
    with pytest.raises(UsageError):
        parse_config(typed)


def test_a_config_switches_parts_off() -> None:
    assert parse_config("near=0,tiers=false") == SearchConfig(near=0, tiers=False)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("locomo-dev", {"recall@5": 0.655, "ndcg@10": 0.555, "mrr@10": 0.51, "session_hit@1": 0.74}),
        ("toonmem", {"recall@5": 0.885}),
        ("parcha-v2-dev", {"recall@5": 0.76, "abstention": 1.0}),
    ],
)
def test_known_sets_are_answered_as_well_as_before(corpus: Path, name: str, least: dict[str, float]) -> None:
    report = evaluate_retrieval(corpus / "retrieval" / name, redactor=Plain())
    assert {measure: report.metrics[measure] >= value for measure, value in least.items()} == dict.fromkeys(least, True)
    if name == "parcha-v2-dev":
        assert report.by_stratum["exact-identifier"]["hit@1"] == 1.0
