"""The W3C Web Annotation Data Model (Recommendation of 23 February 2017) as rules over JSON: what a document breaks.

Each rule is one that the Recommendation states with MUST, or with SHOULD where it says so here, for the classes that a brief
uses; the number beside it is the section. The Web Annotation Vocabulary gives the keys of the JSON-LD context, which an
extension may not take for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

ANNO = "http://www.w3.org/ns/anno.jsonld"
MOTIVATIONS = {
    "assessing", "bookmarking", "classifying", "commenting", "describing", "editing", "highlighting", "identifying",
    "linking", "moderating", "questioning", "replying", "tagging",
}  # fmt: skip
AGENTS = {"Person", "Organization", "Software"}
IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")

# The keys of the context at ANNO, classes and instances left out.
KEYS = {
    "accessibility", "audience", "body", "bodyValue", "cached", "canonical", "conformsTo", "created", "creator", "email",
    "email_sha1", "end", "endSelector", "exact", "first", "format", "generated", "generator", "homepage", "id", "items",
    "label", "language", "last", "modified", "motivation", "name", "next", "nickname", "partOf", "prefix", "prev",
    "processingLanguage", "purpose", "refinedBy", "renderedVia", "rights", "scope", "selector", "source", "sourceDate",
    "sourceDateEnd", "sourceDateStart", "start", "startIndex", "startSelector", "state", "styleClass", "stylesheet",
    "suffix", "target", "textDirection", "total", "type", "value", "via",
}  # fmt: skip
LIFECYCLE = {"created", "creator", "generated", "generator", "modified", "rights", "canonical", "via"}
TEXTUAL = {"format", "language", "processingLanguage", "textDirection", "accessibility", "purpose"}
# Which of them a class has (3.1 to 5.2).
OWN = {
    "AnnotationCollection": {"label", "total", "first", "last", *LIFECYCLE},
    "AnnotationPage": {"partOf", "items", "next", "prev", "startIndex"},
    "Annotation": {"body", "bodyValue", "target", "motivation", "stylesheet", "audience", *LIFECYCLE},
    "TextualBody": {"value", *TEXTUAL, *LIFECYCLE},
    "SpecificResource": {"source", "selector", "state", "scope", "styleClass", "renderedVia", "purpose", *LIFECYCLE},
    "TextQuoteSelector": {"exact", "prefix", "suffix", "refinedBy"},
    "TextPositionSelector": {"start", "end", "refinedBy"},
    "TimeState": {"sourceDate", "sourceDateStart", "sourceDateEnd", "cached", "refinedBy"},
    "Software": {"name", "nickname", "homepage"},
}


def many(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def broken(document: dict[str, Any]) -> list[str]:
    """Every rule that a collection with one embedded page breaks."""
    rules = [*_context(document), *_collection(document), *_keys(document, _ignored(document))]
    if document.get("total") or "first" in document:
        rules += _page(document, document.get("first"))
    return rules


def _context(value: dict[str, Any]) -> Iterator[str]:
    contexts = many(value.get("@context"))
    if ANNO not in contexts:
        yield f"5.1: @context must include {ANNO}"
    if len(contexts) == 1 and not isinstance(value["@context"], str):
        yield "3.1: an only context must be a string"
    for extension in contexts:
        if isinstance(extension, dict) and KEYS & set(extension):
            yield "vocabulary 4: an extension must not redefine keys"


def _ignored(value: dict[str, Any]) -> set[str]:
    """Keys that the context maps to nothing: what stands under them is no part of the graph."""
    extensions = [item for item in many(value.get("@context")) if isinstance(item, dict)]
    return {key for extension in extensions for key, meaning in extension.items() if meaning is None}


def _keys(value: object, ignored: set[str]) -> Iterator[str]:
    """Keys of the context mean what the model says also where an extension uses them."""
    if isinstance(value, list):
        for item in value:
            yield from _keys(item, ignored)
    elif isinstance(value, dict):
        own = {"id", "type"}.union(*(OWN.get(kind, set()) for kind in many(value.get("type"))))
        for key, inner in value.items():
            if key in KEYS and key not in own:
                yield f"vocabulary 4: {key} is not a key of {value.get('type')}"
            if key not in ignored and key != "@context":
                yield from _keys(inner, ignored)


def _named(value: dict[str, Any], kind: str, section: str) -> Iterator[str]:
    if not _iri(value.get("id")):
        yield f"{section}: {kind} must have exactly 1 IRI"
    if kind not in many(value.get("type")):
        yield f"{section}: {kind} must be among its types"


def _iri(value: object) -> bool:
    return isinstance(value, str) and IRI.fullmatch(value) is not None


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _collection(value: dict[str, Any]) -> Iterator[str]:
    yield from _named(value, "AnnotationCollection", "5.1")
    yield from _lifecycle(value)
    labels = many(value.get("label"))
    if not labels or not all(isinstance(label, str) and label for label in labels):
        yield "5.1: a collection should have a label, which must be a string"
    if not _whole(value.get("total")):
        yield "5.1: total must be a non-negative integer"
    if value.get("total") and not _iri(value.get("last")):
        yield "5.1: a collection of annotations should name its last page"


def _page(collection: dict[str, Any], value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        yield "5.1: a collection of annotations must have exactly 1 first page"
        return
    yield from _named(value, "AnnotationPage", "5.2")
    if "@context" in value:
        yield "5.2: an embedded page should not have a context"
    if value.get("partOf") != collection.get("id"):
        yield "5.2: a page should be part of its collection"
    if not _whole(value.get("startIndex")):
        yield "5.2: startIndex should be there, and must be a non-negative integer"
    if value.get("id") != collection.get("last") and not _iri(value.get("next")):
        yield "5.2: a page that is not the last must name the next"
    items = value.get("items")
    if not isinstance(items, list) or not items:
        yield "5.2: items must be an array of 1 or more annotations"
        return
    if len(items) != collection.get("total"):
        yield "5.1: total is the number of annotations"
    if len({item.get("id") for item in items}) != len(items):
        yield "3.1: an id is of one annotation"
    for item in items:
        yield from _annotation(item)


def _annotation(value: dict[str, Any]) -> Iterator[str]:
    yield from _named(value, "Annotation", "3.1")
    yield from _lifecycle(value)
    if "created" not in value:
        yield "3.3.1: an annotation should say when it was created"
    if not many(value.get("target")):
        yield "3.1: an annotation must have 1 or more targets"
    if "bodyValue" in value and "body" in value:
        yield "3.2.5: bodyValue and body must not both be there"
    if not many(value.get("motivation")) or not set(many(value.get("motivation"))) <= MOTIVATIONS:
        yield "3.3.5: an annotation should have a motivation of the list"
    for body in many(value.get("body")):
        yield from _textual_body(body)
    for target in many(value.get("target")):
        yield from _specific_resource(target)


def _textual_body(value: dict[str, Any]) -> Iterator[str]:
    if "TextualBody" not in many(value.get("type")):
        yield "3.2.4: a textual body should have its class"
    if not isinstance(value.get("value"), str):
        yield "3.2.4: a textual body must have exactly 1 value"
    if value.get("textDirection") not in {None, "ltr", "rtl", "auto"}:
        yield "3.2.1: textDirection must be ltr, rtl or auto"
    if not set(many(value.get("purpose"))) <= MOTIVATIONS:
        yield "3.3.5: a purpose is of the list"
    yield from _lifecycle(value)


def _lifecycle(value: dict[str, Any]) -> Iterator[str]:
    for key in ("created", "generated", "modified"):
        if key in value and not (isinstance(value[key], str) and MOMENT.fullmatch(value[key])):
            yield f"3.3.1: {key} must be at most 1 xsd:dateTime in UTC, as Z"
    for agent in (*many(value.get("creator")), *many(value.get("generator"))):
        if isinstance(agent, dict) and not (_iri(agent.get("id")) and set(many(agent.get("type"))) & AGENTS):
            yield "3.3.2: an agent should have an IRI and a class of the list"
    if not all(map(_iri, many(value.get("rights")))):
        yield "3.3.6: rights must be IRIs"


def _specific_resource(value: dict[str, Any]) -> Iterator[str]:
    if "SpecificResource" not in many(value.get("type")):
        yield "4: a specific resource should have its class"
    source = value.get("source")
    if not _iri(source.get("id") if isinstance(source, dict) else source):
        yield "4: a specific resource must have exactly 1 source"
    if "id" in value and not _iri(value["id"]):
        yield "4: its id is an IRI"
    for selector in many(value.get("selector")):
        yield from _selector(selector)
    for state in many(value.get("state")):
        yield from _time_state(state)
    positions = [one for one in many(value.get("selector")) if one.get("type") == "TextPositionSelector"]
    if positions and not value.get("state"):
        yield "4.2.5: a state is recommended beside a position"


def _selector(value: dict[str, Any]) -> Iterator[str]:
    kind = value.get("type")
    if kind == "TextQuoteSelector":
        if not isinstance(value.get("exact"), str):
            yield "4.2.4: exactly 1 exact"
        if not all(isinstance(value.get(part, ""), str) for part in ("prefix", "suffix")):
            yield "4.2.4: not more than 1 prefix and 1 suffix"
    elif kind == "TextPositionSelector":
        if not _whole(value.get("start")) or not _whole(value.get("end")):
            yield "4.2.5: exactly 1 start and 1 end, non-negative integers"
        elif value["end"] < value["start"]:
            yield "4.2.5: the end does not stand before the start"
    else:
        yield f"4.2: {kind} is no selector of texts"
    for inner in many(value.get("refinedBy")):
        yield from _selector(inner)


def _time_state(value: dict[str, Any]) -> Iterator[str]:
    if value.get("type") != "TimeState":
        yield "4.3.1: exactly 1 type, which must be TimeState"
    if not all(isinstance(date, str) and MOMENT.fullmatch(date) for date in many(value.get("sourceDate"))):
        yield "4.3.1: sourceDate must be an xsd:dateTime in UTC, as Z"
    bounds = ("sourceDateStart" in value, "sourceDateEnd" in value)
    if any(bounds) and ("sourceDate" in value or not all(bounds)):
        yield "4.3.1: start and end must come together, and without sourceDate"
