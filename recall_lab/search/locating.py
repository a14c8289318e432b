"""Where the words of a query stand in a text, by looking for words.

Tokenising a long text takes longer than ranking it. The first letters of a stem begin every word that has it, and
looking for letters is what strings are fastest at; each word found so is stemmed by the index's own tokenizer. In ASCII
text that finds all that the tokenizer finds. Elsewhere words with accents are missed, so there it is a guide only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from recall_lab.search.features import Feature
from recall_lab.store.fulltext import Fulltext
from recall_lab.text import camel_parts

_WORD: Final = re.compile(r"[^\W_]+")


class Match(msgspec.Struct, frozen=True):
    """A place in a block that matched: code points, and the number of the feature."""

    start: int
    end: int
    feature: int


def locate(index: Fulltext, text: str, features: Sequence[Feature], most: int) -> list[Match] | None:
    """Find where features that a text holds stand in it.

    Args:
        index: Knows the tokenizer.
        text: The text.
        features: What to look for.
        most: Of one feature so many places are looked at.

    Returns:
        Matches in order; None when the text cannot be looked through this way.
    """
    low = text.lower()
    if len(low) != len(text):
        return None
    finder = _Finder(index, text, low, most)
    matches: list[Match] = []
    hidden = False
    for number, feature in enumerate(features):
        single = feature.prefix or len(feature.terms) == 1
        found = finder.words(feature.terms) if single else finder.rows(feature.terms)
        hidden = hidden or (single and not found)
        matches += [Match(start, end, number) for start, end in found]
        if feature.kind == "identifier":
            matches += [Match(start, end, number) for start, end in finder.typed(feature.label.lower())]
    if hidden:
        # What no word of the text is stands inside an identifier.
        for number, feature in enumerate(features):
            if feature.prefix or len(feature.terms) == 1:
                matches += [Match(start, end, number) for start, end in finder.humps(feature.terms)]
    matches.sort(key=_place)
    return matches


def _place(match: Match) -> tuple[int, int]:
    return match.start, match.end


class _Finder:
    """Looks through one text."""

    def __init__(self, index: Fulltext, text: str, low: str, most: int) -> None:
        self._stem = index.stem
        self._text = text
        self._low = low
        self._most = most
        self._found: dict[str, list[tuple[int, int]]] = {}

    def typed(self, typed: str) -> list[tuple[int, int]]:
        """Where something stands as it was typed."""
        found: list[tuple[int, int]] = []
        at = self._low.find(typed)
        while at >= 0 and len(found) < self._most:
            found.append((at, at + len(typed)))
            at = self._low.find(typed, at + len(typed))
        return found

    def words(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """The words with one of these stems."""
        return [place for term in terms for place in self._words(term)]

    def _words(self, term: str) -> list[tuple[int, int]]:
        known = self._found.get(term)
        if known is not None:
            return known
        found = self._found[term] = []
        low, head = self._low, _head(term)
        at = low.find(head)
        for _ in range(self._most):
            if at < 0:
                break
            end = at + 1
            if not at or not low[at - 1].isalnum():
                word = _WORD.match(low, at)
                if word is not None:
                    end = word.end()
                    if self._stem(word.group()) == term:
                        found.append((at, end))
            at = low.find(head, end)
        return found

    def rows(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """Words with these stems, one beside the other."""
        found: list[tuple[int, int]] = []
        for start, first in self._words(terms[0]):
            end = first
            for term in terms[1:]:
                word = _WORD.search(self._low, end)
                if word is None or self._stem(word.group()) != term:
                    break
                end = word.end()
            else:
                found.append((start, end))
        return found

    def humps(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """The words with one of these stems inside camelCase."""
        low = self._low
        found: list[tuple[int, int]] = []
        for term in terms:
            head = _head(term)
            at = low.find(head)
            for _ in range(self._most):
                if at < 0:
                    break
                hump = self._hump(at)
                if hump is not None and self._stem(low[at:hump]) == term:
                    found.append((at, hump))
                at = low.find(head, at + 1)
        return found

    def _hump(self, at: int) -> int | None:
        """Where the part of a camelCase identifier that begins here ends; None when none begins here."""
        text = self._text
        word = _WORD.match(text, at)
        if word is None:
            return None
        start = at
        while start and text[start - 1].isalnum():
            start -= 1
        return next(
            (start + end for first, end, _ in camel_parts(text[start : word.end()]) if start + first == at), None
        )


def _head(stem: str) -> str:
    """The letters that every word with this stem begins with: a stem's last two may be the stemmer's own."""
    if len(stem) > 4:
        return stem[:-2]
    return stem[:-1] if len(stem) > 2 else stem
