"""Reading: a block in its place, and a session in the ways that people look at one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evidence.calls import call_places
from recall_lab.evidence.checking import choose_text, resolve_block
from recall_lab.evidence.pasted import parse_pasted
from recall_lab.evidence.records import Called, RetainedText, SessionView
from recall_lab.model import Block, Neighbor, Reading, Redacted
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo, Step
from recall_lab.times import from_utc, local_zone, parse_time
from recall_lab.typed_times import counts_from_now

PAGE = 50  # lines of the turn index on one page
AROUND = 3  # turns on either side of a moment


def read(
    reader: Reader,
    block: str,
    *,
    start: int = 0,
    length: int | None = None,
    neighbors: int = 0,
    revision: str | None = None,
) -> Reading:
    """Read a block, or a span of it, at its root placement.

    Args:
        reader: The store.
        block: A block id, an unambiguous head of one (8 hex or more), or a receipt: its hash then is the revision, and
            its span is read unless a start or length is given.
        start: First code point to read; past the end reads nothing.
        length: How many code points; None reads to the end.
        neighbors: How many blocks before and after to bring along. Beside a block on a live branch only live ones.
        revision: The content hash, or at least 8 hex of it, of an earlier text.

    Returns:
        The span; of a block that no session holds any more, the last text, with session "" and turn 0.

    Raises:
        UnknownBlockError: no block has this id, or no retained text of it has this hash.
        UsageError: an id or hash is malformed, or a number is negative.
    """
    if start < 0 or neighbors < 0 or (length is not None and length < 0):
        raise UsageError("start, length and neighbors count from 0 upward")
    given = parse_pasted(block)
    if start == 0 and length is None and given.start is not None and given.end is not None:
        start, length = given.start, given.end - given.start
    with store.snapshot(reader):
        whole_id = resolve_block(reader, given.block)
        stored = choose_text(store.stored_texts(reader, whole_id), revision or given.hash_head)
        found = _in_place(reader, whole_id, stored.text_id)
        beside = _neighbors(reader, whole_id, neighbors) if neighbors else ()
    size = len(found.text)
    first = min(start, size)
    last = size if length is None else min(size, first + length)
    return Reading(
        block_id=found.block_id,
        content_hash=found.content_hash,
        text=Redacted(found.text[first:last]),
        start=first,
        end=last,
        length=size,
        role=found.role,
        kind=found.kind,
        session=found.session,
        turn=found.turn,
        host=found.host,
        neighbors=beside,
        title=found.title,
        timestamp=found.timestamp,
        repo=found.repo,
        branch=found.branch,
        cwd=found.cwd,
        source=found.source,
        tool=found.tool,
        truncated=found.original_length > size,
    )


def revisions(reader: Reader, block: str) -> tuple[RetainedText, ...]:
    """List the retained texts of a block: the current ones first, then earlier ones, the newest first.

    Raises:
        UnknownBlockError: no block has this id.
        UsageError: it is no id.
    """
    with store.snapshot(reader):
        whole_id = resolve_block(reader, parse_pasted(block).block)
        pinned = store.pinned_hashes(reader, whole_id)
        return tuple(
            RetainedText(
                content_hash=stored.content_hash,
                length=len(stored.text),
                current=stored.placed,
                pinned=stored.content_hash in pinned,
            )
            for stored in store.stored_texts(reader, whole_id)
        )


def _in_place(reader: Reader, block_id: str, text_id: int) -> Block:
    """The text at its root placement; a revision takes the place where its block stands now."""
    placed = store.root_blocks(reader, (text_id,)).get(text_id)
    if placed is not None:
        return placed
    old = store.revision(reader, text_id)
    assert old is not None
    now = store.block_at_root(reader, block_id)
    if now is None:
        return old
    return msgspec.structs.replace(
        now,
        content_hash=old.content_hash,
        text=old.text,
        role=old.role,
        kind=old.kind,
        original_length=old.original_length,
    )


def _neighbors(reader: Reader, block_id: str, count: int) -> tuple[Neighbor, ...]:
    root = next(iter(store.placements(reader, block_id)), None)
    if root is None:
        return ()
    before, after = store.beside(reader, root, count)
    ords = [*reversed(before), *after]
    offsets = [*range(-len(before), 0), *range(1, len(after) + 1)]
    blocks = store.blocks_at(reader, [(root.source_id, ord_) for ord_ in ords])
    return tuple(
        Neighbor(
            offset=offset,
            block_id=block.block_id,
            role=block.role,
            kind=block.kind,
            turn=block.turn,
            text=block.text,
            timestamp=block.timestamp,
        )
        for offset, block in zip(offsets, blocks, strict=True)
    )


def session_view(
    reader: Reader,
    session: str,
    *,
    host: str | None = None,
    prompts: bool = False,
    turn: int | None = None,
    tail: int | None = None,
    around: str | None = None,
    turns: int = AROUND,
    last_turns: int | None = None,
    page: int | None = None,
    per_page: int = PAGE,
    dead: bool = False,
    zone: str | None = None,
    now: datetime | None = None,
) -> SessionView:
    """Look at one session; at most one way of looking at a time, without one all its blocks.

    Args:
        reader: The store.
        session: Its native id, an unambiguous head of it, or the id of a subagent.
        host: The host, where two hosts use the same id.
        prompts: Only what the user wrote.
        turn: Only the turn of this number; 0 is what came before the first prompt.
        tail: Only the last so many blocks.
        around: Only the turns around this time, as people type it (``2pm``, ``jan 5 2pm``, ``yesterday 3pm``); a time
            without a day is one of the session's last day.
        turns: How many turns on either side of ``around``.
        last_turns: Only the last so many turns.
        page: Only this page of the turn index, counted from 1; no blocks.
        per_page: Lines on a page.
        dead: Also blocks on dead branches.
        zone: IANA name of the zone that ``around`` is meant in; None takes the user's.
        now: The present moment, for tests.

    Raises:
        NotFoundError: no session is called that, it has no such turn, or the page is past the end.
        UsageError: several sessions are, two ways of looking were asked for, or a count is below 1.
        TimeError: the time could not be understood.
    """
    ways = [prompts, turn is not None, tail is not None, around is not None, last_turns is not None, page is not None]
    if sum(ways) > 1:
        raise UsageError("choose one of prompts, turn, tail, around, last turns and page")
    for count in (tail, last_turns, page, per_page):
        if count is not None and count < 1:
            raise UsageError("tail, last turns and page count from 1 upward")
    with store.snapshot(reader):
        info = sessions.find_session(reader, session, host)
        steps = [step for step in sessions.steps(reader, info.session_id) if dead or step.live]
        numbers = sorted({step.turn for step in steps})
        pages = max(1, -(-len(numbers) // per_page))
        shown: Sequence[Step] = steps
        if page is not None:
            if page > pages:
                raise NotFoundError(f"the turn index has {pages} pages; there is no page {page}")
            lines = sessions.turn_lines(reader, steps, numbers[(page - 1) * per_page : page * per_page])
            return SessionView(
                session=info, turns=lines, page=page, pages=pages, called=_called(reader, info, steps, ())
            )
        if prompts:
            shown = [step for step in steps if step.role == "user" and step.kind == "text"]
        elif turn is not None:
            if turn not in numbers:
                raise NotFoundError(f"the session has no turn {turn}; its turns run to {max(numbers, default=0)}")
            shown = _in_turns(steps, [turn])
        elif tail is not None:
            shown = steps[-tail:]
        elif last_turns is not None:
            shown = _in_turns(steps, numbers[-last_turns:])
        elif around is not None:
            middle = turn_at(steps, moment_of(around, info, zone, now))
            at = numbers.index(middle)
            shown = _in_turns(steps, numbers[max(0, at - turns) : at + turns + 1])
        places = [(step.source_id, step.ord) for step in shown]
        lines = sessions.turn_lines(reader, steps, sorted({step.turn for step in shown}))
        blocks = store.blocks_at(reader, places)
        live = tuple(msgspec.structs.replace(block, live=step.live) for block, step in zip(blocks, shown, strict=True))
        return SessionView(
            session=info, blocks=live, turns=lines, page=None, pages=pages, called=_called(reader, info, steps, places)
        )


def _in_turns(steps: Sequence[Step], numbers: Sequence[int]) -> list[Step]:
    wanted = set(numbers)
    return [step for step in steps if step.turn in wanted]


def moment_of(around: str, info: SessionInfo, zone: str | None, now: datetime | None) -> str:
    """Read a time that was typed about a session, UTC out; without a day or year it is one of the session's own."""
    zone = zone or local_zone()
    if counts_from_now(around) or not info.ended:
        return parse_time(around, zone, now)
    return parse_time(around, zone, from_utc(info.ended, zone))


def turn_at(steps: Sequence[Step], moment: str) -> int:
    """Return the turn of the last block at or before the moment, else of the first block with a time."""
    timed = [step for step in steps if step.timestamp]
    if not timed:
        raise NotFoundError("no block of the session has a time; use the turn index instead")
    before = [step for step in timed if (step.timestamp or "") <= moment]
    return max(before, key=lambda step: step.timestamp or "").turn if before else timed[0].turn


def _called(
    reader: Reader, info: SessionInfo, steps: Sequence[Step], places: Sequence[tuple[int, int]]
) -> tuple[Called, ...]:
    """The subagents of a session, each with the place where it was called, if that is shown."""
    index = {place: number for number, place in enumerate(places)}
    calls = call_places(reader, info, steps)
    return tuple(Called(session=child, after=index.get(at) if at else None) for child, at in calls)
