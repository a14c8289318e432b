"""Takes the README's picture in a real JupyterLab: ``make picture``. It shows the packaged sample, nothing else."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.workbench import CHROMIUM, Workbench, jupyter, notebook, watched_page

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "img" / "workbench.png"
CELLS = (
    "import recall_lab as rl\n\nlab = rl.open_lab(sample=True)",
    'lab.panels.search("why did we reject batching")',
    "lab.panels.usage()",
)


def take(bench: Workbench, page: Page) -> None:
    """Open a search and the usage panel, open the first hit, and keep what the window shows."""
    bench.open(page, "workbench.ipynb")
    bench.run_all(page)
    page.locator(".rl-hit").first.wait_for()
    page.locator(".rl-hit").first.click()
    page.locator(".rl-block mark").first.wait_for()
    page.locator("img.rl-chart").first.wait_for()
    page.keyboard.press("Control+b")  # the file browser makes room
    page.locator(".jp-Cell").first.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    page.screenshot(path=PICTURE)


def main() -> None:
    """Take the picture."""
    if CHROMIUM is None:
        sys.exit("no chromium here: install it (Debian: apt-get install chromium fonts-dejavu-core)")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "notebooks")
        folder.mkdir()
        notebook(folder / "workbench.ipynb", *CELLS)
        environ = {"RECALL_LAB_HOME": f"{scratch}/home", "RECALL_LAB_ZONE": "Europe/Helsinki"}
        with (
            jupyter(folder, Path(scratch, "jupyter"), environ) as bench,
            watched_page(bench, width=1360, height=1250) as (page, watch),
        ):
            take(bench, page)
            if watch.outside or watch.errors:
                sys.exit(f"the page was not quiet: {watch.outside} {watch.errors}")
    print(PICTURE)


if __name__ == "__main__":
    main()
