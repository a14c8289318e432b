"""``demo`` and ``lab``: the main job without a browser, and JupyterLab on a private copy of the notebooks."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import NoReturn

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli.capture import ask_once, show_report
from recall_lab.errors import StoreBusyError, UsageError

# Nothing is asked of the network: no news, no update check, no extension catalogue.
_LOCAL = (
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)


@command("demo", json=False, own_home=True)
@click.option(
    "-o",
    "--output",
    type=NamedPath(file_okay=False),
    default=Path("demo"),
    metavar="DIR",
    help="Where everything goes  [default: demo].",
)
def demo_(face: Face, output: Path) -> int:
    """Walk through the main job on the packaged sample.

    Its store lies in DIR/home, whatever home is yours.
    """
    from recall_lab.demo import run_demo

    if face.home is not None:
        raise UsageError("a demo has a home of its own, in DIR/home; choose DIR with --output and leave --home out")
    return run_demo(output)


@command("lab", json=False)
@click.option("--work", type=NamedPath(file_okay=False), metavar="DIR", help="Where your copies lie.")
@click.option("--sample", is_flag=True, help="Open the packaged sample instead of your own history.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before the first capture.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="The port to serve on; 0 is any free one.")
@click.argument("jupyter", nargs=-1, type=click.UNPROCESSED)
def lab_(
    face: Face,
    *,
    work: Path | None,
    sample: bool,
    yes: bool,
    no_browser: bool,
    port: int | None,
    jupyter: tuple[str, ...],
) -> NoReturn:
    """Open JupyterLab on your own copy of the notebooks.

    What is new is captured first. Arguments after -- go to JupyterLab.
    """
    from recall_lab.workbench import copy_notebooks, default_folder, jupyter_settings

    started = time.monotonic()
    home = face.lab(create=True).home
    os.environ["RECALL_LAB_HOME"] = str(home)  # for the kernels
    on_sample = sample or not _capture(face, yes=yes)
    if on_sample:
        _open_sample(face)
    copies = copy_notebooks(work or default_folder(home), sample=on_sample)
    for name in copies.kept:
        face.note(f"{name}: your copy was kept as you left it; move it away to get a new one")
    arguments = [sys.executable, "-P", "-m", "jupyterlab", str(copies.first), *_LOCAL]
    arguments += ["--no-browser"] if no_browser else []
    arguments += [f"--port={port}"] if port else []
    # JupyterLab asks for this flag where there is no other user than root, as in a container.
    arguments += ["--allow-root"] if os.geteuid() == 0 else []
    face.note(f"Opening JupyterLab on {copies.first} (some seconds); press Ctrl-C twice here to end it.")
    from recall_lab.cli._main import note_activity

    note_activity(face, time.monotonic() - started, 0)
    face.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os.umask(0o077)  # what is saved from the notebooks shows private history
    os.chdir(copies.first.parent)
    os.environ["JUPYTER_CONFIG_PATH"] = jupyter_settings(os.environ.get("JUPYTER_CONFIG_PATH"))
    os.execve(sys.executable, [*arguments, *jupyter], os.environ)  # noqa: S606 - no shell is wanted


def _capture(face: Face, *, yes: bool) -> bool:
    """Capture what is new; say whether there is a history to open."""
    lab = face.lab(create=True)
    if not lab.settings.store.exists():
        if not lab.discover().found:
            face.note("There are no transcripts of coding agents in your home folder yet; opening the packaged sample.")
            return False
        if not yes and ask_once(face) is not None:
            face.note("Opening the packaged sample instead.")
            return False
    face.note("Capturing what is new in your transcripts; the first time loads the rules and takes a while.")
    try:
        report = lab.index(progress=face.progress)
    except StoreBusyError as error:
        face.note(f"{error}; opening what is captured so far")
        return True
    show_report(report)
    return True


def _open_sample(face: Face) -> None:
    """Capture the sample and its mirror now, so that the first notebook does not wait for them."""
    from recall_lab.lab import open_lab

    face.note("Preparing the packaged sample; the first time takes a while.")
    with open_lab(sample=True) as sample:
        sample.refresh(progress=face.progress)
