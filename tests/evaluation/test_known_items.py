"""A history that is whole leads back to its passages; runs are kept and compared."""

from __future__ import annotations

import random
import time
from pathlib import Path

import msgspec

from recall_lab.evaluation.known_items import known_items, queries_from
from recall_lab.evaluation.runs import keep_run, kept_runs, runs_file, since_last
from recall_lab.store.fulltext import fulltext_of
from recall_lab.store.sampling import sample_blocks
from tests.search.conftest import History


def test_passages_are_found_again_and_their_text_is_not_in_the_report(tmp_path: Path) -> None:
    history = History(tmp_path / "recall.db")
    texts = [
        f"passage {n}: the {w} was moved to src/{w}/part{n}.py because of {w}{n} and nothing else happened there"
        for n, w in enumerate(["zeppelin", "obsidian", "orchard", "lantern", "harbour", "quartz"])
    ]
    reader = history.say("s", *texts, "too short").read()
    report = known_items(reader, passages=10)
    assert report.passages == 6
    assert set(report.by_query) == {"words", "piece", "identifier"}
    assert report.by_query["identifier"].found_1 == 1.0
    assert report.all.found_10 == 1.0
    assert set(report.by_host) == {"claude-code"}
    assert b"zeppelin" not in msgspec.json.encode(report)
    assert known_items(reader, passages=10) == report
    history.close()


def test_queries_are_made_of_what_tells_a_passage_from_others(tmp_path: Path) -> None:
    history = History(tmp_path / "recall.db")
    texts = [
        f"{n}: run cargo test in src/main.rs then read src/part{n}.rs and the file of project command output{n} tells{n}"
        for n in range(20)
    ]
    reader = history.say("s", *texts).read()
    index = fulltext_of(reader)
    for block in sample_blocks(reader, 20):
        made = dict(queries_from(index, block, random.Random(3)))
        number = block.text.split(":")[0]
        assert made["identifier"] == f"src/part{number}.rs"
        assert f"tells{number}" in made["words"].split() or f"output{number}" in made["words"].split()
    history.close()


def test_runs_are_kept_and_compared(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = keep_run(home, "retrieval", "set", {"recall@5": 0.5, "abstention": None}, {"near": 0.3})
    assert since_last(home, first) == {}
    time.sleep(0.002)
    second = keep_run(home, "retrieval", "set", {"recall@5": 0.75, "abstention": None})
    keep_run(home, "redaction", "set", {"recall": 1.0})
    assert since_last(home, second) == {"recall@5": 0.25}
    with runs_file(home).open("ab") as file:
        file.write(b"no run\n")
    assert kept_runs(home, "retrieval") == (first, second)
    assert runs_file(home).stat().st_mode & 0o777 == 0o600
