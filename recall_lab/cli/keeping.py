"""``backup``, ``restore``, ``import``; ``forget``, ``prune`` and ``gc``, which show first what they will take out."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Protocol

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import someone_answers
from recall_lab.display import count, megabytes, visible
from recall_lab.store.purging import Purge
from recall_lab.upkeep import TakenOut

YES = click.option("--yes", "-y", is_flag=True, help="Do it without asking; without it, what would go is shown.")
KEEP = click.option(
    "--keep", type=click.IntRange(min=0), default=3, show_default=True, help="Revisions kept of each block."
)

_NAMED = 5  # sessions told one by one


@command("backup")
@click.argument("file", type=NamedPath())
def backup_(face: Face, file: Path) -> None:
    """Copy the store to a new file, and check the copy."""
    made = face.lab().backup(file)
    if face.as_json:
        face.answer(made)
    else:
        click.echo(f"{visible(str(file))}: {megabytes(made.bytes)}, checked")


@command("restore")
@click.argument("file", type=NamedPath())
def restore_(face: Face, file: Path) -> None:
    """Put a backup in the place of the store.

    The backup is checked first; the store that was there is kept beside it. The mirror is built anew.
    """
    done = face.lab(create=True).restore(file, progress=face.progress)
    if done.returned:
        face.note(
            f"{done.returned:,} of the sessions and blocks that were forgotten are back; "
            "`recall-lab forget` takes them out again"
        )
    if face.as_json:
        face.answer({"restored": file, "replaced": done.replaced, "returned": done.returned})
        return
    click.echo(f"restored from {visible(str(file))}")
    if done.replaced is not None:
        click.echo(f"the store that was there is now {visible(done.replaced)}")


@command("import")
@click.argument("file", type=NamedPath())
@click.option("--machine", metavar="LABEL", help="A label for the sources that the other store calls local.")
def import_(face: Face, file: Path, machine: str | None) -> None:
    """Take in another store, redacted on the way.

    FILE is what `recall-lab export` or `recall-lab backup` wrote. What is known already stays as it is.
    """
    done = face.lab(create=True).import_store(file, machine=machine, progress=face.progress)
    if face.as_json:
        face.answer(done)
        return
    click.echo(
        f"{count(done.sources, 'source')} and {count(done.blocks, 'block')} came in; "
        f"{count(done.skipped, 'source')} were known already"
    )
    if done.left_out:
        click.echo(f"{count(done.left_out, 'source')} stayed out: your settings list them as private")


@command("forget")
@click.option("--session", metavar="ID", help="A session with its subagents, by its id or the beginning of it.")
@click.option("--repo", metavar="KEY", help="Every session of a repository, by its key or a folder of it.")
@click.option("--block", metavar="ID", help="One block, with its revisions.")
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
    lab = face.lab()

    def forget(*, really: bool) -> TakenOut:
        return lab.forget(
            session=session,
            repo=repo,
            block=block,
            since=since,
            until=until,
            really=really,
            progress=face.progress,
        )

    return _preview_then(face, forget, yes=yes)


@command("prune")
@KEEP
@click.option("--keep-missing", is_flag=True, help="Keep sources whose transcript is gone.")
@YES
def prune_(face: Face, *, keep: int, keep_missing: bool, yes: bool) -> int:
    """Drop old revisions, and rows of transcripts that are gone."""
    lab = face.lab()

    def prune(*, really: bool) -> TakenOut:
        return lab.prune(keep=keep, missing=not keep_missing, really=really, progress=face.progress)

    return _preview_then(face, prune, yes=yes)


@command("gc")
@KEEP
@YES
def gc_(face: Face, *, keep: int, yes: bool) -> int:
    """Drop old revisions; pinned ones stay."""
    lab = face.lab()

    def gc(*, really: bool) -> TakenOut:
        return lab.gc(keep=keep, really=really)

    return _preview_then(face, gc, yes=yes)


class _TakesOut(Protocol):
    """Says what would go, or takes it out."""

    def __call__(self, *, really: bool) -> TakenOut: ...


def _preview_then(face: Face, act: _TakesOut, *, yes: bool) -> int:
    """Show what would go; act when the person says so."""
    preview = act(really=False)
    _say_holders(face, preview.purge)
    if not yes:
        if face.as_json:
            face.answer(preview)
            return 0
        purge = preview.purge
        if not (purge.sessions or purge.blocks or purge.texts or purge.sources):
            click.echo("There is nothing to take out.")
            return 0
        click.echo(f"This would take out {_told(preview.purge)}.")
        if not someone_answers():
            click.echo("Nothing was taken out; --yes does it.")
            return 0
        if not click.confirm("Take it out for good?", default=False, err=True):
            click.echo("Nothing was taken out.")
            return 1
    gone = act(really=True)
    if gone.scrubbed is False:
        face.note("another program reads the store, so free pages still hold it; end it, then run `recall-lab vacuum`")
    if gone.held:
        face.note(
            f"{count(gone.held, 'older copy', 'older copies')} of the mirror are still read by another program; "
            "end it, then run `recall-lab mirror`"
        )
    note_copies(face, gone.copies)
    if face.as_json:
        face.answer(gone)
    else:
        click.echo(f"Taken out: {_told(gone.purge)}.")
    return 0


def _say_holders(face: Face, purge: Purge) -> None:
    """Say which sessions hold what stays, and how that is taken out too."""
    # A subagent goes with the session that its id begins with.
    held = [name for name in purge.held_by if "/" not in name or name.split("/")[0] not in purge.held_by]
    if not held:
        return
    commands = [f"`recall-lab forget --session {quote(name)}`" for name in held[:_NAMED]]
    if len(held) > _NAMED:
        commands.append(f"the same for {count(len(held) - _NAMED, 'more session')} (--json lists them)")
    holders = "another session holds" if len(held) == 1 else f"{len(held):,} other sessions hold"
    face.note(f"{holders} what stays; to take it out there too run {', then '.join(commands)}")


def note_copies(face: Face, copies: tuple[str, ...]) -> None:
    """Name the older stores that still hold what was taken out."""
    for path in copies:
        face.note(f"{path}: an older store that still holds it; remove it when you do not need it")


def _told(purge: Purge) -> str:
    told = (
        f"{count(purge.sessions, 'session')}, {count(purge.blocks, 'block')} and {count(purge.texts, 'text')} "
        f"({megabytes(purge.text_bytes)}) of {count(purge.sources, 'transcript')}"
    )
    kept = purge.kept_elsewhere
    return f"{told}; {count(kept, 'block')} stay, because another session holds them" if kept else told
