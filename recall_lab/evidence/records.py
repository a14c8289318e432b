"""What the evidence room returns besides the records of ``model``."""

from __future__ import annotations

from typing import Literal

from recall_lab.model import Block, Citation, Kind, Record, Redacted, Role, Searched
from recall_lab.store.read_records import SessionInfo, TurnLine


class RetainedText(Record, frozen=True):
    """One retained text of a block; ``length`` in code points. More than one current text is a conflict."""

    content_hash: str
    length: int
    current: bool
    pinned: bool


class EarlierText(Record, frozen=True):
    """A text that no transcript holds any more.

    ``text`` is what stands from ``start`` to ``end``, code points of the whole, which has ``length``.
    """

    block_id: str
    content_hash: str
    text: Redacted
    start: int
    end: int
    length: int
    pinned: bool


class Called(Record, frozen=True):
    """A subagent of a session; ``after`` is the index in the view's blocks of the block where it was called."""

    session: SessionInfo
    after: int | None


class SessionView(Record, frozen=True):
    """One session, or a part of it, as it was asked for."""

    session: SessionInfo
    blocks: tuple[Block, ...] = ()
    turns: tuple[TurnLine, ...] = ()  # of the turns that are shown
    page: int | None = None
    pages: int = 1
    called: tuple[Called, ...] = ()


class Chosen(Record, frozen=True):
    """A quotation that was picked for a brief: why, what the writer says of it, and under what heading it stands."""

    citation: Citation
    reason: str = "Chosen by hand"
    note: str | None = None
    section: str | None = None


class Excerpt(Record, frozen=True):
    """A quotation in its place. ``context`` is the same quotation with what stands around it, cited too."""

    citation: Citation
    context: Citation
    reason: str  # why it was chosen
    role: Role
    kind: Kind
    host: str
    session: str
    turn: int
    title: Redacted | None = None
    timestamp: str | None = None
    repo: Redacted | None = None
    branch: Redacted | None = None
    cwd: Redacted | None = None
    source: Redacted | None = None
    note: str | None = None
    section: str | None = None  # the writer's heading; None is the brief's own


class Coverage(Record, frozen=True):
    """What a brief was drawn from: how much was looked through, and how much of it is not captured to its end."""

    searched: Searched
    scope: str
    incomplete_sources: int
    chosen: Literal["search", "person"]
    notice: str | None = None


class Repository(Record, frozen=True):
    """What git's own files say of a folder now; observed apart from the sessions, and no program is run for it."""

    folder: str
    exists: bool
    branch: str | None = None  # checked out now; None when detached, or when there is no repository
    commit: str | None = None
    worktree: bool = False  # a linked worktree of a repository that lies elsewhere


class Brief(Record, frozen=True):
    """A document made of citations: a sample of what was said, never all of it."""

    title: str
    question: str
    created: str  # UTC
    passages: tuple[Excerpt, ...]
    coverage: Coverage
    opening: Excerpt | None = None
    decisions: tuple[Excerpt, ...] = ()
    problems: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()
    repository: Repository | None = None
    zone: str = "UTC"  # IANA name of the zone that times are shown in

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """Every excerpt in the order of the document."""
        opening = (self.opening,) if self.opening else ()
        return (*opening, *self.passages, *self.decisions, *self.problems)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every quotation that the document prints: the excerpts, and those with more around them in their context."""
        contexts = (e.context for e in self.excerpts if e.context.quote != e.citation.quote)
        return (*(e.citation for e in self.excerpts), *contexts)

    @property
    def sessions(self) -> int:
        """How many sessions the excerpts come from."""
        return len({(excerpt.host, excerpt.session) for excerpt in self.excerpts})


class Action(Record, frozen=True):
    """One tool call with its outcome; ``request`` and ``result`` are heads of the blocks."""

    turn: int
    tool: Redacted | None
    failed: bool | None  # None while the outcome is unknown
    error: Redacted | None
    request: str | None
    result: str | None
    request_block: str | None
    result_block: str | None


class Continuation(Record, frozen=True):
    """Where a session was left. ``resume`` is a command for a person to run; recall_lab never does."""

    session: SessionInfo
    prompts: tuple[Block, ...]
    words: Block | None
    actions: tuple[Action, ...]
    errors: tuple[Action, ...]
    folder: Repository | None
    branch_exists: bool | None  # of the session's branch; None when that cannot be told
    resume: str | None


class Repeat(Record, frozen=True):
    """The prompts that drove a session, verbatim; ``turns`` are theirs, in the same order."""

    session: SessionInfo
    prompts: tuple[Citation, ...]
    turns: tuple[int, ...]


class SkillDraft(Record, frozen=True):
    """A draft of a SKILL.md. ``receipts`` lead back to what it was drawn from; the text itself names no session."""

    name: str
    text: str
    receipts: tuple[str, ...]
