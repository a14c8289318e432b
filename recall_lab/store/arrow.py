"""Rows of Python values as Arrow record batches, built from their buffers.

``pyarrow.array`` would import pandas, which costs more than a whole refresh of a small mirror.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_NUMBERS = {"int32": "<i4", "int64": "<i8", "float64": "<f8"}


def schema_of(columns: Sequence[tuple[str, str]]) -> pa.Schema:
    """Return the Arrow schema of (name, kind); kinds: int32, int64, float64, bool, string, binary, utf8.

    ``utf8`` is a string whose values are given as encoded bytes.
    """
    import pyarrow as pa

    types = {
        "int32": pa.int32(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "string": pa.string(),
        "utf8": pa.string(),
        "binary": pa.binary(),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns])


def batch_of(values: Sequence[Any], columns: Sequence[tuple[str, str]], schema: pa.Schema) -> pa.RecordBatch:
    """Return columns of equal length as one record batch; None is NULL, arrays of numpy hold none.

    A batch's strings and blobs of one column may hold 2 GB together (offsets are 32 bits).
    """
    import pyarrow as pa

    arrays = [
        _array(column, kind, field.type) for column, (_, kind), field in zip(values, columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Any, kind: str, type_: pa.DataType) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    validity = None
    if isinstance(values, np.ndarray):
        return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])
    if None in values:
        validity = _bits(np.fromiter((value is not None for value in values), np.bool_, len(values)))
    if kind in {"string", "utf8", "binary"}:
        parts: Any = values
        if kind == "string":
            parts = values if validity is None else ["" if value is None else value for value in values]
            together = "".join(parts)
            content = together.encode("utf-8")
            if len(content) != len(together):  # else each is as long in bytes as in characters
                parts = [part.encode("utf-8") for part in parts]
        else:
            parts = [value or b"" for value in values]
            content = b"".join(parts)
        offsets = np.zeros(len(values) + 1, "<i4")
        np.cumsum(np.fromiter(map(len, parts), "<i4", len(parts)), out=offsets[1:])
        buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(content)]
    elif kind == "bool":
        buffers = [validity, _bits(np.fromiter(map(bool, values), np.bool_, len(values)))]
    else:
        if validity is not None:
            values = [0 if value is None else value for value in values]
        buffers = [validity, pa.py_buffer(np.array(values, _NUMBERS[kind]))]
    return pa.Array.from_buffers(type_, len(values), buffers)


def _bits(flags: np.ndarray[Any, Any]) -> pa.Buffer:
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(flags, bitorder="little"))
