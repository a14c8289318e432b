"""What the evidence room returns besides the records of ``model``."""

from __future__ import annotations

from typing import Literal

from recall_lab.model import Block, Citation, Kind, Record, Redacted, Role, Searched
from recall_lab.store.read_records import SessionInfo, TurnLine


class Called(Record, frozen=True):
    """A subagent of a session; ``after`` is the index in the view's blocks of the tool result that names it."""

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


class Coverage(Record, frozen=True):
    """What a brief was drawn from: how much was looked through, and how much of it is not captured to its end."""

    searched: Searched
    scope: str
    incomplete_sources: int
    chosen: Literal["search", "person"]
    notice: str | None = None


class Repository(Record, frozen=True):
    """What git says of a folder now; observed apart from the sessions."""

    folder: str
    branch: str | None
    commit: str | None
    changed_files: int


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
    def sessions(self) -> int:
        """How many sessions the excerpts come from."""
        return len({(excerpt.host, excerpt.session) for excerpt in self.excerpts})
