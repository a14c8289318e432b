"""A brief as one HTML page that needs nothing else, and finding the quotations of such a page; pure.

A quotation is ``<figure class="quotation">`` with a ``<pre>`` that holds the words and a ``<code>`` that holds the
receipt. Both are read as a person sees them: it is the visible text that is checked.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from importlib.resources import files

from recall_lab.evidence.forms import wording
from recall_lab.evidence.forms.printing import Contents, Quotation, as_json, is_fragile, label, one_line, printed_text
from recall_lab.evidence.forms.sealing import BLANK, holds, seal_text
from recall_lab.evidence.receipts import receipt_like
from recall_lab.evidence.records import Brief, Excerpt
from recall_lab.model import Citation

_COUNT = "recall-lab-quotations"
_SHORT = (1200, 24)  # code points and lines up to which a quotation stays on one printed page
_SEAL = '<meta name="recall-lab-seal" content="'
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(brief: Brief) -> str:
    """Return the brief as an HTML page without scripts, links or requests."""
    body: list[str] = [_top(brief)]
    count = 0

    def figure(citation: Citation) -> str:
        nonlocal count
        count += 1
        return _figure(count, citation)

    number = 0
    for heading, excerpts in wording.sections(brief):
        body.append(f"<h2>{_text(heading)}</h2>")
        for excerpt in excerpts:
            number += 1
            body.append(_excerpt(number, excerpt, brief.zone, figure(excerpt.citation)))
    if brief.notes:
        body += ["<h2>Notes</h2>", *(_paragraphs(note) for note in brief.notes)]
    repository = wording.repository(brief)
    if repository:
        body += ["<h2>Repository now</h2>", f"<p>{_text(repository)}</p>"]
    around = wording.in_context(brief)
    if around:
        body.append("<h2>Appendix: the passages in context</h2>")
        body += [f"<h3>Context of {at}</h3>\n{figure(excerpt.context)}" for at, excerpt in around]
    body.append(f"<h2>Receipts</h2>\n<p>{_text(wording.PROOF)}</p>\n<p>{_text(wording.VERIFY)}</p>")
    style = files("recall_lab.evidence.forms").joinpath("page.css").read_text(encoding="utf-8")
    head = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_text(brief.title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="recall-lab">\n<meta name="{_COUNT}" content="{count}">\n{_SEAL}{BLANK}">\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n"
    )
    return seal_text(head + "\n".join(body) + "\n</body>\n</html>\n", _SEAL)


def _text(text: str) -> str:
    return escape(label(text), quote=True)


def _top(brief: Brief) -> str:
    question = f"<p>Question: {_text(brief.question)}</p>\n" if brief.question and brief.question != brief.title else ""
    return (
        f"<h1>{_text(brief.title)}</h1>\n{question}<p>{_text(wording.SAMPLE)}</p>\n"
        f'<p class="soft">{_text(wording.coverage(brief))} {_text(wording.made(brief))}</p>'
    )


def _figure(number: int, citation: Citation) -> str:
    fragile = is_fragile(citation.quote)
    shown = as_json(citation.quote) if fragile else citation.quote
    short = len(shown) <= _SHORT[0] and shown.count("\n") < _SHORT[1]
    # A parser drops one newline after <pre>: the one that is written here.
    kinds, form = "quotation short" if short else "quotation", " data-form=json" if fragile else ""
    return (
        f'<figure class="{kinds}" id="quotation-{number}"{form}>'
        f'<pre dir="auto">\n{escape(shown, quote=False)}</pre>\n'
        f"<figcaption>[{number}] <code>{escape(citation.receipt)}</code></figcaption></figure>"
    )


def _excerpt(number: int, excerpt: Excerpt, zone: str, figure: str) -> str:
    where = " · ".join(f"<bdi>{_text(word)}</bdi>" for word in wording.place(excerpt, zone))
    note = _paragraphs(excerpt.note) if excerpt.note else ""
    return f'<h3>{number}. {_text(excerpt.reason)}</h3>\n<p class="soft">{where}</p>\n{figure}' + (
        f"\n{note}" if note else ""
    )


def _paragraphs(note: str) -> str:
    return "\n".join(f"<p>{escape(one_line(part))}</p>" for part in re.split(r"\n\s*\n", note) if part.strip())


# ---- finding the quotations again ----------------------------------------------------------------------------------


def contents(document: str) -> Contents:
    """Find every receipt that a reader of the page sees, with the words of its figure."""
    page = _Page()
    page.feed(document)
    page.close()
    bare = [receipt for text in page.outside for receipt in receipt_like(text)]
    return Contents(
        quotations=tuple(page.quotations),
        bare=tuple(bare),
        damaged=tuple(page.damaged),
        declared=page.declared,
        sealed=holds(document, _SEAL) if _SEAL in document or page.declared is None else False,
    )


class _Page(HTMLParser):
    """Collects figures with their words and receipts, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.quotations: list[Quotation] = []
        self.damaged: list[tuple[str, str]] = []
        self.outside: list[str] = [""]
        self.declared: int | None = None
        self._form: str | None = None  # of the figure that is open; None outside of figures
        self._part: str | None = None  # "pre" or "code" inside of a figure
        self._words: list[str] = []
        self._receipt: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "meta" and named.get("name") == _COUNT:
            count = named.get("content") or ""
            self.declared = int(count) if count.isascii() and count.isdigit() else -1
        elif tag in {"script", "style", "template"}:
            self._unseen += 1
        elif tag == "figure" and "quotation" in (named.get("class") or "").split():
            self._form = named.get("data-form") or "text"
            self._words, self._receipt = [], []
        elif self._form is not None and tag in {"pre", "code"} and self._part is None:
            self._part = tag
        elif self._part == "pre":
            self._words.append("\x00")  # no markup belongs inside a quotation
        elif tag in {"p", "div", "li", "pre", "br", "td"}:
            self.outside.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style", "template"}:
            self._unseen = max(0, self._unseen - 1)
        elif tag == self._part:
            self._part = None
        elif tag == "figure" and self._form is not None:
            self._finish()

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if self._part == "pre":
            self._words.append(data)
        elif self._part == "code":
            self._receipt.append(data)
        elif self._form is None:
            self.outside[-1] += data

    def handle_comment(self, data: str) -> None:  # noqa: ARG002 - the interface of HTMLParser
        if self._part == "pre":
            self._words.append("\x00")

    def close(self) -> None:
        super().close()
        if self._form is not None:
            self._finish()

    def _finish(self) -> None:
        words = "".join(self._words).removeprefix("\n")
        receipt = "".join(self._receipt)
        text = printed_text(words, as_string=self._form == "json")
        if not receipt:
            self.damaged.append(("", "a quotation has no receipt"))
        else:
            self.quotations.append(Quotation(receipt=receipt, text=text))
        self._form = self._part = None
