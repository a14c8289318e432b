"""``pin``, ``unpin``, ``rescope``, ``vacuum``, ``stats``, ``activity`` and ``uninstall``."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, someone_answers, table
from recall_lab.display import count, megabytes, visible
from recall_lab.times import show_time

REVISION = click.option("--revision", metavar="HASH", help="One text of the block, by its content hash.")


@command("pin")
@click.argument("block")
@REVISION
@click.option("--note", metavar="TEXT", help="Why it is kept.")
def pin_(face: Face, block: str, *, revision: str | None, note: str | None) -> None:
    """Keep a text of a block for good.

    BLOCK is an id, the beginning of one, or a receipt. The current text is meant unless a hash says otherwise.
    """
    done = face.lab().pin(block, revision=revision, note=note)
    if face.as_json:
        face.answer(done)
    else:
        click.echo(f"pinned: text {done.content_hashes[0][:12]} of block {done.block_id}")


@command("unpin")
@click.argument("block")
@REVISION
def unpin_(face: Face, block: str, *, revision: str | None) -> int:
    """Let pinned texts of a block expire like others.

    Exits 1 when none was pinned.
    """
    done = face.lab().unpin(block, revision=revision)
    if face.as_json:
        face.answer(done)
    else:
        click.echo(f"{count(len(done.content_hashes), 'text')} of block {done.block_id} not pinned any more")
    return 0 if done.content_hashes else 1


@command("rescope")
@click.argument("source", required=False)
@click.option("--cwd", type=NamedPath(), metavar="DIR", help="A folder of the repository they belong to.")
@click.option("--auto", is_flag=True, help="Take the pin away.")
@click.option("--machine", metavar="LABEL", help="Where transcripts of several machines have the same path.")
def rescope_(face: Face, source: str | None, *, cwd: Path | None, auto: bool, machine: str | None) -> None:
    """Pin the sessions of a transcript to a repository.

    SOURCE is the transcript, or its session's whole id. Without it the pins are listed.
    """
    lab = face.lab()
    if source is None:
        pins = lab.scopes()
        if face.as_json:
            face.answer({"pins": pins})
        else:
            table(("transcript", "machine", "folder", "repository"), [(p.path, p.machine, p.cwd, p.repo) for p in pins])
        return
    done = lab.rescope(source, cwd=cwd, auto=auto, machine=machine)
    if face.as_json:
        face.answer(done)
        return
    verb = "now belongs" if done.sessions == 1 else "now belong"
    where = visible(done.pins[0].repo) if done.pins[0].repo else "the repository of its own folder again"
    click.echo(f"{count(done.sessions, 'session')} {verb} to {where}")


@command("vacuum")
def vacuum_(face: Face) -> int:
    """Rewrite the store's file without holes.

    Exits 1 when another program reads an older state, whose pages have to stay.
    """
    done = face.lab().vacuum()
    if face.as_json:
        face.answer(done)
    else:
        click.echo(f"{megabytes(done.before)} before, {megabytes(done.after)} now")
    if not done.scrubbed:
        face.note("another program reads the store, so older pages had to stay; end it and run this again")
    return 0 if done.scrubbed else 1


@command("stats")
def stats_(face: Face) -> None:
    """Count what the store holds, and the room that it takes."""
    lab = face.lab()
    found = lab.stats()
    if face.as_json:
        face.answer(found)
        return
    rows = [
        (
            *(one.host, one.sources, one.sessions, one.turns, one.blocks, megabytes(one.text_bytes)),
            *(one.model_calls, one.tool_calls, show_time(one.first, lab.zone), show_time(one.last, lab.zone)),
        )
        for one in found.hosts
    ]
    heads = ("host", "sources", "sessions", "turns", "blocks", "text", "model calls", "tool calls", "from", "to")
    table((*heads[:-1], f"to ({lab.zone})"), rows)
    table(
        ("role", "kind", "texts", "size"),
        [(one.role, one.kind, one.texts, megabytes(one.bytes)) for one in found.texts],
    )
    table(("table", "rows", "size"), [(one.table, one.rows, megabytes(one.bytes)) for one in found.tables])
    table(("in the home", "size"), [(name, megabytes(size)) for name, size in found.files.items()])
    kept = found.revisions
    click.echo(
        f"{count(kept['texts'], 'earlier text')} ({megabytes(kept['bytes'])}), {count(kept['pinned'], 'text')} pinned, "
        f"{count(sum(found.redacted.values()), 'span')} taken out"
    )


@command("activity")
@click.option("--by", type=click.Choice(["command", "month", "repo"]), default="command", show_default=True)
@click.option("--since", metavar="TIME", help="2026-05-01, 'last 30 days' (in your zone).")
def activity_(face: Face, *, by: str, since: str | None) -> None:
    """Count how often recall_lab itself was used.

    Commands, times and repositories are noted, never what was asked; activity = false in settings.toml ends it.
    """
    lab = face.lab(create=True)
    found = lab.own_use(by, since=since)
    if face.as_json:
        face.answer(found)
        return
    rows = [
        (one.key, one.uses, one.failed, one.seconds, show_time(one.first, lab.zone), show_time(one.last, lab.zone))
        for one in found.rows
    ]
    head = f"month ({found.zone})" if by == "month" else by
    table((head, "uses", "failed", "seconds", "first", f"last ({found.zone})"), rows)
    if not found.noted:
        click.echo(dim("your settings say that nothing more is noted"))


@command("uninstall")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking; without it, what would go is shown.")
def uninstall_(face: Face, *, yes: bool) -> int:
    """Remove store, mirror, caches and settings.

    Transcripts stay, and so does everything that recall_lab did not make. The program itself is removed by what
    installed it.
    """
    lab = face.lab(create=True)
    planned = lab.uninstall()
    if not yes:
        if face.as_json:
            face.answer(planned)
            return 0
        for name in (*planned.files, *planned.folders):
            click.echo(f"  {visible(name)}")
        for name in planned.kept:
            click.echo(dim(f"  stays: {visible(name)}"))
        click.echo(f"This would remove {count(len(planned.files), 'file')} ({megabytes(planned.bytes)}).")
        if not someone_answers():
            click.echo("Nothing was removed; --yes does it.")
            return 0
        if not click.confirm("Remove them? What was captured is lost where its transcript is gone.", err=True):
            click.echo("Nothing was removed.")
            return 1
    done = lab.uninstall(really=True)
    face.command = ""  # noting this use would make the log anew
    if face.as_json:
        face.answer(done)
    else:
        click.echo(f"Removed {count(len(done.files), 'file')} ({megabytes(done.bytes)}).")
        for name in done.kept:
            click.echo(dim(f"  stays: {visible(name)}"))
    return 0
