"""A careful consumer of a session's export: every check that it can make without knowing the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from recall_lab.evidence import parse_receipt

ROLES = {"user", "assistant", "tool", "host"}
SURFACES = {"prose", "tool_request", "tool_result", "summary"}
Page = dict[str, Any]


def whole(first: Page, following: Callable[[str], Page], limit: int) -> list[Page]:
    """Read an export to its end; ``following`` gives the page of a cursor."""
    boundary = first["boundary"]
    most = max(1, -(-boundary["total"] // limit))
    pages = [first]
    while not pages[-1]["complete"]:
        assert pages[-1]["next_cursor"], "an incomplete page has a cursor"
        assert len(pages) < most, "no more pages than the boundary asks for"
        pages.append(following(pages[-1]["next_cursor"]))
    assert pages[-1]["next_cursor"] is None
    assert {page["schema_version"] for page in pages} == {"recall.session-export.v1"}
    assert all(page["boundary"] == boundary for page in pages), "the boundary stays"
    items = [item for page in pages for item in page["items"]]
    assert [item["sequence"] for item in items] == list(range(1, boundary["total"] + 1)), "the sequence has no gap"
    for item in items:
        _item(item)
    assert (items[-1]["receipt"] if items else None) == boundary["receipt"]
    json.dumps(pages)
    return pages


def _item(item: dict[str, Any]) -> None:
    assert sha256(item["text"].encode("utf-8", "surrogatepass")).hexdigest() == item["sha256"]
    assert item["role"] in ROLES
    assert item["surface"] in SURFACES
    assert all(set(entity) == {"kind", "value"} for entity in item["entities"])
    if item["text"]:
        receipt = parse_receipt(item["receipt"])
        assert (receipt.block_id, receipt.start, receipt.end) == (item["evidence_id"], 0, len(item["text"]))
        assert item["sha256"].startswith(receipt.hash_head)
