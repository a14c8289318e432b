"""A receipt is a citation as one line: it reads back, and damage to it shows."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_store import block_id, text_hash

from recall_lab.errors import UsageError
from recall_lab.evidence import Receipt, parse_receipt
from recall_lab.evidence.receipts import receipt_like
from recall_lab.model import Citation, Redacted

ANY_TEXT = st.text(st.characters(), min_size=1, max_size=60)


@st.composite
def slices(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(ANY_TEXT)
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


@given(slices())
def test_the_receipt_of_any_slice_of_any_text_reads_back(cut: tuple[str, int, int]) -> None:
    it_reads_back(cut)


@pytest.mark.deep
@settings(max_examples=10_000, deadline=None)
@given(slices())
def test_ten_thousand_receipts_read_back(cut: tuple[str, int, int]) -> None:
    it_reads_back(cut)


def it_reads_back(cut: tuple[str, int, int]) -> None:
    text, start, end = cut
    citation = Citation(
        block_id=block_id(text), content_hash=text_hash(text), start=start, end=end, quote=Redacted(text[start:end])
    )
    receipt = parse_receipt(f" {citation.receipt}\n")
    assert (receipt.block_id, receipt.start, receipt.end) == (citation.block_id, start, end)
    assert citation.content_hash.startswith(receipt.hash_head)
    assert str(receipt) == citation.receipt
    assert text[receipt.start : receipt.end] == citation.quote


@given(st.data())
def test_a_receipt_with_one_character_changed_is_another_receipt_or_none(data: st.DataObject) -> None:
    receipt = str(Receipt(block_id="0a" * 16, hash_head="bc" * 6, start=120, end=4567))
    at = data.draw(st.integers(0, len(receipt) - 1))
    char = data.draw(st.characters(codec="utf-8").filter(lambda char: char != receipt[at]))
    changed = receipt[:at] + char + receipt[at + 1 :]
    with suppress(UsageError):
        assert str(parse_receipt(changed)) == changed.strip() != receipt


@pytest.mark.parametrize(
    "text",
    [
        "",
        "recall-lab://",
        "recall-lab://" + "a" * 31 + "@" + "b" * 12 + "#0-5",
        "recall-lab://" + "A" * 32 + "@" + "b" * 12 + "#0-5",
        "recall-lab://" + "a" * 32 + "@" + "b" * 12 + "#5-5",
        "recall-lab://" + "a" * 32 + "@" + "b" * 12 + "#9-5",
        "recall-lab://" + "a" * 32 + "@" + "b" * 12 + "#00-5",
        "recall-lab://" + "a" * 32 + "@" + "b" * 12 + "#0-٥",
        "recall-lab://" + "a" * 32 + "@" + "b" * 12 + "#0-5\nmore",
    ],
)
def test_what_is_no_receipt_is_refused_with_the_form_expected(text: str) -> None:
    with pytest.raises(UsageError, match="not a receipt"):
        parse_receipt(text)


def test_receipts_are_found_in_prose_and_damaged_ones_too() -> None:
    good = str(Receipt(block_id="0a" * 16, hash_head="bc" * 6, start=1, end=23))
    text = f"see ({good}), `{good}`. But {good}x and recall-lab://nothing."
    assert list(receipt_like(text)) == [good, good, good + "x", "recall-lab://nothing."]
