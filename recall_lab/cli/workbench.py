"""``demo`` and ``lab``: the main job without a browser, and JupyterLab on a private copy of the notebooks."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, command


@command("demo", json=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    metavar="DIR",
    help="Where everything goes  [default: demo].",
)
def demo_(face: Face, output: Path) -> int:  # noqa: ARG001 - a demo has a home of its own
    """Walk through the main job on the packaged sample."""
    from recall_lab.demo import run_demo

    return run_demo(output)
