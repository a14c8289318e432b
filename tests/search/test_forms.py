"""A word is found in its other forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recall_lab.search import SearchConfig, search
from recall_lab.search.forms import other_forms
from recall_lab.store import Reader

from .test_finding import marked

TEXTS = (
    "we went down to the harbour",
    "the children wrote it themselves",
    "the color of the button",
    "we normalise each path first",
    "the indices of both lists",
    "nothing of the kind",
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("go", ["went"]),
        ("going", ["went"]),
        ("writing", ["wrote"]),
        ("child", ["children"]),
        ("colour", ["color"]),
        ("normalize", ["normalise"]),
        ("normalization", ["normalise"]),
        ("index", ["indices"]),
        ("harbour went", ["went", "harbour"]),
        ('"go"', []),  # a quoted word is meant as it is
    ],
)
def test_a_word_is_found_in_its_other_forms(told: Callable[..., Reader], query: str, words: list[str]) -> None:
    hits = search(told(*TEXTS), query).hits
    assert (marked(hits[0]) if hits else []) == words
    assert all("go" not in hit.why.terms or query in {"go", "going"} for hit in hits)


def test_other_forms_can_be_left_out(told: Callable[..., Reader]) -> None:
    assert not search(told(*TEXTS), "go", config=SearchConfig(forms=False)).hits


def test_a_form_names_each_other_form_once_and_never_itself() -> None:
    def stem(word: str) -> str:
        return word.removesuffix("s")

    assert dict(other_forms("goes", "goe", stem)) == {}
    assert dict(other_forms("go", "go", stem)) == {"went": "went", "gone": "gone"}
    assert dict(other_forms("Organised", "Organised", stem)) == {"organized": "organized"}


def test_an_excluded_word_excludes_itself_alone(told: Callable[..., Reader]) -> None:
    assert search(told(*TEXTS), "harbour -go").hits
