"""A store of a few made-up sessions, made in the test."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from recall_lab.model import Batch, LedgerRow, PlacedBlock, Redacted, Session, Source, ToolCall
from recall_lab.store import Reader, open_reader, open_writer


def block_id(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def text_hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def said(name: str, text: str, at: int, **more: object) -> PlacedBlock:
    """A block by its made-up name; assistant prose unless told otherwise."""
    facts: dict[str, object] = {
        "role": "assistant",
        "kind": "text",
        "turn": 1,
        "timestamp": f"2026-05-01T{10 + at // 60:02d}:{at % 60:02d}:00.000Z",
        **more,
    }
    return PlacedBlock(
        block_id=block_id(name),
        content_hash=text_hash(text),
        text=Redacted(text),
        original_length=len(text),
        ord=at,
        **facts,  # type: ignore[arg-type]
    )


class TinyStore:
    """Writes whole sources; a second telling of a source replaces the first."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "recall.db"
        self._reader: Reader | None = None

    def tell(
        self,
        *blocks: PlacedBlock,
        session: str = "11111111-aaaa",
        source: str | None = None,
        host: str = "claude-code",
        dead: tuple[tuple[int, int], ...] = (),
        tool_calls: tuple[ToolCall, ...] = (),
        ledger: tuple[LedgerRow, ...] = (),
        state: str = "complete",
        **facts: object,
    ) -> None:
        with open_writer(self.path) as writer:
            writer.apply(
                Batch(
                    source=Source(host=host, path=Redacted(source or f"/t/{session}.jsonl"), state=state),  # type: ignore[arg-type]
                    session=Session(host=host, native_id=session, **facts),  # type: ignore[arg-type]
                    from_ord=0,
                    blocks=blocks,
                    dead=dead,
                    tool_calls=tool_calls,
                    ledger=ledger,
                    rules_version="1",
                )
            )

    def reader(self) -> Reader:
        """A reader of the store as it is now; the one before is closed."""
        self.close()
        self._reader = open_reader(self.path)
        return self._reader

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
