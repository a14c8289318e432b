"""A brief in any of its forms verifies, whatever the transcript holds, and breaks loudly when a character changes."""

from __future__ import annotations

import json
import os
import random
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import NotFoundError, StoreFullError, UsageError
from recall_lab.evidence import (
    Brief,
    cite,
    compose,
    save,
    session_json,
    session_markdown,
    session_view,
    verify,
    verify_text,
)
from recall_lab.evidence.forms import html_page, markdown
from recall_lab.evidence.saving import FORMS as RENDER
from recall_lab.evidence.saving import write_private
from recall_lab.store import Reader

FORMS = (".md", ".html", ".json", ".ipynb")
NOW = datetime(2026, 5, 2, 12, tzinfo=UTC)
HOSTILE = (
    "```\n# not a heading\n````text\n[^1]: `recall-lab://x`\n```",
    "</pre></figure><script>alert(1)</script><!-- --> & &amp; &lt; &#13; ]]>",
    "$$x$$ \\( y \\) $1 and $2\n---\nquotations: 99\n---",
    "line\r\nline\rline\n\n  trailing  \n\t\n",
    "bell\x07 esc\x1b[31m nul\x00 del\x7f c1\x9b next\x85 ls\u2028 ps\u2029 bom\ufeff",
    "\u202eevil\u202c \u2066iso\u2069 שלום עולם مرحبا 👩‍👩‍👧 e\u0301 한국어 漢字 👍🏽",
    "\n\nleading newlines",
    '"a json string" \\u0041 {"receipt": "x"}',
    "`", "~~~", "|a|b|\n|-|-|", "    indented", "\n", "<", "&", "\\", '"',
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=80),
    st.lists(st.sampled_from([*HOSTILE, "`" * 5, "~~~~", "\r\n", " ", "words "]), min_size=1, max_size=4).map("".join),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyStore]:
    tiny = TinyStore(tmp_path_factory.mktemp("briefs"))
    yield tiny
    tiny.close()


def brief_of(reader: Reader, *spans: tuple[str, int, int], question: str = "why?") -> Brief:
    chosen = [cite(reader, block_id(name), span=(start, end)) for name, start, end in spans]
    return compose(reader, question, chosen, now=NOW)


def told(tiny: TinyStore, text: str, start: int, end: int, facts: str = "title") -> tuple[Reader, Brief]:
    tiny.tell(said("ask", f"ask {text}", 0, role="user"), said("text", text, 1), title=facts, cwd=facts, branch=facts)
    reader = tiny.reader()
    return reader, brief_of(reader, ("text", start, end), question=facts or "?")


SHARED = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


@settings(max_examples=40, **SHARED)
@given(TEXTS, st.data())
def test_every_form_of_a_brief_over_hostile_text_verifies(
    shared: TinyStore, tmp_path: Path, text: str, data: st.DataObject
) -> None:
    every_form_verifies(shared, tmp_path, text, data)


def every_form_verifies(shared: TinyStore, tmp_path: Path, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    reader, brief = told(shared, text, start, end, facts=data.draw(TEXTS))
    for suffix in FORMS:
        path = tmp_path / f"brief{suffix}"
        save(brief, path)
        found = verify(reader, path)
        assert found.failed == ()
        assert found.valid == found.checked >= 2


def quotation_places(document: str, suffix: str) -> list[int]:
    """Where the file prints quotations and receipts: the places at which a changed character must be noticed."""
    places: set[int] = set()
    for receipt in re.finditer(r"recall-lab://[0-9a-f]{32}@[0-9a-f]{12}(?:#\d+-\d+)?", document):
        places.update(range(*receipt.span()))
    shown = {
        ".md": r"^(`{3,})(?:text|json)\n(?P<words>.*?)\n\1$",
        ".html": r'<pre dir="auto">\n(?P<words>.*?)</pre>',
        ".json": r'"(?:exact|prefix|suffix|contentHash|quote)": "(?P<words>(?:[^"\\]|\\.)*)"',
        ".ipynb": r"```(?:text|json)\\n(?P<words>.*?)\\n```",
    }[suffix]
    for words in re.finditer(shown, document, re.DOTALL | re.MULTILINE):
        places.update(range(*words.span("words")))
    return sorted(places)


@settings(max_examples=60, **SHARED)
@given(TEXTS, st.sampled_from(FORMS), st.data())
def test_any_changed_character_in_a_quotation_or_receipt_is_noticed(
    shared: TinyStore, tmp_path: Path, text: str, suffix: str, data: st.DataObject
) -> None:
    a_changed_character_is_noticed(shared, tmp_path, text, suffix, data)


def a_changed_character_is_noticed(
    shared: TinyStore, tmp_path: Path, text: str, suffix: str, data: st.DataObject
) -> None:
    reader, brief = told(shared, text, 0, data.draw(st.integers(1, len(text))))
    path = tmp_path / f"brief{suffix}"
    save(brief, path)
    document = path.read_bytes().decode("utf-8")
    at = data.draw(st.sampled_from(quotation_places(document, suffix)))
    char = data.draw(st.one_of(st.characters(codec="utf-8"), st.sampled_from(LIKELY)))
    changed = document[:at] + char + document[at + 1 :]
    assume(not same_document(document, changed, suffix))
    path.write_bytes(changed.encode("utf-8"))
    with suppress(UsageError):
        assert verify(reader, path).failed


LIKELY = '0aA `\n\r<&\\"'


SESSION_FORMS = {"session.md": (".md", session_markdown), "session.json": (".json", session_json)}


@settings(max_examples=120, **SHARED)
@given(TEXTS, st.sampled_from([*FORMS, *SESSION_FORMS]), st.integers(0), st.data())
def test_any_changed_character_anywhere_is_noticed(
    shared: TinyStore, text: str, form: str, at: int, data: st.DataObject
) -> None:
    reader, brief = told(shared, text, 0, data.draw(st.integers(1, len(text))), facts=data.draw(TEXTS))
    suffix, render = (form, RENDER[form]) if form in FORMS else SESSION_FORMS[form]
    document = render(brief if form in FORMS else session_view(reader, "11111111-aaaa"))
    assert verify_text(reader, document, suffix, strict=True).failed == ()
    char = data.draw(st.one_of(st.characters(codec="utf-8"), st.sampled_from(LIKELY)))
    an_edit_is_noticed(reader, document, suffix, at % len(document), char)


def an_edit_is_noticed(reader: Reader, document: str, suffix: str, at: int, char: str) -> None:
    changed = document[:at] + char + document[at + 1 :]
    if says(document, suffix) == says(changed, suffix):
        return
    with suppress(UsageError):
        found = verify_text(reader, changed, suffix)
        assert found.failed or not found.checked, (suffix, at, document[at - 20 : at + 20], char)


def says(document: str, suffix: str) -> object:
    """A file's content; of JSON not its spelling, of a notebook not what Jupyter writes anew when it saves or runs it."""
    if suffix not in {".json", ".ipynb"}:
        return document
    try:
        value = json.loads(document)
    except ValueError:
        return document
    if suffix == ".ipynb" and isinstance(value, dict):
        cells = [(cell.get("cell_type"), cell.get("source")) for cell in value.get("cells", ())]
        metadata = value.get("metadata", {})
        return cells, metadata.get("recall_lab_brief"), metadata.get("recall_lab_seal")
    return value


def test_a_writer_may_edit_around_the_quotations_when_that_is_asked_for(tiny: TinyStore) -> None:
    reader, brief = told(tiny, "The exact words.", 0, 16)
    for suffix in FORMS:
        document = RENDER[suffix](brief)
        assert verify_text(reader, document, suffix, strict=True).failed == ()
        edited = document.replace("This brief is a sample", "This fine brief is a sample", 1)
        assert [one.verdict for one in verify_text(reader, edited, suffix).failed] == ["edited"]
        assert verify_text(reader, edited, suffix, edits=True).failed == ()
        wrong = edited.replace("exact words", "exact wards")
        assert {one.verdict for one in verify_text(reader, wrong, suffix, edits=True).failed} == {"absent"}


def test_strict_fails_what_cannot_be_told(tiny: TinyStore) -> None:
    tiny.tell(said("a", "alpha beta gamma", 0))
    reader = tiny.reader()
    receipt = cite(reader, block_id("a"), quote="beta").receipt
    assert verify_text(reader, f"see {receipt}", ".md").failed == ()
    failed = verify_text(reader, f"see {receipt}", ".md", strict=True).failed
    assert {one.verdict for one in failed} == {"unquoted", "unsealed"}


def same_document(one: str, other: str, suffix: str) -> bool:
    """Also another spelling of the same JSON string."""
    if suffix in {".json", ".ipynb"}:
        with suppress(ValueError):
            return json.loads(one) == json.loads(other)
    return one == other


@pytest.mark.deep
def test_ten_thousand_briefs_verify_and_as_many_changed_characters_are_noticed(tiny: TinyStore) -> None:
    chance = random.Random(20260501)
    pieces = [*HOSTILE, "`" * 5, "~~~~", "\r\n", " ", "words ", "é", "漢", "👩‍👩‍👧", "\u202e", "]]>", "&lt;", "\\u0041"]
    texts = ["".join(chance.choices(pieces, k=chance.randrange(1, 9))) for _ in range(250)]
    tiny.tell(*(said(f"t{n}", text, n, role="user" if n % 9 == 0 else "assistant") for n, text in enumerate(texts)))
    reader = tiny.reader()
    for case in range(10_000):
        number, suffix = chance.randrange(len(texts)), FORMS[case % len(FORMS)]
        start = chance.randrange(len(texts[number]))
        end = chance.randrange(start, len(texts[number])) + 1
        document = RENDER[suffix](brief_of(reader, (f"t{number}", start, end)))
        assert verify_text(reader, document, suffix).failed == ()
        at = chance.choice(quotation_places(document, suffix))
        changed = document[:at] + chance.choice(LIKELY + "xé漢") + document[at + 1 :]
        if same_document(document, changed, suffix):
            continue
        with suppress(UsageError):
            assert verify_text(reader, changed, suffix).failed, (suffix, at, document[at], changed[at])
        an_edit_is_noticed(reader, document, suffix, chance.randrange(len(document)), chance.choice(LIKELY + "xé漢"))


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_no_file_to_verify(tiny: TinyStore, device: str) -> None:
    if not Path(device).is_char_device():
        pytest.skip(f"there is no {device}")
    tiny.tell(said("a", "text", 0))
    with pytest.raises(UsageError, match="a device, not a file"):
        verify(tiny.reader(), device)


def test_a_pipe_that_is_written_into_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reading:
        told = reading.submit(pipe.read_text)
        write_private(pipe, "words")
        assert told.result(timeout=10) == "words"
    assert pipe.is_fifo()


@pytest.mark.parametrize("suffix", FORMS)
def test_a_brief_whose_quotation_is_cut_out_or_copied_in_does_not_verify(
    tiny: TinyStore, tmp_path: Path, suffix: str
) -> None:
    reader, brief = told(tiny, "The exact words.", 0, 16)
    path = tmp_path / f"brief{suffix}"
    save(brief, path)
    document = path.read_text(encoding="utf-8")
    path.write_text(document.replace("The exact words.", ""), encoding="utf-8")
    assert verify(reader, path).failed


@pytest.mark.parametrize("suffix", FORMS)
def test_a_file_that_another_system_gave_its_line_ends_still_verifies(
    tiny: TinyStore, tmp_path: Path, suffix: str
) -> None:
    reader, brief = told(tiny, "two\nlines\r\nand more", 0, 14)
    path = tmp_path / f"brief{suffix}"
    save(brief, path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    found = verify(reader, path)
    assert (found.failed, found.checked) == ((), len(brief.citations))


def test_a_notebook_that_jupyter_saved_again_still_verifies(tiny: TinyStore, tmp_path: Path) -> None:
    reader, brief = told(tiny, "".join(HOSTILE), 0, 300)
    path = tmp_path / "brief.ipynb"
    save(brief, path)
    nbformat.write(nbformat.read(path, as_version=4), path)
    found = verify(reader, path)
    assert (found.failed, found.checked) == ((), len(brief.citations))


@pytest.mark.parametrize("suffix", FORMS)
def test_a_file_without_receipts_verifies_nothing(tiny: TinyStore, tmp_path: Path, suffix: str) -> None:
    tiny.tell(said("a", "text", 0))
    path = tmp_path / f"plain{suffix}"
    path.write_text({".json": "{}", ".ipynb": '{"cells": [], "nbformat": 4}'}.get(suffix, "no receipts here"))
    assert verify(tiny.reader(), path).checked == 0


def test_an_edit_of_the_transcript_shows_as_changed_with_the_new_place(tiny: TinyStore, tmp_path: Path) -> None:
    _, brief = told(tiny, "We decided to reject batching.", 0, 30)
    paths = [tmp_path / f"brief{suffix}" for suffix in FORMS]
    for path in paths:
        save(brief, path)
    tiny.tell(said("ask", "ask", 0, role="user"), said("text", "Then: We decided to reject batching.", 1))
    for path in paths:
        failed = [item for item in verify(tiny.reader(), path).failed if "stand at 6-36" in item.detail]
        assert failed
        assert {item.verdict for item in failed} == {"changed"}
    tiny.tell(said("ask", "ask", 0, role="user"))
    for path in paths:
        assert {item.verdict for item in verify(tiny.reader(), path).failed} >= {"gone"}


def test_a_store_that_never_saw_the_block_says_gone(tiny: TinyStore, tmp_path: Path) -> None:
    _, brief = told(tiny, "words", 0, 5)
    save(brief, tmp_path / "brief.md")
    other = TinyStore(tmp_path / "other")
    other.tell(said("b", "else", 0))
    found = verify(other.reader(), tmp_path / "brief.md")
    other.close()
    assert found.valid == 0
    assert {item.verdict for item in found.failed} == {"gone"}


def test_failures_never_repeat_transcript_text(tiny: TinyStore, tmp_path: Path) -> None:
    reader, brief = told(tiny, "sesame opens it", 0, 15)
    path = tmp_path / "brief.md"
    save(brief, path)
    path.write_text(path.read_text().replace("sesame", "Sesame"))
    assert "esame" not in str(verify(reader, path).failed)


# ---- what other programs make of the forms --------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(TEXTS)
def test_a_markdown_parser_sees_the_quotation_as_code_and_nothing_of_it_as_markup(text: str) -> None:
    parser = MarkdownIt("commonmark")
    tokens = parser.parse(markdown.fenced(text) + "\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    shown = json.loads(tokens[0].content) if tokens[0].info == "json" else tokens[0].content.removesuffix("\n")
    assert shown == text


@settings(max_examples=60, deadline=None)
@given(TEXTS)
@example("1. a list\n- another")
@example("# heading")
@example("[link](http://x) ![i](x) <b> https://x www.x.org a@b.c")
def test_a_markdown_parser_sees_escaped_text_as_text(text: str) -> None:
    line = " ".join(text.split())
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown.plain(line))
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close", "text", "text_special", "code_inline"}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]


def test_the_page_has_no_script_and_asks_for_nothing(tiny: TinyStore) -> None:
    _, brief = told(tiny, "".join(HOSTILE), 0, 60, facts=HOSTILE[1])
    tags = Tags()
    tags.feed(html_page.render(brief))
    assert tags.addresses == []
    assert tags.seen <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "bdi", "figure", "pre", "figcaption", "code"
    }  # fmt: skip


def test_the_notebook_is_valid_and_has_not_been_run(tiny: TinyStore, tmp_path: Path) -> None:
    _, brief = told(tiny, "".join(HOSTILE), 0, 60)
    save(brief, tmp_path / "brief.ipynb")
    notebook = nbformat.read(tmp_path / "brief.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [None, None]
    assert code[-1].source == 'lab.verify("brief.ipynb")'


def test_the_json_is_a_web_annotation_collection(tiny: TinyStore, tmp_path: Path) -> None:
    text = "Some words before. We decided to reject batching. Some words after."
    _, brief = told(tiny, text, 19, 49)
    save(brief, tmp_path / "brief.json")
    document = json.loads((tmp_path / "brief.json").read_text(encoding="utf-8"))
    assert document["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    assert document["type"] == "AnnotationCollection"
    page = document["first"]
    assert page["type"] == "AnnotationPage"
    assert document["total"] == len(page["items"]) == len(brief.excerpts)
    ids = [item["id"] for item in page["items"]]
    assert len(set(ids)) == len(ids)
    target = page["items"][1]["target"]
    quote, position = target["selector"]
    assert quote == {
        "type": "TextQuoteSelector",
        "exact": "We decided to reject batching.",
        "prefix": "Some words before. ",
        "suffix": " Some words after.",
    }
    assert position == {"type": "TextPositionSelector", "start": 19, "end": 49}
    assert f"{target['source']}#19-49" == target["id"] == brief.passages[0].citation.receipt


# ---- saving ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMS)
def test_a_saved_brief_is_private_and_replaces_the_last(tiny: TinyStore, tmp_path: Path, suffix: str) -> None:
    _, brief = told(tiny, "words", 0, 5)
    path = tmp_path / f"brief{suffix}"
    for _ in range(2):
        saved = save(brief, path)
        assert (saved.file, saved.citations, saved.sessions) == (str(path), len(brief.citations), 1)
        assert verify(tiny.reader(), path).checked == saved.citations
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [item.name for item in tmp_path.iterdir() if item.suffix in {".part", suffix}] == [path.name]


def test_places_where_nothing_can_be_saved_are_named(tiny: TinyStore, tmp_path: Path) -> None:
    _, brief = told(tiny, "words", 0, 5)
    with pytest.raises(UsageError, match=r"\.md, \.html, \.json, \.ipynb"):
        save(brief, tmp_path / "brief.docx")
    with pytest.raises(NotFoundError, match="no such folder"):
        save(brief, tmp_path / "nowhere" / "brief.md")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        save(brief, tmp_path / "folder.md")


def test_a_full_disk_leaves_the_older_file_as_it_was(
    tiny: TinyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, brief = told(tiny, "words", 0, 5)
    path = tmp_path / "brief.md"
    path.write_text("older")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recall_lab.evidence.saving.os.fsync", full)
    with pytest.raises(StoreFullError, match="no room left"):
        save(brief, path)
    assert path.read_text() == "older"
    assert list(tmp_path.glob("*.part")) == list(tmp_path.glob(".*.part")) == []


# ---- files that people write ----------------------------------------------------------------------------------------


def test_receipts_in_hand_written_files_are_checked_with_the_words_beside_them(tiny: TinyStore, tmp_path: Path) -> None:
    tiny.tell(said("a", "alpha beta gamma", 0))
    reader = tiny.reader()
    receipt = cite(reader, block_id("a"), quote="beta").receipt
    path = tmp_path / "notes.md"
    path.write_text(f"They said:\n\n```\nbeta\n```\n\nsee {receipt}\n\nand ({receipt}).\n\n```\ncode of mine\n```\n")
    assert (verify(reader, path).checked, verify(reader, path).valid) == (2, 2)
    path.write_text(path.read_text().replace("```\nbeta", "```\nbetta"))
    assert [item.verdict for item in verify(reader, path).failed] == ["absent"]
    path.write_text(f"only {receipt[:-1]}")
    assert [item.verdict for item in verify(reader, path).failed] == ["damaged"]


def test_answers_saved_as_json_verify_too(tiny: TinyStore, tmp_path: Path) -> None:
    tiny.tell(said("a", "alpha beta gamma", 0))
    reader = tiny.reader()
    citation = cite(reader, block_id("a"), quote="beta")
    path = tmp_path / "hits.json"
    fields = {
        "block_id": citation.block_id, "content_hash": citation.content_hash, "start": 6, "end": 10, "text": "beta"
    }  # fmt: skip
    path.write_text(json.dumps({"hits": [{**fields, "receipt": citation.receipt}, fields]}))
    assert (verify(reader, path).checked, verify(reader, path).valid) == (2, 2)
    path.write_text(json.dumps({"hits": [{**fields, "receipt": citation.receipt, "start": 5}]}))
    assert [item.verdict for item in verify(reader, path).failed] == ["damaged"]


def test_files_that_cannot_be_read_are_named(tiny: TinyStore, tmp_path: Path) -> None:
    tiny.tell(said("a", "alpha", 0))
    reader = tiny.reader()
    with pytest.raises(NotFoundError, match="no such file"):
        verify(reader, tmp_path / "none.md")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        verify(reader, tmp_path / "bad.md")
    (tmp_path / "bad.json").write_text("[" * 100_000)
    with pytest.raises(UsageError, match="not JSON"):
        verify(reader, tmp_path / "bad.json")
