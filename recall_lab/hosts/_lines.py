"""The common ground of hosts that write one JSON object a line: books, session, order, resuming.

A host says what a record gives (``LineParser.read``); everything that does not depend on the format is here.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, Generic, TypeVar

import msgspec

from recall_lab.errors import SourceError
from recall_lab.hosts._books import LineBooks, R
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import TypeNames
from recall_lab.hosts.base import Checkpoint, Event, Line, RawBlock, RawSession
from recall_lab.model import Disposition, Kind, Role


class LineState(msgspec.Struct, array_like=True):
    """What is kept between two readings of a source: ids, counts and flags, never text. Hosts add their own fields."""

    version: int = 1
    ord: int = 0
    turn: int = 0
    session: str | None = None  # its native id, once a record has told it
    mid_line: bool = False  # the last record ended and its line did not
    last_type: str = "blank"  # of the last record: what white space counts with
    last_disposition: Disposition = "metadata"
    names: list[str] = []


S = TypeVar("S", bound=LineState)


class Taken(msgspec.Struct, frozen=True):
    """What became of one record: its name and disposition in the ledger, why, and what it gave."""

    type: str
    disposition: Disposition
    events: list[Event] = []
    reason: str | None = None


class LineParser(LineBooks[R], Generic[R, S]):
    """A ``hosts.base.Parser`` of lines; inherit and answer ``read``.

    Args:
        path: Where the source lies; names the session when nothing else does.
        resume: Where an earlier parser left off.
        reader: Cuts lines into records.
        state: The host's own state, empty.
        fallback: The native id of a session that no record tells.
    """

    def __init__(
        self, path: PurePath, resume: Checkpoint | None, reader: LineReader[R], state: type[S], fallback: str
    ) -> None:
        self._fallback = fallback
        self.state: S = _load(resume.state, state, path) if resume and resume.state else state()
        super().__init__(reader, self.state, resume.offset if resume else 0)
        self.names = TypeNames(self.state.names)
        self.session = (resume and resume.session) or RawSession(native_id=fallback)
        self._said = resume.session if resume else None
        self.at = 0  # where the record at hand begins, bytes

    # ---- what a host answers ---------------------------------------------------------------------------------------

    def read(self, record: R) -> Taken:
        """Say what a record gives; it begins at the offset ``at``."""
        raise NotImplementedError

    # ---- the interface ---------------------------------------------------------------------------------------------

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines; see ``hosts.base.Parser``."""
        self._read(lines)
        return self._take(named=any(isinstance(event, RawBlock) for event in self._events))

    def finish(self) -> list[Event]:
        """Name the session of a source that has told none; see ``hosts.base.Parser``."""
        return self._take(named=self._offset > 0)

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return nothing, unless the format shows branches; see ``hosts.base.Parser``."""
        return ()

    def checkpoint(self) -> Checkpoint:
        """Return the end of the last whole record; see ``hosts.base.Parser``."""
        self.state.names = self.names.known
        return Checkpoint(self._offset, self.state.ord, msgspec.msgpack.encode(self.state), self.session)

    # ---- for hosts -------------------------------------------------------------------------------------------------

    def learn(self, **facts: Any) -> None:
        """Note what a record says of the session; what it leaves open stays as it was."""
        told = {name: value for name, value in facts.items() if value}
        if told:
            self.session = msgspec.structs.replace(self.session, **told)

    def name_session(self, native_id: str | None) -> None:
        """Take in the session's id; the first one counts."""
        if native_id and self.state.session is None:
            self.state.session = native_id
            self.learn(native_id=native_id)

    def block(self, block_id: str, role: Role, kind: Kind, text: str, **more: Any) -> RawBlock:
        """Return the next block of the source, in the session's folder and branch."""
        place = {"cwd": self.session.cwd, "branch": self.session.branch} | more
        made = RawBlock(
            block_id=block_id,
            role=role,
            kind=kind,
            text=text,
            ord=self.state.ord,
            turn=self.state.turn,
            offset=self.at,
            **place,
        )
        self.state.ord += 1
        return made

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _take(self, *, named: bool) -> list[Event]:
        """Return the events so far, what is new of the session first."""
        events, self._events = self._events, []
        known = self.session if named or self.state.session else None
        if known is None or known == self._said:
            return events
        self._said = known
        return [known, *events]

    def _record(self, record: R, offset: int, length: int, note: str | None) -> None:
        """Take one record: its line in the ledger first, then what it gave."""
        self.at = offset
        taken = self.read(record)
        self._ledger(taken.type, taken.disposition, offset, length, taken.reason or note)
        self._events += taken.events


def key_of(text: str) -> bytes:
    """Return what stands for an id in a state: eight bytes that say nothing of it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _load(data: bytes, type_: type[S], path: PurePath) -> S:
    """Read a state.

    Raises:
        SourceError: it is of another version, or no state at all.
    """
    try:
        found = msgspec.msgpack.decode(data, type=type_)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        found = None
    if found is None or found.version != type_().version:
        raise SourceError(f"{path}: what is kept of it cannot be read on; run `recall-lab index --rebuild` on it")
    return found
