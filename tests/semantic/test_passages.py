"""A text is cut into passages that a model reads whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recall_lab.semantic.passages import MOST, PASSAGE, cut


@given(st.text(alphabet=st.sampled_from("ab \n用🙂"), max_size=3 * PASSAGE))
def test_passages_hold_every_character_that_is_not_space(text: str) -> None:
    spans = cut(text)
    held = {at for start, end in spans for at in range(start, end)}
    assert all(at in held for at, character in enumerate(text) if not character.isspace())
    assert all(end - start <= PASSAGE for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_long_text_has_a_bounded_number_of_passages() -> None:
    assert len(cut("word " * 100 * PASSAGE)) == MOST


def test_cuts_fall_between_words_where_there_are_any() -> None:
    text = "some words here " * 200
    assert all(text[end - 1].isspace() for _, end in cut(text)[:-1])
