"""The composer panel: order, notes, sections, preview, saving and verifying of what was gathered for a brief."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.lab import Lab
from recall_lab.widgets.composer_panel import ComposerPanel

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"


@pytest.fixture
def panel(lab: Lab) -> Iterator[ComposerPanel]:
    lab.draft.clear()
    made = lab.panels.composer(QUESTION)
    yield made
    made.close()
    lab.draft.clear()


def send(panel: ComposerPanel, **content: object) -> None:
    panel.items._handle_custom_msg(content, [])


def receipts(panel: ComposerPanel) -> list[str]:
    return [item["receipt"] for item in panel.items.items]


def test_what_is_added_anywhere_shows_and_is_put_in_order(panel: ComposerPanel, lab: Lab) -> None:
    hits = lab.search(QUESTION)
    lab.draft.add(hits[0].cite(QUOTE))
    lab.draft.add(hits[1])
    lab.draft.add(hits[2], note="noted", section="Later")
    lab.draft.add(hits[1])  # is there already
    one, two, three = receipts(panel)
    assert two == hits[1].receipt
    assert panel.items.items[2]["note"] == "noted"
    assert panel.items.items[1]["reason"] != panel.items.items[0]["reason"]
    send(panel, type="move", receipt=three, to=0)
    assert receipts(panel) == [three, one, two]
    send(panel, type="move", receipt=three, to=99)
    assert receipts(panel) == [one, two, three]
    send(panel, type="note", receipt=one, value=" It decided it. ")
    send(panel, type="section", receipt=one, value="The crash")
    assert (lab.draft[0].note, lab.draft[0].section) == ("It decided it.", "The crash")
    send(panel, type="note", receipt=one, value="")
    assert lab.draft[0].note is None
    send(panel, type="remove", receipt=two)
    assert receipts(panel) == [one, three]
    send(panel, type="remove", receipt="unknown")
    assert list(panel.data()["receipt"]) == [one, three]


def test_passages_are_chosen_for_the_question_with_the_reason_for_each(panel: ComposerPanel, lab: Lab) -> None:
    panel.choose.click()
    assert panel.error == ""
    assert receipts(panel) == [p.citation.receipt for p in lab.brief(QUESTION).passages]
    assert all("words" in item["reason"] for item in panel.items.items)
    panel.question.value = "zzqx vvkw"
    panel.choose.click()
    assert "no passage answers" in panel.error


@pytest.mark.parametrize("suffix", [".md", ".html", ".json", ".ipynb"])
def test_it_previews_saves_and_verifies(panel: ComposerPanel, lab: Lab, tmp_path: Path, suffix: str) -> None:
    panel.show.click()
    assert "nothing was chosen" in panel.error
    lab.draft.add(lab.search(QUESTION)[0].cite(QUOTE), note="It decided it.", section="The *crash*")
    panel.heading.value = "Batching"
    panel.notes.value = "Written from memory."
    panel.show.click()
    assert panel.error == ""
    assert ["title", "Batching"] in panel.pieces.preview
    assert ["heading", "The *crash*"] in panel.pieces.preview
    assert ["quote", QUOTE] in panel.pieces.preview
    assert ["text", "Written from memory."] in panel.pieces.preview
    panel.file.value = str(tmp_path / f"brief{suffix}")
    panel.save.click()
    assert panel.verdicts.caption.startswith("Saved ")
    panel.verify.click()
    assert panel.verification.checked == panel.verification.valid > 1
    assert panel.verdicts.rows == []
    written = Path(panel.file.value).read_text(encoding="utf-8")
    assert "crash" in written
    Path(panel.file.value).write_text(written.replace(QUOTE, QUOTE.replace("loses", "lost ")), encoding="utf-8")
    panel.verify.click()
    assert len(panel.verdicts.rows) == len(panel.verification.failed) > 0
    panel.file.value = str(tmp_path / "brief.docx")
    panel.save.click()
    assert "choose one of these suffixes" in panel.error


def test_the_code_makes_the_same_brief(panel: ComposerPanel, lab: Lab) -> None:
    panel.choose.click()
    send(panel, type="section", receipt=receipts(panel)[0], value="First")
    send(panel, type="note", receipt=receipts(panel)[1], value="Second's note")
    panel.surroundings.value = False
    again = eval(panel.code, {"lab": lab}).brief
    assert again.passages == panel.brief.passages
    assert (again.opening, again.title) == (None, QUESTION)


def test_a_panel_that_is_closed_is_told_no_more(lab: Lab) -> None:
    lab.draft.clear()
    panel = lab.panels.composer()
    panel.close()
    lab.draft.add(lab.search(QUESTION)[0])
    assert panel.items.items == []
    lab.draft.clear()
