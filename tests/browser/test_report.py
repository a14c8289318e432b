"""The report in a real chromium: it draws every chart in light and in dark, and asks nothing of a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from recall_lab.lab import open_lab
from tests.browser.workbench import ARGUMENTS, CHROMIUM

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_opens_offline(tmp_path: Path, captured_sample: Path, artifacts: Path, scheme: str) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium here: install it (Debian: apt-get install chromium) to run the browser tests")
    with open_lab(captured_sample) as lab:
        made = lab.report(tmp_path / "report.html")
    requests: list[str] = []
    errors: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 1000}, color_scheme=scheme)  # type: ignore[arg-type]
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        address = (tmp_path / "report.html").as_uri()
        page.goto(address)
        page.wait_for_function(f"document.querySelectorAll('.chart svg').length >= {made.charts}", timeout=60_000)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        painted = page.evaluate("document.querySelector('.chart svg').style.backgroundColor")
        page.screenshot(path=artifacts / f"report-{scheme}.png", full_page=True)
        browser.close()
    assert [one for one in requests if not one.startswith(("data:", "blob:"))] == [address]
    assert errors == []
    assert painted == ground  # a chart stands on the page's own ground, in both schemes
