"""What words found exactly stays on top, and nothing stands in for an identifier."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.search import Lexical, SearchConfig
from recall_lab.semantic.fusing import asks_exactly, fuse
from recall_lab.semantic.vectors import Found

HYBRID = SearchConfig(mode="hybrid")
QUESTION = "why was it declined"


def lexical(
    texts: list[int], scores: list[float], tiers: list[int], query: str = QUESTION, *, refused: bool = False
) -> Lexical:
    return Lexical(
        query=query,
        texts=np.array(texts, np.int32),
        scores=np.array(scores, np.float32),
        tiers=np.array(tiers, np.int8),
        coverage=0.0 if refused else 1.0,
        refused=refused,
        eligible=np.ones(100, bool),
        passing=lambda ids: ids,
    )


def near(**cosines: float) -> dict[int, Found]:
    return {int(name[1:]): Found(cosine, 1, 0, 5) for name, cosine in cosines.items()}


worded = st.lists(
    st.tuples(st.integers(0, 49), st.floats(0.01, 40), st.integers(0, 2)), unique_by=lambda one: one[0], max_size=12
).map(lambda found: sorted(found, key=lambda one: (one[2], -one[1])))
meant = st.dictionaries(st.integers(0, 99), st.floats(-1, 1), max_size=20)


@given(worded, meant, st.sampled_from([QUESTION, "parse_rows fails", '"as typed"']), st.booleans())
def test_words_lose_nothing_and_exact_evidence_leads_in_its_order(
    words: list[tuple[int, float, int]], cosines: dict[int, float], query: str, refused: bool
) -> None:
    texts, scores, tiers = map(list, zip(*words, strict=True)) if words else ([], [], [])
    found = {text: Found(cosine, 1, 0, 5) for text, cosine in cosines.items()}
    fused = fuse(lexical(texts, scores, tiers, query, refused=refused), found, HYBRID)
    assert len(set(fused.texts)) == len(fused.texts) == len(fused.scores)
    if not refused:
        exact = [text for text, _, tier in words if tier == 0]
        assert list(fused.texts[: len(exact)]) == exact
        assert set(texts) <= set(fused.texts)
    brought = set(fused.texts) - (set() if refused else set(texts))
    assert all(found[text].cosine >= HYBRID.least_meaning for text in brought)
    if asks_exactly(query):
        assert not brought
    below = list(fused.scores)[sum(1 for tier in tiers if tier == 0 and not refused) :]
    assert below == sorted(below, reverse=True)


@given(worded)
def test_without_any_vector_the_order_below_exact_is_that_of_the_scores(words: list[tuple[int, float, int]]) -> None:
    texts, scores, tiers = map(list, zip(*words, strict=True)) if words else ([], [], [])
    fused = fuse(lexical(texts, scores, tiers), {}, HYBRID)
    by_score = sorted((one for one in words if one[2]), key=lambda one: (-np.float32(one[1]), -one[0]))
    assert list(fused.texts) == [text for text, _, tier in words if not tier] + [text for text, _, _ in by_score]


def test_meaning_brings_what_words_missed_and_lifts_what_both_found() -> None:
    fused = fuse(lexical([1, 2], [10.0, 9.0], [2, 2]), near(t1=0.1, t2=0.8, t3=0.6, t4=0.2), HYBRID)
    assert fused.texts == [2, 1, 3]
    assert fused.parts[3] == {"meaning": 0.6}
    assert fused.spans == {3: (0, 5)}


def test_what_stands_beside_near_texts_is_lifted_but_not_brought() -> None:
    found = near(t1=0.1, t2=0.1, t3=0.2)
    fused = fuse(lexical([1, 2], [10.0, 10.0], [2, 2]), found, HYBRID, {2: 0.0, 1: 0.3, 3: 0.9})
    assert fused.texts == [1, 2]


def test_what_is_near_nothing_is_answered_with_nothing() -> None:
    refused = lexical([1], [1.0], [2], refused=True)
    assert fuse(refused, near(t1=0.2, t2=0.29), HYBRID).texts == []
    assert fuse(refused, near(t1=0.2, t2=0.31), HYBRID).texts == [2]


def test_by_meaning_alone_words_have_no_say() -> None:
    fused = fuse(lexical([1, 2], [10.0, 9.0], [0, 2]), near(t1=0.4, t2=0.2, t3=0.6), SearchConfig(mode="semantic"))
    assert fused.texts == [3, 1]


def test_identifiers_and_phrases_are_meant_exactly_unless_excluded() -> None:
    assert asks_exactly("where is parse_rows")
    assert asks_exactly('find "these words"')
    assert not asks_exactly("why did we decline -parse_rows")
    assert not asks_exactly(QUESTION)
