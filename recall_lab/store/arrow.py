"""Rows of Python values as an Arrow stream, through the C interface that DuckDB reads.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. They are
filled with ctypes: pyarrow, and numpy with it, take as long to load as a small mirror takes to fill.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, cast, pointer, pythonapi
from errno import EIO
from itertools import accumulate, count
from typing import Any, Final

_FORMATS: Final = {
    "int32": b"i",
    "int64": b"l",
    "float64": b"g",
    "bool": b"b",
    "string": b"u",
    "utf8": b"u",
    "binary": b"z",
}
_NUMBERS: Final = {"int32": "i", "int64": "q", "float64": "d"}
_NULLABLE: Final = 2


class _Schema(Structure):
    pass


class _Array(Structure):
    pass


class _Stream(Structure):
    _fields_ = (
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


_Schema._fields_ = (
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
)
_Array._fields_ = (
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", c_void_p),
    ("private_data", c_void_p),
)

# What the other side points at lives until it calls ``release``, which may be in any thread.
_held: dict[int, Any] = {}
_keys = count(1)


def _hold(what: object) -> int:
    key = next(_keys)
    _held[key] = what
    return key


class ArrowStream:
    """Columns of rows as record batches, read once from beginning to end.

    Whoever reads it keeps the object until the reading is done.

    Args:
        columns: (name, kind); kinds: int32, int64, float64, bool, string, binary, utf8, which is a string whose values
            are given as encoded bytes.
        batches: For each batch its columns, sequences of equal length that is not 0; None is NULL. The strings and
            blobs of one column may hold 2 GB together (offsets are 32 bits). Taken in the reader's threads.

    Attributes:
        error: What ``batches`` raised, which the reader only hears of as a text.
    """

    def __init__(self, columns: Sequence[tuple[str, str]], batches: Iterable[Sequence[Any]]) -> None:
        self.error: BaseException | None = None
        self.columns = columns
        self.said: ctypes.Array[ctypes.c_char] | None = None
        self._batches: Iterator[Sequence[Any]] = iter(batches)
        self._given: list[Structure] = []

    def __arrow_c_schema__(self) -> object:
        """Return a capsule with the stream's schema."""
        schema = _Schema()
        fill_schema(schema, self.columns)
        return self._capsule(schema, b"arrow_schema")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a capsule with the stream itself."""
        stream = _Stream(_GET_SCHEMA, _GET_NEXT, _GET_LAST_ERROR, _RELEASE_STREAM, _hold(self))
        return self._capsule(stream, b"arrow_array_stream")

    def fill_next(self, into: _Array) -> None:
        """Make ``into`` the next batch; one that is released already says that there is none."""
        values = next(self._batches, None)
        if values is None:
            into.release = None
            return
        fields = [_array_of(column, kind) for column, (_, kind) in zip(values, self.columns, strict=True)]
        _fill_array(into, fields[0].length, (None,), fields)

    def _capsule(self, structure: Structure, name: bytes) -> object:
        self._given.append(structure)
        return _new_capsule(ctypes.addressof(structure), name, None)


_new_capsule = pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (c_void_p, c_char_p, c_void_p)


def _array_of(values: Any, kind: str) -> _Array:
    validity = None
    if None in values:
        validity = _bits(bytes([value is not None for value in values]))
    buffers: tuple[bytes | array[Any] | None, ...]
    if kind in {"string", "utf8", "binary"}:
        parts: Any = values
        if kind == "string":
            if validity is not None:
                parts = ["" if value is None else value for value in values]
            together = "".join(parts)
            content = together.encode("utf-8")
            if len(content) != len(together):  # else each is as long in bytes as in characters
                parts = [part.encode("utf-8") for part in parts]
        else:
            parts = [value or b"" for value in values]
            content = b"".join(parts)
        buffers = (validity, array("i", accumulate(map(len, parts), initial=0)), content)
    elif kind == "bool":
        buffers = (validity, _bits(bytes(map(bool, values))))
    else:
        if validity is not None:
            values = [0 if value is None else value for value in values]
        buffers = (validity, array(_NUMBERS[kind], values))
    made = _Array()
    _fill_array(made, len(values), buffers, ())
    return made


def _bits(flags: bytes) -> bytes:
    """Pack bytes that are 0 or 1, the first into the lowest bit."""
    packed = 0
    for bit in range(8):
        packed |= int.from_bytes(flags[bit::8], "little") << bit
    return packed.to_bytes(-(-len(flags) // 8), "little")


def _fill_array(
    into: _Array, length: int, buffers: Sequence[bytes | array[Any] | None], children: Sequence[_Array]
) -> None:
    addresses = (c_void_p * len(buffers))(*map(_address, buffers))
    pointers = (POINTER(_Array) * len(children))(*map(pointer, children))
    into.length = length
    into.null_count = 0 if buffers[0] is None else -1  # -1: not counted
    into.offset = 0
    into.n_buffers = len(buffers)
    into.n_children = len(children)
    into.buffers = cast(addresses, POINTER(c_void_p))
    into.children = cast(pointers, POINTER(POINTER(_Array)))
    into.dictionary = None
    into.release = _RELEASE_ARRAY
    into.private_data = _hold((addresses, pointers, buffers, children))


def _address(buffer: bytes | array[Any] | None) -> int | None:
    if isinstance(buffer, array):
        return buffer.buffer_info()[0]
    return cast(c_char_p(buffer), c_void_p).value


def fill_schema(into: _Schema, columns: Sequence[tuple[str, str]]) -> None:
    """Make ``into`` the schema of a record batch of such columns."""
    children = []
    for name, kind in columns:
        child = _Schema(_FORMATS[kind], name.encode("utf-8"), None, _NULLABLE)
        child.release = _RELEASE_SCHEMA
        child.private_data = _hold(None)
        children.append(child)
    pointers = (POINTER(_Schema) * len(children))(*map(pointer, children))
    into.format = b"+s"
    into.name = b""
    into.metadata = None
    into.flags = 0
    into.n_children = len(children)
    into.children = cast(pointers, POINTER(POINTER(_Schema)))
    into.dictionary = None
    into.release = _RELEASE_SCHEMA
    into.private_data = _hold((pointers, children))


def _release(pointed: Any) -> None:
    structure = pointed.contents
    for at in range(structure.n_children):
        if structure.children[at].contents.release:
            _release(structure.children[at])
    structure.release = None
    _held.pop(structure.private_data)


def _get_schema(pointed: Any, into: Any) -> int:
    stream = _held[pointed.contents.private_data]
    fill_schema(into.contents, stream.columns)
    return 0


def _get_next(pointed: Any, into: Any) -> int:
    stream = _held[pointed.contents.private_data]
    try:
        stream.fill_next(into.contents)
    except BaseException as error:  # noqa: BLE001 - nothing can be raised through C
        stream.error = error
        return EIO
    return 0


def _get_last_error(pointed: Any) -> int | None:
    stream = _held[pointed.contents.private_data]
    if stream.error is None:
        return None
    stream.said = ctypes.create_string_buffer(str(stream.error).encode("utf-8", "replace"))
    return ctypes.addressof(stream.said)


def _release_stream(pointed: Any) -> None:
    stream = pointed.contents
    stream.release = None
    _held.pop(stream.private_data)


_CALLBACKS: Final = (
    ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))(_get_schema),
    ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))(_get_next),
    ctypes.CFUNCTYPE(c_void_p, POINTER(_Stream))(_get_last_error),
    ctypes.CFUNCTYPE(None, POINTER(_Stream))(_release_stream),
    ctypes.CFUNCTYPE(None, POINTER(_Array))(_release),
    ctypes.CFUNCTYPE(None, POINTER(_Schema))(_release),
)
_GET_SCHEMA, _GET_NEXT, _GET_LAST_ERROR, _RELEASE_STREAM, _RELEASE_ARRAY, _RELEASE_SCHEMA = (
    cast(callback, c_void_p).value for callback in _CALLBACKS
)
