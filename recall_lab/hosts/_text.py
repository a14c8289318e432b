"""How a tool's request and an image read as text; the same form for every host."""

from __future__ import annotations

import json
from typing import Any

_DEEP = 6  # levels that are laid out; what lies deeper is compact JSON
_INDENT = "  "
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def request_text(tool: str | None, request: object) -> str:
    r"""Return a tool's request as text: whole, readable, the same for the same request.

    The first line is the tool's name. Then the request's fields, one ``key: value`` each, in the order in which the
    host wrote them. Strings stand as they are, with their real newlines and no quotes: one of several lines begins on
    the line after its key and is not indented, so that its lines can be searched and quoted exactly. Objects and lists
    are laid out below their key by two spaces a level, a list's items with ``- `` in front; numbers, true, false, null,
    empty objects and lists, and what lies deeper than six levels are compact JSON.

    >>> print(request_text("Edit", {"file_path": "/a.py", "old_string": "x = 1\ny = 2", "replace_all": False}))
    Edit
    file_path: /a.py
    old_string:
    x = 1
    y = 2
    replace_all: false
    """
    lines = [tool or "tool"]
    if isinstance(request, dict) and request:
        _fields(request, "", 0, lines)
    elif isinstance(request, list) and request:
        _items(request, "", 0, lines)
    elif isinstance(request, str):
        lines.append(request)
    elif request not in (None, {}, []):
        lines.append(_compact(request))
    return "\n".join(lines)


def placeholder(kind: str | None, media_type: str | None, size: int | None) -> str:
    """Return what stands in place of an image or a document: ``[image: image/png, 1,234 bytes]``."""
    facts = [fact for fact in (media_type, f"{size:,} bytes" if size is not None else None) if fact]
    return f"[{kind or 'file'}: {', '.join(facts)}]" if facts else f"[{kind or 'file'}]"


def base64_size(data: str) -> int:
    """Return how many bytes base64 text stands for."""
    return max(len(data) * 3 // 4 - data[-2:].count("="), 0)


def _fields(found: dict[str, Any], indent: str, level: int, lines: list[str]) -> None:
    for key, value in found.items():
        _entry(f"{indent}{key}:", value, indent + _INDENT, level + 1, lines)


def _items(found: list[Any], indent: str, level: int, lines: list[str]) -> None:
    for value in found:
        if isinstance(value, dict) and value and level + 1 < _DEEP:
            inner: list[str] = []
            _fields(value, indent + _INDENT, level + 1, inner)
            lines.append(f"{indent}- {inner[0][len(indent) + 2 :]}")
            lines += inner[1:]
        else:
            _entry(f"{indent}-", value, indent + _INDENT, level + 1, lines)


def _entry(head: str, value: object, indent: str, level: int, lines: list[str]) -> None:
    if isinstance(value, str):
        lines.append(f"{head}\n{value}" if "\n" in value else f"{head} {value}")
    elif value and level < _DEEP and isinstance(value, dict):
        lines.append(head)
        _fields(value, indent, level, lines)
    elif value and level < _DEEP and isinstance(value, list):
        lines.append(head)
        _items(value, indent, level, lines)
    else:
        lines.append(f"{head} {_compact(value)}")


def _compact(value: object) -> str:
    if type(value) is int:
        return str(value)  # the encoder takes far longer to say the same
    try:
        return _ENCODE(value)
    except RecursionError:
        return "[nested too deep]"
