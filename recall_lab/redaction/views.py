"""The text as a reader sees it: terminal colours and invisible characters left out, with the way back.

A colour code or a zero-width character inside a secret hides it from every pattern. Around such characters the detector
looks again at a view without them, and its findings are mapped back so that they cover what was left out, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from recall_lab.redaction.records import Finding

# ECMA-48 control sequences (CSI), operating system commands (OSC), other two-character escapes; the same escapes as
# text, as JSON and source code write them; zero-width and soft characters.
_UNSEEN = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\^_]|\x1b[()][A-Z0-9]|"
    "\\\\{1,7}(?:u001[bB]|x1[bB]|033|e)\\[[0-9;:]{0,32}[mK]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"
)


_LONGEST_ESCAPE = 80
_MARGIN = 400  # code points on either side of what is left out that a view shows


class View:
    """A part of a text without its unseen characters; ``text`` is what is left of ``original[start:end]``."""

    def __init__(self, original: str, start: int, end: int) -> None:
        pieces: list[str] = []
        cuts: list[int] = []  # where, in the view, something was left out
        widths: list[int] = []
        before, size = start, 0
        for unseen in _UNSEEN.finditer(original, start, end):
            piece = original[before : unseen.start()]
            pieces.append(piece)
            size += len(piece)
            cuts.append(size)
            widths.append(unseen.end() - unseen.start())
            before = unseen.end()
        pieces.append(original[before:end])
        self.text = "".join(pieces)
        self._start = start
        self._cuts = cuts
        self._widths = list(accumulate(widths, initial=0))

    def original(self, finding: Finding) -> Finding:
        """The finding in the original, where it covers what was left out inside it."""
        start, end = self._original(finding.start), self._original(finding.end - 1) + 1
        return Finding(start=start, end=end, kind=finding.kind, rule=finding.rule)

    def _original(self, point: int) -> int:
        return self._start + point + self._widths[bisect_right(self._cuts, point)]


def views_of(text: str) -> list[View]:
    """Views of the surroundings of unseen characters; a text that is full of them gives one view of the whole."""
    windows: list[list[int]] = []
    for unseen in _UNSEEN.finditer(text):
        low, high = max(0, unseen.start() - _MARGIN), min(len(text), unseen.end() + _MARGIN)
        if windows and low <= windows[-1][1]:
            windows[-1][1] = high
        else:
            windows.append([low, high])
    return [View(text, low, high) for low, high in windows]


def without_unseen(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those findings that hold nothing unseen; the views tell the others better."""
    for finding in findings:
        around = _UNSEEN.finditer(text, max(0, finding.start - _LONGEST_ESCAPE), finding.end)
        if not any(unseen.end() > finding.start for unseen in around):
            yield finding
