"""Receipts: a citation as one line, ``recall-lab://<block_id>@<12 hex of content_hash>#<start>-<end>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.errors import UsageError
from recall_lab.model import Block, Citation, Record, Redacted

SCHEME = "recall-lab://"
_RECEIPT = re.compile(r"recall-lab://([0-9a-f]{32})@([0-9a-f]{12})#(0|[1-9][0-9]{0,18})-([1-9][0-9]{0,18})")
_LOOKS_LIKE_ONE = re.compile(r"recall-lab://[^\s`<>\"'()\[\]{}|\\^,;]*")
_HASH = re.compile(r"[0-9a-f]{8,64}")
_BLOCK = re.compile(r"[0-9a-f]{8,32}")


class Receipt(Record, frozen=True):
    """A parsed receipt; ``start`` and ``end`` are code points in the text with that hash, end exclusive."""

    block_id: str
    hash_head: str
    start: int
    end: int

    def __str__(self) -> str:
        """The receipt as one line; ``parse_receipt`` reads it back."""
        return f"{SCHEME}{self.block_id}@{self.hash_head}#{self.start}-{self.end}"


def citation_of(block: Block, start: int = 0, end: int | None = None) -> Citation:
    """Cite a span of a block's text, or all of it."""
    stop = len(block.text) if end is None else end
    return Citation(
        block_id=block.block_id,
        content_hash=block.content_hash,
        start=start,
        end=stop,
        quote=Redacted(block.text[start:stop]),
    )


def parse_receipt(text: str) -> Receipt:
    """Read one receipt; white space around it is ignored.

    Raises:
        UsageError: the text is no receipt, or its span is empty or runs backwards.
    """
    match = _RECEIPT.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            "not a receipt: expected recall-lab://<32 hex>@<12 hex>#<start>-<end>; copy it again from where it was made"
        )
    start, end = int(match[3]), int(match[4])
    if start >= end:
        raise UsageError(f"not a receipt: its span {start}-{end} is empty; copy it again from where it was made")
    return Receipt(block_id=match[1], hash_head=match[2], start=start, end=end)


def receipt_like(text: str) -> Iterator[str]:
    """Yield every stretch of a text that is a receipt, or starts as one and is damaged."""
    for match in _LOOKS_LIKE_ONE.finditer(text):
        whole = _RECEIPT.match(match.group())
        intact = whole and not match.group()[whole.end() :][:1].isalnum()
        yield whole.group() if whole and intact else match.group()


def block_head(text: str) -> str:
    """Return a block id, or a head of one, as lowercase hex.

    Raises:
        UsageError: fewer than 8 or more than 32 hex digits, or anything else.
    """
    head = text.strip().lower()
    if not _BLOCK.fullmatch(head):
        raise UsageError(f"{text[:48]!r} is no block id: expected 8 to 32 hex digits, or a receipt")
    return head


def hash_head(text: str) -> str:
    """Return a content hash, or a head of one, as lowercase hex.

    Raises:
        UsageError: fewer than 8 or more than 64 hex digits, or anything else.
    """
    head = text.strip().lower()
    if not _HASH.fullmatch(head):
        raise UsageError(f"{text[:80]!r} is no content hash: expected 8 to 64 hex digits")
    return head
