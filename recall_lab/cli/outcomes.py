"""What a session is good for next: ``related``, ``continue``, ``repeat``, ``skillify``; sessions for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, table
from recall_lab.display import count, megabytes, one_line, visible
from recall_lab.errors import UsageError
from recall_lab.times import show_time

if TYPE_CHECKING:
    from recall_lab.search import RelatedSession

HOST = click.option("--host", metavar="NAME", help="Where two hosts use the same id.")


@command("related")
@click.argument("session", required=False)
@click.option("--repo", metavar="KEY", help="A repository, in the place of a session.")
@click.option("--branch", metavar="NAME", help="A branch of it.")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True)
def related_(face: Face, session: str | None, *, repo: str | None, branch: str | None, limit: int) -> None:
    """List sessions that belong to another one, or to a repository, and why.

    Without SESSION and --repo, the repository of this folder is meant, on the branch that is checked out.
    """
    lab = face.lab()
    found = lab.related(session, repo=repo, branch=branch, limit=limit)
    if face.as_json:
        face.answer({"related": found, "zone": lab.zone})
        return
    rows = [
        (one.session, one.host, show_time(one.ended, lab.zone), f"{one.score:.2f}", _shared(one), one.title)
        for one in found
    ]
    table(("session", "host", f"ended ({lab.zone})", "score", "shares", "title"), rows)
    if not rows:
        click.echo(dim("no session shares anything with it"))


def _shared(one: RelatedSession) -> str:
    shared = [one.family or "", "repository" if one.same_repo else "", "branch" if one.same_branch else ""]
    shared.append(count(len(one.files), "file") if one.files else "")
    return ", ".join(part for part in shared if part)


@command("continue")
@click.argument("session")
@HOST
def continue_(face: Face, session: str, host: str | None) -> None:
    """Show where a session was left, to take it up again."""
    from recall_lab.evidence import continuation_markdown

    shown = face.lab().continue_session(session, host=host)
    if face.as_json:
        face.answer(shown)
        return
    click.echo(visible(continuation_markdown(shown, face.lab().zone)))


@command("repeat")
@click.argument("session")
@HOST
def repeat_(face: Face, session: str, host: str | None) -> None:
    """Show the prompts that drove a session, verbatim."""
    from recall_lab.evidence import repeat_markdown

    shown = face.lab().repeat_session(session, host=host)
    if face.as_json:
        face.answer(shown)
        return
    click.echo(visible(repeat_markdown(shown, face.lab().zone)))


@command("skillify")
@click.argument("session")
@HOST
@click.option("--first-turn", type=int, metavar="N", help="First turn of the window.")
@click.option("--last-turn", type=int, metavar="N", help="Last turn of the window.")
@click.option("--name", metavar="TEXT", help="The skill's name; made from the first prompt when left out.")
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="Write it to a file (0600).")
def skillify_(
    face: Face,
    session: str,
    *,
    host: str | None,
    first_turn: int | None,
    last_turn: int | None,
    name: str | None,
    output: Path | None,
) -> None:
    """Draft a SKILL.md from a window of a session."""
    from recall_lab.evidence import check_replaceable, write_private

    if output is not None:
        check_replaceable(output)
    draft = face.lab().skillify(session, host=host, first_turn=first_turn, last_turn=last_turn, name=name)
    if output is not None:
        write_private(output, draft.text)
    if face.as_json:
        face.answer(draft)
    elif output is None:
        click.echo(visible(draft.text))
    else:
        click.echo(f"{visible(str(output))}: a draft; read it before you use it")


@command("session-export")
@click.option("--target", metavar="SESSION", help="A native id, a transcript, or a receipt of one of its blocks.")
@click.option("--current", is_flag=True, help="The session this runs in, by its exact native id.")
@click.option("--cursor", metavar="CURSOR", help="Go on where a page ended: its next_cursor.")
@click.option("--limit", type=int, default=100, show_default=True, help="Blocks on a page, up to 1,000.")
@HOST
def session_export_(
    face: Face, *, target: str | None, current: bool, cursor: str | None, limit: int, host: str | None
) -> None:
    """Export a session in pages for other programs.

    The answer is recall.session-export.v1, always as JSON.
    """
    face.answer(face.lab().export_page(target, current=current, cursor=cursor, limit=limit, host=host))


@command("session-relations")
@click.option("--target", metavar="SESSION", required=True, help="A session's native id, whole.")
@click.option("--include-children", is_flag=True, help="Also the sessions that name it as their parent, and theirs.")
@click.option("--chain", is_flag=True, help="Also its parent, the parent's parent and so on.")
@HOST
def session_relations_(face: Face, target: str, *, include_children: bool, chain: bool, host: str | None) -> None:
    """Show how sessions belong together.

    The answer is recall.session-relations.v1, always as JSON.
    """
    face.answer(face.lab().session_relations(target, host=host, include_children=include_children, chain=chain))


@command("export")
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A new file, private to you.")
@click.option("--session", metavar="ID", help="One session as Markdown or JSON, by the suffix of the file.")
@click.option("--markdown", type=NamedPath(), metavar="DIR", help="Every session as Markdown, a file each.")
@click.option("--sqlite", is_flag=True, help="The whole store as SQLite, whatever the suffix of the file.")
def export_(face: Face, *, output: Path | None, session: str | None, markdown: Path | None, sqlite: bool) -> None:
    """Write a session, every session, or the whole store.

    The whole store is written as .jsonl or .db, and `recall-lab import` takes both back. A session without a file is
    printed.
    """
    lab = face.lab()
    if markdown is not None and (output or session or sqlite):
        raise UsageError("--markdown writes every session into a folder; leave -o, --session and --sqlite out")
    if session is not None and sqlite:
        raise UsageError("a session is written as .md or .json; --sqlite writes the whole store")
    if session is not None and output is None:
        text, _ = lab.session_text(session, "json" if face.as_json else "markdown")
        click.echo(text if face.as_json else visible(text), nl=face.as_json)
        return
    if markdown is not None:
        saved = lab.export_sessions(markdown, progress=face.progress)
    elif output is None:
        raise UsageError("name the file with -o FILE (.jsonl or .db), or a folder with --markdown DIR")
    elif session is not None:
        from recall_lab.evidence import check_replaceable

        check_replaceable(output)
        saved = lab.export_session(session, output)
    else:
        saved = lab.export_store(output, sqlite=sqlite, progress=face.progress)
    if face.as_json:
        face.answer(saved)
    else:
        files = f"{count(saved.files, 'file')}, " if markdown is not None else ""
        click.echo(f"{visible(saved.file)}: {files}{count(saved.blocks, 'block')}, {megabytes(saved.bytes)}")


@command("revisions")
@click.argument("block", required=False)
@click.option("--search", "words", metavar="WORDS", help="Find words in earlier texts of all blocks instead.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="With --search: so many texts."
)
def revisions_(face: Face, block: str | None, words: str | None, limit: int) -> None:
    """List the texts that are kept of a block.

    With --search, find words in the texts of any block that no transcript holds any more.
    """
    if (block is None) == (words is None):
        raise UsageError("name a block, or what to look for: `recall-lab revisions --search WORDS`")
    if words is not None:
        earlier = face.lab().find_revisions(words, limit=limit)
        if face.as_json:
            face.answer({"revisions": earlier})
            return
        for one in earlier:
            click.echo(f"{one.block_id} @ {one.content_hash[:12]}, characters {one.start} to {one.end} of {one.length}")
            click.echo(f"   {visible(one_line(one.text))}")
        step = "; read one with `recall-lab read BLOCK --revision HASH`" if earlier else ""
        click.echo(dim(f"{count(len(earlier), 'earlier text')}{step}"))
        return
    assert block is not None
    found = face.lab().revisions(block)
    if face.as_json:
        face.answer({"revisions": found})
        return
    table(
        ("content hash", "characters", "current", "pinned"),
        [(one.content_hash, one.length, one.current, one.pinned) for one in found],
    )
    click.echo(dim("read one with `recall-lab read BLOCK --revision HASH`"))
