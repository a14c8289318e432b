"""Small things that most transcripts hold, read the same way for every host: media, failures, counts, tool names."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from recall_lab.hosts._text import base64_size, placeholder

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}")
_DATA_URL = re.compile(r"data:([\w.+-]{1,64}/[\w.+-]{1,64})?[^,]{0,200},")
_ERROR_LENGTH = 200  # code points
_MOST = 2**53  # counts beyond it are no counts


def media_text(
    kind: str | None, media_type: str | None = None, data: str | None = None, size: int | None = None
) -> str:
    """Return what stands in place of an image or document.

    Args:
        kind: ``image``, ``document``, ``audio`` …
        media_type: As the host logged it; left out when it is none.
        data: The content, base64 or a data URL, where it is at hand; only its size is used.
        size: The size in bytes, where the host logged that.
    """
    if data is not None and (match := _DATA_URL.match(data)):
        media_type, data = media_type or match[1], data[match.end() :]
    elif data is not None and re.match(r"[a-z][a-z0-9+.-]{0,20}:", data):
        data = None  # a link to it
    if data is not None and size is None:
        size = base64_size(data)
    plain = media_type if media_type and _MEDIA_TYPE.fullmatch(media_type) else None
    return placeholder(kind, plain, size if size is not None and 0 <= size < _MOST else None)


def first_line(text: str | None) -> str | None:
    """Return the first line with words of a failure, at most 200 code points."""
    lines = (line.strip() for line in (text or "")[:4000].split("\n"))
    return next((line[:_ERROR_LENGTH] for line in lines if line), None)


def count(value: float | None) -> int:
    """Return a count that a host logged; 0 for what is none."""
    return int(value) if value is not None and 0 <= value < _MOST else 0


def cost(value: float | None) -> float | None:
    """Return a price in dollars that a host logged; None where it logged none, or zero for want of one."""
    return value if value is not None and 0 < value < _MOST else None


def joined(texts: Iterable[str | None]) -> str:
    """Return texts with a line break between them; empty ones are left out."""
    return "\n".join(text for text in texts if text)


def decoded(arguments: object) -> object:
    """Return a tool's arguments: an object that was logged as JSON text is read, anything else stands as it is."""
    if isinstance(arguments, str) and arguments[:1] in {"{", "["}:
        try:
            return msgspec.json.decode(arguments)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return arguments
    return arguments
