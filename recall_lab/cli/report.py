"""``report``: the dashboards as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli.analysis import narrowed, notices
from recall_lab.display import count, megabytes

if TYPE_CHECKING:
    from recall_lab.model import UsageFilters


@command("report")
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    type=NamedPath(dir_okay=False),
    default=Path("recall-lab-report.html"),
    metavar="FILE",
    help="Where it goes  [default: recall-lab-report.html].",
)
@narrowed
def report_(face: Face, *, out: Path, **filters: Unpack[UsageFilters]) -> None:
    """Write the dashboards as one HTML page that opens offline.

    Usage, cost and coverage with their charts and numbers. The page is readable by you alone and asks nothing of a
    network.
    """
    from recall_lab.evidence import check_replaceable

    check_replaceable(out)
    with notices(face):
        made = face.lab().report(out, **filters)
    if face.as_json:
        face.answer(made)
    else:
        click.echo(f"{made.file}: {count(made.charts, 'chart')}, {megabytes(made.bytes)}")
