"""Which span of a block shows why it was found, and what in it matched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from recall_lab.search.features import Feature
from recall_lab.search.locating import Match, Sought

PASSAGE: Final = 480  # code points aimed at
WHOLE: Final = 640  # blocks up to this length are shown whole
_LONG: Final = 1500  # blocks up to this length are looked through whole
_TELLING, _PLACES = 5, 30  # so many features, and of each so many places, say where a long text is densest
_BEFORE, _AFTER = 220, 400  # what is looked at closely beside the place that a guide points to


class Passage(msgspec.Struct, frozen=True):
    """A span of a block in code points, and the matches inside it, merged and in order."""

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]


def show(sought: Sought, text: str, held: Collection[int]) -> Passage:
    """Choose the span of a block that shows why it was found.

    Args:
        sought: What the query looks for.
        text: The block's text.
        held: Numbers of the features that it holds.
    """
    features = sought.features
    if len(text) <= _LONG:
        return choose(text, sought.matches(text, held), features)
    guide = sought.guide(text, sought.telling(held)[:_TELLING], _PLACES)
    if not guide:
        return choose(text, sought.matches(text, held), features)
    first, last = _densest(guide, features)
    start, end = _between_words(text, first - _BEFORE, last + _AFTER)
    matches = sought.matches(text[start:end], held)
    return choose(text, [(a + start, b + start, number) for a, b, number in matches], features)


def _between_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span until no word is cut."""
    start, end = max(0, start), min(len(text), end)
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def choose(text: str, matches: Sequence[Match], features: Sequence[Feature]) -> Passage:
    """Choose the span with the most of the query's weight, cut at line or word bounds."""
    if len(text) <= WHOLE:
        return Passage(0, len(text), merge(matches))
    start, end = _best_window(text, matches, features)
    return Passage(start, end, merge([match for match in matches if match[0] >= start and match[1] <= end]))


def _densest(matches: Sequence[Match], features: Sequence[Feature]) -> tuple[int, int]:
    """Where the most of the query's weight stands within a passage's length: from the first match to the last."""
    best, first, last = -1.0, 0, 0
    low = 0
    held: dict[int, int] = {}
    weight = 0.0
    for high, (_, end, feature) in enumerate(matches):
        count = held.get(feature, 0)
        held[feature] = count + 1
        if not count:
            weight += features[feature].idf
        while end - matches[low][0] > PASSAGE and low < high:
            gone = matches[low][2]
            held[gone] -= 1
            if not held[gone]:
                weight -= features[gone].idf
            low += 1
        # More of the query first, then more matches of it.
        value = weight + 0.01 * (high - low)
        if value > best + 1e-9:
            best, first, last = value, matches[low][0], end
    return first, last


def _best_window(text: str, matches: Sequence[Match], features: Sequence[Feature]) -> tuple[int, int]:
    first, last = _densest(matches, features)
    spare = max(0, PASSAGE - (last - first))
    start, end = max(0, first - spare // 3), min(len(text), last + spare - spare // 3)
    return _at_bounds(text, start, end, first, last)


def _at_bounds(text: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """Move the cuts to the nearest line or word bound without losing a match."""
    if start > 0:
        line = text.find("\n", start, first)
        if 0 <= line - start <= 120:
            start = line + 1
        else:
            space = next((i for i in range(start, first) if text[i].isspace()), None)
            start = start if space is None or space - start > 60 else space + 1
    if end < len(text):
        line = text.rfind("\n", last, end)
        if line >= 0 and end - line <= 120:
            end = line
        else:
            space = next((i for i in range(end - 1, last - 1, -1) if text[i].isspace()), None)
            end = end if space is None or end - space > 60 else space
    return start, end


def merge(matches: Iterable[Match]) -> tuple[tuple[int, int], ...]:
    """Join the spans of matches, which are in order, where they overlap."""
    merged: list[tuple[int, int]] = []
    last = -1
    for start, end, _ in matches:
        if start < last:
            if end > last:
                merged[-1] = (merged[-1][0], last := end)
        elif end > start:
            merged.append((start, end))
            last = end
    return tuple(merged)
