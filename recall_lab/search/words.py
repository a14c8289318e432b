"""The words of one text that is ASCII but for signs, looked for by their first letters; pure.

Looking for letters is what strings are fastest at. The first letters of a stem begin every word that has it, so only
the words that begin with them are stemmed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from recall_lab.text import camel_parts

# By byte of Latin-1: small letters and digits as they are, capitals as small ones, everything else a space.
_LETTERS: Final = "".join(chr(n) if chr(n).isalnum() else " " for n in range(256)).lower().encode("latin-1")
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
    """The words of one text: one byte for each code point, small letters, a space between words and at both ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._data = b" " + text.encode("latin-1", "replace").translate(_LETTERS) + b" "

    def places(self, term: str, letters: bytes, stems: Mapping[bytes, str], most: int | None) -> list[tuple[int, int]]:
        """Where words have this stem, the first so many; they begin with these letters, a space before them."""
        data = self._data
        find = data.find
        found: list[tuple[int, int]] = []
        at = find(letters)
        while at >= 0 and len(found) != most:
            end = find(b" ", at + 1)
            if stems[data[at + 1 : end]] == term:
                found.append((at, end - 1))
            at = find(letters, end)
        return found

    def humps(self, term: str, letters: bytes, stems: Mapping[bytes, str], most: int | None) -> list[tuple[int, int]]:
        """Where words inside camelCase have this stem, the first so many."""
        data, text = self._data, self._text
        found: list[tuple[int, int]] = []
        at = data.find(letters[1:])
        while at >= 0 and len(found) != most:
            start = at - 1
            # A hump begins where the identifier does, with a capital, or after a digit.
            begins = data[start] == _SPACE
            if begins or text[start].isupper() or text[start - 1].isdigit():
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
        if not _row_of(tuple(terms)).search(self._data):
            return False
        starts = self.places(terms[0], letters_of(terms[0]), stems, None)
        return any(self.followed(end, terms[1:], stems) for _, end in starts)

    def followed(self, end: int, terms: Sequence[str], stems: Mapping[bytes, str]) -> int:
        """Where the last of the words ends that follow a place one by one with these stems; 0 when others do."""
        data = self._data
        last = end + 1
        for term in terms:
            start = last
            while start < len(data) and data[start] == _SPACE:
                start += 1
            last = data.find(b" ", start)
            if last < 0 or stems[data[start:last]] != term:
                return 0
        return last - 1


@lru_cache(256)
def _row_of(terms: tuple[str, ...]) -> re.Pattern[bytes]:
    """Words that begin with the letters of these stems, one beside the other."""
    return re.compile(b"[^ ]* *".join(re.escape(letters_of(term)) for term in terms))


def has_identifier_words(text: str) -> bool:
    """Whether a text may have identifiers with several words inside, as ``text.identifier_words`` names them."""
    kinds = text.encode("latin-1", "replace").translate(_KINDS)
    return b"aA" in kinds or b"AAa" in kinds or "+" in text or "#" in text


def letters_of(stem: str) -> bytes:
    """A space and the letters that every word with this stem begins with: its last two may be the stemmer's own."""
    own = 2 if len(stem) > 4 else 1 if len(stem) > 2 else 0
    return b" " + stem[: len(stem) - own].encode("utf-8", "replace")
