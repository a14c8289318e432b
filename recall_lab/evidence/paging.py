"""A session in pages of a few blocks, however long it is: its order is read once, texts only for the open page."""

from __future__ import annotations

from bisect import bisect_left
from datetime import datetime

from recall_lab.errors import NotFoundError
from recall_lab.evidence.calls import call_places
from recall_lab.evidence.reading import PAGE, moment_of, turn_at
from recall_lab.evidence.records import Called
from recall_lab.model import Block, Record
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo, Step, TurnLine

BLOCKS = 25  # on one page


class SessionPage(Record, frozen=True):
    """Some blocks of a session in their order; ``after`` of a subagent is an index of ``blocks``.

    A subagent whose call is not known has no place; it is listed on the first page. Blocks and pages count from 1.
    """

    blocks: tuple[Block, ...]
    called: tuple[Called, ...]
    page: int
    pages: int
    first: int  # place of the first block in the session
    total: int


class PagedSession:
    """A session's order, as it was when it was opened.

    Attributes:
        info: The session.
        steps: Its blocks without their texts, those of dead branches only where they were asked for.
    """

    def __init__(self, reader: Reader, info: SessionInfo, *, dead: bool = False, per_page: int = BLOCKS) -> None:
        self.info = info
        self._reader = reader
        self._per_page = per_page
        self.steps: tuple[Step, ...] = tuple(
            step for step in sessions.steps(reader, info.session_id) if dead or step.live
        )
        self.turns = sorted({step.turn for step in self.steps})
        index = {(step.source_id, step.ord): number for number, step in enumerate(self.steps)}
        calls = call_places(reader, info, self.steps)
        self._agents = [(agent, index.get(place) if place else None) for agent, place in calls]

    @property
    def pages(self) -> int:
        """How many pages of blocks there are; at least one."""
        return max(1, -(-len(self.steps) // self._per_page))

    @property
    def turn_pages(self) -> int:
        """How many pages the turn index has; at least one."""
        return max(1, -(-len(self.turns) // PAGE))

    def page(self, number: int) -> SessionPage:
        """Read one page.

        Raises:
            NotFoundError: there is no such page.
        """
        if not 1 <= number <= self.pages:
            raise NotFoundError(f"the session has {self.pages} pages; there is no page {number}")
        begin = (number - 1) * self._per_page
        shown = self.steps[begin : begin + self._per_page]
        with store.snapshot(self._reader):
            # What a capture took out meanwhile is left out.
            blocks = store.blocks_at(self._reader, [(step.source_id, step.ord) for step in shown])
        called = [
            Called(session=agent, after=None if at is None else at - begin)
            for agent, at in self._agents
            if (number == 1 if at is None else begin <= at < begin + len(shown))
        ]
        return SessionPage(
            blocks=blocks,
            called=tuple(called),
            page=number,
            pages=self.pages,
            first=begin + 1,
            total=len(self.steps),
        )

    def turn_lines(self, number: int) -> tuple[TurnLine, ...]:
        """Return one page of the turn index.

        Raises:
            NotFoundError: there is no such page.
        """
        if not 1 <= number <= self.turn_pages:
            raise NotFoundError(f"the turn index has {self.turn_pages} pages; there is no page {number}")
        return sessions.turn_lines(self._reader, self.steps, self.turns[(number - 1) * PAGE : number * PAGE])

    def turn_page(self, turn: int) -> int:
        """Say on which page of the turn index a turn stands."""
        return min(bisect_left(self.turns, turn) // PAGE + 1, self.turn_pages)

    def page_of_turn(self, turn: int) -> int:
        """Say on which page a turn begins.

        Raises:
            NotFoundError: the session has no such turn.
        """
        at = next((number for number, step in enumerate(self.steps) if step.turn == turn), None)
        if at is None:
            raise NotFoundError(f"the session has no turn {turn}; its turns run to {max(self.turns, default=0)}")
        return at // self._per_page + 1

    def page_of_block(self, block_id: str) -> int | None:
        """Say on which page a block stands; None when it does not, or only on a dead branch that is left out."""
        texts = {stored.text_id for stored in store.stored_texts(self._reader, block_id)}
        at = next((number for number, step in enumerate(self.steps) if step.text_id in texts), None)
        return None if at is None else at // self._per_page + 1

    def page_of_agent(self, native_id: str) -> int | None:
        """Say on which page a subagent was called; None when that is not known."""
        at = next((at for agent, at in self._agents if agent.native_id == native_id), None)
        return None if at is None else at // self._per_page + 1

    def turn_at(self, time: str, zone: str, now: datetime | None = None) -> int:
        """Say which turn was under way at a time, as people type it; without a day, on the session's last.

        Raises:
            TimeError: the time cannot be understood.
            NotFoundError: no block of the session has a time.
        """
        return turn_at(self.steps, moment_of(time, self.info, zone, now))


def open_session(
    reader: Reader, session: str, *, host: str | None = None, dead: bool = False, per_page: int = BLOCKS
) -> PagedSession:
    """Open a session to read it in pages.

    Args:
        reader: The store.
        session: Its native id, an unambiguous head of it, or the id of a subagent.
        host: The host, where two hosts use the same id.
        dead: Also blocks on dead branches.
        per_page: Blocks on a page.

    Raises:
        NotFoundError: no session is called that.
        UsageError: several are.
    """
    with store.snapshot(reader):
        return PagedSession(reader, sessions.find_session(reader, session, host), dead=dead, per_page=per_page)
