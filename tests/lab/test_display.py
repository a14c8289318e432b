"""Transcript text is hostile: it is text in a terminal and text in HTML, and nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.display import (
    HOSTILE,
    call_line,
    cell,
    check_html,
    citation_html,
    hits_html,
    one_line,
    pieces,
    reading_html,
    short_repo,
    shortened,
    status_html,
    table_html,
    visible,
    why_words,
)
from recall_lab.model import Check, Citation, Hit, Neighbor, Reading, Status, Tally, Why

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table><iframe src=javascript:alert(1)>",
    "&lt;b&gt; &amp; ' \" `",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "\u202egnp.exe",
    "$\\LaTeX$ **bold** [link](javascript:alert(1))",
)
ALLOWED = {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "mark", "code", "strong", "span", "br", "em"}
ALLOWED |= {"blockquote", "caption"}


class Tags(HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def hit(text: str, spans: tuple[tuple[int, int], ...] = ()) -> Hit:
    return Hit(
        block_id="0" * 32,
        content_hash="1" * 64,
        receipt="recall-lab://x",
        text=text,
        start=100,
        end=100 + len(text),
        spans=spans,
        role="user",
        kind="text",
        host=text,
        session=text,
        turn=1,
        score=1.0,
        why=Why(tier="some", terms=(text,), phrases=(text,), identifiers=(text,), neighbors=(text,), recency=0.5),
        repo=text,
        branch=text,
        title=text,
    )


def everything(text: str) -> str:
    reading = Reading(
        block_id=text,
        content_hash=text,
        text=text,
        start=0,
        end=len(text),
        length=len(text),
        role="user",
        kind="text",
        session=text,
        turn=1,
        host=text,
        title=text,
        neighbors=(Neighbor(offset=1, block_id=text, role="user", kind="text", turn=1, text=text),),
    )
    check = Check(
        verdict="valid",
        valid=True,
        start=0,
        end=1,
        occurrences=((0, 1),),
        near=(),
        content_hash=text,
        hash_matches=None,
    )
    return "".join(
        [
            hits_html(text, [hit(text, ((100, 103),))]),
            reading_html(reading, ((0, 2),)),
            check_html(check),
            citation_html(Citation(block_id=text, content_hash=text, start=0, end=1, quote=text)),
            table_html((text,), [(text,)], text),
        ]
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_html_holds_only_our_own_tags(attack: str) -> None:
    found = Tags(everything(attack))
    assert found.tags <= ALLOWED
    assert found.attributes <= {"style", "class", "scope", "dir"}
    assert visible(attack) in found.text


@given(st.text())
@settings(max_examples=60)
def test_any_text_comes_back_as_text(text: str) -> None:
    found = Tags(table_html(("x",), [(text,)]))
    assert found.tags <= ALLOWED
    # An HTML parser reads CR as LF; a cell is one line anyway.
    assert found.text == "x" + one_line(text).replace("\r", "\n")


@given(st.text(st.characters(codec=None)))
@settings(max_examples=100)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text)
    assert not re.search(f"[{HOSTILE}]", shown)
    shown.encode("utf-8")
    assert "\n" not in one_line(text)
    assert len(shortened(text, 10)) <= 10


def test_what_is_harmless_stays() -> None:
    text = "tabs\tnewlines\n用户 é 👩‍👩‍👧 \u00a0"
    assert visible(text) == text
    assert visible("a\r\nb") == "a\nb"
    assert visible("\x1b[2J") == "\\x1b[2J"


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-5, 40), st.integers(-5, 40)), max_size=6))
@settings(max_examples=100)
def test_pieces_join_to_the_passage(text: str, spans: list[tuple[int, int]]) -> None:
    cut = pieces(text, spans, 3)
    assert "".join(piece for piece, _ in cut) == text
    marked = {at for start, end in spans for at in range(max(start - 3, 0), min(end - 3, len(text)))}
    at = 0
    for piece, mark in cut:
        assert all((at + n in marked) == mark for n in range(len(piece)))
        at += len(piece)


def test_marks_stand_where_the_spans_are() -> None:
    shown = hits_html("", [hit("one two three", ((104, 107),))])
    assert re.search(r'one <mark style="[^"]*">two</mark> three', shown)


def test_why_is_said_in_words() -> None:
    words = why_words(Why(tier="all", terms=("a", "b"), recency=0.75, neighbors=("c",)))
    assert words == ["every term", "terms a, b", "nearby c", "age x0.75"]


def test_cells_and_names() -> None:
    assert [cell(value) for value in (None, True, 1234567, 1234.5, "a\nb")] == [
        "-",
        "yes",
        "1,234,567",
        "1,234.50",
        "a b",
    ]
    assert short_repo("github.com/a/b") == "github.com/a/b"
    assert short_repo("/home/me/src/thing") == "…/src/thing"
    assert call_line("search", "it's", role="user") == """lab.search("it's", role='user')"""


@pytest.mark.parametrize(("captured", "shown"), [("2026-05-01T14:30:12.345Z", "2026-05-01 14:30 UTC"), (None, "none")])
def test_the_store_at_a_glance_reads_like_everything_around_it(captured: str | None, shown: str) -> None:
    tally = Tally(total=12, by_disposition={"indexed": 12})
    status = Status(
        sources=1, sessions=1, turns=2, blocks=3, records=tally, bytes=tally, states={"complete": 1},
        store_bytes=4096, kept_text_bytes=10, last_capture=captured, unknown_types={},
    )  # fmt: skip
    html = status_html(status)
    assert shown in html
    assert "store bytes" in html
    assert "_bytes" not in html
