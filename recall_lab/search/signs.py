"""Which texts are ASCII but for the signs of prose, so that what is true of ASCII text is true of them; pure."""

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


def only_signs(text: str) -> bool:
    """Whether all that is beyond ASCII in a text are signs between words."""
    if text.isascii():
        return True
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return all(map(_is_sign, set(others)))


@lru_cache(4096)
def _is_sign(char: str) -> bool:
    return char in _SIGNS or any(first <= char <= last for first, last in _RANGES)
