"""A small brief, character by character: in each form another one is noticed wherever it stands.

Outside of the promise is what says nothing: how JSON is spelt (white space, escapes), and of a notebook what Jupyter writes
anew when it saves or runs one (ids, a cell's metadata, outputs, counts).
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import UsageError
from recall_lab.evidence import (
    cite,
    compose,
    observe,
    repeat_markdown,
    repeat_session,
    session_json,
    session_markdown,
    session_view,
    verify_text,
)
from recall_lab.evidence.saving import FORMS
from recall_lab.store import Reader

TEXT = "Before it. We decided to reject ```batching``` & <b>\r\nafter it “yes”. " + "filler " * 70
OTHERS = ("x", "0", "\n", " ", "`", "")


@pytest.fixture
def reader(tiny: TinyStore) -> Reader:
    tiny.tell(
        said("ask", "why do it?\x07", 0, role="user"),
        said("text", TEXT, 1),
        said("open", "still failing: one test", 2),
        title="A title", repo="host/repo", branch="main", cwd="/work",
    )  # fmt: skip
    return tiny.reader()


def document(reader: Reader, form: str) -> str:
    if form in FORMS:
        cited = cite(reader, block_id("text"), span=(11, 50))
        mine = {cited.receipt: "A remark of mine."}
        now = datetime(2026, 5, 2, 12, tzinfo=UTC)
        brief = compose(
            reader, "why?", [cited], notes="My note.", remarks=mine, repository=observe("/nowhere"), now=now
        )
        return FORMS[form](brief)
    view = session_view(reader, "11111111-aaaa")
    return session_markdown(view) if form == "session.md" else session_json(view)


def says(text: str, suffix: str) -> Any:
    if suffix in {".md", ".html"}:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if suffix != ".ipynb" or not isinstance(value, dict):
        return value
    cells = value.get("cells")
    shown = [(cell.get("cell_type"), cell.get("source")) for cell in cells] if isinstance(cells, list) else cells
    about = value.get("metadata", {})
    return shown, about.get("recall_lab_brief"), about.get("recall_lab_seal")


@pytest.mark.deep
@pytest.mark.parametrize("form", [*FORMS, "session.md", "session.json"])
def test_another_character_anywhere_is_noticed(reader: Reader, form: str) -> None:
    suffix = form[form.rindex(".") :]
    saved = document(reader, form)
    assert verify_text(reader, saved, suffix, strict=True).failed == ()
    meant, unnoticed = says(saved, suffix), []
    for at in range(len(saved)):
        for other in OTHERS:
            changed = saved[:at] + other + saved[at + 1 :]
            if changed == saved or says(changed, suffix) == meant:
                continue
            with suppress(UsageError):  # it cannot be read any more, and says so
                if not verify_text(reader, changed, suffix).failed:
                    unnoticed.append((at, saved[max(0, at - 20) : at + 20], other))
    assert unnoticed == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("what", "there", "here", "verdict"),
    [
        ("the quotation", "decided to reject", "decided to accept", "absent"),
        ("the passage in the appendix", "Before it.", "Before is.", "absent"),
        ("an offset of the receipt", "#11-50", "#12-50", "absent"),
        ("a remark", "A remark of mine.", "A remark of theirs.", "edited"),
        ("a note", "My note.", "No note.", "edited"),
        ("where it was said", "A title", "B title", "edited"),
        ("what it proves", "retained, redacted text", "original text", "edited"),
    ],
)
def test_what_matters_breaks_by_its_own_name(
    reader: Reader, form: str, what: str, there: str, here: str, verdict: str
) -> None:
    saved = document(reader, form)
    assert there in saved, what
    failed = verify_text(reader, saved.replace(there, here), form).failed
    expected = {verdict, "damaged"} if form == ".json" and what.startswith("an offset") else {verdict}
    assert expected & {one.verdict for one in failed}


@pytest.mark.parametrize("form", FORMS)
def test_another_hash_or_block_breaks_the_receipt(reader: Reader, form: str) -> None:
    saved, cited = document(reader, form), cite(reader, block_id("text"), span=(11, 50))
    for part, verdicts in ((cited.block_id, {"gone", "damaged"}), (cited.content_hash[:12], {"changed", "damaged"})):
        other = ("1" if part[0] != "1" else "2") + part[1:]
        failed = verify_text(reader, saved.replace(cited.receipt, cited.receipt.replace(part, other)), form).failed
        assert verdicts & {one.verdict for one in failed}


def test_a_sealed_file_that_lost_its_seal_does_not_pass_as_one(reader: Reader) -> None:
    for form in (*FORMS, "session.md", "session.json"):
        suffix = form[form.rindex(".") :]
        saved = document(reader, form)
        assert verify_text(reader, saved.replace("seal", "sela"), suffix, strict=True).failed, form


def test_repeated_prompts_verify_by_their_receipts(reader: Reader) -> None:
    shown = repeat_markdown(repeat_session(reader, "11111111-aaaa"))
    assert verify_text(reader, shown, ".md").failed == ()
    assert verify_text(reader, shown.replace("why do", "who do"), ".md").failed
