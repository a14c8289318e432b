"""Decides what is new in the transcripts, runs hosts and redaction, and hands batches to the store."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_lab.capture.discovery import Discovery, Found, discover
    from recall_lab.capture.doctoring import Diagnosis, examine, repair
    from recall_lab.capture.exchanging import import_store
    from recall_lab.capture.exports import ConversationInfo, preview_export
    from recall_lab.capture.indexing import index
    from recall_lab.capture.preparing import Preparer
    from recall_lab.capture.watching import watch

__all__ = [
    "ConversationInfo",
    "Diagnosis",
    "Discovery",
    "Found",
    "Preparer",
    "discover",
    "examine",
    "import_store",
    "index",
    "preview_export",
    "repair",
    "watch",
]

# Reading needs one small module of this room (which repository a folder belongs to) and none of the weight of capture.
_DOORS = {
    "Discovery": "discovery",
    "Found": "discovery",
    "discover": "discovery",
    "index": "indexing",
    "Preparer": "preparing",
    "watch": "watching",
    "Diagnosis": "doctoring",
    "examine": "doctoring",
    "repair": "doctoring",
    "import_store": "exchanging",
    "ConversationInfo": "exports",
    "preview_export": "exports",
}


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"recall_lab.capture.{_DOORS[name]}"), name)
