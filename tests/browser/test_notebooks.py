"""Every notebook runs in a real JupyterLab, with nothing asked of a network and nothing complained of."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from recall_lab.shipped import shipped_folder
from tests.browser.workbench import Watch, Workbench

pytestmark = pytest.mark.browser
NOTEBOOKS = [path.name for path in sorted(shipped_folder("notebooks").glob("*.ipynb"))]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_to_its_end(bench: Workbench, opened: tuple[Page, Watch], artifacts: Path, name: str) -> None:
    page, _ = opened
    bench.open(page, name)
    bench.run_all(page)
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert page.locator(".jp-OutputArea-output:has-text('Traceback')").count() == 0
    page.locator(".recall-lab-panel").last.wait_for()
    assert page.locator(".rl-error").count() == 0
    page.locator(".recall-lab-panel").last.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    page.screenshot(path=artifacts / f"{Path(name).stem}.png")
