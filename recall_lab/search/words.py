"""The words of one text that is ASCII but for signs and accents, looked for by their first letters; pure.

Looking for letters is what strings are fastest at. The first letters of a stem begin every word that has it, so only
the words that begin with them are stemmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from recall_lab.search.signs import ACCENTED
from recall_lab.text import camel_parts

# By byte of Latin-1: letters as small ones without accents, digits as they are, everything else a space.
_LETTERS: Final = (
    "".join(ACCENTED.get(chr(n), chr(n)) if chr(n).isalnum() else " " for n in range(256)).lower().encode("latin-1")
)
_SPACE: Final = 0x20
_KINDS: Final = bytes(
    ord("A") if n < 0x80 and chr(n).isupper() else ord("a") if n < 0x80 and chr(n).isalnum() else _SPACE
    for n in range(256)
)


class Stems(dict[bytes, str]):
    """The stems of words in Latin-1 that were asked for."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, word: bytes) -> str:
        found = self[word] = self._stem(word.decode("latin-1"))
        return found


class Words:
    """The words of one text: one byte for each code point, small letters, a space between words and at both ends.

    A byte that is no space comes last, so that who skips spaces need not look for the end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._data = b" " + text.encode("latin-1", "replace").translate(_LETTERS) + b" \0"

    def places(self, term: str, letters: bytes, stems: Mapping[bytes, str], most: int | None) -> list[tuple[int, int]]:
        """Where words have this stem, the first so many; they begin with these letters, a space before them."""
        data = self._data
        find = data.find
        found: list[tuple[int, int]] = []
        at = find(letters)
        while at >= 0:
            end = find(b" ", at + 1)
            if stems[data[at + 1 : end]] == term:
                found.append((at, end - 1))
                if len(found) == most:
                    break
            at = find(letters, end)
        return found

    def humps(self, term: str, letters: bytes, stems: Mapping[bytes, str], most: int | None) -> list[tuple[int, int]]:
        """Where words inside camelCase have this stem, the first so many."""
        data, text = self._data, self._text
        found: list[tuple[int, int]] = []
        at = data.find(letters[1:])
        while at >= 0 and len(found) != most:
            start = at - 1
            # A hump begins where the identifier does, with a capital, or after a digit or an accent.
            begins = data[start] == _SPACE
            if begins or text[start].isupper() or text[start - 1].isdigit() or text[start - 1] > "\x7f":
                last = data.find(b" ", at) - 1
                first = start if begins else data.rfind(b" ", 0, at)
                parts = () if begins and text[start + 1 : last].islower() else camel_parts(text[first:last])
                found += [
                    (start, first + end)
                    for hump, end, part in parts
                    if first + hump == start and stems[part.lower().encode("latin-1", "replace")] == term
                ]
            at = data.find(letters[1:], at + 1)
        return found

    def row(self, terms: Sequence[str], stems: Mapping[bytes, str]) -> bool:
        """Whether words have these stems one beside the other."""
        data = self._data
        # The word with the most letters stands in the fewest places.
        pivot = max(range(len(terms)), key=lambda n: len(terms[n]))
        before, term, after = terms[:pivot][::-1], terms[pivot], terms[pivot + 1 :]
        letters = letters_of(term)
        at = data.find(letters)
        while at >= 0:
            end = data.find(b" ", at + 1)
            if (
                stems[data[at + 1 : end]] == term
                and self.followed(end - 1, after, stems)
                and self._preceded(at, before, stems)
            ):
                return True
            at = data.find(letters, end)
        return False

    def followed(self, end: int, terms: Sequence[str], stems: Mapping[bytes, str]) -> int:
        """Where the last of the words ends that follow a place one by one with these stems; 0 when others do."""
        data = self._data
        last = end + 1
        for term in terms:
            start = last
            while data[start] == _SPACE:
                start += 1
            last = data.find(b" ", start)
            if last < 0 or stems[data[start:last]] != term:
                return 0
        return last - 1

    def _preceded(self, start: int, terms: Sequence[str], stems: Mapping[bytes, str]) -> bool:
        """Whether the words before a place have these stems, the nearest first."""
        data = self._data
        first = start
        for term in terms:
            end = first
            while end > 0 and data[end] == _SPACE:
                end -= 1
            first = data.rfind(b" ", 0, end + 1)
            if stems[data[first + 1 : end + 1]] != term:
                return False
        return True


def has_identifier_words(text: str) -> bool:
    """Whether a text may have identifiers with several words inside, as ``text.identifier_words`` names them."""
    kinds = text.encode("latin-1", "replace").translate(_KINDS)
    return b"aA" in kinds or b"AAa" in kinds or "+" in text or "#" in text


def letters_of(stem: str) -> bytes:
    """A space and the letters that every word with this stem begins with: its last two may be the stemmer's own."""
    own = 2 if len(stem) > 4 else 1 if len(stem) > 2 else 0
    return b" " + stem[: len(stem) - own].encode("utf-8", "replace")
