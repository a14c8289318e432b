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


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ('"unb', "unbalanced"),
        ('a word with "unbal', "unbalanced"),
        ("“connectio", "connection"),
        ("connectio*", "connection"),
        ("organiza*", "organization"),
        ("runni*", "running"),
        ("stopp*", "stopped"),
        ("studie*", "studies"),
        ("unbalance*", "unbalanced"),
    ],
)
def test_a_word_that_is_being_typed_is_found_at_every_letter(
    told: Callable[..., Reader], query: str, word: str
) -> None:
    reader = told("an unbalanced quotation", "running studies of the organization stopped the connection", "else")
    for end in range(len(query), len(query) + len(word)):
        stem = query.rstrip("*")
        begun = stem + word[len(stem.split()[-1].lstrip('"“')) :][: end - len(query)]
        hits = search(reader, begun + "*" * query.endswith("*")).hits
        assert hits, begun
        assert word in marked(hits[0]), begun


def test_a_quotation_that_is_closed_or_left_is_typed_no_more(told: Callable[..., Reader]) -> None:
    reader = told("an unbalanced quotation", "else")
    for query in ('"unb"', '"unb ', '"unb" else', '5" unb'):
        assert "unbalanced" not in [word for hit in search(reader, query).hits for word in marked(hit)]


def test_a_short_beginning_does_not_find_what_its_stem_is_of(told: Callable[..., Reader]) -> None:
    hits = search(told("we flew to Beijing", "this is to be kept", "it was used"), "bei*").hits
    assert [marked(hit) for hit in hits] == [["Beijing"]]
