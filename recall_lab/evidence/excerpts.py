"""Quotations put in their place: where they were said, and the text around them."""

from __future__ import annotations

import msgspec

from recall_lab.evidence.records import Excerpt
from recall_lab.model import Block, Citation
from recall_lab.store import Reader
from recall_lab.store import reading as store

CONTEXT = 400  # code points on either side of a quotation in the appendix
LONGEST = 1200  # code points of a quotation that is chosen, not selected


def excerpt(reader: Reader, citation: Citation, reason: str, note: str | None = None) -> Excerpt:
    """Put a citation in its place: its root session, and the text around it."""
    stored = next(
        text for text in store.stored_texts(reader, citation.block_id) if text.content_hash == citation.content_hash
    )
    block = store.root_blocks(reader, (stored.text_id,)).get(stored.text_id) or store.revision(reader, stored.text_id)
    assert block is not None
    return excerpt_of(block, citation, reason, note)


def excerpt_of(block: Block, citation: Citation, reason: str, note: str | None = None) -> Excerpt:
    """Put a citation of a block's text in its place: the block's, and the text around it."""
    start = max(0, citation.start - CONTEXT)
    end = min(len(block.text), citation.end + CONTEXT)
    context = msgspec.structs.replace(citation, start=start, end=end, quote=block.text[start:end])
    return Excerpt(
        citation=citation,
        context=context,
        reason=reason,
        role=block.role,
        kind=block.kind,
        host=block.host,
        session=block.session,
        turn=block.turn,
        title=block.title,
        timestamp=block.timestamp,
        repo=block.repo,
        branch=block.branch,
        cwd=block.cwd,
        source=block.source,
        note=note,
    )


def head_of(text: str) -> int:
    """Where a head of at most ``LONGEST`` code points ends: at a paragraph, line or word if one is near."""
    if len(text) <= LONGEST:
        return len(text)
    cuts = (text.rfind(mark, LONGEST // 2, LONGEST) for mark in ("\n\n", "\n", " "))
    return next((cut for cut in cuts if cut > 0), LONGEST)
