"""Finding a quotation in a text exactly, and choosing among the places where it stands; pure.

Offsets are code points of the text, ends exclusive. Occurrences may overlap: each is a true statement about the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from recall_lab.model import Record


def occurrences(text: str, quote: str) -> tuple[tuple[int, int], ...]:
    """Return every place where the exact words stand, in order; overlapping ones too. Linear in the text.

    Raises:
        ValueError: the quote is empty.
    """
    if not quote:
        raise ValueError("an empty quotation stands everywhere")
    size = len(quote)
    found: list[int] = []
    at = text.find(quote)
    while at >= 0:
        found.append(at)
        following = text.find(quote, at + 1)
        if 0 <= following < at + size:
            # The quote overlaps itself: repeated find would compare it anew at every step.
            found = _all_starts(text, quote)
            break
        at = following
    return tuple((start, start + size) for start in found)


def _all_starts(text: str, quote: str) -> list[int]:
    """Knuth, Morris and Pratt (1977): every start of the quote, in one pass."""
    border = [0] * len(quote)
    matched = 0
    for index in range(1, len(quote)):
        while matched and quote[index] != quote[matched]:
            matched = border[matched - 1]
        if quote[index] == quote[matched]:
            matched += 1
        border[index] = matched
    starts: list[int] = []
    matched = 0
    for index, char in enumerate(text):
        while matched and (matched == len(quote) or char != quote[matched]):
            matched = border[matched - 1]
        if char == quote[matched]:
            matched += 1
        if matched == len(quote):
            starts.append(index + 1 - matched)
    return starts


# ---- anchoring again after an edit ---------------------------------------------------------------------------------

CONTEXT = 32  # code points of prefix and suffix, as web annotation tools keep


class Anchored(Record, frozen=True):
    """An exact occurrence, and how it was chosen among the others."""

    start: int
    end: int
    how: Literal["position", "context", "first"]


def best_occurrence(
    text: str, found: Sequence[tuple[int, int]], prefix: str = "", suffix: str = "", near: int | None = None
) -> Anchored:
    """Choose among exact occurrences: the one at ``near``, else the one with the most of its context, else the nearest.

    Args:
        text: The text that the occurrences stand in.
        found: At least one occurrence.
        prefix: What stood before the quotation.
        suffix: What stood after it.
        near: Where the quotation began; None counts from the start of the text.
    """

    def context(span: tuple[int, int]) -> int:
        start, end = span
        before = _common(prefix[::-1], text[max(0, start - len(prefix)) : start][::-1])
        return before + _common(suffix, text[end : end + len(suffix)])

    for start, end in found:
        if start == near:
            return Anchored(start=start, end=end, how="position")
    start, end = max(found, key=lambda span: (context(span), -abs(span[0] - (near or 0))))
    return Anchored(start=start, end=end, how="context" if context((start, end)) else "first")


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
