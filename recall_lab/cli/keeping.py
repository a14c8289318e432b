"""``backup``, ``restore``, ``import``, ``forget`` and ``prune``: what changes the store shows first what it will do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from recall_lab.cli._frame import Face, command, text_argument
from recall_lab.cli._terminal import someone_answers
from recall_lab.display import count, megabytes, visible
from recall_lab.store.purging import Purge, Selection

YES = click.option("--yes", "-y", is_flag=True, help="Do it without asking; without it, what would go is shown.")


@command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup_(face: Face, file: Path) -> None:
    """Copy the store to a new file, and check the copy."""
    made = face.lab().backup(file)
    if face.as_json:
        face.answer(made)
    else:
        click.echo(f"{visible(str(file))}: {megabytes(made.bytes)}, checked")


@command("restore")
@click.argument("file", type=click.Path(path_type=Path))
def restore_(face: Face, file: Path) -> None:
    """Put a backup in the place of the store.

    The backup is checked first; the store that was there is kept beside it.
    """
    replaced = face.lab(create=True).restore(file)
    if face.as_json:
        face.answer({"restored": file, "replaced": replaced})
        return
    click.echo(f"restored from {visible(str(file))}")
    if replaced is not None:
        click.echo(f"the store that was there is now {visible(str(replaced))}")


@command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--machine", metavar="LABEL", help="A label for the sources that the other store calls local.")
def import_(face: Face, file: Path, machine: str | None) -> None:
    """Take in a store that `recall-lab export` wrote as .jsonl."""
    done = face.lab(create=True).import_store(file, machine=machine)
    if face.as_json:
        face.answer(done)
    else:
        click.echo(
            f"{count(done.sources, 'source')} and {count(done.blocks, 'block')} came in; "
            f"{count(done.skipped, 'source')} were known already"
        )


@command("forget")
@click.option("--session", metavar="ID", help="A session, by its whole native id.")
@click.option("--repo", metavar="KEY", help="Every session of a repository.")
@click.option("--block", metavar="ID", help="One block.")
@click.option("--since", metavar="TIME", help="Everything from this time on (in your zone).")
@click.option("--until", metavar="TIME", help="Everything before this time; a day is included.")
@YES
def forget_(
    face: Face,
    *,
    session: str | None,
    repo: str | None,
    block: str | None,
    since: str | None,
    until: str | None,
    yes: bool,
) -> int:
    """Take something out of the store for good, and never capture it again."""
    from recall_lab.times import parse_time

    lab = face.lab()
    selection = Selection(
        session=session and text_argument(session),
        repo=repo and text_argument(repo),
        block=block and text_argument(block),
        since=parse_time(since, lab.zone) if since else None,
        until=parse_time(until, lab.zone, end=True) if until else None,
    )
    return _preview_then(face, lab.forget(selection), lambda: lab.forget(selection, really=True), yes=yes)


@command("prune")
@click.option("--keep", type=click.IntRange(min=0), default=3, show_default=True, help="Revisions kept of each block.")
@click.option("--keep-missing", is_flag=True, help="Keep sources whose transcript is gone.")
@YES
def prune_(face: Face, *, keep: int, keep_missing: bool, yes: bool) -> int:
    """Drop old revisions, and rows of transcripts that are gone."""
    lab = face.lab()
    missing = not keep_missing
    preview = lab.prune(keep=keep, missing=missing)
    return _preview_then(face, preview, lambda: lab.prune(keep=keep, missing=missing, really=True), yes=yes)


def _preview_then(face: Face, preview: Purge, act: Callable[[], Purge], *, yes: bool) -> int:
    """Show what would go; act when the person says so."""
    if not yes:
        if face.as_json:
            face.answer({"done": False, "purge": preview})
            return 0
        click.echo(f"This would take out {_told(preview)}.")
        if not someone_answers():
            click.echo("Nothing was taken out; --yes does it.")
            return 0
        if not click.confirm("Take it out for good?", default=False, err=True):
            click.echo("Nothing was taken out.")
            return 1
    gone = act()
    if face.as_json:
        face.answer({"done": True, "purge": gone})
    else:
        click.echo(f"Taken out: {_told(gone)}.")
    return 0


def _told(purge: Purge) -> str:
    told = (
        f"{count(purge.sessions, 'session')}, {count(purge.blocks, 'block')} and {count(purge.texts, 'text')} "
        f"({megabytes(purge.text_bytes)}) of {count(purge.sources, 'transcript')}"
    )
    kept = purge.kept_elsewhere
    return f"{told}; {count(kept, 'block')} stay, because another session holds them" if kept else told
