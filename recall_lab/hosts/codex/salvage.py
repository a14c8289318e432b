"""What can be had from a line that is not one plain JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

_DECODER = json.JSONDecoder(strict=False)
_START = re.compile(r'\{\s*"(?:timestamp|type|id|record_type|payload)"')
_SPACE = re.compile(r"\s*")
_MAX_TRIES = 64  # starts of an object that are tried in one line, so that hostile lines cost linear time
_BAD_BYTES = "bytes that are not UTF-8 were replaced"


class Piece(msgspec.Struct, frozen=True):
    """A stretch of a line, bytes from its start: an object, or (``value`` None) what is none, and why."""

    start: int
    value: dict[str, Any] | None
    reason: str | None = None


def salvage(data: bytes, accepts: Callable[[dict[str, Any]], bool], *, ended: bool) -> list[Piece]:
    """Split a line into the JSON objects it holds and the stretches between them.

    Args:
        data: The line, without its newline.
        accepts: Whether an object found after a tear is a record; nested objects look alike.
        ended: Whether the line is finished; what is torn at the end of an unfinished one is not searched.

    Returns:
        At least one piece, in order; each reaches to the start of the next.
    """
    text = data.decode("utf-8", "surrogateescape")
    note = _BAD_BYTES if not _is_utf8(data) else None
    pieces: list[Piece] = []
    at = 1 if text.startswith("\ufeff") else 0
    tries, torn, byte, counted = 0, False, 0, 0
    why = "not JSON"

    def offset(position: int) -> int:
        nonlocal byte, counted
        byte += len(text[counted:position].encode("utf-8", "surrogateescape"))
        counted = position
        return byte

    while True:
        match = _SPACE.match(text, at)
        at = match.end() if match else at
        if at >= len(text):
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            why = _why(error)
            value, end = None, at
        if isinstance(value, dict) and (not torn or accepts(value)):
            pieces.append(Piece(offset(at), _cleaned(value), note))
            at, torn = end, False
            continue
        if value is not None and not isinstance(value, dict):
            why = "JSON, but not an object"
        if not torn:
            pieces.append(Piece(offset(at), None, why))
            torn = True
        tries += 1
        next_start = _START.search(text, max(end, at + 1))
        if next_start is None or tries >= _MAX_TRIES or not ended:
            break
        at = next_start.start()
    return pieces or [Piece(0, None, why)]


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.partition(':')[0].lower()} at character {error.pos}"
    return "nested too deeply" if isinstance(error, RecursionError) else "not JSON"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _cleaned(value: Any) -> Any:
    """Return the value with what stands for bad bytes, and lone surrogates, as U+FFFD."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return value
