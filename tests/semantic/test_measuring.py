"""Search by meaning is measured like any other, and lowers no benchmark below words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_lab.errors import SemanticError
from recall_lab.evaluation.retrieval import ablate, evaluate_retrieval
from recall_lab.search import parse_config
from recall_lab.semantic import open_model
from tests.evaluation.test_retrieval import Plain

from .conftest import KnowsByHeart

HYBRID = parse_config("mode=hybrid")
ROWS = ("the automobile was swift", "a quiet river", "we decline batching for now", "rain at night")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"id": f"d{n}", "text": text, "session": f"s{n}"} for n, text in enumerate(ROWS)]
    queries = [{"id": "q0", "text": "quick vehicle"}, {"id": "q1", "text": "obsidian orchard"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (tmp_path / "qrels.tsv").write_text("q0\td0\t1\n")
    return tmp_path


def test_two_ways_of_finding_are_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("evaluation.retrieval", "semantic.finding"):
        monkeypatch.setattr(f"recall_lab.{room}.open_model", lambda _=None: KnowsByHeart())
    report = evaluate_retrieval(folder, redactor=Plain(), config=HYBRID, against=parse_config("default"))
    assert report.metrics["hit@1"] == 1.0
    assert report.metrics["abstention"] == 1.0
    assert report.comparison["hit@1"].difference == 1.0


def test_a_measurement_is_never_silently_by_words(folder: Path, tmp_path: Path) -> None:
    for run in (
        lambda: evaluate_retrieval(folder, redactor=Plain(), config=HYBRID, model=tmp_path / "none"),
        lambda: ablate(folder, ["default", "mode=semantic"], redactor=Plain(), model=tmp_path / "none"),
    ):
        with pytest.raises(SemanticError, match="no model is here"):
            run()


def known(corpus: Path, name: str, *configs: str) -> list[dict[str, dict[str, float | None]]]:
    try:
        open_model()
    except SemanticError:
        pytest.skip("wants the extra recall-lab[semantic]")
    found = ablate(corpus / "retrieval" / name, configs, redactor=Plain())
    return [{"all": one.report.metrics, **one.report.by_stratum} for one in found]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "least"), [("toonmem", {"recall@5": 0.91}), ("parcha-v2-dev", {"recall@5": 0.88, "abstention": 1.0})]
)
def test_known_sets_gain_by_meaning(corpus: Path, name: str, least: dict[str, float]) -> None:
    words, both = known(corpus, name, "default", "mode=hybrid")
    for measure, value in least.items():
        assert both["all"][measure] >= value
    for measure in ("recall@5", "recall@10", "ndcg@10", "mrr@10", "session_hit@1"):
        assert both["all"][measure] >= words["all"][measure]
    if name == "parcha-v2-dev":
        assert both["exact-identifier"]["hit@1"] == 1.0


@pytest.mark.corpus
@pytest.mark.deep
def test_long_conversations_lose_nothing_by_meaning(corpus: Path) -> None:
    words, both = known(corpus, "locomo-dev", "default", "mode=hybrid")
    for measure in ("recall@5", "recall@10", "ndcg@10", "mrr@10", "session_hit@1"):
        assert both["all"][measure] >= words["all"][measure]
