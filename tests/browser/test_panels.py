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


def test_the_citation_panel_shows_a_problem_where_it_is(bench: Workbench, opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    run(bench, page, "citation.ipynb", "lab.panels.citation()")
    field = page.locator(".recall-lab-panel input").first
    field.fill("0" * 32)
    field.press("Enter")
    problem = page.locator(".rl-error")
    expect(problem).to_contain_text("no block has the id", timeout=SOON)
    expect(problem).to_have_attribute("role", "alert")
