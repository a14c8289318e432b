"""Finding a quotation in a text: exactly, after normalisation, and approximately; pure.

Offsets are code points of the text, ends exclusive. Exact occurrences may overlap: each is a true statement about the
text. What is found in any other way carries the reason and is never a valid quotation.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal

from recall_lab.model import Near, Record

_APOSTROPHES = "\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bc\u0060\u00b4\uff07"
_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
_MARKS = (
    dict.fromkeys(map(ord, _APOSTROPHES), "'")
    | dict.fromkeys(map(ord, _QUOTES), '"')
    | dict.fromkeys(map(ord, _DASHES), "-")
)
_UNSEEN = frozenset("\u00ad\u200b\u2060\ufeff")  # soft hyphen, zero width: white space to the eye
_DASH_RUN = re.compile("-{2,}")


def occurrences(text: str, quote: str) -> tuple[tuple[int, int], ...]:
    """Return every place where the exact words stand, in order; overlapping ones too. Linear in the text.

    Raises:
        ValueError: the quote is empty.
    """
    if not quote:
        raise ValueError("an empty quotation stands everywhere")
    size = len(quote)
    found: list[int] = []
    at = text.find(quote)
    while at >= 0:
        found.append(at)
        following = text.find(quote, at + 1)
        if 0 <= following < at + size:
            # The quote overlaps itself: repeated find would compare it anew at every step.
            found = _all_starts(text, quote)
            break
        at = following
    return tuple((start, start + size) for start in found)


def _all_starts(text: str, quote: str) -> list[int]:
    """Knuth, Morris and Pratt (1977): every start of the quote, in one pass."""
    border = [0] * len(quote)
    matched = 0
    for index in range(1, len(quote)):
        while matched and quote[index] != quote[matched]:
            matched = border[matched - 1]
        if quote[index] == quote[matched]:
            matched += 1
        border[index] = matched
    starts: list[int] = []
    matched = 0
    for index, char in enumerate(text):
        while matched and (matched == len(quote) or char != quote[matched]):
            matched = border[matched - 1]
        if char == quote[matched]:
            matched += 1
        if matched == len(quote):
            starts.append(index + 1 - matched)
    return starts


# ---- near misses ---------------------------------------------------------------------------------------------------


def _spaces(text: str) -> str:
    return " ".join("".join(" " if char.isspace() else char for char in text if char not in _UNSEEN).split())


def _compatibility(text: str) -> str:
    return unicodedata.normalize("NFKD", text)


def _marks(text: str) -> str:
    return _DASH_RUN.sub("-", text.translate(_MARKS))


def _case(text: str) -> str:
    return text.casefold()


_FOLDS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("white space", _spaces),
    ("quotes and dashes", _marks),
    ("Unicode normalisation", _compatibility),
    ("letter case", _case),
)


def _fold(text: str) -> str:
    """Every fold at once, twice: case folding may undo a decomposition, and a decomposition bring in a space."""
    for _ in range(2):
        for _name, fold in _FOLDS:
            text = fold(text)
    return text


# ASCII that folds character by character: no doubled space or dash.
_RUN = re.compile(r"(?:[!-,.-~]+|[ \t\n\r](?=[!-~])|-(?=[!-,.-~\s]|\Z))+")
_WORDS = re.compile(r"[!-,.-~]" + _RUN.pattern[:-1] + "*")  # after a space or dash it begins with neither
_BLANK = re.compile(r"[ \t\n\r]+")
_LINEAR_FOLD = str.maketrans("\t\n\r`", "   '")
_STARTER = "\u0300"  # the first combining character; everything below stands on its own


class _FoldedText:
    """A text with every fold applied, and the way back to its code points."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self.starts: list[int] = []  # of each piece in the folded text
        self.origins: list[tuple[int, int]] = []  # of each piece in the text
        length = at = 0
        last = " "
        while at < len(text):
            run = _RUN.match(text, at) if last not in " -" else _WORDS.match(text, at)
            end = _before_marks(text, run.end()) if run else at
            if end > at:
                piece = text[at:end].translate(_LINEAR_FOLD).lower()
            elif blank := _BLANK.match(text, at):
                end = blank.end()
                piece = "" if last == " " else " "
            else:
                end = _cluster_end(text, at)
                piece = _piece(text[at:end])
                if piece[:1] == last == "-":  # a run of dashes is one dash
                    piece = piece.lstrip("-")
                    self.origins[-1] = (self.origins[-1][0], at if piece else end)
                elif last == " ":
                    piece = piece.lstrip(" ")
            if piece:
                pieces.append(piece)
                self.starts.append(length)
                self.origins.append((at, end))
                length += len(piece)
                last = piece[-1]
            at = end
        self.form = "".join(pieces)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The least span of the text that folds to the form's [start:end]."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, index: int) -> tuple[int, int]:
        """The span of the text behind one character of the form."""
        slot = bisect_right(self.starts, index) - 1
        start, end = self.origins[slot]
        size = (self.starts[slot + 1] if slot + 1 < len(self.starts) else len(self.form)) - self.starts[slot]
        if size == end - start:
            start += index - self.starts[slot]
            end = start + 1
        return start, end


def _cluster_end(text: str, at: int) -> int:
    """Where no normalisation reaches across: before the next character that begins with a starter."""
    end = at + 1
    if text[at].isspace():
        return end  # a mark after a space stands alone, however the space is written
    while end < len(text) and text[end] >= _STARTER:
        if not unicodedata.combining(unicodedata.normalize("NFKD", text[end])[0]):
            break
        end += 1
    return end


def _before_marks(text: str, end: int) -> int:
    """The end of a run, or one less if a mark follows that belongs to its last character."""
    return end - (end < len(text) and text[end] >= _STARTER and _cluster_end(text, end - 1) > end)


@lru_cache(maxsize=4096)
def _piece(cluster: str) -> str:
    folded = _fold(cluster)
    if not folded and any(char.isspace() for char in cluster):
        return " "
    return folded


def near_misses(text: str, quote: str) -> tuple[Near, ...]:
    """Return where the words stand once white space, Unicode form, quotes, dashes or letter case are set aside.

    Args:
        text: The whole retained text of a block.
        quote: Words that do not stand in it exactly.

    Returns:
        Spans of the text, in order, each with the fewest folds that make it equal to the quote.
    """
    wanted = _fold(quote)
    if not wanted:
        return ()
    folded = _FoldedText(text)
    found: dict[tuple[int, int], Near] = {}
    reasons: dict[str, str | None] = {}
    at = folded.form.find(wanted)
    while at >= 0:
        start, end = folded.original(at, at + len(wanted))
        words = text[start:end]
        if words not in reasons:
            reasons[words] = _reason(words, quote)
        why = reasons[words]
        if why is not None:
            found.setdefault((start, end), Near(start=start, end=end, why=why))
        at = folded.form.find(wanted, at + len(wanted))
    return tuple(found.values())


def _reason(words: str, quote: str) -> str | None:
    """Name the fewest folds under which two texts are equal; None when no combination does it."""
    for count in range(1, len(_FOLDS) + 1):
        for chosen in combinations(_FOLDS, count):
            one, other = words, quote
            for _, fold in (*chosen, *chosen):
                one, other = fold(one), fold(other)
            if one == other:
                return "after " + " and ".join(name for name, _ in chosen)
    return None


# ---- anchoring again after an edit ---------------------------------------------------------------------------------

CONTEXT = 32  # code points of prefix and suffix, as web annotation tools keep
_ALIKE = 80.0  # percent of similarity below which words are called different


class Anchored(Record, frozen=True):
    """An exact occurrence, and how it was chosen among the others."""

    start: int
    end: int
    how: Literal["position", "context", "first"]


def best_occurrence(
    text: str, found: Sequence[tuple[int, int]], prefix: str = "", suffix: str = "", near: int | None = None
) -> Anchored:
    """Choose among exact occurrences: the one at ``near``, else the one with the most of its context, else the nearest.

    Args:
        text: The text that the occurrences stand in.
        found: At least one occurrence.
        prefix: What stood before the quotation.
        suffix: What stood after it.
        near: Where the quotation began; None counts from the start of the text.
    """

    def context(span: tuple[int, int]) -> int:
        start, end = span
        before = _common(prefix[::-1], text[max(0, start - len(prefix)) : start][::-1])
        return before + _common(suffix, text[end : end + len(suffix)])

    for start, end in found:
        if start == near:
            return Anchored(start=start, end=end, how="position")
    start, end = max(found, key=lambda span: (context(span), -abs(span[0] - (near or 0))))
    return Anchored(start=start, end=end, how="context" if context((start, end)) else "first")


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def approximate(text: str, quote: str) -> Near | None:
    """Return the stretch of the text that is most like the quote, if it is alike enough; never a valid quotation.

    Similarity is the normalised Indel ratio (twice the longest common subsequence over both lengths), as rapidfuzz
    computes it for the best window.
    """
    from rapidfuzz import fuzz

    if len(quote) < 8 or len(text) * len(quote) > 200_000_000 or len(text) < len(quote) // 2:
        return None
    best = fuzz.partial_ratio_alignment(quote, text, score_cutoff=_ALIKE)
    if best is None or best.dest_end <= best.dest_start:
        return None
    return Near(start=best.dest_start, end=best.dest_end, why=f"about the same words ({best.score:.0f}% alike)")
