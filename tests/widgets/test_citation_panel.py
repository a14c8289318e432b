"""The citation panel: a session read in pages, words selected, pasted or looked for, every place of them, the brief."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recall_lab.errors import UsageError
from recall_lab.lab import Lab
from recall_lab.widgets import _session, _session_shown
from recall_lab.widgets.citation_panel import CitationPanel

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"


def joined(pieces: list[list[str]]) -> str:
    return "".join(text for text, _ in pieces)


def shown(panel: CitationPanel, block_id: str) -> dict[str, Any]:
    return next(block for block in panel.reader.blocks if block["key"].startswith(block_id))


def send(panel: CitationPanel, **content: object) -> None:
    panel.reader._handle_custom_msg(content, [])


def parent_with_agent(lab: Lab) -> tuple[str, str]:
    """A session and a subagent that it called."""
    child = next(info for info in lab.sessions(limit=None) if info.relation == "subagent")
    assert child.parent_id is not None
    return child.parent_id, child.native_id


# ---- citing ---------------------------------------------------------------------------------------------------------


def test_it_starts_with_a_citation(lab: Lab) -> None:
    citation = lab.search(QUESTION)[0].cite(QUOTE)
    panel = lab.panels.citation(citation)
    assert panel.check.valid
    assert panel.citation == citation
    assert list(panel.data().itertuples(index=False, name=None)) == [(citation.start, citation.end, "exact")]
    assert eval(panel.code, {"lab": lab}).valid
    assert [QUOTE, "here"] in shown(panel, citation.block_id)["pieces"]
    assert panel.reader.reveal["key"].startswith(citation.block_id)


def test_words_are_looked_for_and_every_place_is_marked_and_listed(lab: Lab) -> None:
    block = lab.search(QUESTION)[0].block_id
    panel = lab.panels.citation(block)
    panel.quote.value = "the"
    panel.button.click()
    text = lab.read(block).text
    assert len(panel.data()) == text.count("the") > 1
    marks = [mark for _, mark in shown(panel, block)["pieces"] if mark]
    assert (marks.count("here"), marks.count("also")) == (1, text.count("the") - 1)
    places = panel.reader.cited["places"]
    assert [place["here"] for place in places] == [True] + [False] * (len(places) - 1)
    send(panel, type="place", index=1)
    assert (panel.citation.start, panel.citation.end) == panel.check.occurrences[1]
    assert panel.reader.cited["places"][1]["here"]


def test_a_selection_says_offsets_hash_and_receipt_and_goes_to_the_brief(lab: Lab) -> None:
    lab.draft.clear()
    block = lab.search(QUESTION)[0].block_id
    panel = lab.panels.citation(block)
    start = lab.read(block).text.index(QUOTE)
    key = shown(panel, block)["key"]
    send(panel, type="select", key=key, start=start, end=start + len(QUOTE))
    cited = panel.reader.cited
    assert cited["receipt"] == panel.citation.receipt
    facts = dict(cited["facts"])
    assert facts["characters"].startswith(f"{start:,} to {start + len(QUOTE):,}")
    assert facts["hash"] == panel.citation.content_hash
    assert eval(cited["code"], {"lab": lab}).valid
    send(panel, type="add")
    send(panel, type="add")
    assert [item.citation.quote for item in lab.draft] == [QUOTE]
    assert panel.reader.cited["added"] == "In the brief as number 1"
    lab.draft.clear()
    send(panel, type="select", key="unknown", start=0, end=1)
    send(panel, type="frob")
    panel.reader._handle_custom_msg("nonsense", [])
    assert panel.error == ""


def test_words_that_are_nearly_there_are_shown_and_not_valid(lab: Lab) -> None:
    panel = lab.panels.citation(lab.search(QUESTION)[0].block_id)
    panel.quote.value = QUOTE.upper()
    panel.button.click()
    assert panel.citation is None
    assert panel.check.verdict == "absent"
    assert "letter case" in panel.reader.cited["message"]
    assert "receipt" not in panel.reader.cited
    assert panel.data()["match"][0] == "after letter case"
    send(panel, type="place", index=0)
    assert panel.citation is None
    lab.draft.clear()
    send(panel, type="add")
    assert len(lab.draft) == 0


def test_a_receipt_or_an_annotation_in_the_field_is_checked_and_a_wrong_id_is_one_line(lab: Lab) -> None:
    panel: CitationPanel = lab.panels.citation()
    with pytest.raises(UsageError):
        panel.data()
    panel.button.click()
    assert "there is no block" in panel.error
    hit = lab.search(QUESTION)[0]
    for pasted in (hit.receipt, f"[^1]: `{hit.receipt}` is the receipt of quotation 1."):
        panel.block.value = pasted
        assert panel.check.valid
    citation = hit.cite(QUOTE)
    selector = {"type": "TextQuoteSelector", "exact": QUOTE}
    panel.block.value = json.dumps(
        {"type": "Annotation", "target": {"source": f"recall-lab://{hit.block_id}", "selector": selector}}
    )
    assert panel.citation == citation
    panel.block.value = "0" * 32
    assert "no block has the id" in panel.error
    panel.block.value = ""
    assert panel.error == ""
    assert panel.reader.shown == {}
    assert panel.reader.blocks == []


# ---- reading --------------------------------------------------------------------------------------------------------


def test_the_line_of_code_repeats_the_check_of_an_annotation_that_does_not_hold(lab: Lab) -> None:
    source = f"recall-lab://{lab.search(QUESTION)[0].block_id}"
    selector = {"type": "TextQuoteSelector", "exact": "words that nobody said"}
    panel = lab.panels.citation(json.dumps({"type": "Annotation", "target": {"source": source, "selector": selector}}))
    assert panel.check.verdict == "absent"
    assert eval(panel.code, {"lab": lab}) == panel.check


def test_a_session_is_read_from_its_first_page_to_its_last(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = max(lab.sessions(limit=None), key=lambda info: info.blocks)
    whole = lab.session(longest.native_id)
    opened = lab.pages
    monkeypatch.setattr(lab, "pages", lambda session, **more: opened(session, per_page=4, **more))
    panel = lab.panels.citation(longest.native_id)
    pages = panel.reader.shown["pages"]
    assert pages == -(-len(whole.blocks) // 4) > 2
    read = []
    for page in range(1, pages + 1):
        send(panel, type="page", page=page)
        assert panel.reader.shown["page"] == page
        read += [joined(block["pieces"]) for block in panel.reader.blocks]
    assert read == [block.text for block in whole.blocks]
    send(panel, type="page", page=pages + 1)
    assert f"there is no page {pages + 1}" in panel.error
    assert panel.code == f"lab.session({longest.native_id!r})"
    last = whole.turns[-1].turn
    panel.go_to.value = f"Turn {last}"
    assert any(line["here"] and line["turn"] == last for line in panel.reader.shown["turns"])
    panel.go_to.value = "9999"
    assert "has no turn 9999" in panel.error
    panel.go_to.value = "soonish"
    assert "not a time" in panel.error
    panel.go_to.value = "00:00"
    assert panel.error == ""
    send(panel, type="turn", turn=1)
    assert panel.reader.shown["page"] == 1


def test_a_subagent_is_shown_where_it_was_called_and_leads_back(lab: Lab) -> None:
    parent, child = parent_with_agent(lab)
    panel = lab.panels.citation(parent)
    calls = [
        (block, agent)
        for page in range(1, panel.reader.shown["pages"] + 1)
        for _ in [send(panel, type="page", page=page)]
        for block in panel.reader.blocks
        for agent in block["agents"]
    ]
    block, agent = next((block, agent) for block, agent in calls if agent["session"] == child)
    assert block["who"] in {"tool tool_result", "assistant tool_use"}
    send(panel, type="session", session=child)
    assert panel.reader.shown["parent"]
    send(panel, type="parent")
    assert not panel.reader.shown["parent"]
    assert panel.reader.reveal["key"] == block["key"]
    assert agent["label"].startswith("Subagent")


def test_dead_branches_are_shown_on_request(lab: Lab) -> None:
    session = next(
        info.native_id
        for info in lab.sessions(limit=None)
        if len(lab.session(info.native_id, dead=True).blocks) > len(lab.session(info.native_id).blocks)
    )
    panel = lab.panels.citation(session)
    assert not any(block["dead"] for block in panel.reader.blocks)
    panel.dead.value = True
    assert any(block["dead"] for block in panel.reader.blocks)


def test_a_long_block_is_shown_in_parts_that_add_up(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_session, _session_shown):
        monkeypatch.setattr(module, "PART", 100)
    monkeypatch.setattr(_session, "LEAD", 10)
    hit = lab.search(QUESTION)[0]
    text = lab.read(hit.block_id).text
    panel = lab.panels.citation(hit.block_id)
    parts = [joined(shown(panel, hit.block_id)["pieces"])]
    while shown(panel, hit.block_id)["later"]:
        send(panel, type="part", key=shown(panel, hit.block_id)["key"], direction=1)
        parts.append(joined(shown(panel, hit.block_id)["pieces"]))
    assert "".join(parts) == text
    panel = lab.panels.citation(hit.cite(QUOTE))  # stands far into the block: its part is shown
    assert QUOTE in joined(shown(panel, hit.block_id)["pieces"])
