"""A brief as a notebook (nbformat 4.5): Markdown cells, and code cells that nobody has run; pure."""

from __future__ import annotations

import json
from typing import Any

from recall_lab.evidence.forms import markdown
from recall_lab.evidence.forms.printing import Contents, as_json
from recall_lab.evidence.records import Brief

_OPEN = "import recall_lab as rl\n\nlab = rl.open_lab()"
_KEY = "recall_lab_brief"


def render(brief: Brief) -> str:
    """Return the brief as the JSON of a notebook; its last cells check this document's receipts when they are run."""
    pieces, count = markdown.cells(brief)
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": f"brief-{at}", "metadata": {}, "source": piece}
        for at, piece in enumerate(pieces, 1)
    ]
    receipts = [excerpt.citation.receipt for excerpt in brief.excerpts]
    checks = f"receipts = {json.dumps(receipts, indent=4)}\n[lab.check(receipt) for receipt in receipts]"
    cells += [
        {
            "cell_type": "code",
            "id": f"check-{at}",
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
        }
        for at, source in enumerate((_OPEN, checks), 1)
    ]
    document = {
        "cells": cells,
        "metadata": {
            _KEY: {"version": 1, "title": brief.title, "created": brief.created, "quotations": count},
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return as_json(document, indent=1) + "\n"


def is_notebook(value: object) -> bool:
    """Say whether a JSON value is a notebook."""
    return isinstance(value, dict) and "nbformat" in value and isinstance(value.get("cells"), list)


def contents(document: dict[str, Any]) -> Contents:
    """Find every receipt in the Markdown cells of a notebook, with its words; code cells and outputs are not read."""
    sources = [
        _joined(cell.get("source", ""))
        for cell in document["cells"]
        if isinstance(cell, dict) and cell.get("cell_type") == "markdown"
    ]
    found = markdown.contents("\n\n".join(sources))
    metadata = document.get("metadata")
    brief = metadata.get(_KEY) if isinstance(metadata, dict) else None
    declared = None
    if isinstance(brief, dict):
        count = brief.get("quotations")
        declared = count if isinstance(count, int) else -1
    return Contents(quotations=found.quotations, bare=found.bare, damaged=found.damaged, declared=declared)


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
