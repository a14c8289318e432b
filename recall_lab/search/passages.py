"""Which span of a block shows why it was found, and what in it matched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from unicodedata import category

import msgspec

from recall_lab.search.features import Feature
from recall_lab.search.locating import Match, locate
from recall_lab.search.signs import only_signs
from recall_lab.store.fulltext import Fulltext
from recall_lab.text import ByteMap, OffsetMap, camel_parts

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


def show(index: Fulltext, text: str, features: Sequence[Feature]) -> Passage:
    """Choose the span of a block that shows why it was found.

    Args:
        index: Knows the tokenizer.
        text: The block's text.
        features: What it holds.
    """
    if len(text) <= _LONG:
        return choose(text, find_matches(index, text, features), features)
    telling = sorted((f for f in features if f.weight or f.exact), key=lambda f: (not f.exact, -f.idf))[:_TELLING]
    guide = locate(index, text, telling, _PLACES)
    if not guide or len({match.feature for match in guide}) < len(telling):
        return choose(text, find_matches(index, text, features), features)
    first, last = _densest(guide, telling)
    start, end = _between_words(text, first - _BEFORE, last + _AFTER)
    matches = find_matches(index, text[start:end], features)
    return choose(text, [Match(m.start + start, m.end + start, m.feature) for m in matches], features)


def _between_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span until no word is cut."""
    start, end = max(0, start), min(len(text), end)
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def find_matches(index: Fulltext, text: str, features: Sequence[Feature]) -> list[Match]:
    """Find where the features stand in a text, by the tokenizer that the index was made with.

    Returns:
        Matches in order; each slices the text to what matched.
    """
    if only_signs(text) and all(term.isascii() for feature in features for term in feature.terms):
        return locate(index, text, features, len(text)) or []
    return tokenised_matches(index, text, features)


def tokenised_matches(index: Fulltext, text: str, features: Sequence[Feature]) -> list[Match]:
    """Find where the features stand by running the tokenizer over all of a text, in any script."""
    single: dict[str, list[int]] = {}
    several: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for number, feature in enumerate(features):
        if feature.prefix or len(feature.terms) == 1:
            for term in feature.terms:
                single.setdefault(term, []).append(number)
        elif feature.terms:
            several.setdefault(feature.terms[0], []).append((feature.terms, number))
    offsets = OffsetMap(text)
    to_point = ByteMap(offsets.form).to_point
    tokens = index.tokens(offsets.form)
    matches: list[Match] = []

    def add(start: int, end: int, feature: int) -> None:
        start, end = offsets.original(to_point(start), to_point(end))
        # The tokenizer ends a token before vowel signs; a reader does not.
        while end < len(text) and text[end] > "\u02ff" and category(text[end])[0] == "M":
            end += 1
        matches.append(Match(start, end, feature))

    wanted = single.keys() | several.keys()
    for at in [at for at, token in enumerate(tokens) if token[2] in wanted]:
        start, end, term = tokens[at]
        for number in single.get(term, ()):
            add(start, end, number)
        for terms, number in several.get(term, ()):
            if tuple(t for _, _, t in tokens[at : at + len(terms)]) == terms:
                add(start, tokens[at + len(terms) - 1][1], number)
    matched = {match.feature for match in matches}
    if not all(number in matched for numbers in single.values() for number in numbers):
        # What no token of the text is stands inside an identifier.
        for start, end, part in camel_parts(text):
            matches.extend(Match(start, end, number) for number in single.get(index.stem(part), ()))
    for number, feature in enumerate(features):
        if feature.kind == "identifier":
            typed = re.finditer(re.escape(feature.label), text, re.IGNORECASE)
            matches.extend(Match(*found.span(), number) for found in typed)
    matches.sort(key=lambda match: (match.start, match.end))
    return matches


def choose(text: str, matches: Sequence[Match], features: Sequence[Feature]) -> Passage:
    """Choose the span with the most of the query's weight, cut at line or word bounds."""
    if len(text) <= WHOLE:
        return Passage(0, len(text), merge((m.start, m.end) for m in matches))
    start, end = _best_window(text, matches, features)
    inside = [(m.start, m.end) for m in matches if m.start >= start and m.end <= end]
    return Passage(start, end, merge(inside))


def _densest(matches: Sequence[Match], features: Sequence[Feature]) -> tuple[int, int]:
    """Where the most of the query's weight stands within a passage's length: from the first match to the last."""
    best, first, last = -1.0, 0, 0
    low = 0
    held: dict[int, int] = {}
    weight = 0.0
    for high, match in enumerate(matches):
        held[match.feature] = held.get(match.feature, 0) + 1
        if held[match.feature] == 1:
            weight += features[match.feature].idf
        while match.end - matches[low].start > PASSAGE and low < high:
            gone = matches[low].feature
            held[gone] -= 1
            if not held[gone]:
                weight -= features[gone].idf
            low += 1
        # More of the query first, then more matches of it.
        value = weight + 0.01 * (high - low)
        if value > best + 1e-9:
            best, first, last = value, matches[low].start, match.end
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


def merge(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join spans that overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return tuple(merged)
