"""The text as a reader sees it: terminal colours and invisible characters left out, with the way back.

A colour code or a zero-width character inside a secret hides it from every pattern. Around such characters the detector
looks again at a view without them, and its findings are mapped back so that they cover what was left out, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from recall_lab.redaction.records import Finding

# ECMA-48 control sequences (CSI), operating system commands (OSC), other two-character escapes; the same escapes as
# text, as JSON and source code write them; zero-width and soft characters. Each alternative starts with one certain
# character, which is what lets the search skip all others.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_UNSEEN = re.compile(
    "\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\\\)|[@-Z\\\\^_]|[()][A-Z0-9])|"
    "\\\\\\\\{0,6}(?:u001[bB]|x1[bB]|033|e)\\[[0-9;:]{0,32}[mK]|"
    + "|".join(f"{character}[{_INVISIBLE}]*" for character in _INVISIBLE)
)

_LONGEST_ESCAPE = 80
_MARGIN = 400  # code points on either side of what is left out that a view shows


class View:
    """A part of a text without the spans of unseen characters in it, and with what stands around them."""

    def __init__(self, original: str, unseen: Sequence[tuple[int, int]]) -> None:
        self._start = max(0, unseen[0][0] - _MARGIN)
        borders = [(self._start, self._start), *unseen, (len(original), 0)]
        pieces = [original[after:before] for (_, after), (before, _) in pairwise(borders)]
        pieces[-1] = pieces[-1][:_MARGIN]
        self.text = "".join(pieces)
        self._cuts = list(accumulate(map(len, pieces[:-1])))  # where, in the view, something was left out
        self._widths = list(accumulate((end - start for start, end in unseen), initial=0))

    def original(self, finding: Finding) -> Finding:
        """The finding in the original, where it covers what was left out inside it."""
        start, end = self._original(finding.start), self._original(finding.end - 1) + 1
        return Finding(start=start, end=end, kind=finding.kind, rule=finding.rule)

    def _original(self, point: int) -> int:
        return self._start + point + self._widths[bisect_right(self._cuts, point)]


def views_of(text: str) -> list[View]:
    """Views of the surroundings of unseen characters; a text that is full of them gives one view of the whole."""
    views: list[View] = []
    near: list[tuple[int, int]] = []
    for found in _UNSEEN.finditer(text):
        span = found.span()
        if near and span[0] - near[-1][1] > 2 * _MARGIN:
            views.append(View(text, near))
            near = []
        near.append(span)
    return [*views, View(text, near)] if near else views


def without_unseen(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those findings that hold nothing unseen; the views tell the others better."""
    for finding in findings:
        around = _UNSEEN.finditer(text, max(0, finding.start - _LONGEST_ESCAPE), finding.end)
        if not any(unseen.end() > finding.start for unseen in around):
            yield finding
