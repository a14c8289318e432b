"""Which texts are ASCII but for signs, or letters with accents, so that what is true of ASCII is true of them; pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_ASCII: Final = bytes(range(128))
# What stands between words in every form of a text: dashes, quotes, bullets, arrows, boxes, emoji.
_SIGNS: Final = "\xa0\xa7\xab\xb1\xb7\xbb\xd7"
_RANGES: Final = (
    ("\u2010", "\u2027"),
    ("\u2030", "\u203a"),
    ("\u2190", "\u23ff"),
    ("\u2500", "\u2775"),
    ("\u2794", "\u27bf"),
    ("\U0001f300", "\U0001faff"),
)
# What stands between words as well, but may be another sign when it is folded: wide punctuation, spaces, Braille.
_MORE: Final = "\xa2\xa3\xa5\xa9\xae\xb0\xb6\xbf\xf7\ufeff\ufffd"
_MORE_RANGES: Final = (
    ("\u2000", "\u2064"),
    ("\u20a9", "\u20b9"),
    ("\u27c0", "\u2bff"),
    ("\ufe00", "\ufe0f"),
    ("\uff01", "\uff0f"),
    ("\uff1a", "\uff20"),
)
# Letters of Latin-1 that the tokenizer takes for one letter without an accent, and which; the others are two letters.
ACCENTED: Final = dict(
    zip(
        "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïðñòóôõöøùúûüýÿ",
        "AAAAAACEEEEIIIIDNOOOOOOUUUUYaaaaaaceeeeiiiidnoooooouuuuyy",
        strict=True,
    )
)


def only_signs(text: str) -> bool:
    """Whether all that is beyond ASCII in a text are signs between words, which stay what they are in every form."""
    return text.isascii() or all(map(_is_sign, _beyond_ascii(text)))


def folds_in_place(text: str) -> bool:
    """Whether all that is beyond ASCII in a text are signs between words, and letters that each fold to one letter."""
    return text.isascii() or all(map(_folds, _beyond_ascii(text)))


def _beyond_ascii(text: str) -> set[str]:
    return set(text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass"))


@lru_cache(4096)
def _is_sign(char: str) -> bool:
    return char in _SIGNS or any(first <= char <= last for first, last in _RANGES)


@lru_cache(4096)
def _folds(char: str) -> bool:
    more = char in ACCENTED or char in _MORE or any(first <= char <= last for first, last in _MORE_RANGES)
    return more or _is_sign(char)
