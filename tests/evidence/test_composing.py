"""What a brief is made of: passages with their reasons, what stands around them, and how much was looked through."""

from __future__ import annotations

import statistics
import time
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import CitationError, NotFoundError, UsageError
from recall_lab.evidence import Chosen, check, chosen_hit, cite, compose, outline, save, verify, verify_text
from recall_lab.evidence.forms import markdown, wording
from recall_lab.evidence.saving import FORMS
from recall_lab.model import Filters, Hit, Redacted
from recall_lab.search import search

TOOL = "Bash\ncommand: redis-cli flushall # we decided to reject the redis cache"


@pytest.fixture
def told(tiny: TinyStore) -> TinyStore:
    tiny.tell(
        said("ask", "Should we keep the redis cache in front of the planner?", 0, role="user"),
        said("tool", TOOL, 1, kind="tool_use"),
        said("out", "redis cache planner OK", 2, role="tool", kind="tool_result"),
        said("no", "We decided to reject the redis cache: it hides stale plans.", 3),
        said("again", "We decided to reject the redis cache: it hides stale plans!", 4),
        said("open", "The warm start is still broken. More later.", 5),
        said("meta", "redis cache planner reminder", 6, role="host"),
        session="11111111-aaaa",
    )
    tiny.tell(said("far", "Lunch menus and bicycles.", 0), session="22222222-bbbb")
    return tiny


def test_a_question_chooses_prose_that_is_worth_quoting_and_says_why(told: TinyStore) -> None:
    brief = compose(told.reader(), "why did we reject the redis cache")
    quoted = [excerpt.citation.quote for excerpt in brief.passages]
    assert "We decided to reject the redis cache: it hides stale plans." in quoted
    assert {excerpt.role for excerpt in brief.excerpts} <= {"user", "assistant"}
    assert len([quote for quote in quoted if quote.startswith("We decided")]) == 1, "said twice, quoted once"
    assert "Lunch menus and bicycles." not in quoted
    assert all(excerpt.reason for excerpt in brief.passages)
    assert brief.coverage.searched.blocks == 5, "prose is what was searched"
    assert brief.coverage.chosen == "search"


def test_what_stands_before_the_first_prompt_is_not_the_opening_ask(tiny: TinyStore) -> None:
    tiny.tell(
        said("clear", "<command-name>/clear</command-name>", 0, role="user", turn=0),
        said("ask", "Why is it slow?", 1, role="user"),
        said("a", "Because of the disk.", 2),
    )
    reader = tiny.reader()
    opening = compose(reader, "?", [cite(reader, block_id("a"))]).opening
    assert opening is not None
    assert opening.citation.quote == "Why is it slow?"


def test_the_writer_s_order_sections_notes_and_reasons_are_in_every_form(told: TinyStore) -> None:
    reader = told.reader()
    names = ("open", "no", "ask", "again")
    receipts = {name: cite(reader, block_id(name)) for name in names}
    heading = "A *bold* <b>claim</b>"
    chosen = [
        Chosen(citation=receipts["open"], section=heading, note="my note", reason="it is open"),
        Chosen(citation=receipts["no"], section=heading),
        receipts["ask"],
        Chosen(citation=receipts["again"], section=heading),
    ]
    brief = compose(reader, "?", chosen, surroundings=False, reasons={receipts["ask"].receipt: "it asks"})
    assert [(name, [e.citation for e in run]) for name, run in wording.sections(brief)] == [
        (heading, [receipts["open"], receipts["no"]]),
        ("Passages", [receipts["ask"]]),
        (heading, [receipts["again"]]),
    ]
    assert (brief.opening, brief.decisions, brief.problems) == (None, (), ())
    assert [e.reason for e in brief.passages] == ["it is open", "Chosen by hand", "it asks", "Chosen by hand"]
    again = compose(
        reader,
        "?",
        [receipts[name] for name in names],
        surroundings=False,
        sections={receipts[name].receipt: heading for name in ("open", "no", "again")},
        remarks={receipts["open"].receipt: "my note"},
        reasons={receipts["open"].receipt: "it is open", receipts["ask"].receipt: "it asks"},
        now=datetime.fromisoformat(brief.created),
    )
    assert again.passages == brief.passages
    for suffix, render in FORMS.items():
        document = render(brief)
        assert "my note" in document
        assert "<b>claim</b>" not in document or suffix == ".json"
        assert verify_text(reader, document, suffix, strict=True).failed == ()
    assert [kind for kind, _ in outline(brief)].count("quote") == len(brief.citations)


def test_opening_ask_and_open_problems_stand_beside_the_passages(told: TinyStore) -> None:
    reader = told.reader()
    brief = compose(reader, "the cache", [cite(reader, block_id("ask"), quote="redis cache")])
    assert brief.opening is not None
    assert brief.opening.citation.quote.startswith("Should we keep")
    assert [excerpt.citation.quote for excerpt in brief.problems] == ["The warm start is still broken."]
    assert [excerpt.citation.quote for excerpt in brief.decisions] == [
        "We decided to reject the redis cache: it hides stale plans!",
        "We decided to reject the redis cache: it hides stale plans.",
    ]
    assert brief.coverage.chosen == "person"


def test_words_that_order_work_are_no_open_problem(tiny: TinyStore) -> None:
    tiny.tell(
        said("ask", "Look at the cache.", 0, role="user"),
        said("order", "Do not work on the planner now.", 1, role="user"),
        said("works", "The warm starts do not work.", 2),
    )
    reader = tiny.reader()
    brief = compose(reader, "?", [cite(reader, block_id("ask"))])
    assert [excerpt.citation.quote for excerpt in brief.problems] == ["The warm starts do not work."]


def test_a_passage_is_quoted_without_the_white_space_around_it(told: TinyStore) -> None:
    (hit, *_) = search(told.reader(), "redis cache", limit=1).hits
    wide = msgspec.structs.replace(hit, text=Redacted(f"\n {hit.text}\n\n"), start=hit.start, end=hit.end + 4)
    citation = chosen_hit(wide).citation
    assert (citation.quote, citation.start, citation.end) == (hit.text, hit.start + 2, hit.end + 2)
    blank = msgspec.structs.replace(hit, text=Redacted(" \n"), start=4, end=6)
    assert (chosen_hit(blank).citation.start, chosen_hit(blank).citation.quote) == (4, " \n")


def test_what_the_writer_says_of_a_hit_is_found_by_the_hit_s_own_receipt(tiny: TinyStore) -> None:
    tiny.tell(said("a", "The redis cache hides stale plans.\n\n", 0))
    reader = tiny.reader()
    (hit,) = search(reader, "redis cache").hits
    wide = cite(reader, block_id("a"))
    hit = msgspec.structs.replace(hit, start=0, end=len(wide.quote), text=wide.quote, receipt=wide.receipt)
    said_of_it = {hit.receipt: "x"}
    (passage,) = compose(
        reader, "?", [hit], remarks=said_of_it, sections=said_of_it, reasons=said_of_it, surroundings=False
    ).passages
    assert passage.citation.quote == "The redis cache hides stale plans."
    assert (passage.note, passage.section, passage.reason) == ("x", "x", "x")


def test_times_in_prose_are_as_a_person_reads_them(told: TinyStore) -> None:
    reader = told.reader()
    now = datetime.fromisoformat("2026-05-02T12:00:00Z")
    brief = compose(reader, "?", [cite(reader, block_id("no"))], zone="Europe/Berlin", now=now)
    for form in (".md", ".html"):
        assert "Made 2026-05-02 14:00 Europe/Berlin." in FORMS[form](brief)
    assert markdown.plain("2026-05-02") == "2026-05-02"
    assert [markdown.plain(line) for line in ("1. x", "1) x", "- x", "+ x", "= x", ": x")] == [
        "1\\. x", "1\\) x", "\\- x", "\\+ x", "\\= x", "\\: x"
    ]  # fmt: skip


def test_hits_citations_and_answers_are_all_taken(told: TinyStore) -> None:
    reader = told.reader()
    answer = search(reader, "redis cache", filters=Filters(roles=("assistant",)))
    assert compose(reader, "?", answer).coverage.searched == answer.searched
    mixed: list[Hit | object] = [*answer.hits[:1], cite(reader, block_id("far")), cite(reader, block_id("far"))]
    brief = compose(reader, "?", mixed, remarks={cite(reader, block_id("far")).receipt: "off topic"})  # type: ignore[arg-type]
    assert [excerpt.note for excerpt in brief.passages] == [None, "off topic"]


def test_a_session_alone_makes_a_brief(told: TinyStore) -> None:
    brief = compose(told.reader(), session="2222")
    assert [excerpt.citation.quote for excerpt in brief.passages] == ["Lunch menus and bicycles."]
    assert (brief.title, brief.coverage.scope) == ("Session 22222222-bbbb", "session 22222222-bbbb")
    inside = compose(told.reader(), "redis cache", session="2222")
    assert inside.passages == ()
    with pytest.raises(NotFoundError):
        compose(told.reader(), session="9999")


def test_nothing_to_say_is_said(told: TinyStore, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no session is called ''"):
        compose(told.reader(), session="")
    with pytest.raises(UsageError, match="needs a question"):
        compose(told.reader(), "  ")
    brief = compose(told.reader(), "zzyzx quux")
    assert brief.excerpts == ()
    save(brief, tmp_path / "empty.md")
    assert verify(told.reader(), tmp_path / "empty.md").checked == 0
    assert wording.SAMPLE in markdown.render(brief)


@pytest.mark.parametrize("limit", [0, -3, 1001])
def test_how_many_passages_can_be_chosen_is_said(told: TinyStore, limit: int) -> None:
    with pytest.raises(UsageError, match=f"limit {limit}: a brief chooses 1 to 1000"):
        compose(told.reader(), "redis cache", limit=limit)


def test_a_citation_that_does_not_hold_is_refused(told: TinyStore) -> None:
    reader = told.reader()
    answer = search(reader, "redis cache")
    hit = answer.hits[0]
    import msgspec

    with pytest.raises(CitationError):
        compose(reader, "?", [msgspec.structs.replace(hit, start=0, end=10_000)])


def test_notes_with_anything_in_them_are_kept_harmless(told: TinyStore, tmp_path: Path) -> None:
    reader = told.reader()
    receipt = cite(reader, block_id("far")).receipt
    notes = ["\ud800 <script> ``` [^1]: x", f"compare {receipt}\n\nand # this\n- that"]
    brief = compose(reader, "?", [cite(reader, block_id("no"))], notes=notes)
    for suffix in (".md", ".html", ".json", ".ipynb"):
        save(brief, tmp_path / f"n{suffix}")
        found = verify(reader, tmp_path / f"n{suffix}")
        assert (found.failed, found.checked) == ((), len(brief.citations) + 1)


def test_how_much_is_missing_is_said(told: TinyStore) -> None:
    told.tell(said("x", "x", 0), session="3", state="backlog")
    assert "Not captured to their end: 1 source;" in markdown.render(compose(told.reader(), session="3"))


def test_fifty_citations_verify_and_a_check_answers_at_once(tiny: TinyStore, tmp_path: Path) -> None:
    text = "\n".join(f"line {n} of a long tool result — with “quotes” and more words" for n in range(1500))
    tiny.tell(*(said(f"b{n}", f"{n} {text}", n) for n in range(10)))
    reader = tiny.reader()
    chosen = [cite(reader, block_id(f"b{n % 10}"), span=(n * 1000, n * 1000 + 200)) for n in range(50)]
    save(compose(reader, "?", chosen), tmp_path / "brief.md")
    began = time.perf_counter()
    assert verify(reader, tmp_path / "brief.md").failed == ()
    assert time.perf_counter() - began < 0.5
    times = []
    for citation in chosen:
        began = time.perf_counter()
        check(reader, citation.block_id, citation.quote)
        times.append(time.perf_counter() - began)
    assert statistics.median(times) < 0.005
