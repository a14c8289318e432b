"""Whether a text holds a phrase or an identifier as it was typed, and not only its stemmed words; pure."""

from __future__ import annotations

import re

import msgspec

from recall_lab.search.features import Feature
from recall_lab.search.signs import only_signs
from recall_lab.text import fold

_WORD = re.compile(r"[^\W_]+")
_HEX = re.compile(r"(?=\w*\d)[0-9a-f]{7,40}")


class Typed(msgspec.Struct, frozen=True):
    """What to look for in a folded text.

    Attributes:
        needle: What it begins with, for a first look.
        pattern: All of it.
    """

    needle: str
    pattern: re.Pattern[str]


def typed(feature: Feature) -> Typed:
    """What to look for in a folded text (case and accents do not matter, words are whole).

    Args:
        feature: A ``phrase``, whose words may have anything but words between them, or an ``identifier``, every sign of
            which counts. The head of a hash stands for all of it.
    """
    label = fold(feature.label).strip()
    if feature.kind == "phrase":
        words = _WORD.findall(label)
        return Typed("".join(words[:1]), re.compile(r"(?<![^\W_])" + r"[\W_]+".join(words) + r"(?![^\W_])"))
    before = r"(?<![^\W_])" if label[:1].isalnum() else ""
    after = r"(?![^\W_])" if label[-1:].isalnum() and not _HEX.fullmatch(label) else ""
    return Typed(label, re.compile(before + re.escape(label) + after))


def holds(text: str, typed: Typed) -> bool:
    """Whether something stands in a text as it was typed, folded or not."""
    if _stands(text.lower(), typed):
        return True
    # Folding a long text takes longer than looking through it, and seldom makes a difference.
    return not only_signs(text) and _stands(fold(text), typed)


def _stands(folded: str, typed: Typed) -> bool:
    at = folded.find(typed.needle)
    while at >= 0:
        if typed.pattern.match(folded, at):
            return True
        at = folded.find(typed.needle, at + 1)
    return False
