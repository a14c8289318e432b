"""What people paste to be checked: a receipt, a Web Annotation or its target, or a citation as JSON; pure."""

from __future__ import annotations

import json
from typing import Any

from recall_lab.errors import UsageError
from recall_lab.evidence.receipts import SCHEME, block_head, hash_head, parse_receipt, receipt_like
from recall_lab.evidence.selectors import selected
from recall_lab.model import Record


class Pasted(Record, frozen=True):
    """What a paste says of a quotation; what it does not say is None or empty."""

    block: str  # a block id, or a head of one
    quote: str | None = None
    hash_head: str | None = None
    start: int | None = None
    end: int | None = None
    prefix: str = ""
    suffix: str = ""


def parse_pasted(text: str) -> Pasted:
    """Read a block id or a head of one, a receipt, or the JSON of a Web Annotation, its target, or a citation.

    A receipt may have what stood around it, such as quotation marks or the rest of its footnote.
    Of a Web Annotation the ``TextQuoteSelector`` and ``TextPositionSelector`` are read, also where they refine others;
    its source must be a block of this program's (``recall-lab://<block_id>@<hash>``) or a receipt.

    Raises:
        UsageError: it is none of these, or it says no block.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        return _from_json(stripped)
    if SCHEME in stripped:
        found = tuple(dict.fromkeys(receipt_like(stripped)))
        if len(found) > 1:
            raise UsageError(f"there are {len(found)} receipts in it; paste one of them")
        receipt = parse_receipt(found[0])
        return Pasted(block=receipt.block_id, hash_head=receipt.hash_head, start=receipt.start, end=receipt.end)
    return Pasted(block=block_head(stripped))


def _from_json(text: str) -> Pasted:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("the pasted JSON cannot be read; copy the whole annotation or citation") from error
    if "AnnotationCollection" in str(value.get("type")):
        raise UsageError(
            "that is a whole collection; paste one of its annotations, or save it and `recall-lab verify` the file"
        )
    target = value.get("target", value)
    if isinstance(target, list):
        if len(target) != 1:
            raise UsageError(f"the annotation has {len(target)} targets; paste one of them")
        target = target[0]
    if isinstance(target, str):
        return parse_pasted(target) if target.startswith(SCHEME) else _foreign()
    if not isinstance(target, dict):
        return _foreign()
    if "block_id" in target:
        return _from_citation(target)
    return _from_target(target)


def _foreign() -> Pasted:
    raise UsageError("the annotation is not of a block: its source must begin with recall-lab://")


def _from_citation(value: dict[str, Any]) -> Pasted:
    content_hash = value.get("content_hash")
    return Pasted(
        block=block_head(str(value["block_id"])),
        quote=_text(value.get("quote", value.get("text"))),
        hash_head=hash_head(str(content_hash)) if content_hash else None,
        start=_number(value.get("start")),
        end=_number(value.get("end")),
    )


def _from_target(target: dict[str, Any]) -> Pasted:
    source = target.get("source", target.get("id"))
    source = source.get("id") if isinstance(source, dict) else source
    if not isinstance(source, str) or not source.startswith(SCHEME):
        return _foreign()
    found = selected(target)
    named, _, span = source.partition("#")
    block, _, head = named.removeprefix(SCHEME).partition("@")
    receipt = parse_receipt(source) if span and found.start is None else None
    return Pasted(
        block=block_head(block),
        quote=found.quote,
        hash_head=hash_head(head) if head else None,
        start=receipt.start if receipt else found.start,
        end=receipt.end if receipt else found.end,
        prefix=found.prefix,
        suffix=found.suffix,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
