"""What lies on the disk and is not in the store yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recall_lab.model import Record, Source, SourceState

if TYPE_CHECKING:
    from recall_lab.capture import Discovery


class Waiting(Record, frozen=True):
    """A transcript that is not captured to its end.

    Attributes:
        source: Its path.
        host: Who wrote it.
        state: ``not_captured``, or the state that the store has it in (``backlog`` when it only grew).
        bytes: How many of its bytes were not read.
    """

    source: str
    host: str
    state: SourceState
    bytes: int


def waiting(seen: Discovery, sources: Iterable[Source]) -> tuple[Waiting, ...]:
    """Compare the disk with the store, by path and size.

    Args:
        seen: The transcripts on the disk.
        sources: What the store knows.

    Returns:
        Transcripts with bytes that were not read, those with the most first.
    """
    known: dict[tuple[str, str], Source] = {(source.machine, source.path): source for source in sources}
    found = []
    for one in seen.found:
        source = known.get((one.machine, str(one.path)))
        rest = one.size - (source.cursor if source else 0)
        if source is None or rest > 0:
            state: SourceState = source.state if source else "not_captured"
            state = "backlog" if state == "complete" else state
            found.append(Waiting(source=str(one.path), host=one.host, state=state, bytes=max(rest, 0)))
    return tuple(sorted(found, key=lambda one: (-one.bytes, one.source)))
