"""Whether a text holds a phrase or an identifier as it was typed, and not only its stemmed words; pure."""

from __future__ import annotations

import re

from recall_lab.search.features import Feature
from recall_lab.text import fold

_WORD = re.compile(r"[^\W_]+")
_HEX = re.compile(r"(?=\w*\d)[0-9a-f]{7,40}")


def pattern_of(feature: Feature) -> re.Pattern[str]:
    """Return what to look for in a folded text (case and accents do not matter, words are whole).

    Args:
        feature: A ``phrase``, whose words may have anything but words between them, or an ``identifier``, every sign of
            which counts. The head of a hash stands for all of it.
    """
    label = fold(feature.label).strip()
    if feature.kind == "phrase":
        return re.compile(r"(?<![^\W_])" + r"[\W_]+".join(_WORD.findall(label)) + r"(?![^\W_])")
    before = r"(?<![^\W_])" if label[:1].isalnum() else ""
    after = r"(?![^\W_])" if label[-1:].isalnum() and not _HEX.fullmatch(label) else ""
    return re.compile(before + re.escape(label) + after)


def holds(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern of ``pattern_of`` stands in a text, folded or not."""
    # Folding a long text takes longer than looking through it, and seldom makes a difference.
    return pattern.search(text.lower()) is not None or (not text.isascii() and pattern.search(fold(text)) is not None)
