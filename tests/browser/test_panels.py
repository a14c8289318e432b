"""The panels as a person uses them: typing, arrow keys, a selection with the mouse, filters, the theme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.workbench import Watch, Workbench, notebook

pytestmark = pytest.mark.browser
SOON = 30_000  # ms
OPEN = "import recall_lab as rl\nlab = rl.open_lab()"


def run(bench: Workbench, page: Page, name: str, *cells: str) -> None:
    notebook(bench.folder / name, OPEN, *cells)
    bench.open(page, name)
    bench.run_all(page)
    page.locator(".recall-lab-panel").first.wait_for()


def test_type_a_search_walk_the_hits_open_one_and_cite_it(
    bench: Workbench, opened: tuple[Page, Watch], artifacts: Path
) -> None:
    page, _ = opened
    run(bench, page, "search.ipynb", "panel = lab.panels.search()\npanel", "lab.zone")
    query = page.get_by_role("textbox", name=re.compile("Ask in plain words"))
    query.click()
    query.press_sequentially("why did we reject batching", delay=20)
    status = page.locator(".rl-results .rl-status")
    expect(status).to_contain_text("why did we reject batching", timeout=SOON)
    expect(page.locator(".rl-hit").first.locator("mark").first).to_be_visible()
    query.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".rl-hit").nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    block = page.locator(".rl-block")
    expect(block.locator("mark").first).to_be_visible(timeout=SOON)
    expect(page.locator(".jp-Notebook")).not_to_have_class(re.compile("jp-mod-editMode"))  # no key leaked
    # Select words as a mouse would, by a range over the text.
    words = "loses readings"
    page.evaluate(
        """words => {
            const block = document.querySelector('.rl-block');
            const range = document.createRange();
            const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(words);
                if (at < 0) continue;
                range.setStart(node, at);
                range.setEnd(node, at + words.length);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                block.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }));
                return;
            }
            throw new Error('the words are not in one text node');
        }""",
        words,
    )
    expect(page.locator(".rl-verdict")).to_contain_text("valid", timeout=SOON)
    expect(page.locator(".rl-found .rl-code").first).to_contain_text("recall-lab://")
    expect(page.locator(".rl-here")).to_have_text(words)
    page.locator(".recall-lab-panel").screenshot(path=artifacts / "panel-search.png")
    page.keyboard.press("Escape")


def test_offsets_count_code_points_not_utf16(bench: Workbench, opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    cells = (
        "from recall_lab.widgets.views import PassageView",
        (
            "view = PassageView()\n"
            "view.shown = {'place': 'x', 'start': 7, 'pieces': [['🙂 é ', ''], ['用户', 'match'], [' end', '']]}\n"
            "def tell(_view, content, _buffers):\n    view.cited = {'message': str(content)}\n"
            "view.on_msg(tell)\n"
            "import ipywidgets\nbox = ipywidgets.VBox([view])\nbox.add_class('recall-lab-panel')\nbox"
        ),
    )
    run(bench, page, "offsets.ipynb", *cells)
    page.evaluate(
        """() => {
            const block = document.querySelector('.rl-block');
            getSelection().selectAllChildren(block.querySelector('mark'));
            block.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }));
        }"""
    )
    expect(page.locator(".rl-verdict")).to_contain_text("'start': 11, 'end': 13", timeout=SOON)


def test_hostile_text_is_only_text(bench: Workbench, opened: tuple[Page, Watch]) -> None:
    page, watch = opened
    attack = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
    cells = (
        f"attack = {attack!r}",
        (
            "from recall_lab.widgets.views import ResultsView, TableView, FiguresView\nimport ipywidgets\n"
            "hits = ResultsView(hits=[{'title': attack, 'place': attack, 'tier': 'all', 'why': [attack], "
            "'pieces': [[attack, 'match']]}], status=attack, error=attack)\n"
            "table = TableView(columns=[{'name': attack, 'numeric': False}], rows=[[attack]], sort_keys=[[attack]], caption=attack)\n"
            "figures = FiguresView(figures=[[attack, attack]], status=attack, code=attack)\n"
            "box = ipywidgets.VBox([hits, table, figures])\nbox.add_class('recall-lab-panel')\nbox"
        ),
        "from recall_lab.display import table_html\nfrom IPython.display import HTML\nHTML(table_html((attack,), [(attack,)]))",
    )
    run(bench, page, "hostile.ipynb", *cells)
    assert page.locator(".recall-lab-panel img, .recall-lab-panel script, .recall-lab img").count() == 0
    assert "owned" not in page.title()
    expect(page.locator(".rl-passage")).to_have_text(attack)
    assert watch.errors == []


def test_usage_and_coverage_filter_and_follow_the_theme(
    bench: Workbench, opened: tuple[Page, Watch], artifacts: Path
) -> None:
    page, _ = opened
    run(bench, page, "usage.ipynb", "lab.panels.usage()", "lab.panels.coverage()")
    usage, coverage = page.locator(".recall-lab-panel").nth(0), page.locator(".recall-lab-panel").nth(1)
    chart = usage.locator("img.rl-chart")
    expect(chart).to_be_visible(timeout=SOON)
    before = chart.get_attribute("src")
    usage.locator("select").first.select_option(label="model")
    expect(usage.locator("th").first).to_have_text("model", timeout=SOON)
    expect(chart).not_to_have_attribute("src", before or "", timeout=SOON)
    usage.screenshot(path=artifacts / "panel-usage.png")
    cost = usage.get_by_role("button", name="calls", exact=True)
    cost.click()
    expect(usage.locator("th").nth(1)).to_have_attribute("aria-sort", "descending")
    coverage.get_by_role("button", name="Compare with the disk").click()
    expect(coverage.locator("caption").first).to_contain_text("on the disk", timeout=SOON)
    coverage.screenshot(path=artifacts / "panel-coverage.png")
    light = chart.get_attribute("src")
    # What the theme manager does to the page when a dark theme is chosen.
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(chart).not_to_have_attribute("src", light or "", timeout=SOON)
    page.wait_for_timeout(500)
    usage.screenshot(path=artifacts / "panel-usage-dark.png")


def test_a_click_on_a_bar_filters_the_dashboard(bench: Workbench, opened: tuple[Page, Watch], artifacts: Path) -> None:
    page, _ = opened
    run(bench, page, "dashboards.ipynb", "lab.panels.usage()", "lab.panels.coverage()")
    usage, coverage = page.locator(".recall-lab-panel").nth(0), page.locator(".recall-lab-panel").nth(1)
    host = usage.get_by_role("group", name="Host").get_by_role("button", name=re.compile("^Host codex"))
    chart = usage.locator("img.rl-chart")
    before = chart.get_attribute("src")
    host.click()
    expect(usage.locator(".rl-code")).to_have_text("lab.usage('day', host='codex')", timeout=SOON)
    expect(host).to_have_attribute("aria-pressed", "true")
    expect(chart).not_to_have_attribute("src", before or "", timeout=SOON)
    days = usage.get_by_role("group", name=re.compile("^Time")).get_by_role("button", name=re.compile("^Time"))
    days.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # the keyboard filters too
    expect(usage.locator(".rl-code")).to_contain_text("since=", timeout=SOON)
    usage.screenshot(path=artifacts / "panel-usage-filtered.png")
    usage.get_by_role("button", name="All: Host").click()
    expect(usage.locator(".rl-code")).not_to_contain_text("host=", timeout=SOON)
    coverage.get_by_role("group", name="Host").get_by_role("button", name=re.compile("^Host codex")).click()
    expect(coverage.locator(".rl-code")).to_contain_text("host='codex'", timeout=SOON)
    coverage.screenshot(path=artifacts / "panel-coverage-filtered.png")


def test_the_citation_panel_shows_a_problem_where_it_is(bench: Workbench, opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    run(bench, page, "citation.ipynb", "lab.panels.citation()")
    field = page.locator(".recall-lab-panel input").first
    field.fill("0" * 32)
    field.press("Enter")
    problem = page.locator(".rl-error")
    expect(problem).to_contain_text("no block has the id", timeout=SOON)
    expect(problem).to_have_attribute("role", "alert")


# ---- evidence: read, select, cite, compose, verify -------------------------------------------------------------------

SELECT = """([words, key]) => {
    for (const block of document.querySelectorAll('.rl-step .rl-block')) {
        const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words);
            if (at < 0) continue;
            block.focus();
            if (key) getSelection().setBaseAndExtent(node, at, node, at);
            else getSelection().setBaseAndExtent(node, at, node, at + words.length);
            if (!key) block.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }));
            return;
        }
    }
    throw new Error('the words are not in one text node');
}"""


def test_read_a_session_select_words_compose_a_brief_save_and_verify_it(
    bench: Workbench, opened: tuple[Page, Watch], artifacts: Path
) -> None:
    page, _ = opened
    cells = (
        "panel = lab.panels.citation(lab.search('why did we reject batching')[0].receipt)\npanel",
        "composer = lab.panels.composer('why did we reject batching')\ncomposer",
    )
    run(bench, page, "evidence.ipynb", *cells)
    reader = page.locator(".rl-session")
    expect(reader.locator(".rl-here").first).to_be_visible(timeout=SOON)
    expect(reader.locator(".rl-turn[aria-current]").first).to_be_visible()
    expect(reader.locator(".rl-here").first).to_be_in_viewport()  # scrolled to, inside the reader
    # Words selected with the mouse.
    words = "loses readings"
    page.evaluate(SELECT, [words, False])
    expect(reader.locator(".rl-here")).to_have_text(words, timeout=SOON)
    expect(reader.locator(".rl-facts")).to_contain_text("counted in code points")
    expect(reader.locator(".rl-found .rl-code").first).to_contain_text("recall-lab://")
    reader.get_by_role("button", name="Add to the brief").click()
    expect(reader.get_by_role("button", name="In the brief as number 1")).to_be_visible(timeout=SOON)
    # And with the keyboard: the caret stands before a word, shift and the arrow keys take it up.
    page.evaluate(SELECT, ["reject batching", True])
    for _ in range(len("reject")):
        page.keyboard.press("Shift+ArrowRight")
    expect(reader.locator(".rl-here")).to_have_text("reject", timeout=SOON)
    page.keyboard.press("Control+Shift+ArrowRight")  # the selection lived through the drawing of its mark
    expect(reader.locator(".rl-here")).to_have_text(re.compile("^reject batching"), timeout=SOON)
    whole = "() => document.querySelector('.rl-here').closest('.rl-block').textContent"
    before = page.evaluate(whole)
    page.keyboard.type("xyz")
    page.keyboard.press("Delete")
    assert page.evaluate(whole) == before  # a text that is read cannot be typed into
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(reader.get_by_role("button", name="In the brief as number 2")).to_be_visible(timeout=SOON)
    page.locator(".recall-lab-panel").first.screenshot(path=artifacts / "panel-citation.png")
    # The composer has both; the second goes first by key and back by button, the first gets a section and a note.
    panel = page.locator(".recall-lab-panel").nth(1)
    composer, preview = panel.locator(".rl-composer").first, panel.locator(".rl-preview").last
    items = composer.locator(".rl-item")
    expect(items).to_have_count(2, timeout=SOON)
    items.nth(1).focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(items.nth(0).locator(".rl-quote")).to_contain_text("reject batching", timeout=SOON)
    items.nth(0).get_by_role("button", name=re.compile("Move down")).click()
    expect(items.nth(1).locator(".rl-quote")).to_contain_text("reject batching", timeout=SOON)
    items.nth(0).get_by_label("Section").fill("The crash <b>test</b>")
    items.nth(0).get_by_label("Note").fill("It decided it.")
    items.nth(0).get_by_label("Note").press("Tab")
    panel.get_by_role("button", name="Preview").click()
    expect(preview.locator("h2").filter(has_text="The crash <b>test</b>")).to_be_visible(timeout=SOON)
    expect(preview).to_contain_text("It decided it.")
    assert preview.locator("b").count() == 0
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator("caption")).to_contain_text("Saved", timeout=SOON)
    panel.get_by_role("button", name="Verify").click()
    expect(panel.locator("caption")).to_contain_text("Verified", timeout=SOON)
    panel.screenshot(path=artifacts / "panel-composer.png")
    saved = (bench.folder / "brief.md").read_text(encoding="utf-8")
    assert words in saved
    assert "It decided it." in saved
    checked = re.search(r"Verified: (\d+) of (\d+) receipts", panel.locator("caption").inner_text())
    assert checked
    assert checked[1] == checked[2] != "0"


def test_a_hit_opens_in_its_session_with_its_subagents(
    bench: Workbench, opened: tuple[Page, Watch], artifacts: Path
) -> None:
    page, _ = opened
    session = "next(i.parent_id for i in lab.sessions(limit=None) if i.relation == 'subagent')"
    run(bench, page, "reader.ipynb", "lab.panels.search('find every write path')", f"lab.panels.citation({session})")
    page.locator(".rl-hit").first.click()
    page.get_by_role("button", name="Open in reader").click()
    search = page.locator(".recall-lab-panel").first
    expect(search.locator(".rl-session .rl-step .rl-match").first).to_be_visible(timeout=SOON)
    search.screenshot(path=artifacts / "panel-search-reader.png")
    reader = page.locator(".rl-session").last
    agent = reader.locator(".rl-agent")
    expect(agent).to_contain_text("Subagent", timeout=SOON)
    agent.get_by_role("button", name="Read it").click()
    back = reader.get_by_role("button", name="To the calling session")
    expect(back).to_be_visible(timeout=SOON)
    back.click()
    expect(agent).to_be_visible(timeout=SOON)
    reader.screenshot(path=artifacts / "panel-reader.png")


def test_what_was_taken_out_by_kind_and_what_the_raw_files_hold(
    bench: Workbench, opened: tuple[Page, Watch], artifacts: Path
) -> None:
    page, _ = opened
    run(bench, page, "redaction.ipynb", "lab.panels.redaction()")
    panel = page.locator(".recall-lab-panel").first
    expect(panel).to_contain_text("spans taken out", timeout=SOON)
    expect(panel.get_by_role("img").first).to_be_visible(timeout=SOON)
    kinds = panel.locator("table").last.locator("tbody tr td:first-child")
    every = set(kinds.all_inner_texts())
    assert len(every) > 1
    chosen = max(every)
    panel.get_by_label("Kind").select_option(chosen)
    expect(kinds.filter(has_not_text=chosen)).to_have_count(0, timeout=SOON)
    assert set(kinds.all_inner_texts()) == {chosen}
    panel.get_by_role("button", name="Look at the raw files").click()
    expect(panel).to_contain_text(re.compile("ecrets? in (the )?raw files;.*looked at"), timeout=2 * SOON)
    panel.screenshot(path=artifacts / "panel-redaction.png")
