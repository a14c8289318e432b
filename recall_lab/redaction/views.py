"""The text as a reader sees it: terminal colours and invisible characters left out, with the way back.

A colour code or a zero-width character inside a secret hides it from every pattern. Where a text has such characters,
the detector looks at a view without them, and its findings are mapped back so that they cover what was left out, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from recall_lab.redaction.records import Finding

# ECMA-48 control sequences (CSI), operating system commands (OSC), other two-character escapes; the same escapes as
# text, as JSON and source code write them; zero-width and soft characters.
_UNSEEN = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\^_]|\x1b[()][A-Z0-9]|"
    "\\\\{1,7}(?:u001[bB]|x1[bB]|033|e)\\[[0-9;:]{0,32}[mK]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"
)


class View:
    """A text without its unseen characters; ``text`` is what is left."""

    def __init__(self, original: str) -> None:
        pieces: list[str] = []
        cuts: list[int] = []  # where, in the view, something was left out
        widths: list[int] = []
        before = size = 0
        for unseen in _UNSEEN.finditer(original):
            piece = original[before : unseen.start()]
            pieces.append(piece)
            size += len(piece)
            cuts.append(size)
            widths.append(unseen.end() - unseen.start())
            before = unseen.end()
        pieces.append(original[before:])
        self.text = "".join(pieces) if cuts else original
        self._cuts = cuts
        self._widths = list(accumulate(widths, initial=0))

    def original(self, finding: Finding) -> Finding:
        """The finding in the original, where it covers what was left out inside it."""
        start, end = self._original(finding.start), self._original(finding.end - 1) + 1
        return Finding(start=start, end=end, kind=finding.kind, rule=finding.rule)

    def _original(self, point: int) -> int:
        return point + self._widths[bisect_right(self._cuts, point)]
