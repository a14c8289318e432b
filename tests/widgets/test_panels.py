"""The panels without a browser: what a click, a key or a selection sends, and what they show and repeat."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from recall_lab.errors import UsageError
from recall_lab.lab import Lab, open_lab
from recall_lab.widgets import _base
from recall_lab.widgets.coverage_panel import CoveragePanel
from recall_lab.widgets.search_panel import SearchPanel
from recall_lab.widgets.usage_panel import UsagePanel
from tests.mirror.telling import Telling, called, said

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"


def joined(pieces: list[list[str]]) -> str:
    return "".join(text for text, _ in pieces)


@pytest.fixture
def search(lab: Lab) -> SearchPanel:
    return lab.panels.search(QUESTION)


def test_search_shows_hits_with_highlights_and_why(search: SearchPanel) -> None:
    shown = search.results.hits[0]
    assert "match" in {mark for _, mark in shown["pieces"]}
    assert joined(shown["pieces"]) == search.hits[0].text
    assert shown["why"]
    assert "hits for" in search.results.status
    assert "Europe/Helsinki" in search.results.status
    assert search.error == ""


def test_typing_searches_and_the_code_repeats_it(search: SearchPanel, lab: Lab) -> None:
    search.query.set_state({"value": "unique constraint"})
    search.role.value = "assistant"
    search.since.set_state({"value": "2020-01-01"})
    assert search.code == "lab.search('unique constraint', role='assistant', since='2020-01-01')"
    assert search.footer.code == search.code
    again = eval(search.code, {"lab": lab})
    assert [hit.receipt for hit in again] == [hit["receipt"] for hit in search.results.hits]
    assert list(search.data()["receipt"]) == [hit.receipt for hit in again]
    assert search.sql is None


def test_the_button_searches_again(search: SearchPanel) -> None:
    search.results.hits = []
    search.button.click()
    assert search.results.hits


def test_what_the_panel_was_made_with_stays(lab: Lab) -> None:
    panel = lab.panels.search("tests", host="codex", session=["019"], limit=25)
    assert panel.host.value == "codex"
    assert "session=['019']" in panel.code
    assert "limit=25" in panel.code


def test_an_error_is_one_line_in_the_panel_and_goes_again(search: SearchPanel) -> None:
    search.since.value = "soonish"
    assert "is not a time" in search.results.error
    assert search.results.hits == []
    with pytest.raises(UsageError):
        search.data()
    search.since.value = ""
    assert search.error == ""
    assert search.results.hits


def test_an_error_nobody_foresaw_does_not_quote(search: SearchPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("words of a transcript")

    monkeypatch.setattr(search.lab, "search", fail)
    search.button.click()
    assert "unexpected ValueError" in search.results.error
    assert "words of a transcript" not in search.results.error


def test_an_empty_box_invites(search: SearchPanel) -> None:
    search.query.value = "  "
    assert search.results.hits == []
    assert "Type a query" in search.results.status
    assert search.footer.code == ""


def test_typing_fast_searches_once(search: SearchPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(search, "search", lambda: asked.append(search.query.value))
    monkeypatch.setattr(_base, "PAUSE", 0.02)

    async def type_words() -> None:
        for text in ("b", "ba", "bat"):
            search.query.value = text
        await asyncio.sleep(0.1)

    asyncio.run(type_words())
    assert asked == ["bat"]


def test_opening_a_hit_shows_its_block_in_its_place(search: SearchPanel) -> None:
    search.results._handle_custom_msg({"type": "open", "index": 1}, [])
    shown = search.reader.shown
    hit = search.hits[1]
    assert joined(shown["pieces"]) == search.lab.read(hit.block_id).text
    assert "match" in {mark for _, mark in shown["pieces"]}
    assert search.results.selected == 1
    assert f"session {hit.session[:8]}" in shown["place"]
    search.results._handle_custom_msg({"type": "open", "index": 999}, [])
    search.results._handle_custom_msg("nonsense", [])
    assert search.reader.shown == shown


def test_selecting_words_cites_them(search: SearchPanel) -> None:
    search.open_hit(0)
    text = search.lab.read(search.hits[0].block_id).text
    start = text.index(QUOTE)
    search.reader._handle_custom_msg({"type": "select", "start": start, "end": start + len(QUOTE)}, [])
    assert search.citation is not None
    assert search.citation.quote == QUOTE
    assert search.reader.cited["receipt"] == search.citation.receipt
    assert eval(search.reader.cited["code"], {"lab": search.lab}).valid
    assert [QUOTE, "here"] in search.reader.shown["pieces"]
    assert joined(search.reader.shown["pieces"]) == text


def test_a_hit_opens_in_its_session_and_what_is_selected_goes_to_the_brief(search: SearchPanel) -> None:
    search.lab.draft.clear()
    search.open_hit(0)
    search.reader._handle_custom_msg({"type": "add"}, [])
    assert len(search.lab.draft) == 0  # nothing is selected yet
    start = search.lab.read(search.hits[0].block_id).text.index(QUOTE)
    search.reader._handle_custom_msg({"type": "select", "start": start, "end": start + len(QUOTE)}, [])
    search.reader._handle_custom_msg({"type": "add"}, [])
    assert [item.citation for item in search.lab.draft] == [search.citation]
    assert search.reader.cited["added"] == "In the brief as number 1"
    search.lab.draft.clear()
    assert search.reader.shown["session"]
    for index in (0, 1):
        search.open_hit(index)
        search.reader._handle_custom_msg({"type": "session"}, [])
        assert search.children[-1] is search.session
        hit = search.hits[index]
        shown = next(block for block in search.session.reader.blocks if block["key"].startswith(hit.block_id))
        assert "match" in {mark for _, mark in shown["pieces"]}
        assert f"session {hit.session[:8]} " in search.session.reader.shown["place"]


def test_usage_groups_filters_and_repeats_itself(lab: Lab) -> None:
    panel = lab.panels.usage("model", host="codex")
    assert panel.picture.svg.startswith("<svg")
    assert len(panel.table.rows) == len(panel.data()) > 0
    assert panel.code == "lab.usage('model', host='codex')"
    assert eval(panel.code, {"lab": lab}) == panel.report
    for by in ("day", "repo", "host", "branch", "session"):
        panel.by.value = by
        assert panel.error == ""
        assert panel.picture.svg.startswith("<svg")
        assert panel.data()["calls"].sum() == panel.report.total.calls
    repeated = lab.sql(panel.sql, dict.fromkeys(("since", "until", "repo", "model")) | {"host": "codex"})
    assert repeated["calls"].tolist() == panel.data()["calls"].tolist()
    assert panel.figures.figures[1] == [f"{panel.report.total.calls}", "model calls"]


def test_usage_says_what_is_wrong_and_what_has_no_price(lab: Lab) -> None:
    panel = lab.panels.usage()
    assert "harbour-coder-7b" in panel.figures.status
    panel.since.value = "soonish"
    assert "is not a time" in panel.error
    assert panel.table.rows == []
    assert panel.picture.svg == ""
    with pytest.raises(UsageError):
        panel.data()
    with pytest.raises(UsageError, match="no filter 'frob'"):
        lab.panels.usage(frob=1)


def picked(panel: UsagePanel | CoveragePanel, facet: str, label: str, **more: object) -> None:
    """Click the bar of a facet that bears a label."""
    [shown] = [one for one in panel.bars.facets if one["name"] == facet]
    index = [item["label"] for item in shown["items"]].index(label)
    panel.bars._handle_custom_msg({"type": "pick", "facet": facet, "index": index, **more}, [])


def on(panel: UsagePanel | CoveragePanel, facet: str) -> list[str]:
    """The bars of a facet that stand out."""
    [shown] = [one for one in panel.bars.facets if one["name"] == facet]
    return [item["label"] for item in shown["items"] if item["on"]]


def test_a_click_on_a_bar_filters_figures_chart_table_and_the_other_bars(lab: Lab) -> None:
    panel = lab.panels.usage("model")
    everything, svg = panel.report.total.calls, panel.picture.svg
    models = [item["label"] for one in panel.bars.facets if one["name"] == "model" for item in one["items"]]
    picked(panel, "host", "codex")
    assert panel.host.value == "codex"
    assert panel.code == "lab.usage('model', host='codex')"
    assert 0 < panel.report.total.calls < everything
    assert panel.picture.svg != svg
    assert on(panel, "host") == ["codex"]
    assert {item["label"] for one in panel.bars.facets if one["name"] == "host" for item in one["items"]} > {"codex"}
    assert len([1 for one in panel.bars.facets if one["name"] == "model" for _ in one["items"]]) < len(models)
    picked(panel, "host", "codex")  # the same bar again shows all
    assert panel.code == "lab.usage('model')"
    assert panel.report.total.calls == everything


def test_a_click_on_a_day_and_a_wider_one_narrow_the_time(lab: Lab) -> None:
    panel = lab.panels.usage()
    days = [item for one in panel.bars.facets if one["name"] == "time" for item in one["items"]]
    used = [item["label"] for item in days if item["share"]]
    picked(panel, "time", used[0])
    first, _, last = used[0].partition(" to ")
    assert (panel.since.value, panel.until.value) == (first, last or first)
    one_bar = panel.report.total.calls
    assert one_bar > 0
    picked(panel, "time", used[-1], more=True)
    assert panel.since.value == first
    assert panel.report.total.calls == lab.usage("day").total.calls > one_bar
    assert len(on(panel, "time")) == len(days)
    panel.bars._handle_custom_msg({"type": "clear", "facet": "time"}, [])
    assert panel.code == "lab.usage('day')"
    for nonsense in ({"type": "pick", "facet": "time", "index": 9999}, {"type": "pick", "facet": "frob"}, "words"):
        panel.bars._handle_custom_msg(nonsense, [])
    assert panel.code == "lab.usage('day')"
    panel.since.value = "soonish"
    assert panel.bars.facets == []
    panel.since.value = "last 900 days"  # typed in words: all bars stay as they are
    assert panel.error == ""


def test_bars_add_up_to_what_the_panel_counts(lab: Lab) -> None:
    panel = lab.panels.coverage()
    whole = sum(one.bytes for one in lab.coverage_by("host"))
    for by in ("day", "repo", "state"):
        assert sum(one.bytes for one in lab.coverage_by(by)) == whole
    assert whole == panel.data()["size"].sum()
    assert sum(one.sources for one in lab.coverage_by("host")) == lab.coverage().sources
    assert lab.coverage().sessions == lab.status().sessions
    with pytest.raises(UsageError, match="cannot be grouped by 'frob'"):
        lab.coverage_by("frob")


def test_a_click_filters_coverage_too(lab: Lab) -> None:
    panel = lab.panels.coverage()
    sources = len(panel.data())
    picked(panel, "host", "codex")
    assert set(panel.data()["host"]) == {"codex"}
    model = next(item["label"] for one in panel.bars.facets if one["name"] == "model" for item in one["items"])
    picked(panel, "model", model)
    assert panel.code == f"lab.query('coverage_by_source', host='codex', model={model!r})"
    assert 0 < len(panel.data()) < sources
    assert len(panel.data()) == lab.coverage(host="codex", model=model).sources
    assert len(eval(panel.code, {"lab": lab})) == len(panel.data())
    time = next(item["label"] for one in panel.bars.facets if one["name"] == "time" for item in one["items"])
    picked(panel, "time", time)
    assert 0 < len(panel.data()) == lab.coverage(**panel._wish()).sources
    with pytest.raises(UsageError, match="no filter 'frob'"):
        lab.panels.coverage(frob=1)


def test_bars_of_what_has_no_name_filter_too(tmp_path: Path) -> None:
    telling = Telling(tmp_path)
    for name, facts, model in (("a", {"repo": "r"}, "gpt-5"), ("b", {}, None)):
        telling.tell(name, said(name), model_calls=[called(name, model=model, output_tokens=7)], **facts)
    with open_lab(tmp_path) as lab:
        lab.refresh(progress=False)
        for name, label in (("repo", "(no repository)"), ("model", "(no model)")):
            usage = lab.panels.usage("session")
            picked(usage, name, label)
            assert list(usage.data()["key"]) == ["b"]
            assert on(usage, name) == [label]
            assert len(eval(usage.code, {"lab": lab}).rows) == 1
            coverage = lab.panels.coverage()
            picked(coverage, name, label)
            assert list(coverage.data()["session"]) == ["b"]
            assert len(eval(coverage.code, {"lab": lab})) == 1
            picked(coverage, name, label)
            assert len(coverage.data()) == 2


def test_charts_follow_the_theme_of_the_page(lab: Lab) -> None:
    panel = lab.panels.usage()
    light = panel.picture.svg
    panel.picture.set_state({"theme": "dark"})
    assert panel.picture.svg.startswith("<svg")
    assert panel.picture.svg != light


def test_charts_take_the_room_that_the_page_has(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = lab.panels.usage()
    drawn = []
    redraw = panel._drawn.redraw
    monkeypatch.setattr(panel._drawn, "redraw", lambda: drawn.append(redraw()))
    panel.picture.set_state({"theme": "dark", "width": 1200})
    assert 'width="12' in panel.picture.svg[:300] or 'width="11' in panel.picture.svg[:300]
    assert len(drawn) == 1  # one picture for both
    panel.picture.set_state({"width": 1200})
    assert len(drawn) == 1


def test_where_nothing_is_captured_a_dashboard_shows_no_bars_and_no_table(tmp_path: Path) -> None:
    Telling(tmp_path).tell("a", said("a"))
    with open_lab(tmp_path) as lab:
        lab.refresh(progress=False)
        usage = lab.panels.usage()
        assert usage.error == ""
        assert (usage.bars.facets, usage.table.columns, usage.table.rows) == ([], [], [])
        assert "No model call" in usage.picture.svg
        usage.host.options = [*usage.host.options, ("codex", "codex")]
        usage.host.value = "codex"
        assert [one["name"] for one in usage.bars.facets if one["chosen"]] == ["host"]  # to be taken back


def test_coverage_shows_sources_and_compares_with_the_disk(lab: Lab) -> None:
    panel = lab.panels.coverage()
    assert panel.picture.svg.startswith("<svg")
    assert len(panel.table.rows) == len(panel.data()) == lab.status().sources
    assert "Last capture" in panel.figures.status
    assert "harbour-note" in panel.figures.status
    panel.disk.click()
    assert panel.missing.caption
    panel.host.value = "codex"
    assert set(panel.data()["host"]) == {"codex"}
    assert len(eval(panel.code, {"lab": lab})) == len(panel.data())
    assert panel.sql.lstrip().startswith("--") or "FROM sources" in panel.sql


def test_a_panel_reads_well_where_it_cannot_live(search: SearchPanel) -> None:
    assert repr(search) == f"<Search panel, live in JupyterLab: lab.search('{QUESTION}')>"
