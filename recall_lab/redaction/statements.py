"""Secrets whose name and value a statement keeps apart: columns of an insert, a value before its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction.judgement import accepts, kind_of_name
from recall_lab.redaction.names import promise
from recall_lab.redaction.records import Spot

_HEAD = re.compile(
    r"insert[ ]into[ ][^\n()]{1,80}\((?P<columns>[^()]{1,2000})\)\s{0,8}(?:values|value)\s{0,8}(?=\()", re.IGNORECASE
)
_CELL = re.compile(
    r"[\s(]{0,16}(?:[nNeExX]?\\{0,3}(?P<quote>[\"'])(?P<value>[^\"'\\]{0,2000})\\{0,3}(?P=quote)"
    r"|(?P<other>[^\s,()\"'][^,()\"']{0,200}(?:\([^()]{0,200}\))?))\s{0,8}(?P<end>[,)])"
)
_MOST_CELLS = 2_000
_VALUE_FIRST = re.compile(
    r"value[\"'\\]{0,4} ?[:=] ?[\"'\\]{1,4}(?P<value>[^\s\"'\\]{8,300})[\"'\\]{1,4}"
    r"(?: where |[ ]|,\s{0,20}[\"'\\]{0,4})"
    r"[a-z_]{0,12}(?:name|key)[\"'\\]{0,4} ?[:=] ?[\"'\\]{1,4}(?P<name>[A-Za-z][\w.-]{1,80})",
    re.IGNORECASE,
)


def read_insert(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The secrets among the rows of ``INSERT INTO users (email, password) VALUES ('bob', 'X')``."""
    head = _HEAD.match(text, start)
    if not head:
        return
    names = [name.strip(" \t\r\n`\"'[]") for name in head["columns"].split(",")]
    held = [promise(name) for name in names]
    at, column = head.end(), 0
    for _ in range(_MOST_CELLS):
        cell = _CELL.match(text, at)
        if not cell or column >= len(names):
            break
        promised = held[column]
        if promised and cell["quote"] and accepts(cell["value"], promised, names[column], quoted=True):
            yield Spot(*cell.span("value"), kind_of_name(names[column], promised))
        at, column = cell.end(), column + 1
        if cell["end"] == ")":
            column = 0
            if text[at : at + 1] != ",":
                break
            at += 1
    yield Spot(start, at, "")


def read_value_first(text: str, start: int, _end: int) -> Iterator[Spot]:
    """``SET value='X' WHERE name='api_key'``, ``{"value": "X", "name": "API_KEY"}``."""
    pair = _VALUE_FIRST.match(text, start)
    held = promise(pair["name"]) if pair else None
    if pair and held and accepts(pair["value"], held, pair["name"], quoted=True):
        yield Spot(*pair.span("value"), kind_of_name(pair["name"], held))
