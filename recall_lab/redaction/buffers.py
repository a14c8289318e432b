"""Many texts as few buffers, and findings mapped back to their text.

The detector works on UTF-8 bytes. Each call has a cost of its own, so short texts are joined; and each place that it
reports costs it a second look at what stands before it in the buffer, so buffers do not become large: a long text is
cut into pieces. Texts are joined with a separator that no used rule crosses: it starts and ends with a line break, and
between them stands a run of unit separators (U+001F), which is no white space and no word character, longer than any
gap that a used rule may leave between a word and its value. Every text has the separator on both sides, also the first
and the last, so that a text's findings do not depend on its neighbours.

The pieces of a long text overlap by more than a match is long. What a piece reports near a cut counts for nothing: it
may be part of something, or whole only because of the cut. The next piece shows the same place with all around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

SEPARATOR = b"\n" + b"\x1f" * 100 + b"\n"
BUFFER_BYTES = 32_000
PIECE_BYTES = 64_000  # of a text that is cut
OVERLAP_BYTES = 8_000
_NEAR_CUT_BYTES = 1_000

_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that start no character


class Piece(NamedTuple):
    """Where a part of a text stands in it: code points before it, and whether text goes on before and after."""

    points: int = 0
    cut_before: bool = False
    cut_after: bool = False


_WHOLE = Piece()


class Buffer:
    """Encoded texts, joined, or a piece of one; ``first`` is the place of its first text in the sequence of all."""

    def __init__(self, first: int, texts: Sequence[str], encoded: Sequence[bytes], piece: Piece = _WHOLE) -> None:
        self.first = first
        self.texts = texts
        self.piece = piece
        self._encoded = encoded
        data = SEPARATOR.join((b"", *encoded, b""))
        if b"\0" in data:  # detectors tell binary data by it
            data = data.replace(b"\0", b"\x01")
        # The bundled rules for private keys look from every start for an end; files.read_private_keys takes one pass.
        self.data = data.replace(b"-----BEGIN", b"-----BEG\x01N") if b"-----BEGIN" in data else data

    def locate(self, spans: Sequence[tuple[int, int, str]]) -> dict[int, list[tuple[int, int, str]]]:
        """Map byte spans of the buffer to code points of single texts.

        Args:
            spans: (start, end, rule) in bytes of ``data``.

        Returns:
            For the index of each text in the whole sequence its (start, end, rule), in code points; a span is cut at
            its text's borders, and what lies in a separator or near a cut is dropped.
        """
        if not spans:
            return {}
        step = len(SEPARATOR)
        starts = list(accumulate((len(part) + step for part in self._encoded[:-1]), initial=step))
        by_text: dict[int, list[tuple[int, int, str]]] = {}
        for start, end, rule in spans:
            index = max(0, bisect_right(starts, start) - 1)
            base = starts[index]
            low, high = max(0, start - base), min(len(self._encoded[index]), end - base)
            if low < high and not self._near_cut(low, high):
                by_text.setdefault(index, []).append((low, high, rule))
        return {self.first + index: self._in_points(index, found) for index, found in by_text.items()}

    def _near_cut(self, low: int, high: int) -> bool:
        return (self.piece.cut_before and low < _NEAR_CUT_BYTES) or (
            self.piece.cut_after and high > len(self._encoded[0]) - _NEAR_CUT_BYTES
        )

    def _in_points(self, index: int, found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
        before = self.piece.points
        if self._encoded[index].isascii():
            return [(low + before, high + before, rule) for low, high, rule in found] if before else found
        points = self._code_points(index, sorted({point for low, high, _ in found for point in (low, high)}))
        return [(points[low] + before, points[high] + before, rule) for low, high, rule in found]

    def _code_points(self, index: int, offsets: Sequence[int]) -> dict[int, int]:
        """Code points before each of the ascending byte offsets of one text; one inside a character counts it."""
        data = self._encoded[index]
        points: dict[int, int] = {}
        seen = before = 0
        for offset in offsets:
            seen += _points(data[before:offset])
            points[offset] = seen
            before = offset
        return points


def cut(texts: Sequence[str], size: int = BUFFER_BYTES) -> Iterator[Buffer]:
    """Yield buffers of about ``size`` bytes; a longer text gets some of its own, which follow one another."""
    first = 0
    encoded: list[bytes] = []
    filled = 0
    for index, text in enumerate(texts):
        # A lone surrogate has no UTF-8: it becomes a question mark, which is one code point, too.
        part = text.encode("utf-8", "replace")
        long = len(part) > PIECE_BYTES
        if encoded and (long or filled + len(part) > size):
            yield Buffer(first, texts[first:index], encoded)
            first, encoded, filled = index, [], 0
        if long:
            for piece, data in _pieces(part):
                yield Buffer(index, (text,), (data,), piece)
            first = index + 1
            continue
        encoded.append(part)
        filled += len(part) + len(SEPARATOR)
    if encoded:
        yield Buffer(first, texts[first:], encoded)


def _pieces(data: bytes) -> Iterator[tuple[Piece, bytes]]:
    """Cut an encoded text into overlapping pieces, at the borders of characters."""
    start = points = 0
    while start < len(data):
        end = _border(data, start + PIECE_BYTES)
        yield Piece(points, start > 0, end < len(data)), data[start:end]
        if end == len(data):
            return
        following = _border(data, end - OVERLAP_BYTES)
        points += _points(data[start:following])
        start = following


def _border(data: bytes, at: int) -> int:
    at = min(at, len(data))
    while at < len(data) and 0x80 <= data[at] < 0xC0:
        at -= 1
    return at


def _points(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.translate(None, _CONTINUATION))
