"""Parts of a message or a tool's output as text, and placeholders for what is never kept."""

from __future__ import annotations

import re
from typing import Any

from recall_lab.hosts._text import base64_size, placeholder

_DATA_URL = re.compile(r"data:([\w.+-]{1,64}/[\w.+-]{1,64})?(?:;[\w.=-]{1,64}){0,8};base64,([A-Za-z0-9+/=_-]*)")
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}")
_TAG = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")
_IMAGES = frozenset({"input_image", "output_image", "image"})
_FILES = frozenset({"input_file", "file", "document", "input_audio", "audio", "resource"})
PART_TYPES = frozenset({"text", "input_text", "output_text", "refusal", "encrypted_content"}) | _IMAGES | _FILES
_LONG_TAG = 400  # characters; it may name a file
_WORDS = 200  # base64 of fewer characters may be a word of the text


def part_text(part: Any) -> str:
    """Return a content part as text: its words, or a placeholder; empty for what is never kept."""
    if isinstance(part, str):
        return without_data(part)
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, str):
        return without_data(text)
    kind = part.get("type")
    if not isinstance(kind, str):
        return ""
    if kind in _IMAGES:
        return image_text(part.get("image_url") or part.get("url") or part.get("data"), part.get("mimeType"))
    if kind in _FILES:
        data = part.get("file_data") or part.get("data") or part.get("blob")
        size = base64_size(data) if isinstance(data, str) else None
        return placeholder(kind.removeprefix("input_"), _media_type(part.get("mimeType")), size)
    return ""


def parts_text(parts: list[Any]) -> str:
    """Return the parts of a tool's output as one text, a line break between them."""
    return "\n".join(text for part in parts if (text := part_text(part)))


def part_words(part: Any) -> str | None:
    """Return a part's words as they stand; None for a picture or anything else."""
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def message_words(content: Any) -> list[str]:
    """Return the words of a message, part by part, without the tags around pictures."""
    parts = content if isinstance(content, list) else [content]
    return [
        text for part, tag in zip(parts, tags(parts), strict=True) if not tag and (text := part_words(part)) is not None
    ]


def tags(parts: list[Any]) -> list[bool]:
    """Say of each part of a message whether it is only the tag that the host puts before or after a picture in it."""
    if not any(isinstance(part, dict) and part.get("type") == "input_image" for part in parts):
        return [False] * len(parts)
    return [
        text is not None and len(text) < _LONG_TAG and bool(_TAG.fullmatch(text)) for text in map(part_words, parts)
    ]


def is_blank(text: str) -> bool:
    """Say whether a text is empty or white space only."""
    return not text or text.isspace()


def image_text(source: Any, media_type: Any = None) -> str:
    """Return what stands for a picture: its type and size in bytes, or where it lies."""
    if isinstance(source, dict):
        source = source.get("url")
    if not isinstance(source, str):
        return placeholder("image", _media_type(media_type), None)
    if match := _DATA_URL.match(source):
        return placeholder("image", match[1], base64_size(match[2]))
    if source.startswith(("http://", "https://", "file://")) or len(source) < _WORDS:
        return f"[image: {source}]"
    return placeholder("image", _media_type(media_type), base64_size(source))


def without_data(text: str) -> str:
    """Return text with embedded pictures and documents replaced by their type and size."""
    return _DATA_URL.sub(_replaced, text) if ";base64," in text else text


def _replaced(match: re.Match[str]) -> str:
    return match[0] if len(match[2]) < _WORDS else placeholder("data", match[1], base64_size(match[2]))


def _media_type(value: Any) -> str | None:
    return value if isinstance(value, str) and _MEDIA_TYPE.fullmatch(value) else None
