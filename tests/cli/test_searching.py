"""Search on the command line: how a query was read, what a score is made of, passages like one, no index yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_lab.search.config import SearchConfig
from tests.search.test_cold import SECRET, transcript

from .conftest import Command

QUESTION = "why did we reject batching"


def test_explain_says_how_the_query_was_read_and_what_scores_are_made_of(on_sample: Command) -> None:
    answer = on_sample("search", "--explain", "--json", "--", QUESTION, "-migration").json
    how = answer["explanation"]
    assert set(how["dropped"]) == {"why", "did", "we"}
    assert how["excluded"] == ["migration"]
    assert {part["label"] for part in how["parts"]} == {"reject", "batching"}
    assert sum(part["share"] for part in how["parts"]) == pytest.approx(1, abs=1e-3)
    assert how["blocks"] == answer["searched"]["blocks"]
    hit = answer["hits"][0]
    parts = hit["why"]["parts"]
    made = (parts["own"] + parts["neighbors"] + parts["session"]) * parts["recency"] * parts["kind"]
    assert hit["score"] == pytest.approx(made, abs=0.01)
    plain = on_sample("search", "--json", "--", QUESTION, "-migration").json
    assert plain["hits"] == answer["hits"]
    assert "explanation" not in plain


def test_explain_tells_a_person_the_same(on_sample: Command) -> None:
    ran = on_sample("search", QUESTION, "--explain", "--limit", "1")
    for words in ("looked for as", "batching", "left out", "why", "score ", "own ", "covers "):
        assert words in ran.out
    assert "score " not in on_sample("search", QUESTION, "--limit", "1").out


def test_what_is_preferred_comes_first_where_the_evidence_is_alike(on_sample: Command) -> None:
    usual = on_sample("search", "batching", "--limit", "1000", "--json").json["hits"]
    last = usual[-1]["role"]
    preferred = on_sample("search", "batching", "--prefer", last, "--limit", "1000", "--json").json["hits"]
    assert {hit["block_id"] for hit in preferred} == {hit["block_id"] for hit in usual}
    raised = {hit["block_id"]: hit["score"] for hit in preferred}
    for hit in usual:
        factor = 1 + SearchConfig().prefer if hit["role"] == last else 1
        assert raised[hit["block_id"]] == pytest.approx(hit["score"] * factor, abs=0.01)
    assert "prefer" in on_sample("search", "batching", "--prefer", "robot").line


def test_passages_like_one(on_sample: Command) -> None:
    hit = on_sample("search", QUESTION, "--json").json["hits"][0]
    answer = on_sample("search", "--like", hit["receipt"], "--limit", "3", "--json").json
    assert answer["hits"]
    assert hit["block_id"] not in {other["block_id"] for other in answer["hits"]}
    assert on_sample("search", "--like", hit["block_id"][:12], "--json").json["hits"]
    assert "takes the place of a query" in on_sample("search", "words", "--like", hit["receipt"]).line
    assert "search for what" in on_sample("search").line
    assert "0" * 32 in on_sample("search", "--like", "0" * 32).line


def test_a_search_that_finds_nothing_says_what_was_searched_and_what_next(on_sample: Command) -> None:
    answer = on_sample("search", "zyzzyva", "--json").json
    blocks, sessions = answer["searched"]["blocks"], answer["searched"]["sessions"]
    for words in (f"{blocks:,} blocks", f"{sessions:,} sessions", "not in the index: zyzzyva", "try "):
        assert words in answer["notice"]
        assert words in on_sample("search", "zyzzyva").out


def test_before_there_is_an_index_the_raw_transcripts_answer(recall_lab: Command, tmp_path: Path) -> None:
    transcript(tmp_path / "user", 1, f"the zeppelin token is {SECRET}, we moored it")
    answer = recall_lab("search", "zeppelin", "moored", "--json").json
    assert answer["cold"] is True
    assert "recall-lab index" in answer["notice"]
    assert [hit["why"]["tier"] for hit in answer["hits"]] == ["all"]
    assert SECRET not in json.dumps(answer)
    ran = recall_lab("search", "zeppelin", "--role", "assistant", "--explain")
    assert ran.code == 0
    assert "cold scan" in ran.out
    assert not (tmp_path / "home" / "recall.db").exists()
    assert "there is no store" in recall_lab("search", "--like", "0" * 32).line
