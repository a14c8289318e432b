"""What the reading side of the store returns besides ``model.Block``."""

from __future__ import annotations

from recall_lab.model import Kind, Record, Redacted, Relation, Role


class StoredText(Record, frozen=True):
    """One text of a block. ``placed`` says that a session holds it now; otherwise it is a revision."""

    text_id: int
    block_id: str
    content_hash: str
    text: Redacted
    placed: bool
    seen: int  # change number that brought it; greater is newer


class Placement(Record, frozen=True):
    """Where a text stands. The first of a list is the root placement."""

    text_id: int
    content_hash: str
    host: str
    session: str
    relation: Relation | None
    source: Redacted
    source_id: int
    session_id: int
    turn: int
    ord: int
    live: bool
    timestamp: str | None


class Step(Record, frozen=True):
    """One block of a session in reading order, without its text."""

    text_id: int
    source_id: int
    ord: int
    turn: int
    role: Role
    kind: Kind
    live: bool  # on a live branch in at least one source of the session
    timestamp: str | None


class SessionInfo(Record, frozen=True):
    """One session as lists show it; ``blocks`` counts a copied block once, ``turns`` leaves out turn 0."""

    session_id: int
    host: str
    native_id: str
    parent_id: str | None
    relation: Relation | None
    agent_id: str | None
    agent_type: Redacted | None
    title: Redacted | None
    repo: Redacted | None
    cwd: Redacted | None
    branch: Redacted | None
    model: str | None
    started: str | None
    ended: str | None
    turns: int
    blocks: int
    sources: tuple[Redacted, ...] = ()
    states: tuple[str, ...] = ()  # of the sources, in the same order


class TurnLine(Record, frozen=True):
    """A line of the turn index; ``preview`` is the head of the prompt with white space folded."""

    turn: int
    timestamp: str | None
    preview: Redacted
    blocks: int
    live: bool


class Holdings(Record, frozen=True):
    """How much the store holds, for saying what an answer was drawn from."""

    blocks: int
    sessions: int
    sources: int
    incomplete: int  # sources that are not captured to their end


class CallOutcome(Record, frozen=True):
    """A tool call of a session with its outcome; ``failed`` is None while the outcome is unknown."""

    turn: int
    tool: Redacted | None
    failed: bool | None
    error: Redacted | None
    request_block: str | None
    result_block: str | None
    started: str | None


class SourceFact(Record, frozen=True):
    """How a source of a session was captured; the counts are records. Sizes in bytes."""

    path: Redacted
    state: str
    size: int
    cursor: int
    malformed: int
    unknown: int
    pending: int
