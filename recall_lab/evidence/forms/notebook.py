"""A brief as a notebook (nbformat 4.5): Markdown cells, and code cells that nobody has run; pure."""

from __future__ import annotations

import json
from typing import Any

from recall_lab.evidence.forms import markdown
from recall_lab.evidence.forms.printing import Contents, as_json, label
from recall_lab.evidence.forms.sealing import seal_of
from recall_lab.evidence.receipts import receipt_like
from recall_lab.evidence.records import Brief

_OPEN = "import recall_lab as rl\n\nlab = rl.open_lab()"
_KEY = "recall_lab_brief"
_SEAL = "recall_lab_seal"


def render(brief: Brief, name: str = "brief.ipynb") -> str:
    """Return the brief as the JSON of a notebook; its last cell verifies the file ``name`` when it is run."""
    pieces, count = markdown.cells(brief)
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": f"brief-{at}", "metadata": {_KEY: at}, "source": piece}
        for at, piece in enumerate(pieces, 1)
    ]
    checks = f"lab.verify({json.dumps(name)})"
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
    document: dict[str, Any] = {
        "cells": cells,
        "metadata": {
            _KEY: {"version": 1, "title": label(brief.title), "created": brief.created, "quotations": count},
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    document["metadata"][_SEAL] = seal_of(_said(document))
    return as_json(document, indent=1) + "\n"


def is_notebook(value: object) -> bool:
    """Say whether a JSON value is a notebook."""
    return isinstance(value, dict) and ("nbformat" in value or isinstance(value.get("cells"), list))


def contents(document: dict[str, Any]) -> Contents:
    """Find every receipt of a notebook: in Markdown cells with its words, in code without; outputs are not read."""
    cells = _cells(document)
    prose = [_joined(cell.get("source")) for cell in cells if cell.get("cell_type") == "markdown"]
    code = [_joined(cell.get("source")) for cell in cells if cell.get("cell_type") == "code"]
    found = markdown.contents("\n\n".join(prose))
    bare = (*found.bare, *(receipt for source in code for receipt in receipt_like(source)))
    brief = _metadata(document).get(_KEY)
    declared = None
    if isinstance(brief, dict):
        count = brief.get("quotations")
        declared = count if isinstance(count, int) else -1
    # Any sign of a brief is enough: one changed character cannot take all of them away.
    signs = [declared is not None, _SEAL in _metadata(document), any(_KEY in _metadata(cell) for cell in cells)]
    sealed = _metadata(document).get(_SEAL) == seal_of(_said(document)) if any(signs) else None
    return Contents(quotations=found.quotations, bare=bare, damaged=found.damaged, declared=declared, sealed=sealed)


def _said(document: dict[str, Any]) -> list[Any]:
    """What a notebook says, without what Jupyter writes anew when it saves or runs one."""
    said = [[cell.get("cell_type"), _joined(cell.get("source"))] for cell in _cells(document)]
    return [_metadata(document).get(_KEY), said]


def _cells(document: dict[str, Any]) -> list[dict[str, Any]]:
    cells = document.get("cells")
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def _metadata(holder: dict[str, Any]) -> dict[str, Any]:
    metadata = holder.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
