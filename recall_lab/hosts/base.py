"""The one interface of a host: lines of bytes in, events out; pure.

Events hold text as the host wrote it, not yet redacted: they never leave capture's memory. A parser is fed the lines
of a source in file order, may be asked for its state at any point, and can be resumed from that state when the source
has grown. Feeding a source in one go, or in any number of pieces with a resume between them, gives the same placements,
ledger and calls.

A source may repeat what a child session (an agent) said. Where the child has a file of its own, that file tells it;
only capture knows which files there are. So capture collects ``Host.agent_id`` of every file it found and hands the set
to ``Host.parser``: what is told of an agent outside the set is the only copy, and comes wrapped in ``Embedded``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Protocol

import msgspec

from recall_lab.model import Disposition, Kind, Relation, Role


class Line(msgspec.Struct, frozen=True, gc=False):
    r"""One line of a source: ``data`` without its ``\n``, ``offset`` and ``length`` (with the ``\n``) in bytes.

    ``ended`` is False only for a last line that has no ``\n`` yet.
    """

    offset: int
    length: int
    data: bytes
    ended: bool = True


class RawRecord(msgspec.Struct, frozen=True, gc=False):
    """A ledger entry. The lengths of a source's records add up to its bytes; blank lines count with the record before.

    Where the record before has gone out already, white space comes as an entry of its type and disposition with
    ``records`` 0: it adds bytes and no record. Before the first record the type is ``blank``.
    """

    record_type: str  # short, [A-Za-z0-9_.:/-] only
    disposition: Disposition
    offset: int
    length: int
    reason: str | None = None  # malformed, unknown: why; others: what was repaired ("bad UTF-8 replaced"); never text
    records: int = 1


class RawBlock(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A block as the host wrote it; see ``model.PlacedBlock`` for the fields."""

    block_id: str
    role: Role
    kind: Kind
    text: str
    ord: int
    turn: int
    offset: int  # of its record, bytes
    timestamp: str | None = None
    cwd: str | None = None
    branch: str | None = None
    tool: str | None = None
    call_id: str | None = None
    model: str | None = None
    queued: bool = False
    agent: str | None = None  # set where an ``Embedded`` event is taken in


class RawSession(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is known of the session by now; a later one of the same source replaces it.

    The first one comes with the first record that tells the session, at the latest at ``finish``; only an empty source
    has none.
    """

    native_id: str
    parent_id: str | None = None
    relation: Relation | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    remote: str | None = None  # git remote as the host logged it
    model: str | None = None
    version: str | None = None


class RawModelCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A row of usage; see ``model.ModelCall``."""

    key: str
    model: str | None
    timestamp: str | None
    turn: int
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0
    web_searches: int = 0
    final: bool = False
    sidechain: bool = False
    logged_cost_usd: float | None = None
    agent: str | None = None  # set where an ``Embedded`` event is taken in


class RawToolCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tool request or its outcome; see ``model.ToolCall``."""

    call_id: str
    turn: int
    tool: str | None = None
    request_block: str | None = None
    result_block: str | None = None
    started: str | None = None
    ended: str | None = None
    failed: bool | None = None
    error: str | None = None
    duration_ms: int | None = None
    agent: str | None = None  # set where an ``Embedded`` event is taken in


class Embedded(msgspec.Struct, frozen=True, gc=False):
    """An event of a child session that has no file of its own; ``event.ord`` is a position in this source.

    ``agent_id`` names the child within the session of the source. The first event of each child, and the first after a
    resume, is its ``RawSession``.
    """

    agent_id: str
    event: RawBlock | RawSession | RawModelCall | RawToolCall


Event = RawRecord | RawBlock | RawSession | RawModelCall | RawToolCall | Embedded


class Checkpoint(msgspec.Struct, frozen=True, gc=False):
    """Where a parser can be resumed: bytes, the first ord that a resume will emit again, and the structural state.

    ``session`` is what was known of the session there. A folder, a branch or a title must not go into ``state``, which
    is stored as it is: whoever keeps a checkpoint keeps the session redacted, with the source, and hands that back. A
    parser resumed with it goes on naming the folder and branch of blocks whose records leave them out.
    """

    offset: int
    ord: int
    state: bytes
    session: RawSession | None = None


class Conversation(msgspec.Struct, frozen=True):
    """What a conversation inside an export says of itself; ``messages`` are those of the user and the model."""

    id: str | None
    title: str | None
    created: str | None
    messages: int


class Parser(Protocol):
    """Reads one source; made by ``Host.parser``."""

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines, in order. Never raises on any bytes."""
        ...

    def finish(self) -> list[Event]:
        """Return what only the end of the range decides (deferred blocks, a last name). The parser is then done."""
        ...

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Half-open ranges of ord that stand on dead branches of the whole source, as known at ``finish``."""
        ...

    def checkpoint(self) -> Checkpoint:
        """The latest point from which the source can be read on. Lines before it need not be read again."""
        ...


class Host(Protocol):
    """One kind of transcript. Inherit from it explicitly: the doors that most hosts do not need have an answer here.

    Attributes:
        name: The host's name.
        rewrites: Its files are documents that are written anew as they grow. Then ``recognise`` gets the whole
            beginning of a file, not its first lines alone, and a file that no longer begins with what was captured is
            read again as the host's normal way, where for others it is an accident that a person has to look at.
        collects: A file of it may be a list of conversations, alone or inside an archive; each is a source of its own.
    """

    name: str
    rewrites: bool = False
    collects: bool = False

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the first records are of this host: at most 30 lines, more of a document (``rewrites``)."""
        ...

    def agent_id(self, path: PurePath) -> str | None:
        """Return the id of the agent whose own transcript the file at ``path`` is, by its name; None for any other."""
        del path
        return None

    def companion(self, path: PurePath) -> PurePath | None:
        """Return where the small file lies that describes the source at ``path``, if this host writes such files."""
        del path
        return None

    def conversation(self, data: bytes) -> Conversation | None:
        """Return what the conversation in ``data``, an element of a list, says of itself; None when it is none."""
        del data
        return None

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> Parser:
        """Return a parser for the source at ``path``.

        Args:
            path: Used for ids in its name only; it is not opened.
            resume: Where an earlier parser of the source left off.
            agents: ``agent_id`` of every file that is captured beside this one. None: the caller has no use for
                ``Embedded`` events and gets none; their records are excluded.
            companion: The content of the file that ``companion`` names; empty when there is none.
        """
        ...


def make_id(*parts: object) -> str:
    """Return the first 32 hex of the sha256 over the parts, joined by the unit separator."""
    return sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
