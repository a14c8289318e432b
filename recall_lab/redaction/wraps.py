"""A token that a terminal, a mail program or an editor broke into lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recall_lab.redaction import shapes
from recall_lab.redaction.records import Spot

_BREAK = re.compile(r"(?:\\[ \t]?)?(?:\r?\n|\\+r\\+n|\\+n)[ \t>|+\"']{0,24}")
_PART = re.compile(r"[A-Za-z0-9_.+/=-]{1,600}")
_AFTER_PART = re.compile(r"[\s\"'`,;)\]}\\|]|\Z")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]*=+[^=]")  # the next line's own name and value
_MOST_PARTS = 8
_WIDTHS = frozenset((64, 72, 76, 79, 80, 100, 120, 132, 160))
_NARROWEST = 40  # columns; a shorter line was ended, not wrapped


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
    if len(parts) == 1 or any(spot.start == 0 for spot in tokens(text[start:end])):
        return
    joined = ""
    for low, high in parts:
        joined += text[low:high]
        for spot in tokens(joined):
            if spot.start == 0 and spot.end > end - start:
                yield Spot(start, high - (len(joined) - spot.end), spot.kind)
                return
    yield Spot(start, at, "")


def extended(text: str, end: int) -> int:
    """The end of a secret that goes on in the next lines.

    The secret has to reach the end of its line, and the next line to start with something random that is not the name
    of a value of its own; where the line is too short to have been wrapped, with something long and random.
    """
    for _ in range(_MOST_PARTS):
        gap = _BREAK.match(text, end)
        part = _PART.match(text, gap.end()) if gap else None
        if not gap or not part or not _AFTER_PART.match(text, part.end()):
            return end
        wide = end - (text.rfind("\n", max(0, end - _NARROWEST), end) + 1) >= _NARROWEST
        if not (_goes_on(part[0], wide=wide) or ("\n" in gap[0] and _fills_line(text, end, *part.span()))):
            return end
        end = part.end()
    return end


def _fills_line(text: str, end: int, start: int, after: int) -> bool:
    """Does the secret end where terminals wrap, and a short rest of it fill the next line?"""
    rest = text[start:after]
    columns = end - (text.rfind("\n", max(0, end - 200), end) + 1)
    if columns not in _WIDTHS or text[after : after + 1].strip("\"'") not in ("", "\n", "\r"):
        return False
    if _ASSIGNED.match(rest) or (rest.isalpha() and rest.isupper() and len(rest) > 2):
        return False
    return len(rest) < 4 or (len(rest) <= 12 and _is_mixed(rest))


def joined(text: str, start: int, end: int) -> str:
    """The secret without its line breaks."""
    return _BREAK.sub("", text[start:end])


def _is_mixed(part: str) -> bool:
    return any(map(str.isdigit, part)) or bool(_INNER_CAPITAL.search(part))


def _goes_on(part: str, *, wide: bool) -> bool:
    if not _is_mixed(part) or shapes.is_known_shape(part) or _ASSIGNED.match(part):
        return False
    if len(part) < 4:
        return wide
    return (
        shapes.oddness(part) >= 0.3
        if wide
        else shapes.looks_random(part, shortest=8, odd=0.6) and not shapes.HEX.match(part)
    )
