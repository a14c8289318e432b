"""A brief as Markdown (CommonMark with footnotes), and finding the quotations of any Markdown file; pure.

Every quotation is a fenced block, its fence longer than any run of backticks inside, followed by a footnote mark; the
footnote is its receipt. Nothing that came from a transcript stands outside of a fence or a code span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recall_lab.evidence.forms import wording
from recall_lab.evidence.forms.printing import Contents, Quotation, as_json, is_fragile, label, one_line, printed_text
from recall_lab.evidence.forms.sealing import BLANK, holds, seal_text
from recall_lab.evidence.receipts import receipt_like
from recall_lab.evidence.records import Brief, Excerpt
from recall_lab.model import Citation

# What Markdown, its tables, footnotes, mathematics and bare links could obey, anywhere or at the start of a line.
_ACTIVE = re.compile(r"[\\`*_\[\]{}<>#|$~&^@!]|(?<=[a-z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_AT_START = re.compile(r"^(?:(\d+)([.)])|()([-+=:]))")
_RUNS = re.compile("`+")
_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*(\S*)[^`]*")
_MARK = re.compile(r"\[\^([^\]\s]+)\](?!:)")
_NOTE = re.compile(r"\[\^([^\]\s]+)\]:")
_DECLARED = re.compile(r"quotations: ([0-9]+)")
_HEAD = "recall-lab-brief: 1"
_SEAL = "\nseal: "
_SEALED = re.compile(r"\nseal: [0-9a-f]{64}\n---\n")
_HEAD_SIZE = 300  # code points; the head is shorter


def plain(text: str) -> str:
    """Return a text with every character that Markdown could obey escaped; receipts in it stay readable."""
    pieces: list[str] = []
    at = 0
    for receipt in receipt_like(text):
        start = text.index(receipt, at)
        pieces += [_inert(text[at:start]), code(receipt)]
        at = start + len(receipt)
    return "".join([*pieces, _inert(text[at:])])


def _inert(text: str) -> str:
    return _AT_START.sub(r"\1\3\\\2\4", _ACTIVE.sub(lambda match: "\\" + match.group(), text))


def code(text: str) -> str:
    """Return a text as a code span on one line."""
    shown = one_line(text) or " "
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(text: str) -> str:
    """Return a text as a fenced block from which it can be read back exactly."""
    kind, shown = ("json", as_json(text)) if is_fragile(text) else ("text", text)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}{kind}\n{shown}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)


# ---- rendering -----------------------------------------------------------------------------------------------------


def cells(brief: Brief) -> tuple[list[str], int]:
    """Return the pieces of the document in order, and how many quotations they hold."""
    notes: list[Citation] = []

    def quotation(citation: Citation) -> str:
        notes.append(citation)
        return f"{fenced(citation.quote)}\n\n[^{len(notes)}]"

    pieces = [_top(brief)]
    number = 0
    for heading, excerpts in wording.sections(brief):
        pieces.append(f"## {plain(heading)}")
        for excerpt in excerpts:
            number += 1
            pieces.append(_excerpt(number, excerpt, brief.zone, quotation(excerpt.citation)))
    if brief.notes:
        pieces.append("\n\n".join(["## Notes", *(_paragraphs(note) for note in brief.notes)]))
    repository = wording.repository(brief)
    if repository:
        pieces.append(f"## Repository now\n\n{plain(repository)}")
    around = wording.in_context(brief)
    if around:
        pieces.append("## Appendix: the passages in context")
        pieces += [f"### Context of {at}\n\n{quotation(excerpt.context)}" for at, excerpt in around]
    footnotes = [
        f"[^{at}]: {code(citation.receipt)} is the receipt of quotation {at}." for at, citation in enumerate(notes, 1)
    ]
    pieces.append("\n\n".join(["## Receipts", wording.PROOF, plain(wording.VERIFY), *footnotes]))
    return pieces, len(notes)


def render(brief: Brief) -> str:
    """Return the brief as a Markdown document."""
    pieces, count = cells(brief)
    return sealed_document(pieces, count, created=brief.created)


def sealed_document(pieces: Sequence[str], count: int, created: str | None = None) -> str:
    """Join the pieces of a document behind a head that says how many quotations they hold, under a seal."""
    when = f"\ncreated: {created}" if created else ""
    head = f"---\n{_HEAD}{when}\nquotations: {count}{_SEAL}{BLANK}\n---"
    return seal_text("\n\n".join([head, *pieces]) + "\n", _SEAL)


def _top(brief: Brief) -> str:
    lines = [f"# {plain(label(brief.title))}"]
    if brief.question and brief.question != brief.title:
        lines.append(f"Question: {plain(label(brief.question))}")
    lines += [plain(wording.SAMPLE), plain(wording.coverage(brief)), plain(wording.made(brief))]
    return "\n\n".join(lines)


def _excerpt(number: int, excerpt: Excerpt, zone: str, quotation: str) -> str:
    where = " · ".join(code(word) for word in wording.place(excerpt, zone))
    parts = [f"### {number}. {plain(label(excerpt.reason))}", where, quotation]
    if excerpt.note:
        parts.append(_paragraphs(excerpt.note))
    return "\n\n".join(parts)


def _paragraphs(note: str) -> str:
    return "\n\n".join(plain(one_line(part)) for part in re.split(r"\n\s*\n", note) if part.strip())


# ---- finding the quotations again ----------------------------------------------------------------------------------


def contents(document: str) -> Contents:
    """Find every receipt of a Markdown document with the fenced words that it belongs to."""
    fences, prose = _split(document)
    receipts: dict[str, str] = {}  # label of the footnote -> receipt
    bare: list[str] = []
    for line in prose:
        note = _NOTE.match(line)
        found = list(receipt_like(line))
        if note and found and note[1] not in receipts:
            receipts[note[1]] = found.pop(0)
        bare += found
    quotations: list[Quotation] = []
    damaged: list[tuple[str, str]] = []
    used: set[str] = set()
    for shown, is_string, following in fences:
        mark = _MARK.match(following)
        own = next(receipt_like(following), None)
        receipt = receipts.get(mark[1]) if mark else own
        if mark is None and own is None:
            continue  # somebody's own code block
        if mark:
            used.add(mark[1])
        elif own in bare:
            bare.remove(own)
        text = printed_text(shown, as_string=is_string)
        if receipt is None:
            damaged.append(("", f"a quotation is marked [^{mark[1] if mark else ''}], and no receipt has that mark"))
        else:
            quotations.append(Quotation(receipt=receipt, text=text))
    bare += [receipt for label, receipt in receipts.items() if label not in used]
    return Contents(
        quotations=tuple(quotations),
        bare=tuple(bare),
        damaged=tuple(damaged),
        declared=_declared(document),
        sealed=_sealed(document),
    )


def _sealed(document: str) -> bool | None:
    # Either sign of a brief is enough: one changed character cannot take both away.
    if _SEALED.search(document[:_HEAD_SIZE]):
        return holds(document, _SEAL)
    return None if _declared(document) is None else False


def _declared(document: str) -> int | None:
    head, _, _ = document.removeprefix("---\n").partition("\n---")
    lines = head.split("\n")
    if not document.startswith("---\n") or _HEAD not in lines:
        return None
    counts = [match for line in lines if (match := _DECLARED.fullmatch(line))]
    return int(counts[0][1]) if counts else -1


def _split(document: str) -> tuple[list[tuple[str, bool, str]], list[str]]:
    """Return the fenced blocks (content, is a JSON string, the next line with text) and the lines outside of them."""
    lines = document.split("\n")
    fences: list[tuple[str, bool, str]] = []
    prose: list[str] = []
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening is None:
            prose.append(lines[at])
            at += 1
            continue
        closing = next(_closings(lines, at + 1, opening[1]), len(lines))
        after = next((lines[i] for i in range(closing + 1, len(lines)) if lines[i].strip()), "")
        fences.append(("\n".join(lines[at + 1 : closing]), opening[2] == "json", after))
        at = closing + 1
    return fences, prose


def _closings(lines: list[str], start: int, fence: str) -> Iterator[int]:
    for at in range(start, len(lines)):
        line = lines[at].rstrip(" \t")
        if len(line) >= len(fence) and set(line) == {fence[0]}:
            yield at
