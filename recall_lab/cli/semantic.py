"""``semantic build`` and ``semantic status``: search by meaning, with a model on this machine."""

from __future__ import annotations

import click

from recall_lab.cli._commands import Commands, Entry
from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import dim
from recall_lab.display import count, megabytes, visible

_HERE, _HEADING = "recall_lab.cli.semantic", "Vectors"
semantic_ = Commands(
    "semantic",
    entries={
        "build": Entry(_HERE, _HEADING, "Make vectors for every text that has none."),
        "status": Entry(_HERE, _HEADING, "Say which model there is, and how many texts have vectors."),
    },
    help="Search by meaning, with a model on this machine.",
    no_args_is_help=False,
)


@command("build")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="At most so many texts, the newest first.")
def build_(face: Face, *, most: int | None) -> None:
    """Make vectors for every text that has none.

    An interrupted build keeps what it made; the next one goes on from there. Nothing is downloaded. What people and
    models wrote gets vectors, tool requests and results do not.
    """
    done = face.lab().build_vectors(most=most, progress=face.progress)
    if face.as_json:
        face.answer(done)
        return
    said = f"{count(done.texts, 'text')} embedded in {count(done.passages, 'passage')}"
    if done.dropped:
        said += f"; {count(done.dropped, 'stale passage')} taken away"
    if done.waiting:
        said += f"; {count(done.waiting, 'text')} still to do, run this again"
    click.echo(said)


@command("status")
def status_(face: Face) -> None:
    """Say which model there is, and how many texts have vectors."""
    found = face.lab().vector_status()
    if face.as_json:
        face.answer(found)
        return
    model = f"{found.model}, fingerprint {found.fingerprint}" if found.model else f"none: {found.problem}"
    click.echo(f"model: {visible(model)}")
    click.echo(f"vectors: {found.embedded:,} of {count(found.texts, 'text')}, {count(found.passages, 'passage')}")
    if found.stale:
        click.echo(f"stale: {count(found.stale, 'passage')}; the next build takes them away")
    click.echo(dim(f"{megabytes(found.bytes)} in {found.folder}"))
