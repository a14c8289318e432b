"""Many texts as few buffers, and findings mapped back to their text.

The detector works on UTF-8 bytes. Each call has a cost of its own, so short texts are joined; and each place that it
reports costs it a second look at what stands before it in the buffer, so buffers do not become large.
Texts are joined with a separator that no used rule crosses: it starts and ends with a line break, and between them
stands a run of unit separators (U+001F), which is no white space and no word character, longer than any gap that a
used rule may leave between a word and its value. Every text has the separator on both sides, also the first and the
last, so that a text's findings do not depend on its neighbours.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

SEPARATOR = b"\n" + b"\x1f" * 100 + b"\n"
BUFFER_BYTES = 32_000

_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that start no character


class Buffer:
    """Encoded texts, joined; ``first`` is the place of its first text in the sequence that was cut into buffers."""

    def __init__(self, first: int, texts: Sequence[str], encoded: Sequence[bytes]) -> None:
        self.first = first
        self.texts = texts
        self._encoded = encoded
        data = SEPARATOR.join((b"", *encoded, b""))
        if b"\0" in data:  # detectors tell binary data by it
            data = data.replace(b"\0", b"\x01")
        # The bundled rules for private keys look from every start for an end; files.read_private_keys takes one pass.
        self.data = data.replace(b"-----BEGIN", b"-----BEG\x01N") if b"-----BEGIN" in data else data
        step = len(SEPARATOR)
        lengths = [len(part) + step for part in encoded]
        self._starts = list(accumulate(lengths[:-1], initial=step))

    def locate(self, spans: Sequence[tuple[int, int, str]]) -> dict[int, list[tuple[int, int, str]]]:
        """Map byte spans of the buffer to code points of single texts.

        Args:
            spans: (start, end, rule) in bytes of ``data``.

        Returns:
            For the index of each text in the whole sequence its (start, end, rule), in code points; a span is cut at
            its text's borders, and what lies in a separator is dropped.
        """
        by_text: dict[int, list[tuple[int, int, str]]] = {}
        for start, end, rule in spans:
            index = max(0, bisect_right(self._starts, start) - 1)
            base = self._starts[index]
            low, high = max(0, start - base), min(len(self._encoded[index]), end - base)
            if low < high:
                by_text.setdefault(index, []).append((low, high, rule))
        located: dict[int, list[tuple[int, int, str]]] = {}
        for index, found in by_text.items():
            if len(self._encoded[index]) == len(self.texts[index]):
                located[self.first + index] = found
            else:
                points = self._code_points(index, sorted({point for low, high, _ in found for point in (low, high)}))
                located[self.first + index] = [(points[low], points[high], rule) for low, high, rule in found]
        return located

    def _code_points(self, index: int, offsets: Sequence[int]) -> dict[int, int]:
        """Code points before each of the ascending byte offsets of one text; one inside a character counts it."""
        data = self._encoded[index]
        points: dict[int, int] = {}
        seen = before = 0
        for offset in offsets:
            seen += len(data[before:offset].translate(None, _CONTINUATION))
            points[offset] = seen
            before = offset
        return points


def cut(texts: Sequence[str], size: int = BUFFER_BYTES) -> Iterator[Buffer]:
    """Yield buffers of about ``size`` bytes (a longer text gets one of its own)."""
    first = 0
    encoded: list[bytes] = []
    filled = 0
    for index, text in enumerate(texts):
        # A lone surrogate has no UTF-8: it becomes a question mark, which is one code point, too.
        part = text.encode("utf-8", "replace")
        if encoded and filled + len(part) > size:
            yield Buffer(first, texts[first:index], encoded)
            first, encoded, filled = index, [], 0
        encoded.append(part)
        filled += len(part) + len(SEPARATOR)
    if encoded:
        yield Buffer(first, texts[first:], encoded)
