"""Parts of a message, and placeholders for what is never kept."""

from __future__ import annotations

import re
from typing import Any

_DATA_URL = re.compile(r"data:([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)?(?:;[A-Za-z0-9=.-]+)*;base64,([A-Za-z0-9+/=_-]*)")
_WRAPPER = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")
_KEPT_DATA = 200  # characters of base64 that are no picture yet


def part_text(part: Any) -> str | None:
    """Return a content part as text: its words, or a placeholder; None for what is never kept."""
    if isinstance(part, str):
        return without_data(part)
    if not isinstance(part, dict):
        return None
    text = part.get("text")
    if isinstance(text, str):
        return without_data(text)
    kind = part.get("type")
    if kind in {"input_image", "image", "output_image"}:
        return image_placeholder(part.get("image_url") or part.get("url") or part.get("data"), part.get("mimeType"))
    if kind in {"input_file", "file", "document", "input_audio", "audio"}:
        data = part.get("file_data") or part.get("data")
        return f"[{str(kind).removeprefix('input_')}: {_size(data)}]"
    return None


def parts_text(parts: list[Any]) -> str:
    """Return the parts of a tool's output as one text."""
    return "\n".join(text for part in parts if (text := part_text(part)) is not None)


def is_wrapper(part: Any, parts: list[Any]) -> bool:
    """Say whether a text part is only the tag that the host puts around a picture."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return False
    if not any(isinstance(other, dict) and other.get("type") == "input_image" for other in parts):
        return False
    return len(part["text"]) < 300 and _WRAPPER.fullmatch(part["text"]) is not None


def image_placeholder(source: Any, media_type: Any = None) -> str:
    """Return what stands for a picture: its type and size in bytes, or where it lies."""
    if isinstance(source, dict):
        source = source.get("url")
    if not isinstance(source, str):
        return "[image]"
    match = _DATA_URL.match(source)
    if match:
        return f"[image: {match[1] or 'unknown type'}, {_bytes(match[2]):,} bytes]"
    if source.startswith(("http://", "https://")) or len(source) < _KEPT_DATA:
        return f"[image: {source}]"
    kind = media_type if isinstance(media_type, str) else "unknown type"
    return f"[image: {kind}, {_bytes(source):,} bytes]"


def without_data(text: str) -> str:
    """Return text with embedded pictures and documents replaced by their type and size."""
    if ";base64," not in text:
        return text
    return _DATA_URL.sub(
        lambda match: (
            f"[data: {match[1] or 'unknown type'}, {_bytes(match[2]):,} bytes]"
            if len(match[2]) > _KEPT_DATA
            else match[0]
        ),
        text,
    )


def _bytes(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4


def _size(data: Any) -> str:
    return f"{_bytes(data):,} bytes" if isinstance(data, str) else "no data"
