"""Grades are kept, follow what is forgotten, and make a benchmark that evaluation reads."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.analytics import chart, to_svg
from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evaluation.benchmark import read_benchmark
from recall_lab.lab import Lab, open_lab
from recall_lab.uninstalling import plan

QUESTION = "why did we reject batching"


@pytest.fixture
def lab(captured_sample: Path, tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    home = tmp_path / "home"
    shutil.copytree(captured_sample, home)
    with open_lab(home) as opened:
        yield opened


def graded(lab: Lab, question: str = QUESTION) -> list[str]:
    """Grade what both configurations find: what holds the word batching answers."""
    contest = lab.contest(question, b="plain")
    for index, one in enumerate(contest.passages):
        lab.judge(question, one.hit, 2 * ("batching" in one.hit.text), config=contest.config_of(index))
    return [one.hit.block_id for one in contest.passages]


def test_a_contest_shows_what_either_found_once(lab: Lab) -> None:
    contest = lab.contest(QUESTION, a="default", b="plain", limit=8)
    found = [one.hit.block_id for one in contest.passages]
    assert len(set(found)) == len(found) <= 8
    assert {one.team for one in contest.passages} == {"a", "b"}
    assert contest == lab.contest(QUESTION, a="default", b="plain", limit=8)
    assert found[0] in {
        lab.search(QUESTION)[0].block_id,
        lab.contest(QUESTION, a="plain", b="plain").passages[0].hit.block_id,
    }
    with pytest.raises(UsageError):
        lab.contest("  ")
    with pytest.raises(UsageError):
        lab.contest(QUESTION, a="magic")


def test_grades_are_kept_one_a_question_and_passage(lab: Lab) -> None:
    blocks = graded(lab)
    frame = lab.judgments()
    assert list(frame["block_id"]) == blocks
    assert set(frame["config"]) <= {"default", "plain"}
    hit = lab.search(QUESTION)[0].hit
    lab.judge(QUESTION, hit, 3)
    again = lab.judgments()
    assert len(again) == len(frame)
    assert again.set_index("block_id").loc[hit.block_id, "grade"] == 3
    for grade in (-1, 4):
        with pytest.raises(UsageError, match="no grade"):
            lab.judge(QUESTION, hit, grade)
    # The mirror follows, and the named query shows them.
    assert set(lab.query("judgments")["block_id"]) == set(blocks)


def test_a_secret_in_a_question_is_not_kept(lab: Lab) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    lab.judge(f"who used {token}", lab.search(QUESTION)[0].hit, 1)
    assert token not in lab.judgments()["question"].iloc[0]
    assert "[REDACTED:" in lab.judgments()["question"].iloc[0]


def test_the_grades_make_a_benchmark_of_ones_own(lab: Lab) -> None:
    with pytest.raises(NotFoundError, match="nothing is judged"):
        lab.save_judgments()
    blocks = graded(lab)
    done = lab.save_judgments()
    folder = Path(done.folder)
    assert folder == lab.home / "judgments"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    benchmark = read_benchmark(folder)
    assert set(benchmark.grades["q1"]) == set(blocks)
    assert len(benchmark.rows) == done.texts > len(blocks)
    report = lab.evaluate_retrieval(folder, progress=False)
    assert report.queries == 1
    assert report.metrics["recall@10"] is not None
    assert report.metrics["recall@10"] > 0
    found = plan(lab.settings)
    assert str(folder / "qrels.tsv") in found.files
    assert not [name for name in found.kept if "judgments" in name]


def test_what_is_forgotten_leaves_the_benchmark(lab: Lab) -> None:
    blocks = graded(lab)
    folder = Path(lab.save_judgments().folder)
    lab.forget(block=blocks[0], really=True)
    rows = [json.loads(line)["id"] for line in (folder / "corpus.jsonl").read_text().splitlines()]
    assert blocks[0] not in rows
    assert blocks[0] not in (folder / "qrels.tsv").read_text()
    for block in blocks[1:]:
        lab.forget(block=block, really=True)
    assert not folder.exists()


def test_a_history_makes_a_benchmark_of_itself(lab: Lab) -> None:
    configs = ["default", "plain"]
    frame = lab.ablations(configs=configs, passages=8, progress=False)
    assert list(dict.fromkeys(frame["config"])) == configs
    assert {"all", "words", "piece"} <= set(frame["stratum"])
    assert frame["value"].dropna().between(0, 1).all()
    again = lab.ablations(configs=configs, passages=8, progress=False)
    values = ["config", "stratum", "measure", "value"]
    assert frame[values].equals(again[values])
    drawn = chart("retrieval_by_stratum", frame)
    assert "recall@5" in to_svg(drawn)
    empty = chart("retrieval_by_stratum", frame[frame["measure"] == "none"])
    assert "No query here has an answer." in to_svg(empty)


def test_ablations_of_a_folder_of_ones_own(lab: Lab) -> None:
    graded(lab)
    folder = lab.save_judgments().folder
    frame = lab.ablations(folder, ["default"], progress=False)
    overall = frame[(frame["stratum"] == "all") & (frame["measure"] == "recall@10")]
    assert overall["value"].item() > 0
