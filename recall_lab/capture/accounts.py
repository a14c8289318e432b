"""The books of one source: every byte under a type and a disposition, and queued prompts that were delivered later.

What lies before the parser's checkpoint is settled; the rest is counted again when the source is read on.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recall_lab.hosts.base import Checkpoint, RawRecord, RawSession
from recall_lab.model import DISPOSITIONS, Disposition, LedgerRow, PlacedBlock, Problem, Session

_MAX_PROBLEMS = 10_000
_PROBLEMS: tuple[Disposition, ...] = ("malformed", "unknown", "pending")


class _Queued(msgspec.Struct, frozen=True):
    """A queued prompt that no delivered prompt has repeated so far; the hash is of its redacted text."""

    ord: int
    content_hash: str
    record_type: str
    length: int


class Settled(msgspec.Struct, frozen=True):
    """What is kept with a source between captures; structural, never text."""

    ledger: dict[str, tuple[int, int]] = {}
    problems: tuple[Problem, ...] = ()
    queued: tuple[_Queued, ...] = ()
    lines: int = 0
    session: Session | None = None
    children: tuple[Session, ...] = ()
    raw_session: RawSession | None = None  # redacted, for the parser
    parser: bytes = b""


def encode(settled: Settled) -> bytes:
    """Return the settled books as bytes."""
    return msgspec.msgpack.encode(settled)


def decode(data: bytes | None) -> Settled:
    """Read what ``encode`` wrote; an empty state for a source not read so far."""
    return msgspec.msgpack.decode(data, type=Settled) if data else Settled()


class Accounts:
    """Counts records as they come; ``settle`` moves what is behind the checkpoint into the settled part."""

    def __init__(self, settled: Settled) -> None:
        self._ledger = dict(settled.ledger)
        self._problems = list(settled.problems)
        self._queued = list(settled.queued)
        self._lines = settled.lines
        self._open: list[RawRecord] = []
        self._open_lines: list[int] = []
        # Sums over the settled and the open part, kept as records come: the open part may be long.
        self._total = dict(settled.ledger)
        self._noted = list(settled.problems)

    def lines(self, offsets: Sequence[int]) -> None:
        """Note non-blank lines by their offsets in bytes."""
        self._open_lines.extend(offsets)

    def record(self, record: RawRecord) -> None:
        """Note one record."""
        self._open.append(record)
        _count(self._total, record.record_type, record.disposition, record.records, record.length)
        if _is_noted(record):
            self._note(self._noted, record)

    def deliver(self, blocks: Sequence[PlacedBlock], offsets: Sequence[int]) -> tuple[list[PlacedBlock], list[int]]:
        """Let delivered prompts take the place of equal queued ones.

        Args:
            blocks: Prepared blocks, in order.
            offsets: For each block the offset of its record, bytes.

        Returns:
            The blocks that stay, and the ords of queued prompts written by earlier batches that go.
        """
        kept: list[PlacedBlock] = []
        dropped: list[int] = []
        for block, offset in zip(blocks, offsets, strict=True):
            if block.queued:
                record = next((r for r in reversed(self._open) if r.offset == offset), None)
                record_type, length = (record.record_type, record.length) if record else ("queue-operation", 0)
                self._queued.append(_Queued(block.ord, block.content_hash, record_type, length))
            elif block.role in {"user", "host"} and block.kind == "text" and self._queued:
                repeated = [queued for queued in self._queued if queued.content_hash == block.content_hash]
                if repeated:
                    dropped.append(repeated[0].ord)
                    self._queued.remove(repeated[0])
                    for counts in (self._ledger, self._total):
                        _count(counts, repeated[0].record_type, "indexed", -1, -repeated[0].length)
                        _count(counts, repeated[0].record_type, "duplicate", 1, repeated[0].length)
            kept.append(block)
        here = {block.ord for block in kept}
        gone = set(dropped)
        return [block for block in kept if block.ord not in gone], [ord_ for ord_ in dropped if ord_ not in here]

    def settle(self, checkpoint: Checkpoint) -> Settled:
        """Close the books up to the checkpoint and return them."""
        rest: list[RawRecord] = []
        for record in self._open:
            if record.offset < checkpoint.offset:
                _count(self._ledger, record.record_type, record.disposition, record.records, record.length)
                if _is_noted(record):
                    self._note(self._problems, record)
            else:
                rest.append(record)
        self._open = rest
        self._lines += sum(1 for offset in self._open_lines if offset < checkpoint.offset)
        self._open_lines = [offset for offset in self._open_lines if offset >= checkpoint.offset]
        return Settled(
            ledger={key: row for key, row in self._ledger.items() if row != (0, 0)},
            problems=tuple(self._problems),
            queued=tuple(self._queued),
            lines=self._lines,
            parser=checkpoint.state,
        )

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Return the whole source's ledger, settled and open."""
        return tuple(
            LedgerRow(record_type=record_type, disposition=disposition, records=records, bytes=size)
            for disposition in DISPOSITIONS
            for key, (records, size) in sorted(self._total.items())
            if (record_type := key.removeprefix(f"{disposition} ")) != key and (records or size)
        )

    def problems(self) -> tuple[Problem, ...]:
        """Return the whole source's problems, at most 10,000 of them."""
        return tuple(self._noted)

    @property
    def line_count(self) -> int:
        """Non-blank lines, settled and open."""
        return self._lines + len(self._open_lines)

    @property
    def pending(self) -> bool:
        """Whether the source ends in an unfinished record."""
        return any(record.disposition == "pending" for record in self._open)

    @staticmethod
    def _note(problems: list[Problem], record: RawRecord) -> None:
        if len(problems) < _MAX_PROBLEMS:
            problems.append(_problem(record))


def _count(
    counts: dict[str, tuple[int, int]], record_type: str, disposition: Disposition, records: int, size: int
) -> None:
    key = f"{disposition} {record_type}"
    known, known_size = counts.get(key, (0, 0))
    counts[key] = (known + records, known_size + size)


def _is_noted(record: RawRecord) -> bool:
    """Say whether a record could not be used, or only after something in it was replaced; white space is none."""
    return record.records > 0 and (record.disposition in _PROBLEMS or record.reason is not None)


def _problem(record: RawRecord) -> Problem:
    return Problem(
        offset=record.offset,
        length=record.length,
        disposition=record.disposition,
        reason=record.reason or record.record_type,
    )
