"""Meaning finds what words miss, and says so; without it words answer, and that is said too."""

from __future__ import annotations

from typing import Any

import pytest

from recall_lab.display import why_words
from recall_lab.errors import SemanticError
from recall_lab.model import Filters
from recall_lab.search import SearchConfig, search
from recall_lab.semantic import build, find, status, vectors_folder
from tests.search.conftest import History, batch, block

from .conftest import KnowsByHeart

HYBRID, SEMANTIC = SearchConfig(mode="hybrid"), SearchConfig(mode="semantic")
TEXTS = ("the automobile was swift", "a quiet river", "we decline batching for now", "parse_rows is swift")


@pytest.fixture
def built(history: History, model: KnowsByHeart) -> History:
    for number, text in enumerate(TEXTS):
        history.say(f"s{number}", text)
    build(history.read(), vectors_folder(history.path), model)
    return history


def texts(answer: Any) -> list[str]:
    return [hit.text for hit in answer.hits]


def test_other_words_of_one_meaning_find_one_another(built: History, model: KnowsByHeart) -> None:
    reader = built.read()
    assert texts(search(reader, "quick vehicle")) == []
    answer = find(reader, "quick vehicle", config=HYBRID, model=model)
    assert texts(answer)[0] == TEXTS[0]
    hit = answer.hits[0]
    assert hit.why.terms == ()
    assert hit.why.parts["meaning"] > 0.3
    assert any(word.startswith("similar in meaning") for word in why_words(hit.why))
    assert not any("0% of the terms" in word for word in why_words(hit.why))
    assert answer.notice is not None
    assert answer.notice.startswith("weak evidence")
    assert texts(find(reader, "quick vehicle", config=SEMANTIC, model=model))[0] == TEXTS[0]


def test_an_identifier_comes_first_and_nothing_stands_in_for_one(built: History, model: KnowsByHeart) -> None:
    reader = built.read()
    assert texts(find(reader, "parse_rows quick vehicle", config=HYBRID, model=model))[0] == TEXTS[3]
    assert texts(find(reader, "drop_rows", config=HYBRID, model=model)) == []


def test_words_alone_answer_as_always(built: History, model: KnowsByHeart) -> None:
    reader = built.read()
    assert find(reader, "decline batching", model=model) == search(reader, "decline batching")


def test_filters_and_scope_hold_for_meaning_too(built: History, model: KnowsByHeart) -> None:
    reader = built.read()
    ask = {"config": HYBRID, "model": model}
    assert texts(find(reader, "quick vehicle", filters=Filters(sessions=("s1",)), **ask)) == []
    assert texts(find(reader, "quick vehicle", filters=Filters(roles=("assistant",)), **ask)) == []
    assert texts(find(reader, "quick vehicle", filters=Filters(tools=("Bash",)), **ask)) == []
    assert texts(find(reader, "quick vehicle", scope="session", session="s0", **ask)) == [TEXTS[0]]


def test_of_two_alike_the_one_beside_a_near_text_comes_first(history: History, model: KnowsByHeart) -> None:
    for session, head, other in (("beside", "a", "a quick vehicle"), ("alone", "b", "rain at night")):
        same = block("the answer is batching", 0, block_id=head * 32)
        history.write(batch(session, (same, block(other, 1))))
    build(history.read(), vectors_folder(history.path), model)
    ask = {"config": HYBRID, "model": model, "filters": Filters(roles=("user",))}
    hits = find(history.read(), "answer batching swift automobile", **ask).hits
    alike = [hit.session for hit in hits if "batching" in hit.text]
    assert alike == ["beside", "alone"]
    without = {**ask, "config": SearchConfig(mode="hybrid", near=0, far=0, session=0)}
    level = [
        hit.score
        for hit in find(history.read(), "answer batching swift automobile", **without).hits
        if "batching" in hit.text
    ]
    assert level[0] == level[1]


def test_a_vector_of_an_older_text_finds_nothing(history: History, model: KnowsByHeart) -> None:
    history.write(batch("s", (block(TEXTS[0], 0, block_id="a" * 32),)))
    build(history.read(), vectors_folder(history.path), model)
    history.write(batch("s", (block("gone to the sea", 0, block_id="a" * 32),)))
    assert texts(find(history.read(), "quick vehicle", config=HYBRID, model=model)) == []


def test_the_passage_that_is_near_is_shown(history: History, model: KnowsByHeart) -> None:
    filler = "nothing to see here. " * 60
    history.say("s", filler + "the automobile was swift. " * 40)
    build(history.read(), vectors_folder(history.path), model)
    (hit,) = find(history.read(), "quick vehicle", config=HYBRID, model=model).hits
    assert "automobile" in hit.text
    assert hit.start > 0
    assert hit.spans == ()


def test_without_vectors_words_answer_and_say_so(history: History, model: KnowsByHeart) -> None:
    history.say("s", *TEXTS)
    answer = find(history.read(), "decline batching", config=HYBRID, model=model)
    assert texts(answer) == texts(search(history.read(), "decline batching"))
    assert answer.notice is not None
    assert "words alone" in answer.notice
    assert "recall-lab semantic build" in answer.notice
    for config, strict in ((SEMANTIC, False), (HYBRID, True)):
        with pytest.raises(SemanticError, match="semantic build"):
            find(history.read(), "decline", config=config, model=model, strict=strict)


def test_vectors_of_another_model_are_not_compared(built: History) -> None:
    with pytest.raises(SemanticError, match="another model"):
        find(built.read(), "quick vehicle", config=SEMANTIC, model=KnowsByHeart("cd" * 16))


def test_status_counts_what_is_there(built: History, model: KnowsByHeart, tmp_path: Any) -> None:
    built.say("new", "something else")
    found = status(built.read(), tmp_path / "no-model")
    assert found.problem is not None
    assert (found.texts, found.embedded, found.passages, found.stale) == (5, 4, 4, 0)
    built.write(batch("s1", (block("another river", 0),)))
    assert status(built.read(), tmp_path / "no-model").stale == 1
