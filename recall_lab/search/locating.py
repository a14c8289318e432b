"""Where the words of a query stand in a text.

Tokenising a long text takes longer than ranking it. The first letters of a stem begin every word that has it, and
looking for letters is what strings are fastest at; each word found so is stemmed by the index's own tokenizer. In text
of Latin letters that finds all that the tokenizer finds. Elsewhere words are missed, so there it is a guide only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final
from unicodedata import category

from recall_lab.search.features import Feature
from recall_lab.search.signs import folds_in_place
from recall_lab.search.words import Stems, Words, letters_of
from recall_lab.store.fulltext import Fulltext
from recall_lab.text import ByteMap, OffsetMap, camel_parts

_LONGER_WHEN_SMALL: Final = "\u0130"  # the only letter whose small form is of two code points

# A place in a block that matched: where it begins and ends in code points, and the number of the feature. A tuple, as
# there are hundreds, which sort as they are.
Match = tuple[int, int, int]

# A stem, the letters that its words begin with, the features that are this word alone, and those that begin with it:
# their other words.
_Step = tuple[str, bytes, list[int], list[tuple[tuple[str, ...], list[int]]]]


class Sought:
    """What a query looks for, made ready once for all the texts that are shown.

    Attributes:
        features: All of them; their numbers are what ``held`` names below.
    """

    def __init__(self, index: Fulltext, features: Sequence[Feature]) -> None:
        self.features = features
        self._index = index
        self._single: dict[str, list[int]] = {}
        self._rows: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        self._typed: list[tuple[str, int]] = []
        for number, feature in enumerate(features):
            for term in feature.words:
                self._single.setdefault(term, []).append(number)
            if feature.terms and not feature.words:
                self._rows.setdefault(feature.terms[0], []).append((feature.terms, number))
            if feature.kind == "identifier":
                self._typed.append((feature.label, number))
        self._plan = [
            (term, letters_of(term), self._single.get(term, []), self._rows.get(term, []))
            for term in {**self._single, **self._rows}
        ]
        self._steps: dict[tuple[int, ...], list[_Step]] = {}
        self._telling: dict[tuple[int, ...], list[int]] = {}
        self._stems = Stems(index.stem)
        self._ascii = all(term.isascii() for feature in features for term in feature.terms)

    def matches(self, text: str, held: Collection[int]) -> list[Match]:
        """Find where the features that a text holds stand in it.

        Args:
            text: The text.
            held: Numbers of the features.

        Returns:
            Matches in order; each slices the text to what matched.
        """
        found = self.located(text, held) if self._ascii and folds_in_place(text) else self.tokenised(text, held)
        found.sort()
        return found

    def located(self, text: str, held: Collection[int], most: int | None = None) -> list[Match]:
        """The matches in a text that folds in place, in no order, by looking for the letters of words.

        Args:
            text: The text.
            held: Numbers of the features.
            most: Of one word at most so many places are given.
        """
        words = Words(text)
        stems = self._stems
        matches: list[Match] = []
        seen: set[int] = set()
        nowhere: list[_Step] = []
        for step in self._steps_for(held):
            term, letters, single, rows = step
            places = words.places(term, letters, stems, most)
            if not places:
                nowhere.append(step)
                continue
            seen.update(single)
            for number in single:
                matches += [(start, end, number) for start, end in places]
            for terms, numbers in rows:
                for start, end in places:
                    if last := words.followed(end, terms, stems):
                        matches += [(start, last, number) for number in numbers]
        for term, letters, single, _ in nowhere:
            # What no word of the text is stands inside an identifier.
            if hidden := [number for number in single if number not in seen]:
                for start, end in words.humps(term, letters, stems, most):
                    matches += [(start, end, number) for number in hidden]
        for label, number in self._typed:
            if number in held:
                matches += [(start, end, number) for start, end in _occurrences(text, label.lower(), most)]
        return matches

    def _steps_for(self, held: Collection[int]) -> list[_Step]:
        """What to look for in a text that holds these features; remembered, as texts hold the same."""
        key = tuple(held)
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = []
            for term, letters, single, rows in self._plan:
                mine = [number for number in single if number in held]
                theirs: dict[tuple[str, ...], list[int]] = {}
                for terms, number in rows:
                    if number in held:
                        theirs.setdefault(terms[1:], []).append(number)
                if mine or theirs:
                    found.append((term, letters, mine, [*theirs.items()]))
        return found

    def telling(self, held: Collection[int]) -> list[int]:
        """Which of these features say where a text is about the query, the most telling first; remembered as well."""
        key = tuple(held)
        found = self._telling.get(key)
        if found is None:
            told = [(number, self.features[number]) for number in key]
            told = [(number, feature) for number, feature in told if feature.weight or feature.exact]
            told.sort(key=lambda one: (not one[1].exact, -one[1].idf))
            found = self._telling[key] = [number for number, _ in told]
        return found

    def tokenised(self, text: str, held: Collection[int]) -> list[Match]:
        """The matches in a text of any script, in no order, by running the tokenizer over all of it."""
        offsets = OffsetMap(text)
        to_point = ByteMap(offsets.form).to_point
        tokens = self._index.tokens(offsets.form)
        matches: list[Match] = []
        hidden = {number for numbers in self._single.values() for number in numbers if number in held}

        def add(start: int, end: int, feature: int) -> None:
            start, end = offsets.original(to_point(start), to_point(end))
            # The tokenizer ends a token before vowel signs; a reader does not.
            while end < len(text) and text[end] > "\u02ff" and category(text[end])[0] == "M":
                end += 1
            matches.append((start, end, feature))

        wanted = self._single.keys() | self._rows.keys()
        for at in [at for at, token in enumerate(tokens) if token[2] in wanted]:
            start, end, term = tokens[at]
            for number in self._single.get(term, ()):
                if number in held:
                    hidden.discard(number)
                    add(start, end, number)
            for terms, number in self._rows.get(term, ()):
                if number in held and tuple(t for _, _, t in tokens[at : at + len(terms)]) == terms:
                    add(start, tokens[at + len(terms) - 1][1], number)
        if hidden:
            stem = self._index.stem
            matches += [
                (start, end, number)
                for start, end, part in camel_parts(text)
                for number in self._single.get(stem(part), ())
                if number in hidden
            ]
        for label, number in self._typed:
            if number in held:
                typed = re.finditer(re.escape(label), text, re.IGNORECASE)
                matches.extend((*found.span(), number) for found in typed)
        return matches

    def guide(self, text: str, telling: Sequence[int], most: int) -> list[Match] | None:
        """Find some of the places where features stand in a long text, by looking for their letters.

        Args:
            text: The text.
            telling: Numbers of the features.
            most: Of one word so many places are enough.

        Returns:
            Matches in order; None when one of the features was found nowhere this way.
        """
        if _LONGER_WHEN_SMALL in text:
            return None
        matches = self.located(text, telling, most)
        if len({number for _, _, number in matches}) < len(telling):
            return None
        matches.sort()
        return matches


def _occurrences(text: str, typed: str, most: int | None) -> list[tuple[int, int]]:
    """Where something, in small letters, stands as it was typed."""
    low: Any = text
    sought: Any = typed
    if typed.isascii() and "?" not in typed:
        # Bytes become small in a tenth of the time that a text with signs takes.
        low, sought = text.encode("latin-1", "replace"), typed.encode()
    low = low.lower()
    found: list[tuple[int, int]] = []
    at = low.find(sought)
    while at >= 0 and (most is None or len(found) < most):
        found.append((at, at + len(typed)))
        at = low.find(sought, at + len(typed))
    return found
