"""Any string is a query, and the signs of the language mean what contract and help say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.search import parse, search
from recall_lab.store import Reader

TYPED = st.lists(
    st.sampled_from(
        [
            '"',
            "-",
            "*",
            "AND",
            "OR",
            "NOT",
            "NEAR",
            "(",
            ")",
            ":",
            "^",
            "+",
            "{",
            "}",
            "words:",
            "body",
            "用户",
            "C++",
            "it's",
        ]
    )
    | st.text(max_size=6),
    max_size=12,
).map(" ".join)


def shape(text: str) -> list[str]:
    """A query's clauses: kind, sign, text."""
    return [f"{c.kind} {'-' * c.excluded}{'+' * c.required}{c.text}" for c in parse(text).clauses]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("batch queue", ["word batch", "word queue"]),
        ('"batch queue" retry', ["phrase batch queue", "word retry"]),
        ("“batch queue”", ["phrase batch queue"]),
        ("retry -batch", ["word retry", "word -batch"]),
        ('retry -"batch queue"', ["word retry", "phrase -batch queue"]),
        ("retry NOT batch", ["word retry", "word -batch"]),
        ("retry AND batch", ["word +retry", "word +batch"]),
        ("retry OR batch", ["word retry", "word batch"]),
        ("retr*", ["prefix retr"]),
        ("-batch", ["word batch"]),
        ("AND retry", ["word AND", "word retry"]),
        ("a/b.py", ["identifier a/b.py"]),
        ("(see snake_case)", ["word see", "identifier snake_case"]),
        ("--no-verify", ["identifier --no-verify"]),
        ("rm -rf build", ["word rm", "compound -rf", "word build"]),
        ("cmd: bash -lc build", ["word cmd", "word bash", "compound -lc", "word build"]),
        ("(Get-Item -Force)", ["compound Get-Item", "compound -Force"]),
        ("why docker -compose", ["word why", "word docker", "word -compose"]),
        ("call render()", ["word call", "identifier render"]),
        ('"unb', ["prefix unb"]),
        ('"connection ref', ["word connection", "prefix ref"]),
        ("pre-edit", ["compound pre-edit"]),
        ("#4471", ["identifier #4471"]),
        ("Ann's", ["word Ann"]),
        ("+fetch\n-return", ["compound +fetch", "compound -return"]),
        (
            'SELECT queue\nWHERE retry AND NOT -"batch"',
            ["word SELECT", "word queue", "word WHERE", "word retry", "word AND", "word NOT", "phrase batch"],
        ),
    ],
)
def test_signs(text: str, clauses: list[str]) -> None:
    assert shape(text) == clauses


@given(TYPED)
def test_parsing_never_fails(text: str) -> None:
    query = parse(text)
    assert {n for side in query.alternatives for n in side} == set(range(len(query.clauses)))


@pytest.fixture(scope="module")
def reader(told: Callable[..., Reader]) -> Reader:
    return told("alpha beta gamma", "alpha delta", "beta epsilon", "用户 C++ it's here")


@settings(max_examples=150, deadline=None)
@given(TYPED)
def test_no_string_is_an_error(reader: Reader, text: str) -> None:
    answer = search(reader, text)
    assert all(hit.start <= start < end <= hit.end for hit in answer.hits for start, end in hit.spans)


@pytest.mark.deep
@settings(max_examples=10_000, deadline=None)
@given(TYPED | st.text(max_size=60))
def test_no_string_is_an_error_in_ten_thousand(reader: Reader, text: str) -> None:
    search(reader, text)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("alpha AND beta", {"alpha beta gamma"}),
        ("alpha -beta", {"alpha delta"}),
        ("alpha NOT delta", {"alpha beta gamma"}),
        ("alpha AND delta OR epsilon", {"alpha delta", "beta epsilon"}),
        ('"beta gamma"', {"alpha beta gamma"}),
        ('"gamma beta"', set()),
        ("eps*", {"beta epsilon"}),
        ("alpha -delt*", {"alpha beta gamma"}),
    ],
)
def test_what_the_signs_find(reader: Reader, query: str, found: set[str]) -> None:
    assert {hit.text for hit in search(reader, query).hits} == found


def test_require_all(reader: Reader) -> None:
    assert [hit.text for hit in search(reader, "alpha delta", require_all=True).hits] == ["alpha delta"]
