"""``report``: the dashboards as one page."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli.analysis import notices
from recall_lab.display import count, megabytes


@command("report")
@click.option(
    "--out",
    "-o",
    type=NamedPath(dir_okay=False),
    default=Path("recall-lab-report.html"),
    metavar="FILE",
    help="Where it goes  [default: recall-lab-report.html].",
)
@click.option("--since", metavar="TIME", help="2026-05-01, 'yesterday 3pm', 'last 30 days' (in your zone).")
@click.option("--until", metavar="TIME", help="Likewise; a day is included.")
@click.option("--host", metavar="NAME")
@click.option("--repo", metavar="KEY", help="A repository as `usage --by repo` names it.")
@click.option("--model", metavar="NAME")
def report_(face: Face, *, out: Path, **filters: str | None) -> None:
    """Write the dashboards as one HTML page that opens offline.

    Usage, cost and coverage with their charts and numbers. The page is readable by you alone and asks nothing of a
    network.
    """
    with notices(face):
        made = face.lab().report(out, **filters)
    if face.as_json:
        face.answer(made)
    else:
        click.echo(f"{made.file}: {count(made.charts, 'chart')}, {megabytes(made.bytes)}")
