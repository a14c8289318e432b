"""A session as JSON that ``verify`` reads: every block whole and with its receipt, under a seal; pure."""

from __future__ import annotations

from typing import Any

import msgspec

from recall_lab.evidence.forms.printing import as_json, label
from recall_lab.evidence.forms.sealing import seal_of
from recall_lab.evidence.forms.web_annotations import SESSION_FORM
from recall_lab.evidence.receipts import SCHEME, citation_of
from recall_lab.evidence.records import SessionView


def session_json(view: SessionView) -> str:
    """Return a view of a session as JSON: its record, its blocks with their receipts, its turns and subagents."""
    document: dict[str, Any] = {"form": SESSION_FORM, **_inert(msgspec.to_builtins(view))}
    count = 0
    for block, shown in zip(view.blocks, document["blocks"], strict=True):
        shown["text"] = block.text
        if block.text:
            count += 1
            shown["receipt"] = citation_of(block).receipt
    document["quotations"] = count
    document["seal"] = seal_of(document)
    return as_json(document, indent=2) + "\n"


def _inert(value: Any) -> Any:
    """A JSON value in which no string can be taken for a receipt; what is shown of a text has none of its own."""
    if isinstance(value, str):
        return label(value) if SCHEME in value else value
    if isinstance(value, dict):
        return {key: _inert(inner) for key, inner in value.items()}
    return [_inert(inner) for inner in value] if isinstance(value, list | tuple) else value
