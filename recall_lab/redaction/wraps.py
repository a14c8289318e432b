"""A token that a terminal or a mail program broke into lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recall_lab.redaction.records import Spot

_BREAK = re.compile(r"(?:\\[ \t]?)?(?:\r?\n|\\+r\\+n|\\+n)[ \t>|+\"']{0,24}")
_PART = re.compile(r"[A-Za-z0-9_.+/=-]{1,600}")
_MOST_PARTS = 8


def read_wrapped(text: str, start: int, end: int, tokens: Callable[[str], Iterator[Spot]]) -> Iterator[Spot]:
    """Put the parts of a broken token together and look at the whole.

    Only a token that is none without its later parts counts, so that the line after a whole token stays.

    Args:
        text: The text.
        start: Where the first part starts.
        end: Where it ends.
        tokens: Finds the tokens of a text.
    """
    parts = [(start, end)]
    at = end
    while len(parts) < _MOST_PARTS:
        gap = _BREAK.match(text, at)
        part = _PART.match(text, gap.end()) if gap else None
        if not part:
            break
        parts.append(part.span())
        at = part.end()
    if any(spot.start == 0 for spot in tokens(text[start:end])):
        return
    joined = ""
    for low, high in parts:
        joined += text[low:high]
        for spot in tokens(joined):
            if spot.start == 0 and spot.end > end - start:
                yield Spot(start, high - (len(joined) - spot.end), spot.kind)
                return
