"""Lines in, records out, and the books of both: every byte of a source counts with a record, whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

import msgspec

from recall_lab.hosts._json import LineReader
from recall_lab.hosts.base import Event, Line, RawRecord
from recall_lab.model import Disposition

R = TypeVar("R", bound=msgspec.Struct)


class Position(Protocol):
    """What the books remember between two readings of a source."""

    mid_line: bool  # the last record ended and its line did not
    last_type: str  # of the last record: what white space counts with
    last_disposition: Disposition


class LineBooks(Generic[R]):
    """Cuts lines into records; inherit and answer ``_record``.

    Args:
        reader: Cuts one line.
        position: The part of the host's state that is the books'.
        offset: Where the first line begins, bytes.
    """

    def __init__(self, reader: LineReader[R], position: Position, offset: int) -> None:
        self._reader = reader
        self._position = position
        self._offset = offset  # the end of the last whole record, bytes
        self._events: list[Event] = []

    def _record(self, record: R, offset: int, length: int, note: str | None) -> None:
        """Take one record: its line in the ledger first (``_ledger``), then what it gave."""
        raise NotImplementedError

    def _read(self, lines: Iterable[Line]) -> None:
        """Take lines; their events come to ``_events``."""
        decode = self._reader.decode
        position = self._position
        for line in lines:
            if line.data[:1] == b"{" and not position.mid_line:
                try:
                    record = decode(line.data)
                except (msgspec.DecodeError, RecursionError):
                    self._pieces(line)
                else:
                    self._record(record, line.offset, line.length, None)
                    self._offset = line.offset + line.length
                    position.mid_line = not line.ended
            else:
                self._pieces(line)

    def _ledger(self, type_: str, disposition: Disposition, offset: int, length: int, note: str | None) -> None:
        self._events.append(RawRecord(type_, disposition, offset, length, note))
        self._position.last_type, self._position.last_disposition = type_, disposition

    def _pieces(self, line: Line) -> None:
        """Take a line that is not simply one object."""
        position = self._position
        pieces = self._reader.pieces(line.data, at_start=not position.mid_line, ended=line.ended)
        for number, piece in enumerate(pieces, 1):
            end = line.length if number == len(pieces) else piece.end  # the newline counts with the last piece
            offset, length = line.offset + piece.start, end - piece.start
            if piece.value is not None:
                self._record(piece.value, offset, length, piece.note)
                position.mid_line = True
            elif piece.note == "blank":
                self._blank(offset, length)
            elif piece.note == "pending":
                self._events.append(RawRecord("line", "pending", offset, length, "the line is not finished"))
                return
            else:
                self._ledger("line", "malformed", offset, length, piece.note)
            self._offset = offset + length
        if not pieces:
            self._blank(line.offset, line.length)
            self._offset = line.offset + line.length
        if line.ended:
            position.mid_line = False

    def _blank(self, offset: int, length: int) -> None:
        """Count white space with the record before; what touches is one entry."""
        if self._events and isinstance(before := self._events[-1], RawRecord) and before.records == 0:
            self._events.pop()
            offset, length = before.offset, before.length + length
        position = self._position
        self._events.append(RawRecord(position.last_type, position.last_disposition, offset, length, records=0))
