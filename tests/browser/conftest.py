"""One JupyterLab for all browser tests, on the packaged sample; skipped where there is no chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from recall_lab.shipped import shipped_folder
from tests.browser.workbench import CHROMIUM, Watch, Workbench, jupyter, watched_page

ARTIFACTS = Path(__file__).resolve().parents[2] / "artifacts"


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Where screenshots are kept; git ignores it."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, rules_cache: Path, captured_sample: Path) -> Iterator[Workbench]:
    if CHROMIUM is None:
        pytest.skip("no chromium here: install it (Debian: apt-get install chromium) to run the browser tests")
    folder = tmp_path_factory.mktemp("work")
    for path in sorted(shipped_folder("notebooks").glob("*.ipynb")):
        shutil.copy(path, folder)
    environ = {
        "RECALL_LAB_HOME": str(captured_sample),
        "RECALL_LAB_CACHE_DIR": str(rules_cache),
        "RECALL_LAB_ZONE": "Europe/Helsinki",
    }
    with jupyter(folder, tmp_path_factory.mktemp("jupyter"), environ) as running:
        yield running


@pytest.fixture
def opened(bench: Workbench) -> Iterator[tuple[Page, Watch]]:
    """A page, and a promise that is checked at the end: nothing went outside and nothing was complained of."""
    with watched_page(bench) as (page, watch):
        yield page, watch
        page.wait_for_timeout(300)
    assert watch.outside == []
    assert watch.errors == []
