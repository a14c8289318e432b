"""Takes docs/img/workbench.png in a real JupyterLab on the packaged sample: ``make picture``."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from recall_lab.lab import open_lab  # noqa: E402 - the checkout is found first
from tests.browser.workbench import CHROMIUM, jupyter, watched_page  # noqa: E402

PICTURE = ROOT / "docs" / "img" / "workbench.png"


def main() -> int:
    """Take the picture."""
    if CHROMIUM is None:
        print("there is no chromium here; install it (Debian: apt-get install chromium fonts-dejavu-core)")
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        environ = {"RECALL_LAB_HOME": f"{scratch}/home", "RECALL_LAB_ZONE": "Europe/Helsinki"}
        os.environ |= environ
        with open_lab(sample=True) as lab:
            lab.refresh(progress=False)
        folder = Path(scratch, "work")
        shutil.copytree(ROOT / "notebooks", folder)
        with (
            jupyter(folder, Path(scratch, "jupyter"), environ) as bench,
            watched_page(bench, width=1360, height=900) as (page, watch),
        ):
            bench.open(page, "00_start_here.ipynb")
            bench.run_all(page)
            page.locator(".rl-hit").first.click()
            page.locator(".rl-block mark").first.wait_for()
            page.locator(".recall-lab-panel").first.evaluate("panel => panel.scrollIntoView({ block: 'center' })")
            page.wait_for_timeout(1000)
            PICTURE.parent.mkdir(exist_ok=True)
            page.screenshot(path=PICTURE)
    for problem in (*watch.outside, *watch.errors):
        print(problem, file=sys.stderr)
    print(PICTURE.relative_to(ROOT))
    return 1 if watch.outside or watch.errors else 0


if __name__ == "__main__":
    sys.exit(main())
