"""Decides what is new in the transcripts, runs hosts and redaction, and hands batches to the store."""

from recall_lab.capture.discovery import Discovery, Found, discover
from recall_lab.capture.indexing import index
from recall_lab.capture.preparing import Preparer

__all__ = ["Discovery", "Found", "Preparer", "discover", "index"]
