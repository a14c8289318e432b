"""The JSON of a brief against the W3C Web Annotation Data Model, and annotations that come from elsewhere.

The rules are those that the Recommendation states with MUST for the classes that are used (sections 3.1 annotations, 3.2.4
textual bodies, 3.3.5 and 3.3.6 motivations, 3.4 lifecycle, 4 specific resources, 4.2.4 and 4.2.5 text selectors, 5
collections and pages), and the vocabulary's lists of motivations and classes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import UsageError
from recall_lab.evidence import check, cite, compose
from recall_lab.evidence.forms import web_annotations

ANNO = "http://www.w3.org/ns/anno.jsonld"
MOTIVATIONS = {
    "assessing", "bookmarking", "classifying", "commenting", "describing", "editing", "highlighting", "identifying",
    "linking", "moderating", "questioning", "replying", "tagging",
}  # fmt: skip
AGENTS = {"Person", "Organization", "Software"}
IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")  # xsd:dateTime in UTC, as section 3.4 asks for


def many(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def broken(document: dict[str, Any]) -> list[str]:
    """Every rule that a collection with one embedded page breaks."""
    return [*_top(document), *_collection(document), *_page(document, document.get("first", {}))]


def _top(value: dict[str, Any]) -> Iterator[str]:
    contexts = many(value.get("@context"))
    if ANNO not in contexts:
        yield f"@context must include {ANNO}"
    if len(contexts) > 1 and not isinstance(value["@context"], list):
        yield "several contexts must be an array"


def _named(value: dict[str, Any], kind: str) -> Iterator[str]:
    if not (isinstance(value.get("id"), str) and IRI.fullmatch(value["id"])):
        yield f"{kind}: exactly 1 id that is an IRI"
    if kind not in many(value.get("type")):
        yield f"{kind}: its type must include {kind}"


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _collection(value: dict[str, Any]) -> Iterator[str]:
    yield from _named(value, "AnnotationCollection")
    if not _whole(value.get("total")):
        yield "collection: total must be a non-negative integer"
    if not isinstance(value.get("first"), dict | str):
        yield "collection: exactly 1 first page"
    if not all(isinstance(label, str) for label in many(value.get("label"))) or not value.get("label"):
        yield "collection: should have a label"
    yield from _lifecycle(value)


def _page(collection: dict[str, Any], value: dict[str, Any]) -> Iterator[str]:
    yield from _named(value, "AnnotationPage")
    if value.get("partOf") != collection.get("id"):
        yield "page: should be part of its collection"
    if collection.get("last") != value.get("id"):
        yield "collection: should name its last page"
    if "startIndex" in value and not _whole(value["startIndex"]):
        yield "page: startIndex must be a non-negative integer"
    items = value.get("items")
    if not isinstance(items, list):
        yield "page: exactly 1 items, an array"
        return
    if len(items) != collection.get("total"):
        yield "collection: total must be the number of annotations"
    if len({item.get("id") for item in items}) != len(items):
        yield "annotations: ids must differ"
    for item in items:
        yield from _annotation(item)


def _annotation(value: dict[str, Any]) -> Iterator[str]:
    yield from _named(value, "Annotation")
    if not many(value.get("target")):
        yield "annotation: 1 or more targets"
    if not set(many(value.get("motivation"))) <= MOTIVATIONS:
        yield "annotation: motivations are of the vocabulary's list"
    yield from _lifecycle(value)
    for body in many(value.get("body")):
        if body.get("type") != "TextualBody" or not isinstance(body.get("value"), str):
            yield "textual body: its type, and exactly 1 value that is a string"
        if not set(many(body.get("purpose"))) <= MOTIVATIONS:
            yield "textual body: purposes are of the vocabulary's list"
    for target in many(value.get("target")):
        yield from _specific_resource(target)


def _lifecycle(value: dict[str, Any]) -> Iterator[str]:
    if "created" in value and not MOMENT.fullmatch(str(value["created"])):
        yield "created: an xsd:dateTime with the UTC timezone as Z"
    for agent in many(value.get("generator")):
        if not set(many(agent.get("type"))) & AGENTS:
            yield "generator: an agent of a known class"


def _specific_resource(value: dict[str, Any]) -> Iterator[str]:
    if "SpecificResource" not in many(value.get("type")):
        yield "specific resource: its type should be said"
    if not (isinstance(value.get("source"), str) and IRI.fullmatch(value["source"])):
        yield "specific resource: exactly 1 source that is an IRI"
    if "id" in value and not IRI.fullmatch(str(value["id"])):
        yield "specific resource: an id that is an IRI"
    for selector in many(value.get("selector")):
        yield from _selector(selector)


def _selector(value: dict[str, Any]) -> Iterator[str]:
    kind = value.get("type")
    if kind == "TextQuoteSelector":
        if not isinstance(value.get("exact"), str):
            yield "TextQuoteSelector: exactly 1 exact"
        if not all(isinstance(value.get(part, ""), str) for part in ("prefix", "suffix")):
            yield "TextQuoteSelector: not more than 1 prefix and suffix"
    elif kind == "TextPositionSelector":
        if not _whole(value.get("start")) or not _whole(value.get("end")):
            yield "TextPositionSelector: exactly 1 start and 1 end, non-negative integers"
        elif value["end"] < value["start"]:
            yield "TextPositionSelector: ends after it starts"
    else:
        yield f"selector: {kind} is not one of the model's text selectors"


# ---- what is written -------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60), st.text(max_size=20), st.data())
def test_a_brief_keeps_every_rule_of_the_model(tiny: TinyStore, text: str, title: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    tiny.tell(said("ask", "ask", 0, role="user"), said("a", text, 1))
    chosen = [cite(tiny.reader(), block_id("a"), span=(start, end))]
    receipt = chosen[0].receipt
    brief = compose(
        tiny.reader(), title or "?", chosen, notes="note", remarks={receipt: "mine"}, sections={receipt: "S"}
    )
    document = json.loads(web_annotations.render(brief))
    assert broken(document) == []
    target = document["first"]["items"][1]["target"]
    quote, position = target["selector"]
    assert text[position["start"] : position["end"]] == quote["exact"]
    assert text[: position["start"]].endswith(quote.get("prefix", ""))
    assert text[position["end"] :].startswith(quote.get("suffix", ""))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("@context",), "http://schema.org"),
        (("id",), None),
        (("type",), "Collection"),
        (("total",), -1),
        (("created",), "yesterday"),
        (("first", "type"), "Page"),
        (("first", "items", 0, "id"), 7),
        (("first", "items", 0, "target"), []),
        (("first", "items", 0, "motivation"), "admiring"),
        (("first", "items", 0, "body", 0, "value"), 3),
        (("first", "items", 0, "target", "source"), None),
        (("first", "items", 0, "target", "selector", 0, "exact"), None),
        (("first", "items", 0, "target", "selector", 1, "start"), "0"),
        (("first", "items", 0, "target", "selector", 1, "type"), "OffsetSelector"),
    ],
)
def test_the_rules_notice_what_breaks_them(tiny: TinyStore, path: tuple[Any, ...], value: object) -> None:
    tiny.tell(said("a", "alpha beta gamma", 0))
    reader = tiny.reader()
    brief = compose(reader, "?", [cite(reader, block_id("a"), quote="beta")])
    document = json.loads(web_annotations.render(brief))
    assert broken(document) == []
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert broken(document)


# ---- what is pasted --------------------------------------------------------------------------------------------------

TEXT = "We decided to reject batching. Later: we decided to reject batching again, and wrote it down."
SECOND = TEXT.index("decided", 20)


def annotation(selector: object, **target: object) -> str:
    """An annotation as the Recommendation's examples have it: a body, a target with a source and a selector."""
    source = {"source": f"recall-lab://{block_id('a')}", **target}
    return json.dumps(
        {
            "@context": ANNO,
            "id": "http://example.org/anno23",
            "type": "Annotation",
            "body": "http://example.org/comment1",
            "target": {**source, "selector": selector},
        }
    )


QUOTE = {"type": "TextQuoteSelector", "exact": "decided to reject batching"}
POSITION = {"type": "TextPositionSelector", "start": SECOND, "end": SECOND + 26}


@pytest.mark.parametrize(
    ("selector", "start"),
    [
        (QUOTE, 3),
        ({**QUOTE, "prefix": "Later: we ", "suffix": " again, and"}, SECOND),
        ({**QUOTE, "suffix": " again"}, SECOND),
        ([QUOTE, POSITION], SECOND),
        ([POSITION, QUOTE], SECOND),
        ({**POSITION, "refinedBy": QUOTE}, SECOND),
    ],
)
def test_an_annotation_from_elsewhere_resolves(tiny: TinyStore, selector: object, start: int) -> None:
    tiny.tell(said("a", TEXT, 0))
    found = check(tiny.reader(), annotation(selector))
    assert (found.verdict, found.start, found.end) == ("valid", start, start + 26)
    assert len(found.occurrences) == 2


def test_every_annotation_of_a_brief_and_every_receipt_resolves_when_pasted(tiny: TinyStore) -> None:
    tiny.tell(said("ask", "why?", 0, role="user"), said("a", TEXT, 1), said("b", "other " * 300, 2))
    reader = tiny.reader()
    chosen = [cite(reader, block_id("a"), span=(SECOND, SECOND + 26)), cite(reader, block_id("b"), span=(600, 630))]
    document = json.loads(web_annotations.render(compose(reader, "why?", chosen)))
    items = document["first"]["items"]
    assert len(items) > 2
    for item in items:
        for pasted in (json.dumps(item), json.dumps(item["target"]), item["target"]["id"]):
            found = check(reader, pasted)
            position = item["target"]["selector"][1]
            assert (found.valid, found.start, found.end) == (True, position["start"], position["end"])
            assert found.anchor == "position"


def test_an_annotation_whose_words_are_not_there_says_so(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    assert check(tiny.reader(), annotation({**QUOTE, "exact": "decided on batching"})).verdict == "absent"
    with pytest.raises(UsageError, match="source must begin"):
        check(tiny.reader(), annotation(QUOTE, source="http://example.org/page1"))
    with pytest.raises(UsageError, match="no quotation"):
        check(tiny.reader(), annotation({"type": "XPathSelector", "value": "/html"}))
