"""Finding words that stand in a text in another form: other white space, quotes, dashes, Unicode form or case; pure.

Offsets are code points of the text, ends exclusive. What is found carries the reason and is never a valid quotation.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations

from recall_lab.model import Near

_APOSTROPHES = "\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bc\u0060\u00b4\uff07"
_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
_MARKS = (
    dict.fromkeys(map(ord, _APOSTROPHES), "'")
    | dict.fromkeys(map(ord, _QUOTES), '"')
    | dict.fromkeys(map(ord, _DASHES), "-")
)
_UNSEEN = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero width: white space to the eye
_DASH_RUN = re.compile("-{2,}")


def _spaces(text: str) -> str:
    return " ".join(_without_unseen(text).split())


def _without_unseen(text: str) -> str:
    if not text.isascii():
        for char in _UNSEEN:
            text = text.replace(char, "")
    return text


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
    found: dict[tuple[int, int], Near] = {}
    reasons: dict[str, str | None] = {}
    for low, high in windows(text, wanted):
        _look_in(text[low:high], low, wanted, quote, found, reasons)
    return tuple(found.values())


def _look_in(
    text: str,
    offset: int,
    wanted: str,
    quote: str,
    found: dict[tuple[int, int], Near],
    reasons: dict[str, str | None],
) -> None:
    """Add the near misses of one stretch of a text, which begins at ``offset`` of it."""
    folded = _FoldedText(text)
    at = folded.form.find(wanted)
    while at >= 0:
        start, end = folded.original(at, at + len(wanted))
        words = text[start:end]
        if words not in reasons:
            reasons[words] = _reason(words, quote)
        why = reasons[words]
        if why is not None:
            place = (offset + start, offset + end)
            found.setdefault(place, Near(start=place[0], end=place[1], why=why))
        at = folded.form.find(wanted, at + len(wanted))


_TOKEN = re.compile(r"\w+")
_MOST_ANCHORS = 24
_MARGIN = 16  # code points around a window, so that no character is cut from the marks that belong to it


def windows(text: str, wanted: str) -> list[tuple[int, int]]:
    """Return the stretches of a text outside of which its folded form cannot hold ``wanted``, itself folded.

    A word of ``wanted`` that the text does not have, in any of the forms that folding makes equal, leaves none. A word
    that it has a few times, each time as it is, leaves the neighbourhoods of these places: one folded character stands
    for at least one character of the text that is neither white space, nor a dash, nor unseen. Else the whole text is
    left.
    """
    tokens = sorted(set(_TOKEN.findall(wanted)), key=len, reverse=True)
    form = text.lower() if text.isascii() else _letters(text)
    counts: list[tuple[int, str]] = []
    for token in tokens:
        times = form.count(token)
        if not times:
            return []
        counts.append((times, token))
    lowered = text.lower()
    if not counts or len(lowered) != len(text):
        return [(0, len(text))]
    times, token = min(counts)
    if times > _MOST_ANCHORS or lowered.count(token) != times:
        return [(0, len(text))]
    before = [match.start() for match in re.finditer(re.escape(token), wanted)]
    first, last = max(before), len(wanted) - min(before)
    found: list[tuple[int, int]] = []
    at = lowered.find(token)
    while at >= 0:
        low, high = _reach(text, at, first, -1), _reach(text, at, last, 1)
        if found and low <= found[-1][1]:
            low = found.pop()[0]
        found.append((low, high))
        at = lowered.find(token, at + len(token))
    return found


def _letters(text: str) -> str:
    """A form in which letters and digits are as the folds leave them; what stands between them is not."""
    form = _without_unseen(text)
    for _ in range(2):
        form = unicodedata.normalize("NFKD", form).casefold()
    return form


def _reach(text: str, at: int, solid: int, step: int) -> int:
    """Where so many solid characters before (-1) or after (1) a place have been passed, and a margin."""
    end = -1 if step < 0 else len(text)
    place, left = at, solid + _MARGIN
    while left and place + step != end:
        place += step
        char = text[place]
        left -= not (char.isspace() or char in _UNSEEN or char == "-" or char in _DASHES)
    return place if step < 0 else place + 1


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
