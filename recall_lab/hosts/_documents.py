"""The common ground of hosts whose sessions are one JSON document each, written anew as they grow.

A document is gathered whole and told at the end; nothing of it can be resumed, so its checkpoint is its start. The
books split its bytes over its messages, in the order of the file: what stands around them (the head, brackets) is
booked as the document itself. At least one record is counted for every line that is not blank, so a message laid out
over twenty lines counts as twenty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import TypeNames
from recall_lab.hosts._scan import Container, LineStarts, Member, container
from recall_lab.hosts.base import Checkpoint, Event, Line, RawBlock, RawRecord, RawSession
from recall_lab.model import Disposition, Kind, Role

MAX_BYTES = 1 << 28
"""The longest document that is read; a longer one is booked and left alone."""

_LEAD = re.compile(rb"(?:\xef\xbb\xbf)*[\s\[,]*")
_AROUND = b" \t\r\n\x0b\x0c,]"
_AROUND_MESSAGE = b" \t\r\n\x0b\x0c,"
_HEAD_BYTES = 1 << 20


class Piece(msgspec.Struct, frozen=True):
    """What became of a part of the document: a line of the books."""

    start: int
    end: int
    type: str
    disposition: Disposition
    reason: str | None = None


class DocumentParser:
    """A ``hosts.base.Parser`` of one document; inherit and answer ``tell``.

    Args:
        path: Where the source lies; names the session when the document does not.
        name: What the document itself is called in the ledger.
    """

    def __init__(self, path: PurePath, name: str) -> None:
        self._name = name
        self._data: list[bytes] = []
        self._size = self._lines = 0
        self.names = TypeNames()
        self.fallback = fallback_name(path)
        self.session = RawSession(native_id=self.fallback)
        self.pieces: list[Piece] = []
        self.events: list[Event] = []
        self.ord = self.turn = 0
        self.at = 0  # where the message at hand begins, bytes

    # ---- what a host answers ---------------------------------------------------------------------------------------

    def top(self, data: bytes) -> int | None:
        """Return where the document begins; None when it is none."""
        at = _LEAD.match(data).end()  # type: ignore[union-attr]
        return at if data[at : at + 1] == b"{" else None

    def tell(self, data: bytes, found: Container) -> None:
        """Fill ``session``, ``pieces`` and ``events``; a document that is not whole gives what it has."""
        raise NotImplementedError

    # ---- the interface ---------------------------------------------------------------------------------------------

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Gather the lines; see ``hosts.base.Parser``."""
        for line in lines:
            self._size += line.length
            self._lines += bool(line.data.strip())
            if self._size <= MAX_BYTES:
                self._data.append(line.data)
                if line.ended:
                    self._data.append(b"\n")
            else:
                self._data.clear()
        return []

    def finish(self) -> list[Event]:
        """Return everything; see ``hosts.base.Parser``."""
        if not self._size:
            return []
        if self._size > MAX_BYTES:
            reason = f"longer than {MAX_BYTES:,} bytes"
            return [self.session, RawRecord(self._name, "malformed", 0, self._size, reason, max(self._lines, 1))]
        data = b"".join(self._data)
        self._data.clear()
        if not self._lines:
            return [self.session, RawRecord("blank", "metadata", 0, self._size, records=0)]
        at = self.top(data)
        if at is None:
            self.pieces.append(Piece(0, len(data), "document", "malformed", "not a document of this host"))
            return [self.session, *self._books(data, "whole"), *self.events]
        found = container(data, at)
        self.tell(data, found)
        if found.state == "broken":
            start = found.end if self.pieces else 0
            self.pieces.append(Piece(start, len(data), "document", "malformed", "not JSON"))
        elif found.state == "whole" and data[found.end :].strip(_AROUND):
            self.pieces.append(Piece(found.end, len(data), "document", "malformed", "something after the document"))
        return [self.session, *self._books(data, found.state), *self.events]

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return nothing, unless the format shows branches; see ``hosts.base.Parser``."""
        return ()

    def checkpoint(self) -> Checkpoint:
        """Return the start: a document is read whole or not at all; see ``hosts.base.Parser``."""
        return Checkpoint(0, 0, b"")

    # ---- for hosts -------------------------------------------------------------------------------------------------

    def learn(self, **facts: Any) -> None:
        """Note what the document says of the session."""
        told = {name: value for name, value in facts.items() if value and isinstance(value, str)}
        if told:
            self.session = msgspec.structs.replace(self.session, **told)

    def book(self, member: Member, type_: str, disposition: Disposition, reason: str | None = None) -> None:
        """Book a message."""
        self.pieces.append(Piece(member.start, member.end, type_, disposition, reason))

    def block(self, block_id: str, role: Role, kind: Kind, text: str, **more: Any) -> RawBlock:
        """Return the next block of the source, in the session's folder and branch."""
        place = {"cwd": self.session.cwd, "branch": self.session.branch} | more
        made = RawBlock(
            block_id=block_id, role=role, kind=kind, text=text, ord=self.ord, turn=self.turn, offset=self.at, **place
        )
        self.ord += 1
        return made

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _books(self, data: bytes, state: str) -> list[RawRecord]:
        """Return the ledger: the pieces in the order of the file, and the document around them."""
        lines = LineStarts(data)
        whole = state != "cut"
        around = Piece(
            0, 0, self._name, "metadata" if whole else "pending", None if whole else "the document is not finished"
        )
        tiles: list[Piece] = []
        at = 0
        for piece in [*sorted(self.pieces, key=lambda piece: piece.start), None]:
            start = piece.start if piece else len(data)
            if start > at:
                if tiles and not data[at:start].strip(_AROUND_MESSAGE):
                    tiles.append(msgspec.structs.replace(tiles.pop(), end=start))
                else:
                    tiles.append(msgspec.structs.replace(around, start=at, end=start))
            if piece:
                tiles.append(piece)
                at = piece.end
        books: list[RawRecord] = []
        for tile in tiles:
            records = lines.between(tile.start, tile.end)
            if tile.type != self._name or not books:
                records = max(records, 1)
            length = tile.end - tile.start
            books.append(RawRecord(tile.type, tile.disposition, tile.start, length, tile.reason, records))
        return books


def read_one(reader: LineReader[Any], data: bytes) -> tuple[Any, str | None]:
    """Decode one object: (record, what was repaired), or (None, why not)."""
    pieces = reader.pieces(data)
    if len(pieces) == 1 and pieces[0].value is not None:
        return pieces[0].value, pieces[0].note
    return None, next((piece.note for piece in pieces if piece.value is None), None) or "not one JSON object"


def outline(head: Sequence[bytes]) -> tuple[bytes, Container] | None:
    """Return the beginning of a document and its outermost object, as far as the head goes; None when it is none."""
    data = b"\n".join(head)[:_HEAD_BYTES]
    at = _LEAD.match(data).end()  # type: ignore[union-attr]
    return (data, container(data, at)) if data[at : at + 1] == b"{" else None


def fallback_name(path: PurePath) -> str:
    """Return what a source's name calls its session: the file's name, or the part of it after ``#``."""
    name = path.name.rpartition("#")[2] if "#" in path.name else path.stem
    return name or "session"
