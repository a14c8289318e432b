"""Where the members of a JSON document stand, to the byte, without reading their values; linear, never raises.

The values themselves are decoded one by one by whoever wants them, so that a damaged one costs itself alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NEXT_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+[\[\]{}]', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,:\[\]{}\"]++")
_GAP = re.compile(rb"[\s,]*+")
_COLON = re.compile(rb"\s*+:\s*+")
_LINE_START = re.compile(rb"(?:\A|\n)\s*+(?=\S)")


class Member(msgspec.Struct, frozen=True):
    """A member of an object, or an element of an array (``key`` is empty): offsets of it, of its value, of its end.

    Of a member that the data ends in, ``end`` is the end of the data.
    """

    key: str
    start: int
    value: int
    end: int


class Container(msgspec.Struct, frozen=True):
    """An object or array, as far as the data goes.

    Attributes:
        start: Where its bracket stands.
        members: Its whole members, in order.
        end: After its closing bracket; where it is not whole, where reading stopped.
        state: ``whole``; ``cut`` when the data ends in it; ``broken`` when what stands at ``end`` is no JSON.
        partial: The member that the data ends in.
    """

    start: int
    members: list[Member]
    end: int
    state: Literal["whole", "cut", "broken"]
    partial: Member | None = None

    def find(self, key: str) -> Member | None:
        """Return the first member of this name, whole or not."""
        here = [*self.members, self.partial] if self.partial else self.members
        return next((member for member in here if member.key == key), None)


def value_end(data: bytes, at: int) -> int | None:
    """Return where the value that starts at ``at`` ends; None when the data ends first."""
    first = data[at : at + 1]
    if first == b'"':
        match = _STRING.match(data, at)
        return match.end() if match else None
    if first not in {b"{", b"["}:
        match = _SCALAR.match(data, at)
        return match.end() if match and match.end() < len(data) else None
    depth, at = 1, at + 1
    while depth:
        match = _NEXT_BRACKET.match(data, at)
        if match is None:
            return None
        at = match.end()
        depth += 1 if data[at - 1] in b"{[" else -1
    return at


def container(data: bytes, at: int) -> Container:
    """Read the object or array that starts at ``at``."""
    closing = b"}" if data[at : at + 1] == b"{" else b"]"
    keyed = closing == b"}"
    members: list[Member] = []
    begin, at = at, at + 1
    while True:
        at = _GAP.match(data, at).end()  # type: ignore[union-attr]
        if at >= len(data):
            return Container(begin, members, at, "cut")
        if data[at : at + 1] == closing:
            return Container(begin, members, at + 1, "whole")
        start, key = at, ""
        if keyed:
            found = _STRING.match(data, at)
            if found is None:
                return Container(begin, members, at, "cut" if data[at : at + 1] == b'"' else "broken")
            colon = _COLON.match(data, found.end())
            if colon is None:
                return Container(begin, members, at, "cut" if not data[found.end() :].strip() else "broken")
            key, at = _key(found[0]), colon.end()
            if at >= len(data):
                return Container(begin, members, start, "cut")
        if data[at : at + 1] in (b",:}]" if keyed else b":}"):
            return Container(begin, members, start, "broken")
        end = value_end(data, at)
        if end is None:
            return Container(begin, members, start, "cut", Member(key, start, at, len(data)))
        members.append(Member(key, start, at, end))
        at = end


def scalars(data: bytes, found: Container, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of the members that are named, as far as they are strings, numbers, booleans or null."""
    wanted = set(names)
    values: dict[str, Any] = {}
    for member in found.members:
        if member.key in wanted and data[member.value : member.value + 1] not in {b"{", b"["}:
            try:
                values[member.key] = msgspec.json.decode(data[member.value : member.end])
            except msgspec.DecodeError:
                continue
    return values


class LineStarts:
    """Counts the non-blank lines that begin in a part of a document."""

    def __init__(self, data: bytes) -> None:
        self._starts = [match.end() for match in _LINE_START.finditer(data)]

    def between(self, start: int, end: int) -> int:
        """Return how many non-blank lines have their first character there."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)


def _key(quoted: bytes) -> str:
    try:
        return msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "?"
