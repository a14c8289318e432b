"""Judgments as a person gives them: a question, the keyboard, and a list that does not say who found what."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.workbench import Watch, Workbench, notebook

pytestmark = pytest.mark.browser
SOON = 60_000  # ms
# Grades are written to the store; the shared one is left as it is.
OPEN = """
import shutil
import recall_lab as rl
with rl.open_lab() as shared:
    home = shared.home
shutil.copytree(home, "judged")
lab = rl.open_lab("judged")
panel = lab.panels.judge(b="plain")
panel
"""


def test_ask_grade_by_keyboard_reveal_and_save(bench: Workbench, opened: tuple[Page, Watch], artifacts: Path) -> None:
    page, _ = opened
    notebook(bench.folder / "judge.ipynb", OPEN)
    bench.open(page, "judge.ipynb")
    bench.run_all(page)
    question = page.get_by_role("textbox", name="A question of your own")
    question.click()
    question.press_sequentially("why did we reject batching", delay=20)
    question.press("Enter")
    passages = page.locator(".rl-judge .rl-hit")
    expect(passages.nth(1)).to_be_visible(timeout=SOON)
    total = passages.count()
    expect(page.locator(".rl-judge")).not_to_contain_text(re.compile("brought by|plain|score"))
    page.locator(".rl-judge .rl-hits").focus()
    for number in range(total):
        expect(passages.nth(number)).to_have_attribute("aria-selected", "true", timeout=SOON)
        page.keyboard.press("2" if number % 2 else "0")
        expect(passages.nth(number).locator(".rl-given")).to_have_text(
            "2 answers" if number % 2 else "0 does not answer", timeout=SOON
        )
    status = page.locator(".rl-judge .rl-status")
    expect(status).to_contain_text("all graded", timeout=SOON)
    expect(page.locator(".jp-Notebook")).not_to_have_class(re.compile("jp-mod-editMode"))  # no key leaked
    panel = page.locator(".recall-lab-panel")
    panel.get_by_role("button", name="Reveal").click()
    expect(passages.first).to_contain_text(re.compile("brought by (default|plain)"), timeout=SOON)
    panel.get_by_role("button", name="Save").click()
    expect(status).to_contain_text("recall-lab eval retrieval", timeout=SOON)
    panel.screenshot(path=artifacts / "panel-judgments.png")
    folder = bench.folder / "judged" / "judgments"
    assert len((folder / "qrels.tsv").read_text().splitlines()) == total
    (asked,) = map(json.loads, (folder / "queries.jsonl").read_text().splitlines())
    assert asked["text"] == "why did we reject batching"
