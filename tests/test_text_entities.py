"""Identifiers in a text: what they are called, where they stand, and that a span is enough to name one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab import text_entities
from recall_lab.text import identifier_words
from recall_lab.text_entities import MAX_ENTITIES, MAX_VALUE, analyse, entities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/app/main.py:12 and ~/.ssh/config", ["path src/app/main.py", "path ~/.ssh/config"]),
        ("edit `README.md`, please", ["path README.md"]),
        ("C:\\Users\\dev\\a.txt", ["path C:\\Users\\dev\\a.txt"]),
        ("id 5F0C7A3E-1111-4222-8333-944455556666.", ["uuid 5f0c7a3e-1111-4222-8333-944455556666"]),
        ("commit deadbeef1 broke it", ["sha deadbeef1"]),
        ("https://x.org/a/b/pull/42.", ["issue #42", "url https://x.org/a/b/pull/42"]),
        ("fixes #4471 and ABC-12", ["issue #4471", "issue ABC-12"]),
        ("json.decoder.JSONDecodeError: bad", ["error JSONDecodeError"]),
        ("got ECONNREFUSED", ["error ECONNREFUSED"]),
        ("call parse_record or parseRecord(x)", ["symbol parse_record", "symbol parseRecord"]),
        ("    12\u2192def read_all(self):", ["symbol read_all"]),
        ("json.loads(x), std::fs::read(y), plain.words and `a.b`", ["symbol json.loads", "symbol std::fs::read"]),
        ('{"file":"src/a.py","n":12}', ["path src/a.py"]),
        ("see https://x.org/src/a.py and src/a.py", ["url https://x.org/src/a.py", "path src/a.py"]),
        ("use --dry-run", ["symbol --dry-run"]),
        ("run `git commit` now", ["command git commit"]),
        ("$ cargo  test", ["command cargo test"]),
        ("pay 12.50, on 2026-05-01, and/or 3/4 of it", []),
        ("plain words only. Nothing here!", []),
    ],
)
def test_what_is_found(text: str, found: list[str]) -> None:
    assert sorted(f"{kind} {value}" for kind, value in entities(text)) == sorted(found)


TEXTS = st.text(
    st.sampled_from("aAbB09 _-./\\#:~$+é用😀\n\t'\"()") | st.characters(exclude_categories=["Cs"]), max_size=80
) | st.lists(
    st.sampled_from(
        ["src/a.py", "#12", "git push", "getUserName", "ValueError", "C++", "https://x.org/pull/7", "x" * 300]
    ),
    max_size=30,
).map(" ".join)


@given(TEXTS)
def test_spans_name_what_the_text_holds_and_looking_again_finds_the_same(text: str) -> None:
    first = analyse(text)
    assert analyse(text) == first
    named = entities(text, first.spans)
    assert named == entities(text)
    assert len(named) <= MAX_ENTITIES
    assert all(1 < len(value) <= MAX_VALUE + 1 for _, value in named)
    assert len(first.spans) % 4 == 0


@given(TEXTS)
def test_the_words_are_those_that_search_knows(text: str) -> None:
    assert sorted(set(analyse(text).words.split())) == sorted(set(identifier_words(text).split()))


def test_what_is_remembered_of_pieces_is_bounded_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"src/app_{n}.py and fetchUser{n % 7}() of #{n}" for n in range(300)]
    whole = [analyse(text) for text in texts]
    memo = text_entities._Memo()
    monkeypatch.setattr(text_entities, "_memo", memo)
    monkeypatch.setattr(text_entities, "_MEMO_SIZE", 40)
    assert [analyse(text) for text in texts] == whole
    assert len(memo) + len(memo._older) < 60


def test_a_very_long_text_is_noted_up_to_where_spans_reach() -> None:
    text = "a/b.py " + "x" * (1 << 21) + " c/d.py"
    assert entities(text) == (("path", "a/b.py"),)
