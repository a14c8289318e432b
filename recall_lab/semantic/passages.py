"""Cutting a text into passages that a model reads whole; pure."""

from __future__ import annotations

from typing import Final

PASSAGE: Final = 900  # code points, some 200 tokens of prose
MOST: Final = 8  # passages of one text; what comes later is found by words alone
_BACK: Final = 200  # how far a cut looks back for the end of a line or word


def cut(text: str) -> tuple[tuple[int, int], ...]:
    """Cut a text at the ends of lines or words.

    Args:
        text: The retained text of a block.

    Returns:
        Spans in code points, one after another, at least one and at most ``MOST``.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text) and len(spans) < MOST:
        end = min(len(text), start + PASSAGE)
        if end < len(text):
            floor = end - _BACK
            at = max(text.rfind("\n", floor, end), -1)
            at = at if at >= floor else text.rfind(" ", floor, end)
            end = at + 1 if at >= floor else end
        if text[start:end].strip():
            spans.append((start, end))
        start = end
    return tuple(spans) or ((0, 0),)
