"""A brief as a list of labelled texts, for those that draw it themselves; pure."""

from __future__ import annotations

from typing import Literal

from recall_lab.evidence.forms import wording
from recall_lab.evidence.forms.printing import label
from recall_lab.evidence.records import Brief

Piece = tuple[Literal["title", "heading", "passage", "quote", "receipt", "text"], str]


def outline(brief: Brief) -> tuple[Piece, ...]:
    """Return what every form of the brief says, in its order; quotations are whole, nothing is markup."""
    pieces: list[Piece] = [("title", label(brief.title))]
    if brief.question and brief.question != brief.title:
        pieces.append(("text", f"Question: {label(brief.question)}"))
    pieces += [("text", wording.SAMPLE), ("text", wording.coverage(brief))]
    number = 0
    for heading, excerpts in wording.sections(brief):
        pieces.append(("heading", heading))
        for excerpt in excerpts:
            number += 1
            pieces += [
                ("passage", f"{number}. {label(excerpt.reason)}"),
                ("text", " · ".join(wording.place(excerpt, brief.zone))),
                ("quote", excerpt.citation.quote),
                ("receipt", excerpt.citation.receipt),
            ]
            pieces += [("text", excerpt.note)] if excerpt.note else []
    if brief.notes:
        pieces += [("heading", "Notes"), *(("text", note) for note in brief.notes)]
    seen = wording.repository(brief)
    if seen:
        pieces += [("heading", "Repository now"), ("text", seen)]
    around = wording.in_context(brief)
    if around:
        pieces.append(("heading", "Appendix: the passages in context"))
        for at, excerpt in around:
            pieces += [
                ("passage", f"Context of {at}"),
                ("quote", excerpt.context.quote),
                ("receipt", excerpt.context.receipt),
            ]
    return (*pieces, ("heading", "Receipts"), ("text", wording.PROOF))
