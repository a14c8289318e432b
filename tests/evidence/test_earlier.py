"""Earlier texts are found by their words, and shown where the first of them stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.errors import UsageError
from recall_lab.evidence import find_revisions, read
from tests.evidence.tiny_store import TinyStore, block_id, said, text_hash

OLD = "We keep the naïve batching, it loses readings. " + "More of it. " * 40


@pytest.fixture
def store(tmp_path: Path) -> TinyStore:
    made = TinyStore(tmp_path)
    made.tell(said("a", OLD, 0), said("b", "batching stays here", 1))
    made.tell(said("a", "We reject batching.", 0), said("b", "batching stays here", 1))
    return made


def test_a_text_that_is_gone_is_found_and_read_by_its_hash(store: TinyStore) -> None:
    (found,) = find_revisions(store.reader(), "LOSES naive")
    assert (found.block_id, found.content_hash, found.length) == (block_id("a"), text_hash(OLD), len(OLD))
    assert found.text == OLD[found.start : found.end]
    assert "loses readings" in found.text
    assert read(store.reader(), found.block_id, revision=found.content_hash).text == OLD


@pytest.mark.parametrize("words", ["stays here", '"batching it"', "batching -readings", "reject"])
def test_what_does_not_hold_all_of_it_or_still_stands_is_not_found(store: TinyStore, words: str) -> None:
    assert find_revisions(store.reader(), words) == ()


def test_a_phrase_is_found_as_it_stands(store: TinyStore) -> None:
    assert len(find_revisions(store.reader(), '"batching, it loses"')) == 1
    assert find_revisions(store.reader(), "batching", limit=1)[0].block_id == block_id("a")


@pytest.mark.parametrize(
    ("typed", "stands"), [("naive", "naïve"), ("ANGSTROM", "Å\u030angström"), ("file", "ﬁle"), ("strasse", "strasse")]
)
def test_it_is_shown_where_the_word_stands_however_it_is_written(tmp_path: Path, typed: str, stands: str) -> None:
    made = TinyStore(tmp_path)
    old = "Was it İstanbul? ﬃ. " * 40 + stands + " then. " + "More of it. " * 40
    made.tell(said("a", old, 0))
    made.tell(said("a", "Other.", 0))
    (found,) = find_revisions(made.reader(), typed)
    assert stands in found.text
    assert 100 < old.index(stands) - found.start <= 121


@pytest.mark.parametrize("words", ["", "  ", "..."])
def test_nothing_to_look_for_is_said(store: TinyStore, words: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        find_revisions(store.reader(), words)
