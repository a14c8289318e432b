"""The SQLite store: one writer, readers, and nothing else that speaks SQLite."""

from recall_lab.store.connection import Reader, open_reader
from recall_lab.store.writer import Writer, open_writer

__all__ = ["Reader", "Writer", "open_reader", "open_writer"]
