"""A check says what stands in the retained text and where; a citation quotes it exactly."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said, text_hash

from recall_lab.errors import CitationError, UnknownBlockError, UsageError
from recall_lab.evidence import check, check_citation, cite, parse_receipt, read

BATCHING = "We decided to reject batching. Batching breaks the order; so we reject batching."


def test_exact_words_are_valid_at_every_place(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    found = check(tiny.reader(), block_id("a"), "reject batching")
    assert (found.verdict, found.valid, found.start, found.end) == ("valid", True, 14, 29)
    assert found.occurrences == ((14, 29), (64, 79))
    assert found.hash_matches is None
    assert all(BATCHING[start:end] == "reject batching" for start, end in found.occurrences)


@pytest.mark.parametrize("size", [64, 12])
def test_the_expected_hash_may_be_whole_or_its_head(tiny: TinyStore, size: int) -> None:
    tiny.tell(said("a", BATCHING, 0))
    reader = tiny.reader()
    good = check(reader, block_id("a"), "reject", expected_hash=text_hash(BATCHING)[:size])
    assert (good.verdict, good.hash_matches) == ("valid", True)
    other = check(reader, block_id("a"), "reject", expected_hash=text_hash("other")[:size])
    assert (other.verdict, other.valid, other.hash_matches) == ("changed", False, False)
    assert other.start == 14


def test_near_words_are_named_and_never_valid(tiny: TinyStore) -> None:
    tiny.tell(said("a", "They said “no”\n— twice.", 0))
    found = check(tiny.reader(), block_id("a"), 'said "no" - twice')
    assert (found.verdict, found.valid, found.start, found.occurrences) == ("absent", False, None, ())
    assert [(near.start, near.end) for near in found.near] == [(5, 22)]
    assert found.near[0].why == "after white space and quotes and dashes"


def test_words_of_an_earlier_text_are_changed_and_the_new_place_is_shown(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    citation = cite(tiny.reader(), block_id("a"), quote="We decided to reject batching")
    tiny.tell(said("a", "Yesterday we decided to reject all batching.", 0))
    found = check_citation(tiny.reader(), citation)
    assert (found.verdict, found.valid, found.hash_matches, found.start) == ("changed", False, False, None)
    assert found.near[0].why.startswith("about the same words")
    tiny.tell(said("a", "Note: " + BATCHING, 0))
    moved = check_citation(tiny.reader(), citation)
    assert (moved.verdict, moved.valid, moved.start, moved.end) == ("changed", False, 6, 35)
    assert moved.content_hash == text_hash("Note: " + BATCHING)


def test_a_block_that_lost_its_place_is_gone_and_its_last_text_is_kept(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0), said("b", "other", 1))
    citation = cite(tiny.reader(), block_id("a"), quote="reject batching")
    tiny.tell(said("b", "other", 1))
    found = check_citation(tiny.reader(), citation)
    assert (found.verdict, found.valid, found.occurrences) == ("gone", False, ((14, 29), (64, 79)))
    assert read(tiny.reader(), block_id("a")).text == BATCHING


def test_moved_words_are_anchored_by_what_stands_around_them(tiny: TinyStore) -> None:
    tiny.tell(said("a", "alpha word beta, gamma word delta", 0))
    citation = cite(tiny.reader(), block_id("a"), span=(23, 27))
    tiny.tell(said("a", "word! alpha word beta, and then gamma word delta", 0))
    found = check_citation(tiny.reader(), citation)
    assert len(found.occurrences) == 3
    assert (found.start, found.end) == (38, 42)


def test_two_texts_of_one_block_that_both_stand_somewhere_are_both_checked(tiny: TinyStore) -> None:
    tiny.tell(said("a", "the first text", 0), session="s-one")
    tiny.tell(said("a", "the second text", 5), session="s-two")
    reader = tiny.reader()
    assert check(reader, block_id("a"), "first").valid
    second = check(reader, block_id("a"), "second")
    assert (second.valid, second.content_hash) == (True, text_hash("the second text"))
    assert check(reader, block_id("a"), "the", expected_hash=text_hash("the second text")).hash_matches


def test_a_receipt_is_checked_by_itself(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    reader = tiny.reader()
    receipt = cite(reader, block_id("a"), span=(64, 79)).receipt
    found = check(reader, receipt)
    assert (found.verdict, found.start, found.end) == ("valid", 64, 79)
    with pytest.raises(CitationError, match="ends at 999"):
        check(reader, receipt.replace("-79", "-999"))
    with pytest.raises(CitationError, match="no retained text"):
        check(reader, receipt.replace("@", "@0000")[: len(receipt) + 4].replace(text_hash(BATCHING)[8:12], "", 1))


def test_ids_may_be_cut_short_but_not_ambiguous(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    reader = tiny.reader()
    assert check(reader, block_id("a")[:8], "reject").valid
    assert check(reader, block_id("a").upper(), "reject").valid
    with pytest.raises(UnknownBlockError, match="no block has the id"):
        check(reader, "f" * 32, "x")
    for bad in ("", "abc", "zz" * 16, "a" * 33):
        with pytest.raises(UsageError, match="no block id"):
            check(reader, bad, "x")


@pytest.mark.parametrize("quote", ["", None])
def test_an_empty_quotation_is_a_mistake(tiny: TinyStore, quote: str | None) -> None:
    tiny.tell(said("a", BATCHING, 0))
    with pytest.raises(UsageError, match="no quotation"):
        check(tiny.reader(), block_id("a"), quote)


def test_a_malformed_hash_is_a_mistake(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    with pytest.raises(UsageError, match="no content hash"):
        check(tiny.reader(), block_id("a"), "x", expected_hash="xyz")


def test_words_that_are_not_there_cannot_be_cited(tiny: TinyStore) -> None:
    tiny.tell(said("a", BATCHING, 0))
    reader = tiny.reader()
    with pytest.raises(CitationError, match="after letter case they stand at 14-29") as near:
        cite(reader, block_id("a"), quote="REJECT BATCHING")
    with pytest.raises(CitationError, match="not in block"):
        cite(reader, block_id("a"), quote="kittens everywhere")
    assert near.value.exit_code == 1
    for span in [(-1, 3), (3, 3), (5, 2), (0, len(BATCHING) + 1)]:
        with pytest.raises(CitationError, match="not inside"):
            cite(reader, block_id("a"), span=span)


def test_a_citation_may_be_of_an_earlier_text(tiny: TinyStore) -> None:
    tiny.tell(said("a", "old words", 0))
    old = cite(tiny.reader(), block_id("a"), quote="old")
    tiny.tell(said("a", "new words", 0))
    reader = tiny.reader()
    assert cite(reader, block_id("a"), quote="old", revision=old.content_hash) == old
    assert cite(reader, old.receipt) == old
    with pytest.raises(UnknownBlockError, match="no retained text"):
        cite(reader, block_id("a"), quote="old", revision="0" * 64)


TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
    st.lists(st.sampled_from(["👩‍👩‍👧", "e\u0301", "한", "字", "שלום", "\r\n", "\u202e", " ", "a"]), min_size=1).map(
        "".join
    ),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT, st.data())
def test_any_slice_of_any_text_is_cited_read_and_checked_exactly(
    tiny: TinyStore, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    tiny.tell(said("a", text, 0))
    reader = tiny.reader()
    citation = cite(reader, block_id("a"), span=(start, end))
    assert citation.quote == text[start:end]
    found = check_citation(reader, citation)
    assert (found.valid, found.start, found.end) == (True, start, end)
    receipt = parse_receipt(citation.receipt)
    assert (
        read(reader, receipt.block_id, start=receipt.start, length=receipt.end - receipt.start).text == text[start:end]
    )
    assert read(reader, citation.receipt).text == text[start:end]
