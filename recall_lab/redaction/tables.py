"""Secrets below the name of their column: rows of CSV, of terminals' tables and of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction.judgement import accepts, kind_of_name
from recall_lab.redaction.names import Promise, promise
from recall_lab.redaction.records import Spot

_DELIMITER = re.compile(r"[ \t]{0,40}[\"']?[ ]{0,4}([,|\t;\u2502])")
_DELIMITER_BEFORE = re.compile(r"(?:^|[,|\t;\u2502])[ \t]{0,40}[\"']?$", re.MULTILINE)
_RULE = re.compile(r"[-+|: =\u2500-\u257f]*\Z")
_NAME = re.compile(r"[\w .#/-]{1,60}\Z")
_BETWEEN = ",|\t;\u2502\n"  # what ends a cell or a line
_WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ."
_LONGEST_HEAD = 60
_LONGEST_LINE = 2_000
_MOST_ROWS = 40


def read_columns(text: str, left: int, right: int) -> Iterator[Spot]:
    """The secrets in the rows below a head line, where the name at ``text[left:right]`` is one of its cells.

    All columns of the head are read at once; a table ends with the first line that has another number of cells.
    """
    before_name = text[max(0, right - _LONGEST_HEAD) : left]
    left -= len(before_name) - len(before_name.rstrip(_WORDS))
    edge = text[max(0, left - 42) : left].rstrip("\"'").rstrip(" ")
    if edge and edge[-1] not in _BETWEEN:
        return
    after_name = text[right : max(right, left + _LONGEST_HEAD)]
    right += len(after_name) - len(after_name.lstrip(_WORDS))
    after = _DELIMITER.match(text, right)
    delimiter = after[1] if after else None
    before = _DELIMITER_BEFORE.search(text, max(0, left - 48), left)
    if not before:
        return
    if delimiter is None:
        delimiter = before[0][:1]
        if delimiter not in ",|\t;\u2502" or not delimiter or not _ends_line(text, right):
            return
    start = text.rfind("\n", max(0, left - _LONGEST_LINE), left) + 1
    end = text.find("\n", right, right + _LONGEST_LINE)
    if end < 0:
        return
    head = text[start:end].rstrip("\r").split(delimiter)
    above = text[text.rfind("\n", max(0, start - _LONGEST_LINE), max(0, start - 1)) + 1 : max(0, start - 1)]
    if above.count(delimiter) == len(head) - 1:  # a row further down
        return
    names = [cell.strip(" \t\"'`*") for cell in head]
    # A border of the table stands before the first and after the last cell; commas have none.
    inner = names if delimiter in ",;\t" else [name for name in names if name]
    if len(inner) < 2 or not all(map(_NAME.match, inner)):
        return
    held = [(name, promise(name)) for name in names]
    for _ in range(_MOST_ROWS):
        start, end = end + 1, text.find("\n", end + 1, end + 1 + _LONGEST_LINE)
        end = end if end >= 0 else len(text) if len(text) - start < _LONGEST_LINE else start
        row = text[start:end].rstrip("\r")
        if _RULE.match(row) and row:
            continue
        cells = row.split(delimiter)
        if len(cells) != len(head):
            return
        yield from _row(cells, held, start)


def _row(cells: list[str], held: list[tuple[str, Promise]], at: int) -> Iterator[Spot]:
    for cell, (name, promised) in zip(cells, held, strict=True):
        value = cell.strip(" \t\"'`*")
        if promised in ("password", "secret") and accepts(value, promised, name, quoted=False):
            low = at + cell.index(value)
            yield Spot(low, low + len(value), kind_of_name(name, promised))
        at += len(cell) + 1


def _ends_line(text: str, at: int) -> bool:
    return text[at : at + 2].lstrip("\"' ")[:1] in ("\n", "\r")
