"""What the selectors of a Web Annotation say of a quotation, refined ones too; pure.

Sections 4.2.4, 4.2.5, 4.2.9 and 4.3.3 of the W3C Web Annotation Data Model: selectors beside one another describe the
same segment, one that refines another describes a segment of it. Offsets are code points, ends exclusive.
"""

from __future__ import annotations

from typing import Any

from recall_lab.model import Record

_DEEPEST = 20
_STATES = ("TimeState", "HttpRequestState")


class Selected(Record, frozen=True):
    """A quotation as selectors describe it; what they do not say is None or empty."""

    quote: str | None = None
    start: int | None = None
    end: int | None = None
    prefix: str = ""
    suffix: str = ""


def selected(target: dict[str, Any]) -> Selected:
    """Read the selectors of a specific resource, else those that refine its state.

    Read are ``TextQuoteSelector`` and ``TextPositionSelector``; of other kinds only what refines them.
    """
    found = _together(target.get("selector"), _DEEPEST)
    return found if found != Selected() else _together(target.get("state"), _DEEPEST)


def _together(selectors: object, depth: int) -> Selected:
    """What selectors say that stand beside one another; the first to say something is believed."""
    found = Selected()
    for selector in selectors if isinstance(selectors, list) else [selectors]:
        one = _one(selector, depth) if isinstance(selector, dict) and depth else Selected()
        placed, worded = found.start is not None, found.quote is not None
        found = Selected(
            quote=found.quote if worded else one.quote,
            prefix=found.prefix if worded else one.prefix,
            suffix=found.suffix if worded else one.suffix,
            start=found.start if placed else one.start,
            end=found.end if placed else one.end,
        )
    return found


def _one(selector: dict[str, Any], depth: int) -> Selected:
    outer = Selected()
    kind = selector.get("type")
    if kind == "TextQuoteSelector":
        prefix, suffix = _text(selector.get("prefix")), _text(selector.get("suffix"))
        outer = Selected(quote=_text(selector.get("exact")) or None, prefix=prefix, suffix=suffix)
    elif kind == "TextPositionSelector":
        outer = Selected(start=_number(selector.get("start")), end=_number(selector.get("end")))
    inner = _together(selector.get("refinedBy"), depth - 1)
    if kind in _STATES:
        return inner  # a state is of the whole resource, so places in it are places in the text
    return outer if inner == Selected() else _refined(outer, inner)


def _refined(outer: Selected, inner: Selected) -> Selected:
    """What is selected of what is selected: places count from the start of the outer segment."""
    if outer.quote is not None:
        return _within(outer, outer.quote, inner)
    if outer.start is None:
        # Where the outer segment begins is not known, so a place in it says nothing.
        return Selected(quote=inner.quote, prefix=inner.prefix, suffix=inner.suffix)
    start = outer.start + (inner.start or 0)
    end = None if inner.end is None else outer.start + inner.end
    return Selected(quote=inner.quote, prefix=inner.prefix, suffix=inner.suffix, start=start, end=end)


def _within(outer: Selected, words: str, inner: Selected) -> Selected:
    """A part of quoted words: what stands around it is known from them."""
    at = inner.start
    if inner.quote is not None:
        led = words.find(inner.prefix + inner.quote)
        at = led + len(inner.prefix) if led >= 0 else words.find(inner.quote)
    quote = inner.quote if at is None or inner.quote is not None else words[at : inner.end]
    if at is None or at < 0 or not quote:
        return inner if inner.quote is not None else Selected(quote=words, prefix=outer.prefix, suffix=outer.suffix)
    return Selected(quote=quote, prefix=outer.prefix + words[:at], suffix=words[at + len(quote) :] + outer.suffix)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
