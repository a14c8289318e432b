"""Another way of finding has the last word on the order, and words say what they found."""

from __future__ import annotations

import numpy as np
import pytest

from recall_lab.model import Filters
from recall_lab.search import Fused, Lexical, lexical_ranking, search
from recall_lab.store.fulltext import fulltext_of

from .conftest import History

TEXTS = (
    "the retry queue drains slowly",
    "we merged the retry branch",
    "the river is cold today",
    "`retry_queue` is the name",
    "nothing of the kind",
)


@pytest.fixture
def spoken(history: History) -> History:
    for number, text in enumerate(TEXTS):
        history.say(f"s{number}", text)
    return history


def test_a_ranking_by_words_names_blocks_as_a_search_does(spoken: History) -> None:
    reader = spoken.read()
    hits = search(reader, "retry queue").hits
    ranking = lexical_ranking(reader, "retry queue")
    assert [(one.block_id, one.tier) for one in ranking] == [(hit.block_id, hit.why.tier) for hit in hits]
    assert [one.score for one in ranking] == pytest.approx([hit.score for hit in hits], abs=1e-3)
    ids = fulltext_of(reader).text_ids([one.block_id for one in ranking])
    assert ids == {one.block_id: one.text_id for one in ranking}
    assert lexical_ranking(reader, "zyzzyva") == ()


def test_a_fusion_sees_what_words_found_and_decides_the_order(spoken: History) -> None:
    reader = spoken.read()
    by_words = lexical_ranking(reader, "retry queue", filters=Filters(kinds=("text",)))
    river = fulltext_of(reader).text_ids([search(reader, "river").hits[0].block_id])
    (brought,) = river.values()
    seen: list[Lexical] = []

    def fusion(lexical: Lexical) -> Fused:
        seen.append(lexical)
        texts = [brought, *reversed(lexical.texts.tolist())]
        return Fused(texts, [1.0 / (n + 1) for n in range(len(texts))], {brought: {"meaning": 0.9}})

    hits = search(reader, "retry queue", fusion=fusion, limit=2).hits
    assert seen[0].texts.tolist() == [one.text_id for one in by_words]
    assert not seen[0].refused
    assert seen[0].eligible[brought]
    assert [hit.text for hit in hits] == [TEXTS[2], search(reader, "retry queue").hits[-1].text]
    assert hits[0].why.parts["meaning"] == 0.9
    assert [hit.score for hit in hits] == [1.0, 0.5]
    # The next page goes on where the first ended.
    assert search(reader, "retry queue", fusion=fusion, limit=1, offset=1).hits[0].block_id == hits[1].block_id


def test_a_fusion_may_answer_what_words_cannot_and_may_answer_with_nothing(spoken: History) -> None:
    reader = spoken.read()
    empty = np.empty(0, np.int32)

    def silent(lexical: Lexical) -> Fused:
        assert lexical.refused
        return Fused((), ())

    def telling(lexical: Lexical) -> Fused:
        assert len(lexical.texts) == len(empty)
        return Fused((1,), (0.7,))

    assert search(reader, "zyzzyva", fusion=silent).hits == ()
    assert [hit.text for hit in search(reader, "zyzzyva", fusion=telling).hits] == [TEXTS[0]]
