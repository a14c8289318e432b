"""``index``: asks once, captures what is new, lists what went wrong."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import dim, someone_answers
from recall_lab.display import count, megabytes, one_line, visible
from recall_lab.errors import UsageError
from recall_lab.model import IndexReport


@command("index")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--host", metavar="NAME", help="The host of a file that is not recognised.")
@click.option("--rebuild", is_flag=True, help="Read the sources from the start and replace what was captured of them.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before the first capture.")
def index_(face: Face, paths: tuple[Path, ...], host: str | None, *, rebuild: bool, yes: bool) -> int:
    """Capture what is new in your transcripts.

    Without PATHS the known folders of all hosts are captured; the first time they are listed and you are asked once.
    """
    lab = face.lab(create=True)
    if not paths and not yes:
        declined = ask_once(face)
        if declined is not None:
            return declined
    report = lab.index(paths, host=host, rebuild=rebuild, progress=face.progress)
    if face.as_json:
        face.answer(report)
    else:
        show_report(report)
    return 0


def ask_once(face: Face) -> int | None:
    """Before the first capture, list what would be read and ask; a store or the setting ``yes`` is an answer.

    Returns:
        ``None`` to go on, else the exit code.

    Raises:
        UsageError: there is nobody to ask.
    """
    lab = face.lab(create=True)
    if lab.settings.yes or lab.settings.store.exists():
        return None
    seen = lab.discover()
    listed = [
        f"  {folder}: {count(files, 'file')}, {megabytes(size)}" for folder, (files, size) in seen.folders().items()
    ]
    if not listed:
        return None
    if not someone_answers():
        raise UsageError(
            f"the first capture would read {count(len(seen.found), 'transcript')} ({megabytes(seen.bytes)}) and there "
            "is no terminal to ask on; run `recall-lab index --yes`, or set yes = true in settings.toml"
        )
    face.note(f"recall-lab will read these transcripts and keep what they say, secrets taken out, in {lab.home}:")
    face.note("\n".join(listed))
    face.note("Nothing leaves this machine, and the transcripts stay as they are.")
    if click.confirm("Capture them?", default=True, err=True):
        return None
    face.note("Nothing was captured.")
    return 1


def show_report(report: IndexReport) -> None:
    """Print what a capture did, and each problem with its next step."""
    click.echo(
        f"{count(report.sources_seen, 'source')} seen, {report.sources_changed:,} changed: "
        f"{count(report.records, 'record')} ({megabytes(report.bytes)}), {count(report.blocks_added, 'block')} added, "
        f"{report.blocks_changed:,} changed, in {report.seconds:.1f} s"
    )
    for problem in report.problems:
        click.echo(f"  {problem.state}: {visible(one_line(problem.source))}: {one_line(problem.detail)}")
        click.echo(dim(f"    next: {one_line(problem.next)}"))
