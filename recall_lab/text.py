"""Code points, bytes, normalisation, and the maps between them; pure.

Three forms of a text meet in search. The *original* is what is retained and what offsets count in. The *index form*
is what the full-text index tokenises: compatibility forms folded (NFKC), letters that Unicode does not decompose
spelled out (``ß`` to ``ss``), scripts that are written without spaces spaced out character by character, emoji moved
to private-use letters because the tokenizer drops symbols. The *terms* are the tokens of the index form as SQLite's
``unicode61`` tokenizer makes them, before stemming. ASCII text is its own index form.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache

# Letters that no Unicode normalisation takes apart but that people type without.
_SPELLED = {
    "ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
    "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH", "ð": "d", "Ð": "D",
    "ħ": "h", "Ħ": "H", "\u0131": "i", "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N",
    "\u0451": "\u0435", "\u0401": "\u0415",  # Cyrillic io, commonly typed as ie
}  # fmt: skip

# Scripts written without spaces between words (Hangul has spaces, but particles stick to words).
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana and iteration marks
    "\u1100-\u11ff\uac00-\ud7ff"  # Hangul
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
# Vowel points that Hebrew and Arabic text carries or leaves out at will.
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u0640"
_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_SPECIAL = f"{''.join(_SPELLED)}{_UNSPACED}{_POINTS}{_EMOJI}"
# Greek, whose accents the tokenizer keeps.
_GREEK_LETTERS = "\u0386-\u03ce\u1f00-\u1fff"
_GREEK = re.compile(f"[{_GREEK_LETTERS}]")
# What is not ASCII, with the character before it, which it may join.
_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
# What folding leaves as it is, so that nothing needs to be looked at: Cyrillic letters but io; dashes, quotation marks
# and bullets; arrows, frames and shapes, of which listings are full.
_UNCHANGED = "\u0410-\u044f\u2012-\u2016\u2018-\u2023\u2190-\u21ff\u2500-\u25ff"
_MAY_CHANGE = re.compile(f"[^\x00-\x7f{_UNCHANGED}]+")
_SHORT = 16  # code points; the forms of longer pieces are not worth remembering


@cache
def _any_of(characters: str) -> re.Pattern[str]:
    """A pattern of one of these characters; large classes take a while to compile and ASCII text needs none."""
    return re.compile(f"[{characters}]")


def _special(match: re.Match[str]) -> str:
    char = match.group()
    spelled = _SPELLED.get(char)
    if spelled is not None:
        return spelled
    if "\u0591" <= char <= "\u0670":
        return ""
    if _any_of(_EMOJI).match(char):
        # The tokenizer takes private-use characters for letters, and drops symbols.
        return f" {chr(0xF0000 | (ord(char) & 0xFFFF))} "
    return f" {char} "


def _without_accent(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFD", match.group())[0]


def index_form(text: str) -> str:
    """Turn a text into what the full-text index holds.

    Args:
        text: Any text; lone surrogates are survived.

    Returns:
        The text itself when it is ASCII, else its NFKC form with undecomposable letters spelled out, unspaced scripts
        and emoji separated, and optional vowel points dropped.
    """
    if text.isascii():
        return text
    parts: list[str] = []
    done = 0
    for run in _MAY_CHANGE.finditer(text):
        start, end = run.span()
        if start and _joins(text[start]):
            start -= 1
        piece = text[start:end]
        parts += (text[done:start], _form_of_short(piece) if end - start <= _SHORT else _form_of_piece(piece))
        done = end
    return "".join((*parts, text[done:]))


@lru_cache(8192)
def _form_of_short(piece: str) -> str:
    """The few pieces that a text is full of (ellipses, dashes, wide letters) are normalised once."""
    return _form_of_piece(piece)


def _form_of_piece(piece: str) -> str:
    """The index form of a piece that joins nothing around it."""
    return _GREEK.sub(_without_accent, _any_of(_SPECIAL).sub(_special, unicodedata.normalize("NFKC", piece)))


_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def fold(text: str) -> str:
    """Fold case and accents of a text's index form, so that two texts compare as a reader would."""
    form = index_form(text).lower()
    if form.isascii():
        return form
    return _ACCENTS.sub("", unicodedata.normalize("NFD", form))


def unspaced_runs(text: str) -> list[tuple[str, bool]]:
    """Cut a text into runs of scripts without spaces (True) and the rest (False)."""
    if text.isascii():
        return [(text, False)] if text else []
    runs = re.split(f"([{_UNSPACED}]+)", text)
    return [(run, bool(place % 2)) for place, run in enumerate(runs) if run.strip()]


# ---- identifiers ---------------------------------------------------------------------------------------------------

# From the first letter of a run of letters and digits on, when a capital follows; begun nowhere else in the run, so
# that a long run without one costs its length once.
_CAMEL = re.compile(r"(?<![A-Za-z0-9])[0-9]*([A-Za-z][a-z0-9]*[A-Z][A-Za-z0-9]*)")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_SIGNED = re.compile(r"(?<![A-Za-z0-9])(?:C\+\+|[CFcf]#|c\+\+)(?![A-Za-z0-9+#])")
SIGNED_WORDS = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp"}


def identifier_words(text: str) -> str:
    """Name the words inside identifiers that the tokenizer leaves whole.

    The tokenizer splits ``snake_case``, ``kebab-case`` and paths at their signs; camelCase it keeps in one piece, and
    of ``C++`` it keeps the letter only.

    Args:
        text: A block's text.

    Returns:
        The parts, separated by spaces, each identifier once; empty when none adds a term.
    """
    return " ".join(dict(camel_words(text)).values())


def camel_words(text: str) -> tuple[tuple[str, str], ...]:
    """Find the identifiers with words inside them: (identifier, its words, separated by spaces), each once."""
    found: dict[str, str] = {}
    for identifier in dict.fromkeys(_CAMEL.findall(text)):
        humps = _HUMP.findall(identifier)
        if len(humps) > 1:
            found[identifier] = " ".join(humps)
    if "+" in text or "#" in text:
        found.update((name, SIGNED_WORDS[name.lower()]) for name in _SIGNED.findall(text))
    return tuple(found.items())


def camel_parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Find the words inside camelCase identifiers: start, end, word."""
    for identifier in _CAMEL.finditer(text):
        start = identifier.start(1)
        for hump in _HUMP.finditer(identifier.group(1)):
            yield start + hump.start(), start + hump.end(), hump.group()


# ---- offsets -------------------------------------------------------------------------------------------------------


class OffsetMap:
    """Maps offsets in a text's index form back to code points of the text.

    Only the places where the two differ in length are kept, so that a long text with few of them costs little.

    Attributes:
        form: The index form; equal to ``index_form(text)``.
    """

    __slots__ = ("_at", "_origin", "_width", "form")

    def __init__(self, text: str) -> None:
        # Where a piece of the form begins, where it comes from, and how many code points of the text it stands for;
        # 0 marks a run that is as long in both.
        self._at: list[int] = [0]
        self._origin: list[int] = [0]
        self._width: list[int] = [0]
        self.form = text
        if not text.isascii():
            self.form = self._map(text)

    def _map(self, text: str) -> str:
        pieces: list[str] = []
        at = origin = 0
        for start, end, form in _changes(text):
            same = text[origin:start]
            pieces += (same, form)
            at += len(same)
            self._note(at, start, end - start)
            at += len(form)
            origin = end
            self._note(at, origin, 0)
        pieces.append(text[origin:])
        return "".join(pieces)

    def _note(self, at: int, origin: int, width: int) -> None:
        if self._at[-1] == at:
            # An empty piece: what came before it begins here too.
            self._at.pop(), self._origin.pop(), self._width.pop()
        self._at.append(at)
        self._origin.append(origin)
        self._width.append(width)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a half-open span of the form to the least span of the text that holds it."""
        first = bisect_right(self._at, start) - 1
        begin = self._origin[first] + (0 if self._width[first] else start - self._at[first])
        if end <= start:
            return begin, begin
        last = bisect_right(self._at, end - 1) - 1
        return begin, self._origin[last] + (self._width[last] or end - self._at[last])


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Find where the index form differs from the text: start, end, form of the piece."""
    if unicodedata.is_normalized("NFKC", text):
        for match in _any_of(_SPECIAL + _GREEK_LETTERS).finditer(text):
            yield match.start(), match.end(), index_form(match.group())
        return
    for run in _BEYOND_ASCII.finditer(text):
        start, stop = run.span()
        while start < stop:
            end = start + 1
            # A character and what may join it are normalised as one piece.
            while end < stop and _joins(text[end]):
                end += 1
            piece = text[start:end]
            form = _form_of_short(piece) if end - start <= _SHORT else _form_of_piece(piece)
            if form != piece:
                yield start, end, form
            start = end


@lru_cache(8192)
def _joins(char: str) -> bool:
    """Whether normalisation may join a character to the one before it."""
    if char < "\u0300":
        return False
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1100" <= char <= "\u11ff"
        or char in "\uff9e\uff9f"
        or _decomposes_to_mark(char)
    )


def _decomposes_to_mark(char: str) -> bool:
    """Whether a character's compatibility form begins with a mark, as of spacing accents."""
    return unicodedata.category(unicodedata.normalize("NFKC", char)[0])[0] == "M"


class ByteMap:
    """Maps between code points of a text and bytes of its UTF-8 form; lone surrogates count three bytes."""

    __slots__ = ("_bytes", "_points")

    def __init__(self, text: str) -> None:
        # After each code point that is no ASCII: where the next one begins, in code points and in bytes.
        self._points: list[int] = [0]
        self._bytes: list[int] = [0]
        if text.isascii():
            return
        more = 0
        for match in _WIDE.finditer(text):
            char = match.group()
            more += 1 if char < "\u0800" else 2 if char < "\U00010000" else 3
            self._points.append(match.end())
            self._bytes.append(match.end() + more)

    def to_byte(self, point: int) -> int:
        """The byte at which a code point begins (or the byte length, for the text's length)."""
        slot = bisect_right(self._points, point) - 1
        return self._bytes[slot] + point - self._points[slot]

    def to_point(self, byte: int) -> int:
        """The code point whose bytes hold ``byte``."""
        slot = bisect_right(self._bytes, byte) - 1
        point = self._points[slot] + byte - self._bytes[slot]
        # Inside a wide code point the count runs past it.
        return min(point, self._points[slot + 1] - 1) if slot + 1 < len(self._points) else point


_WIDE = re.compile(r"[^\x00-\x7f]")
