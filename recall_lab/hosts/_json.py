"""Lines of JSON objects, whatever a crash, two writers at once or an old program made of them; pure, never raises.

A line is cut into pieces that cover it to the byte. The usual line is one object and takes the caller's fast way; this
module is for the others: several objects on one line, objects torn by a second writer, BOM, NUL and other control
characters, bytes that are not UTF-8, lone surrogates, nesting without end.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

BAD_UTF8 = "bad UTF-8 replaced"
LONE_SURROGATE = "lone surrogate replaced"

_BLANK = re.compile("[ \t\r\n\x0b\x0c]*")
_BOMS = re.compile("\ufeff*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_WINDOW = 4096
_CHUNK = 1 << 20
_LOOKAHEAD = 16  # characters; no token but a string is longer and ends in an error
_RESCAN_LIMIT = 1 << 28  # characters read in vain on one line before the rest of it is given up


class Piece(msgspec.Struct, Generic[T], frozen=True):
    """A part of a line, ``start`` and ``end`` in bytes of it.

    ``value`` is the record when the part is one; ``note`` says what was repaired in it. Without a value ``note`` says
    why: ``blank``, ``pending`` (the line goes on in bytes that are not there yet), else what is malformed.
    """

    start: int
    end: int
    value: T | None
    note: str | None = None


class LineReader(Generic[T]):
    """Cuts lines into records of the type ``T``.

    Args:
        type_: A struct that names the fields to read; everything else is skipped. Fields of an unexpected type are left
            at their defaults.
        accept: Whether a record is one that the host writes at top level, with its required fields. Asked where that is
            in doubt: anywhere but at the start of a line.
        first_keys: Keys that a record may begin with: where reading goes on after a torn one.
    """

    def __init__(
        self, type_: type[T], accept: Callable[[T], bool], first_keys: Iterable[str] = ("parentUuid", "type")
    ) -> None:
        self._type = type_
        self._accept = accept
        self._object_start = re.compile(rf'\{{"(?:{"|".join(map(re.escape, first_keys))})"')
        self.decode = msgspec.json.Decoder(type_).decode

    def pieces(self, data: bytes, *, at_start: bool = True, ended: bool = True) -> list[Piece[T]]:
        """Return the pieces of a line, in order; together they cover it.

        Args:
            data: The line without its newline.
            at_start: False where ``data`` goes on after a record on the same line.
            ended: False when the line has no newline yet: what is not a whole object then is pending.
        """
        if at_start and data[:1] == b"{" and (clean_data := repaired(data)) != data:
            try:
                return [Piece(0, len(data), self.decode(clean_data), BAD_UTF8)]
            except (msgspec.DecodeError, RecursionError):
                pass
        text = data.decode("utf-8", "surrogateescape")
        plain = len(text) == len(data)
        pieces: list[Piece[T]] = []
        at, byte = 0, 0  # the same place in characters and in bytes
        budget = _RESCAN_LIMIT

        def add(end: int, value: T | None, note: str | None) -> None:
            nonlocal at, byte
            until = end if plain else byte + len(text[at:end].encode("utf-8", "surrogateescape"))
            pieces.append(Piece(byte, until, value, note))
            at, byte = end, until

        while at < len(text):
            blank = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            if blank > at:
                add(blank, None, "blank")
                continue
            value, note, end = self._object(text, _BOMS.match(text, at).end())  # type: ignore[union-attr]
            if value is not None and (at_start or self._accept(value)):
                add(end, value, note)
                at_start = False
                continue
            if not ended:
                add(len(text), None, "pending")
                break
            if value is not None:
                note = "not a record"
            stop = len(text)
            for match in self._object_start.finditer(text, at + 1):
                candidate, _, end = self._object(text, match.start())
                if candidate is not None and self._accept(candidate):
                    stop = match.start()
                    break
                budget -= max(end - match.start(), 0)
                if budget < 0:
                    break
            add(stop, None, note)
            at_start = False
        return pieces

    def _object(self, text: str, start: int) -> tuple[T | None, str | None, int]:
        """Read the object that starts here: (record, note, end); without a record, end is how far reading went.

        The decoder's errors cost what lies before them in its text, so it gets no more text than it needs.
        """
        if not text.startswith("{", start):
            return None, "not a JSON object", start
        size = _WINDOW
        while True:
            window = text[start : start + size]
            try:
                found, end = _DECODER.raw_decode(window)
            except json.JSONDecodeError as error:
                cut_short = error.pos > len(window) - _LOOKAHEAD or error.msg.startswith("Unterminated")
                if cut_short and start + size < len(text):
                    size *= 16
                    continue
                return None, _reason(error.msg), start + len(window)
            except RecursionError:
                return None, "nested too deep", start + len(window)
            except ValueError:
                return None, "not a JSON object", start + len(window)
            return *self.value(window[:end], found), start + end

    def value(self, text: str, found: Mapping[str, Any]) -> tuple[T | None, str | None]:
        """Make a record of an object: (record, what was repaired)."""
        note = None
        if _ESCAPED_BYTE.search(text):
            note, text = BAD_UTF8, repaired(text.encode("utf-8", "surrogateescape")).decode("utf-8")
            found = {}
        try:
            return self.decode(text.encode("utf-8")), note
        except (msgspec.DecodeError, RecursionError):
            pass
        if note is None and ("\\ud" in text or "\\uD" in text):
            note = LONE_SURROGATE
        try:
            return fit(found or _DECODER.decode(text), self._type), note
        except RecursionError:
            return None, "nested too deep"


def repaired(data: bytes) -> bytes:
    """Return bytes that are UTF-8: what is not becomes U+FFFD. Takes little memory beside the result."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    parts = [
        decoder.decode(data[at : at + _CHUNK], final=at + _CHUNK >= len(data)).encode("utf-8")
        for at in range(0, len(data), _CHUNK)
    ]
    return b"".join(parts)


def fit(found: Mapping[str, Any], type_: type[T]) -> T:
    """Return a struct from an object of any shape: fields that do not fit their type are left at their defaults.

    Strings are cleaned of lone surrogates.
    """
    values = {}
    for name, (field, allowed) in _fields(type_).items():
        if name in found:
            fitted = _fit(found[name], allowed)
            if fitted is not msgspec.UNSET:
                values[field] = fitted
    return type_(**values)


def clean(text: str) -> str:
    """Return text without lone surrogates: pairs are joined, others become U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cleaned(value: Any) -> Any:
    """Return a JSON value with every string cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    return value


def _fit(value: Any, allowed: tuple[Any, ...]) -> Any:
    """Return the value as one of the allowed types, or UNSET."""
    for type_ in allowed:
        if type_ is Any:
            return cleaned(value)
        if type_ is NoneType:
            if value is None:
                return None
        elif get_origin(type_) is list:
            if isinstance(value, list):
                inner = _flat(get_args(type_)[0])
                return [item for item in (_fit(part, inner) for part in value) if item is not msgspec.UNSET]
        elif isinstance(type_, type) and issubclass(type_, msgspec.Struct):
            if isinstance(value, dict):
                return fit(value, type_)
        elif type_ is float:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        elif type(value) is type_:
            return clean(value) if type_ is str else value
    return msgspec.UNSET


@cache
def _fields(type_: type[msgspec.Struct]) -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Return a struct's fields by their names in JSON: (name in Python, types)."""
    hints = get_type_hints(type_)
    return {field.encode_name: (field.name, _flat(hints[field.name])) for field in msgspec.structs.fields(type_)}


def _flat(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)


def _whole(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return float(digits)


def _reason(message: str) -> str:
    """Return the decoder's own words, without any of the text."""
    return message.partition(":")[0].removesuffix(" starting at").removesuffix(" at").lower()


_DECODER = json.JSONDecoder(strict=False, parse_int=_whole)
