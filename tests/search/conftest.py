"""Tiny stores to search in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from recall_lab.model import Batch, PlacedBlock, Redacted, Session, Source, ToolCall
from recall_lab.store import Reader, open_reader, open_writer
from recall_lab.text_entities import analyse


def block(text: str, number: int, **fields: Any) -> PlacedBlock:
    return PlacedBlock(
        block_id=fields.pop("block_id", None) or sha256(f"{number}/{text}".encode()).hexdigest()[:32],
        content_hash=sha256(text.encode()).hexdigest(),
        role=fields.pop("role", "user"),
        kind=fields.pop("kind", "text"),
        text=Redacted(text),
        original_length=len(text),
        ord=number,
        turn=number + 1,
        words=analyse(text).words,
        **fields,
    )


def batch(session: str, blocks: tuple[PlacedBlock, ...], tool_calls: tuple[ToolCall, ...] = (), **facts: Any) -> Batch:
    host = facts.pop("host", "claude-code")
    return Batch(
        source=Source(host=host, path=Redacted(facts.pop("path", f"/t/{session}.jsonl")), state="complete"),
        session=Session(host=host, native_id=session, **facts),
        from_ord=0,
        blocks=blocks,
        tool_calls=tool_calls,
    )


class History:
    """A store in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._readers: list[Reader] = []

    def write(self, *batches: Batch) -> History:
        with open_writer(self.path) as writer:
            for one in batches:
                writer.apply(one)
        return self

    def say(self, session: str, *texts: str, **facts: Any) -> History:
        return self.write(batch(session, tuple(block(text, n) for n, text in enumerate(texts)), **facts))

    def read(self) -> Reader:
        reader = open_reader(self.path)
        self._readers.append(reader)
        return reader

    def close(self) -> None:
        for reader in self._readers:
            reader.close()


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "recall.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Reader]]:
    """Make a store whose sessions hold one text each, once a module for each list of texts."""
    made: dict[tuple[str, ...], tuple[History, Reader]] = {}

    def make(*texts: str) -> Reader:
        if texts not in made:
            one = History(tmp_path_factory.mktemp("told") / "recall.db")
            one.write(*(batch(f"s{n}", (block(text, 0),)) for n, text in enumerate(texts)))
            made[texts] = (one, one.read())
        return made[texts][1]

    yield make
    for one, _ in made.values():
        one.close()
