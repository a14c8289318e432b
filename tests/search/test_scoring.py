"""The fast paths score as the slow ones do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from recall_lab.model import Filters
from recall_lab.search import parse, rows, scoring, search
from recall_lab.search.config import PLAIN
from recall_lab.search.features import extract
from recall_lab.search.scoring import Scorer
from recall_lab.store import Reader, columns, packing
from recall_lab.store.fulltext import fulltext_of

from .conftest import History, batch, block

WORDS = ["queue", "retry", "lock", "cache", "parser", "token", "merge", "branch", "deploy", "schema", "river", "stone"]


def invented(count: int, seed: int) -> list[str]:
    """Texts in which the first words are common and the last are rare."""
    random_ = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    return [" ".join(random_.choices(WORDS, weights, k=random_.randint(3, 60))) for _ in range(count)]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    history = History(tmp_path_factory.mktemp("large") / "recall.db")
    texts = invented(600, 1)
    for n in range(0, 600, 100):
        history.write(batch(f"s{n}", tuple(block(text, i) for i, text in enumerate(texts[n : n + 100]))))
    yield history
    history.close()


def plain(reader: Reader, query: str) -> dict[str, float]:
    """BM25 as the book says, over the texts themselves."""
    texts = [text for (text,) in reader.connection.execute("SELECT text FROM blocks ORDER BY text_id")]
    index = fulltext_of(reader)
    held = [index.terms(text) for text in texts]
    scores = {}
    for text, terms in zip(texts, held, strict=True):
        score = 0.0
        for word in index.terms(query):
            n = sum(word in other for other in held)
            weight = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            norm = PLAIN.k1 * (1 - PLAIN.b + PLAIN.b * len(terms) / PLAIN.average_length)
            score += weight * terms.count(word) * (PLAIN.k1 + 1) / (terms.count(word) + norm)
        scores[text] = score
    return scores


def test_scores_are_those_of_the_formula(large: History) -> None:
    reader = large.read()
    expected = plain(reader, "river merge stones")
    hits = search(reader, "river merge stones", config=PLAIN, limit=1000).hits
    assert len(hits) == sum(score > 0 for score in expected.values())
    assert [h.score for h in hits] == pytest.approx(sorted(expected.values(), reverse=True)[: len(hits)], abs=1e-3)


def test_one_word_ranks_as_fts5_ranks_it(large: History) -> None:
    reader = large.read()
    lengths = [len(fulltext_of(reader).terms(t)) for (t,) in reader.connection.execute("SELECT text FROM blocks")]
    config = PLAIN.__class__(
        **{**{n: getattr(PLAIN, n) for n in PLAIN.__struct_fields__}, "average_length": np.mean(lengths)}
    )
    reference = [
        -rank
        for (rank,) in reader.connection.execute(
            "SELECT bm25(fulltext) FROM fulltext WHERE fulltext MATCH 'stone' ORDER BY 1"
        )
    ]
    ours = [hit.score for hit in search(reader, "stone", config=config, limit=1000).hits]
    scale = ours[0] / reference[0]
    assert [score * scale for score in reference] == pytest.approx(ours, rel=1e-2)


@pytest.mark.parametrize(
    "query", ["stone queue", "river queue retry lock", "queue", "stone river schema deploy branch merge"]
)
def test_pruning_changes_nothing(large: History, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    reader = large.read()
    index = fulltext_of(reader)
    with index.snapshot():
        reach = index.reach(Filters())
        wanted = extract(index, parse(query), PLAIN, reach).positive
        everything = np.arange(index.columns.size, dtype=np.int32)
        scorer = Scorer(index, wanted, PLAIN)
        whole = np.sort(scorer.of(everything))[::-1]
        holding = scorer.holding(everything) << np.uint64(1)
        for many, cached in ((10**9, 10**9), (1, 10**9), (1, 0), (10**9, 0)):
            monkeypatch.setattr(scoring, "_MANY", many)
            monkeypatch.setattr(scoring, "_CACHED", cached)
            monkeypatch.setattr(scoring, "_MARKED", 10)
            for count in (1, 7, 50):
                scorer = Scorer(index, wanted, PLAIN)
                best = scorer.best(count, reach.texts)
                assert len(set(best.tolist())) == len(best)
                assert np.sort(scorer.of(best))[::-1] == pytest.approx(whole[:count])
                assert (scorer.holding(everything) << np.uint64(1) == holding).all()
                assert np.sort(scorer.of(everything))[::-1] == pytest.approx(whole)


def test_a_phrase_with_a_common_word_is_found_by_its_rare_ones(
    told: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    filling = [f"src of part {n} in src" for n in range(60)]
    reader = told("see src/zeppelin/mooring.py", "mooring zeppelin src py", "callSrcZeppelinMooringPy()", *filling)
    queries = ("src/zeppelin/mooring.py", '"src zeppelin mooring"', "src.zeppelin.mooring.py", "srcZeppelinMooring")
    answers_ = [search(reader, query).hits for query in queries]
    index = fulltext_of(reader)
    monkeypatch.setattr(index, "commonness", lambda term: len(index.postings(term).ids))
    monkeypatch.setattr(rows, "_VERY_COMMON", 10)
    for postings in (1, 10**9):
        monkeypatch.setattr(rows, "_POSTINGS_A_TEXT", postings)
        assert [search(reader, query).hits for query in queries] == answers_


def answers(reader: Reader) -> list[list[tuple[str, float]]]:
    return [
        [(hit.block_id, hit.score) for hit in search(reader, query, limit=30).hits]
        for query in ("queue", "queue stone", "what about the river", '"retry queue"', "lock*", "deploy AND schema")
    ]


@pytest.mark.parametrize("together", [1, 7, 600, 601])
def test_columns_are_the_same_however_many_rows_are_read_at_a_time(
    large: History, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = large.read().connection
    whole = columns.follow(connection, columns.empty())
    monkeypatch.setattr(columns, "_TOGETHER", together)
    parts = columns.follow(connection, columns.empty())
    for name in columns.Columns.__struct_fields__:
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name
        assert getattr(getattr(parts, name), "dtype", None) == getattr(getattr(whole, name), "dtype", None), name
    assert len(whole.text) == 600


@pytest.mark.usefixtures("small_bounds")
def test_a_packed_store_answers_as_before(tmp_path: Path) -> None:
    history = History(tmp_path / "recall.db")
    texts = invented(120, 2)
    history.write(batch("a", tuple(block(text, i) for i, text in enumerate(texts[:100]))))
    before = answers(history.read())
    assert packing.pack(history.path)
    assert packing.packed_path(history.path).stat().st_mode & 0o777 == 0o600
    packed = history.read()
    assert answers(packed) == before
    assert fulltext_of(packed).packed
    # What is written later is found, and what is taken away is not.
    history.write(batch("b", tuple(block(text, i) for i, text in enumerate(texts[100:]))))
    history.write(batch("a", tuple(block(text, i) for i, text in enumerate(texts[:90]))))
    later = answers(packed)
    assert answers(history.read()) == later
    packing.discard(history.path)
    assert answers(history.read()) == later
    # A text that stands nowhere when the store is packed, and somewhere again later.
    packing.pack(history.path)
    history.write(batch("a", tuple(block(text, i) for i, text in enumerate(texts[:100]))))
    returned = answers(history.read())
    packing.discard(history.path)
    assert answers(history.read()) == returned
    history.close()


@pytest.mark.usefixtures("small_bounds")
def test_a_damaged_or_foreign_pack_is_left_alone(tmp_path: Path) -> None:
    history = History(tmp_path / "recall.db")
    history.write(batch("a", tuple(block(text, i) for i, text in enumerate(invented(50, 3)))))
    expected = answers(history.read())
    packing.pack(history.path)
    path = packing.packed_path(history.path)
    whole = path.read_bytes()
    for damaged in (b"", b"RLPACK01", whole[:100], whole[:-1000], b"x" * 5000):
        path.write_bytes(damaged)
        assert answers(history.read()) == expected
    other = History(tmp_path / "other" / "recall.db")
    other.write(batch("a", tuple(block(text, i) for i, text in enumerate(invented(50, 4)))))
    packing.packed_path(other.path).write_bytes(whole)
    assert fulltext_of(other.read())._db
    assert all(len(found) <= 30 for found in answers(other.read()))
    assert fulltext_of(other.read()).packed is None
    history.close()
    other.close()


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGE", 10)
    monkeypatch.setattr(packing, "LIGHT", 0)
    monkeypatch.setattr(packing, "COMMON", 20)
    monkeypatch.setattr(packing, "BEHIND", 1)
    monkeypatch.setattr(packing, "FEW", 1)


def test_small_stores_are_not_packed(tmp_path: Path) -> None:
    history = History(tmp_path / "recall.db").say("a", "one", "two")
    assert not packing.pack(history.path)
    assert not packing.packed_path(history.path).exists()
