"""Reading, citation, brief, verification."""

from recall_lab.evidence.checking import check, check_citation, cite
from recall_lab.evidence.composing import compose
from recall_lab.evidence.reading import read, session_view
from recall_lab.evidence.receipts import Receipt, parse_receipt
from recall_lab.evidence.records import Brief, Called, Coverage, Excerpt, Repository, SessionView
from recall_lab.evidence.saving import save
from recall_lab.evidence.verifying import verify

__all__ = [
    "Brief",
    "Called",
    "Coverage",
    "Excerpt",
    "Receipt",
    "Repository",
    "SessionView",
    "check",
    "check_citation",
    "cite",
    "compose",
    "parse_receipt",
    "read",
    "save",
    "session_view",
    "verify",
]
