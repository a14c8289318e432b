"""Streams for the mirror, read by a thread of their own while DuckDB works on the batches before."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from typing import Any

from recall_lab.store.arrow import ArrowStream
from recall_lab.store.connection import Reader
from recall_lab.store.mirroring import STREAMS, batches

_AHEAD = 6  # batches: some MB each

_Part = tuple[str, Sequence[Any] | BaseException | None]  # of which stream; None is its end


@contextmanager
def reading_ahead(reader: Reader, names: Sequence[str]) -> Iterator[dict[str, ArrowStream]]:
    """Read whole streams, one after the other, and hand them over by name; they are to be taken in the same order.

    The reader must not be used for anything else inside. A stream need not be read to its end.

    Raises:
        StoreError: in the stream, the store cannot be read.
    """
    parts: Queue[_Part] = Queue(_AHEAD)
    ended = threading.Event()
    thread = threading.Thread(target=_read, args=(reader, names, parts, ended), daemon=True)
    thread.start()
    try:
        yield {name: ArrowStream(STREAMS[name].columns, _taken(parts, name)) for name in names}
    finally:
        ended.set()
        while thread.is_alive():
            with suppress(Empty):
                parts.get(timeout=0.01)


def _read(reader: Reader, names: Sequence[str], parts: Queue[_Part], ended: threading.Event) -> None:
    for name in names:
        try:
            for batch in batches(reader, STREAMS[name]):
                parts.put((name, batch))
                if ended.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - raised where the stream is read
            parts.put((name, error))
            return
        parts.put((name, None))


def _taken(parts: Queue[_Part], wanted: str) -> Iterator[Sequence[Any]]:
    while True:
        name, part = parts.get()
        if name != wanted:  # what the one before did not want to know
            continue
        if part is None:
            return
        if isinstance(part, BaseException):
            raise part
        yield part
