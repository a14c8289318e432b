"""How a quotation is printed so that it can be read back exactly; pure.

Most texts are printed as they are. A text that holds characters which are invisible, reorder what stands around them,
or do not survive a file's encoding and line ends, is printed as a JSON string with these characters written as escapes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from recall_lab.evidence.receipts import SCHEME
from recall_lab.model import Record

# C0 without tab and newline, DEL and C1, direction marks and overrides, line and paragraph separators, a byte order
# mark, noncharacters, lone surrogates.
_FRAGILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)


class Quotation(Record, frozen=True):
    """A receipt with the words that a file prints for it; ``text`` is None where it prints none."""

    receipt: str
    text: str | None
    prefix: str = ""
    suffix: str = ""
    content_hash: str = ""  # the whole hash, where the file gives it


class Contents(Record, frozen=True):
    """What ``verify`` finds in a file.

    ``bare`` are receipts without printed words, ``damaged`` what is no longer a receipt or a quotation, ``declared``
    how many quotations the file says it has, None where it says nothing. ``sealed`` says whether it is as it was saved,
    None where it has no seal.
    """

    quotations: tuple[Quotation, ...]
    bare: tuple[str, ...] = ()
    damaged: tuple[tuple[str, str], ...] = ()  # (what stands there, what is wrong with it)
    declared: int | None = None
    sealed: bool | None = None


def is_fragile(text: str) -> bool:
    """Say whether a text has to be printed as a JSON string."""
    return _FRAGILE.search(text) is not None


def as_json(value: Any, indent: int | None = None) -> str:
    """Return JSON in which fragile characters are escapes and all others stand as they are."""
    return _FRAGILE.sub(_escape, json.dumps(value, ensure_ascii=False, indent=indent))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def printed_text(shown: str, *, as_string: bool) -> str:
    """Return the text that is printed as ``shown``: itself, or what it says as a JSON string written by ``as_json``."""
    if not as_string:
        return shown
    try:
        text = json.loads(shown)
    except ValueError:
        return shown
    return text if isinstance(text, str) and as_json(text) == shown else shown


def one_line(text: str) -> str:
    """Return a text on one line, fragile characters replaced by U+FFFD."""
    return _FRAGILE.sub("\ufffd", " ".join(text.split()))


def label(text: str) -> str:
    """Return a title, name or reason on one line; what looks like a receipt in it is not printed as one."""
    return one_line(text).replace(SCHEME, SCHEME.replace(":", ": "))
