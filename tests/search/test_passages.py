"""Looking for words finds what the tokenizer finds, and the passage of a long text is where the query stands thickest."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_lab.model import Filters
from recall_lab.search import parse, search
from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Feature, extract
from recall_lab.search.locating import Sought
from recall_lab.search.signs import folds_in_place
from recall_lab.search.words import Stems, Words, has_identifier_words, letters_of
from recall_lab.store import Reader
from recall_lab.store.fulltext import fulltext_of
from recall_lab.text import identifier_words, index_form

VOCABULARY = """
    parsed parser parsing parse possibly possibilities hopping hop relational rational flies fly skies sky ties
    getUserName get_user_name UserName username HTTPServer http_server server user name naming a an in on to be
    érror errörs getÜserName gétUserName error errors TypeError type_errors foo/bar/baz.py foo.bar v2.1.0 #4471 4471 c0ffee12 c0ffee123456 x86
"""
QUERIES = (
    "parse possibly hops relation fly",
    "getUserName get_user_name",
    '"parse error" server',
    "foo/bar/baz.py #4471 c0ffee12",
    "user name type errors in a naming",
    "pars* sk*",
    "HTTPServer x86 v2.1.0",
)
texts = st.lists(
    st.tuples(
        st.sampled_from(VOCABULARY.split()),
        st.sampled_from(
            (
                " ",
                "\n",
                ", ",
                "-",
                "_",
                ".",
                "(",
                "s ",
                "",
                "—",
                "… ",
                "→",
                "“",
                "✓",
                "é",
                "Ü",
                "\u202f",
                "⠙",
                "° ",
                "，",
            )
        ),
    ),
    max_size=60,
).map(lambda pieces: "".join(word + sign for word, sign in pieces))


@pytest.fixture(scope="module")
def reader(told: Callable[..., Reader]) -> Reader:
    return told(" ".join(VOCABULARY.split()), "parse error", "an empty room")


def wanted(reader: Reader, query: str) -> tuple[Feature, ...]:
    index = fulltext_of(reader)
    with index.snapshot():
        return extract(index, parse(query), SearchConfig(), index.reach(Filters())).positive


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(text=texts, query=st.sampled_from(QUERIES))
def test_looking_for_words_finds_what_the_tokenizer_finds(reader: Reader, text: str, query: str) -> None:
    index, features = fulltext_of(reader), wanted(reader, query)
    sought, every = Sought(index, features), range(len(features))
    assert set(sought.located(text, every)) == set(sought.tokenised(text, every))


@given(text=st.text("aBc1Z _-+#é") | texts)
def test_no_text_with_words_inside_identifiers_is_passed_over(text: str) -> None:
    assert has_identifier_words(text) or not identifier_words(text)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(text=texts, row=st.lists(st.sampled_from(VOCABULARY.split()), min_size=2, max_size=3))
def test_words_beside_one_another_are_those_that_the_tokenizer_finds(reader: Reader, text: str, row: list[str]) -> None:
    index = fulltext_of(reader)
    terms, held = index.terms(index_form(" ".join(row))), index.terms(index_form(text))
    beside = any(held[at : at + len(terms)] == terms for at in range(len(held)))
    assert Words(text).row(terms, Stems(index.stem)) == beside


def test_what_folds_in_place_stands_between_words_or_is_one_letter_to_the_tokenizer_too(reader: Reader) -> None:
    index = fulltext_of(reader)
    stems = Stems(index.stem)
    folding = [
        char for char in map(chr, range(0x80, 0x2FFFF)) if not "\ud800" <= char <= "\udfff" and folds_in_place(char)
    ]
    assert {"é", "Ø", "→", "⠙", "\u202f", "，"} < set(folding)
    for char in folding:
        for text in (f"xq{char}Xz", f"xq {char}", f"{char}xz {char}{char}4"):
            # An emoji is a word of its own, which is no letter.
            terms = [term for term in index.terms(index_form(text)) if term.isascii()]
            words = Words(text)
            found = {place: term for term in terms for place in words.places(term, letters_of(term), stems, None)}
            assert [found[place] for place in sorted(found)] == terms, repr(char)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("retry queue drains", "the retry queue drains too slowly"),
        ("retryQueue", "call retryQueue.drain() here"),
        ("naive retry", "a naïve retry of the queue"),
        ("用户 retry", "the retry of 用户 failed"),
        ('"drains slowly"', "it drains slowly at night"),
    ],
)
@pytest.mark.parametrize("filling", ["some words of prose, ", "queue 1 … "])
def test_the_passage_of_a_long_text_is_where_the_query_stands_thickest(
    told: Callable[..., Reader], query: str, said: str, filling: str
) -> None:
    reader = told(filling * 400 + said + ". " + filling * 400, "nothing of the kind")
    hit = search(reader, query).hits[0]
    assert said in hit.text
    assert len(hit.text) < 700
    assert all(hit.start <= start < end <= hit.end for start, end in hit.spans)
