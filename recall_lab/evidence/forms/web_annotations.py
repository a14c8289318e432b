"""A brief as JSON-LD in the W3C Web Annotation model, and finding the quotations of any JSON file; pure.

The brief is an ``AnnotationCollection`` with one embedded page. Each annotation's target is a ``SpecificResource``
whose id is the receipt, whose selectors are a ``TextQuoteSelector`` (exact, prefix, suffix) and a
``TextPositionSelector`` (start, end; code points, end exclusive), and whose ``TimeState`` says when they were right.
What the model has no word for is under the vocabulary ``urn:recall-lab:``, in keys that the model has not taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from recall_lab.evidence.csl import csl_items
from recall_lab.evidence.forms import wording
from recall_lab.evidence.forms.printing import Contents, Quotation, as_json, label
from recall_lab.evidence.forms.sealing import seal_of
from recall_lab.evidence.quotes import CONTEXT
from recall_lab.evidence.receipts import SCHEME, receipt_like
from recall_lab.evidence.records import Brief, Excerpt

# The references are CSL-JSON, whose keys mean other things than those of JSON-LD: they are no part of the graph.
CONTEXTS = ["http://www.w3.org/ns/anno.jsonld", {"@vocab": "urn:recall-lab:brief#", "references": None}]
_FORM = "recall-lab-brief/1"
SESSION_FORM = "recall-lab-session/1"
_WORDS = ("exact", "quote", "text")
_DEEPEST = 200


def render(brief: Brief) -> str:
    """Return the brief as a JSON document."""
    document = collection(brief)
    return as_json({**document, "seal": seal_of(document)}, indent=1) + "\n"


def collection(brief: Brief) -> dict[str, Any]:
    """Return the brief as an annotation collection."""
    identity = uuid5(
        NAMESPACE_URL, "\n".join((brief.created, brief.title, *(e.citation.receipt for e in brief.excerpts)))
    )
    items = [
        annotation(excerpt, f"urn:uuid:{uuid5(identity, str(at))}", brief.created, section)
        for at, (section, excerpt) in enumerate(_numbered(brief), 1)
    ]
    found = brief.coverage
    collection_id, page_id = f"urn:uuid:{identity}", f"urn:uuid:{uuid5(identity, 'page')}"
    document: dict[str, Any] = {
        "@context": CONTEXTS,
        "id": collection_id,
        "type": "AnnotationCollection",
        "label": label(brief.title),
        "created": brief.created,
        "generator": {"id": "urn:recall-lab", "type": "Software", "name": "recall-lab"},
        "total": len(items),
        "form": _FORM,
        "quotations": len(items) + sum("inContext" in item for item in items),
        "question": label(brief.question),
        "sample": wording.SAMPLE,
        "proof": wording.PROOF,
        "notes": list(brief.notes),
        "coverage": {
            "blocks": found.searched.blocks,
            "sessions": found.searched.sessions,
            "searchedIn": label(found.scope),
            "chosenBy": found.chosen,
            "incompleteSources": found.incomplete_sources,
            "notice": found.notice and label(found.notice),
        },
        "references": csl_items(brief),
    }
    if items:
        page = {"id": page_id, "type": "AnnotationPage", "partOf": collection_id, "startIndex": 0, "items": items}
        document |= {"first": page, "last": page_id}
    if brief.repository:
        seen = brief.repository
        document["repository"] = {
            "folder": label(seen.folder),
            "exists": seen.exists,
            "branch": seen.branch and label(seen.branch),
            "commit": seen.commit,
            "worktree": seen.worktree,
        }
    return document


def annotation(excerpt: Excerpt, identity: str, created: str, section: str) -> dict[str, Any]:
    """Return one excerpt as a Web Annotation."""
    citation, context = excerpt.citation, excerpt.context
    inside = citation.start - context.start
    before = context.quote[:inside]
    after = context.quote[inside + len(citation.quote) :]
    bodies = [_body(label(excerpt.reason), "describing")]
    if excerpt.note:
        bodies.append(_body(excerpt.note, "commenting"))
    quote = {"type": "TextQuoteSelector", "exact": citation.quote}
    if before:
        quote["prefix"] = before[-CONTEXT:]
    if after:
        quote["suffix"] = after[:CONTEXT]
    made: dict[str, Any] = {
        "id": identity,
        "type": "Annotation",
        "motivation": "highlighting",
        "created": created,
        "body": bodies,
        "target": {
            "id": citation.receipt,
            "type": "SpecificResource",
            "source": f"{SCHEME}{citation.block_id}@{citation.content_hash[:12]}",
            "selector": [
                quote,
                {"type": "TextPositionSelector", "start": citation.start, "end": citation.end},
            ],
            "state": {"type": "TimeState", "sourceDate": created},
            "contentHash": citation.content_hash,
        },
        "section": section,
        "role": excerpt.role,
        "kind": excerpt.kind,
        "host": excerpt.host,
        "session": label(excerpt.session),
        "turn": excerpt.turn,
        "title": excerpt.title and label(excerpt.title),
        "timestamp": excerpt.timestamp,
        "repo": excerpt.repo and label(excerpt.repo),
        "branch": excerpt.branch and label(excerpt.branch),
        "cwd": excerpt.cwd and label(excerpt.cwd),
        "sourceFile": excerpt.source and label(excerpt.source),
    }
    if context.quote != citation.quote:
        made["inContext"] = {"receipt": context.receipt, "quote": context.quote}
    return made


def _body(value: str, purpose: str) -> dict[str, str]:
    return {"type": "TextualBody", "value": value, "format": "text/plain", "purpose": purpose}


def _numbered(brief: Brief) -> Iterator[tuple[str, Excerpt]]:
    for section, excerpts in wording.sections(brief):
        yield from ((section, excerpt) for excerpt in excerpts)


# ---- finding the quotations again ----------------------------------------------------------------------------------


def contents(document: object) -> Contents:
    """Find every receipt of a JSON value with the words beside it.

    Read are: Web Annotation targets with a receipt as id (or a block as source) and their selectors, objects with a
    ``receipt`` (or a citation's fields) beside ``exact``, ``quote`` or ``text``, and receipts in any other string.
    """
    quotations: list[Quotation] = []
    bare: list[str] = []
    damaged: list[tuple[str, str]] = []
    waiting: list[tuple[object, int]] = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str):
            bare += receipt_like(value)
        elif isinstance(value, list):
            waiting += [(item, depth + 1) for item in value if depth < _DEEPEST]
        elif isinstance(value, dict):
            taken = _quotation(value, quotations, damaged)
            waiting += [(item, depth + 1) for key, item in value.items() if key not in taken and depth < _DEEPEST]
    return Contents(
        quotations=tuple(quotations),
        bare=tuple(bare),
        damaged=tuple(damaged),
        declared=_declared(document),
        sealed=_sealed(document),
    )


def _sealed(document: object) -> bool | None:
    """Whether a brief is as it was saved; None where it has no seal."""
    if not isinstance(document, dict):
        return None
    if "seal" not in document:
        return None if _declared(document) is None else False
    return bool(document["seal"] == seal_of({key: value for key, value in document.items() if key != "seal"}))


def _quotation(value: dict[str, Any], found: list[Quotation], damaged: list[tuple[str, str]]) -> tuple[str, ...]:
    """Take the quotation out of one object; return the keys that belong to it."""
    selectors = value.get("selector")
    if isinstance(selectors, dict):
        selectors = [selectors]
    if isinstance(selectors, list) and str(value.get("source", "")).startswith(SCHEME):
        found_here = target_quotation(value, selectors)
        if found_here is None:
            damaged.append((str(value.get("id", "")), "its selectors and its receipt do not agree"))
        else:
            found.append(found_here)
        return ("id", "source", "selector")
    words = next((key for key in _WORDS if isinstance(value.get(key), str)), None)
    fields = [value.get(key) for key in ("block_id", "content_hash", "start", "end")]
    made = _receipt_of(fields)
    receipt = value.get("receipt", made)
    if words is None or not isinstance(receipt, str):
        return ()
    if made not in {None, receipt}:
        damaged.append((receipt, "the receipt and the fields beside it do not agree"))
    else:
        found.append(Quotation(receipt=receipt, text=value[words], content_hash=str(fields[1] or "")))
    return ("receipt", words)


def _receipt_of(fields: list[object]) -> str | None:
    """The receipt that a citation's fields say; None when they are not there."""
    block_id, content_hash, start, end = fields
    if isinstance(block_id, str) and isinstance(content_hash, str) and isinstance(start, int) and isinstance(end, int):
        return f"{SCHEME}{block_id}@{content_hash[:12]}#{start}-{end}"
    return None


def target_quotation(target: dict[str, Any], selectors: list[Any]) -> Quotation | None:
    """Read a Web Annotation target; None when id, source and selectors contradict one another."""
    typed = {str(item.get("type")): item for item in selectors if isinstance(item, dict)}
    quote, position = typed.get("TextQuoteSelector", {}), typed.get("TextPositionSelector", {})
    words, prefix, suffix = quote.get("exact"), quote.get("prefix", ""), quote.get("suffix", "")
    made = f"{target['source']}#{position.get('start')}-{position.get('end')}"
    if not all(isinstance(part, str) for part in (words, prefix, suffix)) or target.get("id", made) != made:
        return None
    content_hash = str(target.get("contentHash", ""))
    return Quotation(receipt=made, text=str(words), prefix=str(prefix), suffix=str(suffix), content_hash=content_hash)


def _declared(document: object) -> int | None:
    """How many quotations a brief says it has."""
    if not isinstance(document, dict) or document.get("form") not in {_FORM, SESSION_FORM}:
        return None
    count = document.get("quotations")
    return count if isinstance(count, int) else -1
