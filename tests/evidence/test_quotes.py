"""Where a quotation stands: every exact occurrence, near misses mapped back, anchors after an edit."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.evidence import folding
from recall_lab.evidence.folding import near_misses
from recall_lab.evidence.likeness import approximate
from recall_lab.evidence.quotes import best_occurrence, occurrences
from recall_lab.model import Near

SMALL = st.text("ab \n", max_size=30)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
MIXED = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "é",
                "e\u0301",
                "\u0301",
                "ﬁ",
                "한국",
                "👩‍👩‍👧",
                "\u200b",
                "\u00a0",
                "“x”",
                "--",
                "—",
                "\r\n",
                "ẞ",
                "ॐ",
                "שלום",
            ]
        ),
        st.text("ab- \t'\"", max_size=4),
    ),
    max_size=12,
).map("".join)


@given(SMALL, st.text("ab \n", min_size=1, max_size=4))
def test_every_occurrence_is_found_overlapping_ones_too(text: str, quote: str) -> None:
    expected = tuple((i, i + len(quote)) for i in range(len(text)) if text.startswith(quote, i))
    assert occurrences(text, quote) == expected


def test_an_empty_quotation_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        occurrences("text", "")


def test_a_quote_that_overlaps_itself_is_found_in_one_pass() -> None:
    text, quote = "a" * 200_000, "a" * 100_000
    began = time.perf_counter()
    assert len(occurrences(text, quote)) == 100_001
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("text", "quote", "found", "why"),
    [
        ("one  two\r\nthree", "one two three", "one  two\r\nthree", "white space"),
        ("caf\u00e9 noir", "cafe\u0301 noir", "caf\u00e9 noir", "Unicode normalisation"),
        ("x cafe\u0301.", "caf\u00e9", "cafe\u0301", "Unicode normalisation"),
        ("she said “no” — twice", 'said "no" - twice', "said “no” — twice", "quotes and dashes"),
        ("a—b", "a--b", "a—b", "quotes and dashes"),
        ("Use HTTP here", "use http", "Use HTTP", "letter case"),
        ("the ﬁle", "the file", "the ﬁle", "Unicode normalisation"),
        ("zero\u200bwidth", "zerowidth", "zero\u200bwidth", "white space"),
        ("non\u00a0breaking", "non breaking", "non\u00a0breaking", "white space"),
        ("It’s\n  here", "it's here", "It’s\n  here", "white space and quotes and dashes and letter case"),
        ("각 나라", unicodedata.normalize("NFD", "각"), "각", "Unicode normalisation"),
    ],
)
def test_near_misses_say_why_and_point_at_the_original(text: str, quote: str, found: str, why: str) -> None:
    (near,) = near_misses(text, quote)
    assert text[near.start : near.end] == found
    assert near.why == f"after {why}"


def test_half_of_a_composed_character_is_no_match() -> None:
    assert near_misses("caf\u00e9s", "e s") == ()
    assert near_misses("caf\u00e9", "cafe") == ()


@given(MIXED, MIXED, MIXED)
def test_a_rewritten_quotation_is_found_near_where_it_stands(before: str, words: str, after: str) -> None:
    text = f"{before} <<{words}>> {after}"
    quote = unicodedata.normalize("NFKD", f"<<{words}>>").replace(" ", "  ")
    for near in near_misses(text, quote):
        assert 0 <= near.start < near.end <= len(text)
    if quote not in text:
        start = len(before) + 1
        assert (start, start + len(words) + 4) in {(near.start, near.end) for near in near_misses(text, quote)}


def near_everywhere(text: str, quote: str) -> tuple[Near, ...]:
    """What is found when the whole text is folded, and no place of it is ruled out beforehand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "windows", lambda text, _wanted: [(0, len(text))])
        return near_misses(text, quote)


@settings(deadline=None)
@given(MIXED, MIXED, MIXED, st.integers(0, 3), st.data())
def test_what_is_ruled_out_beforehand_would_not_have_been_found(
    before: str, words: str, after: str, times: int, data: st.DataObject
) -> None:
    text = f"{before} word {words} {'filler ' * 40 * times} {words} other {after}"
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    for rewrite in (str.upper, str.lower, lambda said: unicodedata.normalize("NFKD", said).replace(" ", "\n ")):
        assert near_misses(text, rewrite(quote)) == near_everywhere(text, rewrite(quote))


@pytest.mark.deep
def test_ten_thousand_quotations_are_found_where_the_whole_text_would_show_them() -> None:
    chance = random.Random(20260601)
    pieces = [
        "é",
        "e\u0301",
        "ﬁ",
        "한국",
        "👩‍👩‍👧",
        "\u200b",
        "“x”",
        "--",
        "—",
        "\r\n",
        "ẞ",
        "İ",
        "ａｂ",
        "word ",
        "two",
        "\t",
        " ",
        "a-b",
    ]
    for _ in range(10_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 40)))
        start = chance.randrange(len(text))
        quote = text[start : start + chance.randrange(1, 30)]
        rewrite = chance.choice((str.upper, str.casefold, lambda said: unicodedata.normalize("NFKD", said)))
        quote = rewrite(quote).replace(*chance.choice(((" ", "\n "), ("—", "--"), ("“", '"'), ("x", "y"))))
        assert near_misses(text, quote) == near_everywhere(text, quote), (text, quote)


def test_most_of_a_long_text_is_ruled_out_for_rare_words() -> None:
    text = "nothing to see here\n" * 2000 + "the Rare   words" + "\nnothing — here" * 2000
    (window,) = folding.windows(text, "the rare words")
    assert window[0] <= text.index("the Rare") < text.index("words") + 5 <= window[1]
    assert window[1] - window[0] < 200
    assert folding.windows(text, "absent words") == []


@given(WORDS, WORDS)
def test_no_text_breaks_the_search_for_near_misses(text: str, quote: str) -> None:
    for near in near_misses(text, quote):
        assert near.why
        assert 0 <= near.start < near.end <= len(text)


def test_a_mark_on_a_space_or_line_end_is_survived() -> None:
    assert near_misses(" \u0301\n\u0301 a  b", "a b")[0].start == 5


def test_lone_surrogates_are_survived() -> None:
    assert near_misses("a\ud800  b", "a\ud800 b")[0].why == "after white space"
    assert occurrences("a\ud800b", "\ud800") == ((1, 2),)


def test_among_equal_words_position_wins_then_context_then_nearness() -> None:
    text = "alpha word beta; gamma word delta; word"
    found = occurrences(text, "word")

    def chosen(**given: object) -> tuple[tuple[int, int], str]:
        best = best_occurrence(text, found, **given)  # type: ignore[arg-type]
        return (best.start, best.end), best.how

    assert chosen() == (found[0], "first")
    assert chosen(near=found[2][0], prefix="gamma ") == (found[2], "position")
    assert chosen(prefix="gamma ", suffix=" delta", near=1) == (found[1], "context")
    assert chosen(near=found[1][0] + 1) == (found[1], "first")


def test_about_the_same_words_are_found_and_called_so() -> None:
    text = "We looked at it. We decided to reject the batching of writes. Then lunch."
    near = approximate(text, "we decided to reject batching of all writes")
    assert near is not None
    assert "reject the batching" in text[near.start : near.end]
    assert near.why.startswith("about the same words")
    assert approximate(text, "an entirely different sentence about kittens") is None


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(100, 1500), st.integers(0, 9))
def test_a_long_quotation_with_a_few_other_words_is_found_where_it_stood(seed: int, size: int, edits: int) -> None:
    chance = random.Random(seed)
    text = " ".join("".join(chance.choices("abcdefghij", k=chance.randrange(2, 9))) for _ in range(1200))
    start = chance.randrange(len(text) - size)
    quote = list(text[start : start + size])
    for _ in range(edits):
        quote[chance.randrange(size)] = chance.choice(("¿", "", "xy"))
    near = approximate(text, "".join(quote))
    assert near is not None
    assert abs(near.start - start) <= 2 * edits
    assert abs(near.end - start - size) <= 2 * edits
