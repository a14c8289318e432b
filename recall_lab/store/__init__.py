"""The SQLite store: one writer, readers, and nothing else that speaks SQLite."""

from typing import TYPE_CHECKING, Any

from recall_lab.store.connection import Reader, open_reader

if TYPE_CHECKING:
    from recall_lab.store.writer import Writer, open_writer

__all__ = ["Reader", "Writer", "open_reader", "open_writer"]


def __getattr__(name: str) -> Any:
    # Who only reads needs nothing of what writing takes.
    if name not in {"Writer", "open_writer"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recall_lab.store import writer

    return getattr(writer, name)
