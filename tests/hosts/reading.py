"""Reads a source as capture does, in one go or in pieces, and says what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from recall_lab.hosts.base import (
    Checkpoint,
    Embedded,
    Event,
    Host,
    Line,
    RawBlock,
    RawModelCall,
    RawRecord,
    RawSession,
    RawToolCall,
)

Placed = tuple[str | None, RawBlock]


class Outcome(msgspec.Struct):
    """What a source gave: blocks with the agent they are embedded for, the ledger, calls by key, dead ranges."""

    blocks: list[Placed]
    records: list[RawRecord]
    model_calls: dict[tuple[str | None, str], RawModelCall]
    tool_calls: dict[tuple[str | None, str], RawToolCall]
    session: RawSession | None
    children: dict[str, RawSession]
    dead: tuple[tuple[int, int], ...]
    checkpoint: Checkpoint
    events: list[Event]

    @property
    def ledger(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Records and bytes by type and disposition."""
        records: Counter[tuple[str, str]] = Counter()
        size: Counter[tuple[str, str]] = Counter()
        for record in self.records:
            records[record.record_type, record.disposition] += record.records
            size[record.record_type, record.disposition] += record.length
        return {key: (records[key], size[key]) for key in size}

    @property
    def own(self) -> list[RawBlock]:
        """The blocks of the source's own session."""
        return [block for agent, block in self.blocks if agent is None]

    def live(self) -> list[RawBlock]:
        """The source's own blocks that stand on no dead branch."""
        return [block for block in self.own if not any(start <= block.ord < end for start, end in self.dead)]


def lines_of(data: bytes, start: int = 0) -> list[Line]:
    """Cut bytes into lines, at ``\\n`` only; offsets begin at ``start``."""
    lines = []
    *whole, rest = data.split(b"\n")
    for piece in whole:
        lines.append(Line(start, len(piece) + 1, piece))
        start += len(piece) + 1
    if rest:
        lines.append(Line(start, len(rest), rest, ended=False))
    return lines


def read(
    host: Host,
    data: bytes,
    path: str = "session.jsonl",
    *,
    cuts: Iterable[int] = (),
    group: int = 3,
    agents: frozenset[str] | None = frozenset(),
    companion: bytes = b"",
) -> Outcome:
    """Capture growing pieces of ``data``, each up to the next of ``cuts``, resuming in between.

    Args:
        host: Whose it is.
        data: The whole source.
        path: Its name.
        cuts: Sizes in bytes at which the source is captured before it is whole.
        group: How many lines are fed at once.
        agents: See ``Host.parser``.
        companion: See ``Host.parser``.
    """
    resume: Checkpoint | None = None
    blocks: list[Placed] = []
    records: list[RawRecord] = []
    models: dict[tuple[str | None, str], RawModelCall] = {}
    tools: dict[tuple[str | None, str], RawToolCall] = {}
    session: RawSession | None = None
    children: dict[str, RawSession] = {}
    events: list[Event] = []
    for size in [*sorted({cut for cut in cuts if 0 <= cut < len(data)}), len(data)]:
        start = resume.offset if resume else 0
        first = resume.ord if resume else 0
        if start == 0:  # read anew: what was told of calls goes, as in the store
            models, tools = {}, {}
        blocks = [(agent, block) for agent, block in blocks if block.ord < first]
        records = [record for record in records if record.offset < start]
        parser = host.parser(PurePath(path), resume, agents=agents, companion=companion)
        lines = lines_of(data[start:size], start)
        events = []
        for at in range(0, len(lines), group):
            events += parser.feed(lines[at : at + group])
        events += parser.finish()
        for event in events:
            agent, told = (event.agent_id, event.event) if isinstance(event, Embedded) else (None, event)
            if isinstance(told, RawBlock):
                blocks.append((agent, told))
            elif isinstance(told, RawRecord):
                records.append(told)
            elif isinstance(told, RawModelCall):
                models[agent, told.key] = _better(models.get((agent, told.key)), told)
            elif isinstance(told, RawToolCall):
                tools[agent, told.call_id] = _merged(tools.get((agent, told.call_id)), told)
            elif agent is None:
                session = _known(session, told)
            else:
                children.setdefault(agent, told)
        dead = parser.dead()
        resume = parser.checkpoint()
    return Outcome(blocks, records, models, tools, session, children, dead, resume, events)


def _known(known: RawSession | None, news: RawSession) -> RawSession:
    told = {name: value for name, value in msgspec.structs.asdict(news).items() if value is not None}
    return msgspec.structs.replace(known or news, **told)


def _better(known: RawModelCall | None, new: RawModelCall) -> RawModelCall:
    if known is not None and (known.final, known.output_tokens) > (new.final, new.output_tokens):
        return known
    return new


def _merged(known: RawToolCall | None, new: RawToolCall) -> RawToolCall:
    if known is None:
        return new
    told = {name: value for name in new.__struct_fields__ if (value := getattr(new, name)) is not None}
    if known.request_block and not new.request_block:
        told["turn"] = known.turn  # a call stands in the turn of its request
    return msgspec.structs.replace(known, **told)


def problems_of(outcome: Outcome, data: bytes) -> Sequence[str]:
    """Return what is wrong with an outcome, whatever the host: ledger, order, ids."""
    wrong = []
    if sum(record.length for record in outcome.records) != len(data):
        wrong.append("the ledger does not add up to the bytes")
    if any(record.length <= 0 for record in outcome.records):
        wrong.append("a record has no bytes")
    if sum(record.records for record in outcome.records) < sum(1 for line in data.split(b"\n") if line.strip()):
        wrong.append("a line that is not blank has no record")
    if any(not record.record_type or len(record.record_type) > 90 for record in outcome.records):
        wrong.append("a record type is empty or long")
    ords = [block.ord for _, block in outcome.blocks]
    if ords != sorted(set(ords)):
        wrong.append("ord does not ascend strictly")
    offsets = {record.offset for record in outcome.records}
    for _, block in outcome.blocks:
        if len(block.block_id) != 32 or not set(block.block_id) <= set("0123456789abcdef"):
            wrong.append("an id is not 32 lowercase hex")
        if not block.text.strip():
            wrong.append("a block is blank")
        if block.offset not in offsets:
            wrong.append("a block stands in no record")
        if block.turn < 0:
            wrong.append("a turn is negative")
    if any(not 0 <= start < end for start, end in outcome.dead):
        wrong.append("a dead range is empty")
    if outcome.checkpoint.offset > len(data):
        wrong.append("the checkpoint lies behind the end")
    return wrong
