"""Evaluations on the command line: two configurations, known items, and the runs that were kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Command

ROWS = [
    {"id": "d1", "text": "the queue was moved to postgres", "session": "s1"},
    {"id": "d2", "text": "the cache stays in redis", "session": "s1"},
    {"id": "d3", "text": "postgres queue again", "session": "s2"},
    *({"id": f"x{n}", "text": f"nothing of it, number {n}", "session": f"x{n}"} for n in range(20)),
]
QUERIES = [
    {"id": "q1", "text": "where does the cache stay", "stratum": "one"},
    {"id": "q2", "text": "redis", "stratum": "one"},
    {"id": "q3", "text": "obsidian number orchard", "stratum": "none"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bench"
    made.mkdir()
    (made / "corpus.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (made / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)))
    (made / "qrels.tsv").write_text("q1\td2\t1\nq2\td2\t1\n")
    return made


def test_two_configurations_are_compared_with_intervals(recall_lab: Command, folder: Path) -> None:
    report = recall_lab(
        "eval", "retrieval", str(folder), "--config", "plain,b=0.5", "--against", "default", "--json"
    ).json
    assert report["config"]["b"] == 0.5
    assert not report["config"]["tiers"]
    one = report["comparison"]["abstention"]
    assert (one["mean"], one["against"], one["queries"]) == (0.0, 1.0, 1)
    assert one["low"] <= one["difference"] <= one["high"]
    assert 0 < one["p"] <= one["p_holm"] <= 1
    shown = recall_lab("eval", "retrieval", str(folder), "--config", "plain", "--against", "default").out
    for words in ("95% interval", "p (Holm)", "abstention", "-1.000"):
        assert words in shown
    assert "is no configuration" in recall_lab("eval", "retrieval", str(folder), "--config", "best").line


def test_runs_are_kept_and_compared_with_the_last(recall_lab: Command, folder: Path) -> None:
    first = recall_lab("eval", "retrieval", str(folder), "--config", "plain", "--json").json
    assert first["since_last"] == {}
    second = recall_lab("eval", "retrieval", str(folder), "--json").json
    assert second["since_last"]["abstention"] == 1.0
    assert recall_lab("eval", "retrieval", str(folder), "--no-keep", "--json").json["since_last"] == {}
    runs = recall_lab("eval", "runs", "--json").json["runs"]
    assert [(run["kind"], run["name"], run["settings"]["queries"]) for run in runs] == [("retrieval", "bench", 3)] * 2
    assert runs[1]["metrics"] == second["metrics"]
    shown = recall_lab("eval", "runs", "--kind", "retrieval").out
    assert "abstention 1.000 (+1.000)" in shown
    assert recall_lab("eval", "runs", "--name", "other", "--json").json["runs"] == []
    assert (
        "since the last run: abstention -1.000" in recall_lab("eval", "retrieval", str(folder), "--config", "plain").out
    )


def test_figures_are_given_where_no_run_can_be_kept(recall_lab: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "evaluations.jsonl").mkdir(parents=True)
    ran = recall_lab("eval", "retrieval", str(folder), "--json")
    assert ran.json["metrics"]["recall@5"] == 1.0
    assert ran.line.startswith("note: ")
    assert ran.line.endswith("was not kept")


def test_a_history_is_tested_for_its_own_passages(on_sample: Command) -> None:
    report = on_sample("eval", "known-items", "--passages", "20", "--no-keep", "--json").json
    assert 0 < report["passages"] <= 20
    assert report["all"]["queries"] == sum(one["queries"] for one in report["by_host"].values())
    assert report["all"]["found_1"] <= report["all"]["found_10"] <= 1
    again = on_sample("eval", "known-items", "--passages", "20", "--no-keep", "--json").json
    assert again == report
    shown = on_sample("eval", "known-items", "--passages", "20", "--no-keep").out
    for name in report["by_host"]:
        assert f"host {name}" in shown


def test_a_history_that_is_not_there_cannot_be_tested(recall_lab: Command) -> None:
    assert "recall-lab index" in recall_lab("eval", "known-items").line
