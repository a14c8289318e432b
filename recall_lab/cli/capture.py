"""``index``: asks once, captures what is new, lists what went wrong."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, someone_answers, table
from recall_lab.display import count, megabytes, one_line, visible
from recall_lab.errors import UsageError
from recall_lab.model import IndexReport


@command("index")
@click.argument("paths", nargs=-1, type=NamedPath())
@click.option("--host", metavar="NAME", help="The host of a file that is not recognised.")
@click.option("--rebuild", is_flag=True, help="Read the sources from the start and replace what was captured of them.")
@click.option("--watch", is_flag=True, help="Keep going: capture what changes, until Ctrl-C.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before the first capture.")
@click.option("--preview", is_flag=True, help="List the conversations in account exports, and capture nothing.")
@click.option(
    "--conversation", "conversations", multiple=True, metavar="ID", help="Of an export, this one; repeatable."
)
@click.option(
    "--cwd",
    type=NamedPath(exists=True, file_okay=False),
    metavar="DIR",
    help="The folder that PATHS belong to, where they name none: it gives them their repository.",
)
def index_(
    face: Face,
    paths: tuple[Path, ...],
    host: str | None,
    conversations: tuple[str, ...],
    cwd: Path | None,
    *,
    rebuild: bool,
    watch: bool,
    yes: bool,
    preview: bool,
) -> int:
    """Capture what is new in your transcripts.

    Without PATHS the known folders of all hosts are captured; the first time they are listed and you are asked once.
    An account export of ChatGPT or claude.ai (conversations.json, or the archive that it came in) is a path too.
    """
    lab = face.lab(create=True)
    if preview:
        return _preview(face, paths)
    if watch and (conversations or cwd):
        raise UsageError("--watch takes neither --conversation nor --cwd; index the export once with them")
    if not paths and not yes:
        declined = ask_once(face)
        if declined is not None:
            return declined
    if watch:
        return _watch(face, paths)
    report = lab.index(paths, host=host, rebuild=rebuild, progress=face.progress, conversations=conversations, cwd=cwd)
    if face.as_json:
        face.answer(report)
    else:
        show_report(report)
    if not paths and not report.sources_seen:
        places = dict.fromkeys(str(place) for place in lab.places())
        face.note(f"No transcripts in the folders that hosts use: {', '.join(places)}.")
        face.note("`recall-lab index DIR` captures another folder; `recall-lab demo` shows all this on a sample.")
    return 0


def _preview(face: Face, paths: tuple[Path, ...]) -> int:
    """List what the exports hold."""
    if not paths:
        raise UsageError("name an export: `recall-lab index conversations.json --preview`, or the archive it came in")
    lab = face.lab(create=True)
    found = [conversation for path in paths for conversation in lab.preview_export(path)]
    if face.as_json:
        face.answer({"conversations": found})
        return 0
    rows = [(one.id, one.created or "", one.messages, megabytes(one.bytes), one.title or "") for one in found]
    table(("id", "created", "messages", "size", "title"), rows)
    click.echo(dim(f"{count(len(found), 'conversation')}; --conversation ID captures one of them"))
    return 0


def _watch(face: Face, paths: tuple[Path, ...]) -> int:
    """Capture until Ctrl-C; with JSON one value that counts everything together."""
    stop = Event()
    passes: list[IndexReport] = []

    def report(done: IndexReport) -> None:
        passes.append(done)
        if not face.as_json:
            show_report(done)

    # The pass that is under way is finished: half a pass would only be read again.
    ends = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(end, lambda *_: stop.set()) for end in ends]
    face.note("Watching; press Ctrl-C to end.")
    try:
        face.lab(create=True).watch(paths, stop=stop, report=report)
    finally:
        for end, handler in zip(ends, before, strict=True):
            signal.signal(end, handler)
    if face.as_json:
        face.answer(together(passes))
    return 130


def together(passes: list[IndexReport]) -> IndexReport:
    """The reports of several passes as one: what was done adds up, problems are those of the last look at a source."""
    problems = {problem.source: problem for one in passes for problem in one.problems}
    return IndexReport(
        sources_seen=max((one.sources_seen for one in passes), default=0),
        sources_changed=sum(one.sources_changed for one in passes),
        records=sum(one.records for one in passes),
        bytes=sum(one.bytes for one in passes),
        blocks_added=sum(one.blocks_added for one in passes),
        blocks_changed=sum(one.blocks_changed for one in passes),
        seconds=round(sum(one.seconds for one in passes), 3),
        problems=tuple(problems.values()),
    )


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
