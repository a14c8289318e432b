"""Stores of made-up sessions for the mirror's tests: each source is told whole, again and again."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from recall_lab.mirror import Mirror, connect, refresh
from recall_lab.model import (
    Batch,
    LedgerRow,
    ModelCall,
    PlacedBlock,
    Problem,
    Redacted,
    Session,
    Source,
    ToolCall,
)
from recall_lab.store import open_writer
from recall_lab.text_entities import analyse


def hex_id(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:32]


def said(name: str, text: str | None = None, *, at: int = 0, minute: int | None = None, **more: Any) -> PlacedBlock:
    """A block by its made-up name; assistant prose of turn 1 unless told otherwise."""
    text = f"text of {name}" if text is None else text
    facts: dict[str, Any] = {"role": "assistant", "kind": "text", "turn": 1, **more}
    facts.setdefault("timestamp", moment(at if minute is None else minute))
    return PlacedBlock(
        block_id=hex_id(name),
        content_hash=sha256(text.encode()).hexdigest(),
        text=Redacted(text),
        original_length=len(text),
        entities=analyse(text).spans,
        ord=at,
        **facts,
    )


def called(name: str, **more: Any) -> ModelCall:
    """A model call by its made-up name, priced by a model that every catalogue knows."""
    facts: dict[str, Any] = {"model": "claude-opus-4-5-20251101", "timestamp": moment(0), "turn": 1, **more}
    return ModelCall(key=hex_id(name), **facts)


def moment(minute: int) -> str:
    return f"2026-05-01T{10 + minute // 60:02d}:{minute % 60:02d}:00.000Z"


class Telling:
    """One store and its mirror in a folder of a test."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "recall.db"
        self.folder = folder / "mirror"

    def tell(
        self,
        session: str | None,
        *blocks: PlacedBlock,
        source: str | None = None,
        host: str = "claude-code",
        model_calls: Iterable[ModelCall] = (),
        tool_calls: Iterable[ToolCall] = (),
        ledger: Iterable[LedgerRow] = (),
        problems: Iterable[Problem] = (),
        children: Iterable[Session] = (),
        dead: tuple[tuple[int, int], ...] = (),
        state: Any = "complete",
        **facts: Any,
    ) -> None:
        path = Redacted(source or f"/t/{session}.jsonl")
        told = None if session is None else Session(host=host, native_id=session, **facts)
        with open_writer(self.store) as writer:
            writer.apply(
                Batch(
                    source=Source(host=host, path=path, state=state, size=1_000, cursor=1_000, lines=len(blocks)),
                    session=told,
                    from_ord=0,
                    children=tuple(children),
                    blocks=blocks,
                    dead=dead,
                    model_calls=tuple(model_calls),
                    tool_calls=tuple(tool_calls),
                    ledger=tuple(ledger),
                    problems=tuple(problems),
                    rules_version="rules-1",
                )
            )

    def mirror(self, **options: Any) -> Mirror:
        """The refreshed mirror, opened."""
        refresh(self.store, self.folder, **options)
        return connect(self.folder)

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.mirror() as mirror:
            return mirror.rows(sql, list(values))
