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
        label: As it was typed.
        parts: An identifier, every sign of which counts; or the words of a phrase, with anything but words between.
        begins: Whether it has to begin where no word goes on.
        ends: Whether it has to end where none does.
    """

    label: str
    parts: tuple[str, ...]
    begins: bool
    ends: bool


def typed(feature: Feature) -> Typed:
    """What to look for in a folded text (case and accents do not matter, words are whole).

    Args:
        feature: A ``phrase`` or an ``identifier``. The head of a hash stands for all of it.
    """
    label = fold(feature.label).strip()
    if feature.kind == "phrase":
        return Typed("", tuple(_WORD.findall(label)) or ("",), begins=True, ends=True)
    return Typed(
        feature.label, (label,), begins=label[:1].isalnum(), ends=label[-1:].isalnum() and not _HEX.fullmatch(label)
    )


def holds(text: str, typed: Typed) -> bool:
    """Whether something stands in a text as it was typed, folded or not."""
    at = text.find(typed.label) if typed.label else -1
    if at >= 0 and text[max(at - 1, 0) : at + len(typed.label) + 1].isascii() and _stands_at(text, at, typed):
        # Most often it is written as it was typed.
        return True
    # Making a long text small takes longer than looking for letters in its bytes.
    first = typed.parts[0]
    may = text.isascii() or not first.isascii() or first.encode() in text.encode("latin-1", "replace").lower()
    if may and _stands(text.lower(), typed):
        return True
    # Folding a long text takes longer than looking through it, and seldom makes a difference.
    return not only_signs(text) and _stands(fold(text), typed)


def _stands(folded: str, typed: Typed) -> bool:
    at = folded.find(typed.parts[0])
    while at >= 0:
        if _stands_at(folded, at, typed):
            return True
        at = folded.find(typed.parts[0], at + 1)
    return False


def _stands_at(text: str, at: int, typed: Typed) -> bool:
    """Whether the first part, which stands here, is a word's beginning, and the others follow, each after no word."""
    if typed.begins and text[max(at - 1, 0) : at].isalnum():
        return False
    end = at + len(typed.parts[0])
    for word in typed.parts[1:]:
        start = end
        while start < len(text) and not text[start].isalnum():
            start += 1
        if start == end or not text.startswith(word, start):
            return False
        end = start + len(word)
    return not (typed.ends and text[end : end + 1].isalnum())
