"""A real JupyterLab in a real chromium: started in scratch folders, watched for requests that leave and for errors."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Page, Request, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {
        "windowingMode": "none",
        "autoStartDefaultKernel": True,
    },
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
READY = 90_000  # ms until JupyterLab shows a running kernel; slow machines share their cores


@dataclass
class Watch:
    """What a page did that it should not have done."""

    host: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def on_request(self, request: Request) -> None:
        if not request.url.startswith((f"http://{self.host}", f"ws://{self.host}", "data:", "blob:", "about:")):
            self.outside.append(request.url)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


@dataclass
class Workbench:
    """A running JupyterLab over one folder."""

    address: str
    token: str
    folder: Path

    def open(self, page: Page, notebook: str) -> None:
        """Open a notebook and wait for its kernel."""
        page.goto(f"{self.address}/lab/tree/{notebook}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=READY)
        self.wait_idle(page)

    def wait_idle(self, page: Page, timeout: int = READY) -> None:
        """Wait until the kernel has nothing to do."""
        page.wait_for_function(
            "() => /\\| Idle/.test(document.querySelector('#jp-main-statusbar')?.innerText || '')", timeout=timeout
        )

    def run_all(self, page: Page) -> None:
        """Run > Run All Cells, and wait until no cell waits or runs."""
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_function(
            "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(p => p.textContent.includes('*'))"
            " && [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].some(p => /\\d/.test(p.textContent))",
            timeout=READY,
        )
        self.wait_idle(page)


@contextlib.contextmanager
def jupyter(folder: Path, scratch: Path, environ: dict[str, str] | None = None) -> Iterator[Workbench]:
    """Run JupyterLab on ``folder`` with all its own files in ``scratch``."""
    places = {
        name: scratch / name.lower()
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
            "JUPYTERLAB_SETTINGS_DIR",
        )
    }
    places["JUPYTERLAB_WORKSPACES_DIR"] = scratch / "workspaces"
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    for name, value in SETTINGS.items():
        target = places["JUPYTERLAB_SETTINGS_DIR"] / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(value))
    port, token = _free_port(), secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"]
    with (scratch / "jupyter.log").open("wb") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **{name: str(place) for name, place in places.items()}, **(environ or {})},
            stdout=log,
            stderr=log,
        )
    bench = Workbench(f"http://127.0.0.1:{port}", token, folder)
    try:
        _wait_for(f"{bench.address}/api?token={token}", server)
        yield bench
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextlib.contextmanager
def watched_page(bench: Workbench, width: int = 1400, height: int = 1000) -> Iterator[tuple[Page, Watch]]:
    """A page of chromium, and what it did that it should not have done."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            watch = Watch(bench.address.removeprefix("http://"))
            page.on("request", watch.on_request)
            page.on("console", watch.on_console)
            page.on("pageerror", lambda error: watch.errors.append(str(error)))
            yield page, watch
        finally:
            browser.close()


def notebook(path: Path, *cells: str) -> Path:
    """Write a notebook of code cells."""
    content = {
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell{n}",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": source,
            }
            for n, source in enumerate(cells)
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(content))
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, server: subprocess.Popen[bytes], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab ended with {server.returncode} before it answered")
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2):
            return
        time.sleep(0.3)
    raise RuntimeError("JupyterLab did not answer")
