"""What people paste into ``check`` resolves: receipts, Web Annotations, citations."""

from __future__ import annotations

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import UsageError
from recall_lab.evidence import check, cite, compose
from recall_lab.evidence.forms import web_annotations
from recall_lab.evidence.pasted import parse_pasted

TEXT = "alpha word beta, gamma word delta"


def test_a_brief_s_own_annotations_resolve(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    reader = tiny.reader()
    brief = compose(reader, "?", [cite(reader, block_id("a"), span=(23, 27))])
    (annotation,) = web_annotations.collection(brief)["first"]["items"]
    for pasted in (annotation, annotation["target"], {**annotation, "target": [annotation["target"]]}):
        found = check(reader, json.dumps(pasted))
        assert (found.verdict, found.start, found.end, found.hash_matches) == ("valid", 23, 27, True)


@pytest.mark.parametrize(
    "around",
    ["{}", "  {}\n", "`{}`", "({}).", "<{}>", "[^1]: `{}` is the receipt of quotation 1.", "see {}, and {} again"],
)
def test_a_receipt_resolves_with_what_was_copied_around_it(tiny: TinyStore, around: str) -> None:
    tiny.tell(said("a", TEXT, 0))
    reader = tiny.reader()
    receipt = cite(reader, block_id("a"), span=(23, 27)).receipt
    found = check(reader, around.format(receipt, receipt))
    assert (found.verdict, found.start, found.end) == ("valid", 23, 27)


def test_a_citation_as_json_resolves(tiny: TinyStore) -> None:
    tiny.tell(said("a", TEXT, 0))
    reader = tiny.reader()
    citation = cite(reader, block_id("a"), span=(23, 27))
    found = check(reader, msgspec.json.encode(citation).decode())
    assert (found.verdict, found.start, found.anchor) == ("valid", 23, "position")


def test_an_annotation_of_an_edited_block_is_anchored_in_the_known_order(tiny: TinyStore) -> None:
    def annotation(**selectors: object) -> str:
        source = f"recall-lab://{block_id('a')}"
        return json.dumps({"type": "Annotation", "target": {"source": source, "selector": list(selectors.values())}})

    position = {"type": "TextPositionSelector", "start": 23, "end": 27}
    quote = {"type": "TextQuoteSelector", "exact": "word", "prefix": "gamma ", "suffix": " delta"}
    tiny.tell(said("a", TEXT, 0))
    assert check(tiny.reader(), annotation(a=position, b=quote)).anchor == "position"
    tiny.tell(said("a", f"word! {TEXT}", 0))
    moved = check(tiny.reader(), annotation(a=position, b=quote))
    assert (moved.start, moved.anchor) == (29, "context")
    nested = {**position, "refinedBy": quote}
    assert check(tiny.reader(), annotation(a=nested)).start == 29
    tiny.tell(said("a", "A sentence about quite other things that nobody said before.", 0))
    long = {"type": "TextQuoteSelector", "exact": "a sentence about other things which nobody said"}
    gone = check(tiny.reader(), annotation(a=long))
    assert (gone.valid, gone.start) == (False, None)
    assert gone.near[0].why.startswith("about the same words")


@pytest.mark.parametrize(
    ("pasted", "says"),
    [
        ("{", "cannot be read"),
        ('{"target": 5}', "not of a block"),
        ('{"target": "https://example.org"}', "not of a block"),
        ('{"target": {"source": "https://example.org", "selector": []}}', "not of a block"),
        ('{"target": [{}, {}]}', "2 targets"),
        ('{"block_id": "xyz"}', "no block id"),
        ("recall-lab://nothing", "not a receipt"),
        (f"recall-lab://{'a' * 32}@{'b' * 12}#0-1 recall-lab://{'a' * 32}@{'b' * 12}#0-2", "2 receipts"),
        ("two words", "no block id"),
    ],
)
def test_what_cannot_be_resolved_says_why(pasted: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_pasted(pasted)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just("recall-lab://" + "a" * 32)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["target", "source", "selector", "type", "exact", "block_id", "refinedBy"]), inner
        ),
    ),
)


@given(JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    with suppress(UsageError):
        assert parse_pasted(json.dumps({"target": value})).block
