"""The JSON of a brief against the W3C Web Annotation Data Model, and annotations that come from elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from annotation_model import ANNO, broken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import UsageError
from recall_lab.evidence import check, cite, compose
from recall_lab.evidence.forms import web_annotations

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
        (("label",), ""),
        (("first",), None),
        (("@context", 1, "source"), "urn:x"),
        (("coverage", "scope"), "all"),
        (("first", "type"), "Page"),
        (("first", "items"), []),
        (("first", "startIndex"), None),
        (("first", "items", 0, "id"), 7),
        (("first", "items", 0, "bodyValue"), "and a body"),
        (("first", "items", 0, "target"), []),
        (("first", "items", 0, "motivation"), "admiring"),
        (("first", "items", 0, "body", 0, "value"), 3),
        (("first", "items", 0, "target", "source"), None),
        (("first", "items", 0, "target", "selector", 0, "exact"), None),
        (("first", "items", 0, "target", "selector", 1, "start"), "0"),
        (("first", "items", 0, "target", "selector", 1, "type"), "OffsetSelector"),
        (("first", "items", 0, "target", "state"), None),
        (("first", "items", 0, "target", "state", "sourceDate"), "2026-05-01"),
        (("first", "items", 0, "target", "state", "sourceDateStart"), "2026-05-01T10:00:00Z"),
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


def test_a_brief_without_passages_is_a_collection_without_pages(tiny: TinyStore) -> None:
    tiny.tell(said("a", "alpha", 0))
    brief = compose(tiny.reader(), "nothing of this was said", title=" ")
    document = json.loads(web_annotations.render(brief))
    assert broken(document) == []
    assert (document["total"], "first" in document, "last" in document) == (0, False, False)
    assert document["label"] == "nothing of this was said"


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
        ({"type": "FragmentSelector", "value": "line=1", "refinedBy": QUOTE}, 3),
        ({"type": "FragmentSelector", "value": "line=1", "refinedBy": [QUOTE, {**POSITION, "start": 9}]}, 3),
        (
            {**POSITION, "start": 35, "end": 90, "refinedBy": {**POSITION, "start": SECOND - 35, "end": SECOND - 9}},
            SECOND,
        ),
        ({**POSITION, "start": 35, "end": 90, "refinedBy": [QUOTE]}, SECOND),
        ({**QUOTE, "exact": TEXT[35:90], "refinedBy": QUOTE}, SECOND),
        ({**QUOTE, "exact": TEXT[35:90], "refinedBy": {**POSITION, "start": SECOND - 35, "end": SECOND - 9}}, SECOND),
        (
            [{**QUOTE, "exact": TEXT[35:90], "refinedBy": {**QUOTE, "refinedBy": {**POSITION, "start": 0, "end": 26}}}],
            SECOND,
        ),
    ],
)
def test_an_annotation_from_elsewhere_resolves(tiny: TinyStore, selector: object, start: int) -> None:
    tiny.tell(said("a", TEXT, 0))
    found = check(tiny.reader(), annotation(selector))
    assert (found.verdict, found.start, found.end) == ("valid", start, start + 26)
    assert len(found.occurrences) == 2


def test_a_state_that_a_selector_refines_resolves(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    state = {"type": "TimeState", "sourceDate": "2026-05-01T10:00:00Z", "refinedBy": [QUOTE, POSITION]}
    found = check(tiny.reader(), annotation([], state=state))
    assert (found.verdict, found.start) == ("valid", SECOND)


def test_a_target_that_is_a_receipt_and_nothing_more_resolves(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    reader = tiny.reader()
    receipt = cite(reader, block_id("a"), span=(SECOND, SECOND + 26)).receipt
    for target in (receipt, {"id": receipt}, {"source": receipt}, {"source": {"id": receipt}, "selector": QUOTE}):
        found = check(reader, json.dumps({"type": "Annotation", "target": target}))
        assert (found.verdict, found.start, found.end) == ("valid", SECOND, SECOND + 26)


def test_a_whole_collection_is_no_annotation(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    reader = tiny.reader()
    document = web_annotations.render(compose(reader, "?", [cite(reader, block_id("a"))]))
    with pytest.raises(UsageError, match="one of its annotations"):
        check(reader, document)


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
