"""``status``, ``sources``, ``sessions``, ``session`` and ``config``: what the store holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import bold, dim, table
from recall_lab.display import count, megabytes, one_line, short_repo, shortened, visible
from recall_lab.model import STATES
from recall_lab.settings import Root, settable
from recall_lab.times import show_time

if TYPE_CHECKING:
    from recall_lab.evidence import SessionView


@command("status")
def status_(face: Face) -> None:
    """Count sources, sessions, records and bytes by what became of them."""
    status = face.lab().status()
    if face.as_json:
        face.answer(status)
        return
    click.echo(
        f"{count(status.sources, 'source')}, {count(status.sessions, 'session')}, {count(status.turns, 'turn')}, "
        f"{count(status.blocks, 'block')}; store {megabytes(status.store_bytes)}, "
        f"text {megabytes(status.kept_text_bytes)}"
    )
    when = show_time(status.last_capture, face.lab().zone)
    click.echo(f"last capture {when} ({face.lab().zone})" if when else "nothing is captured yet")
    dispositions = status.records.by_disposition
    rows = [(name, dispositions[name], status.bytes.by_disposition[name]) for name in dispositions]
    table(("disposition", "records", "bytes"), [*rows, ("total", status.records.total, status.bytes.total)])
    table(("state", "sources"), status.states.items())
    if status.unknown_types:
        table(("unknown record type", "records"), status.unknown_types.items())
    if status.unknown_types or dispositions["malformed"]:
        click.echo("`recall-lab query problems` shows where each record lies that could not be read, and why")


@command("sessions")
@click.option("--since", metavar="TIME", help="Sessions that ended at or after this time (in your zone).")
@click.option("--until", metavar="TIME", help="Sessions that started before it.")
@click.option("--host", multiple=True, metavar="NAME")
@click.option("--project", metavar="TEXT", help="Part of a repository's or folder's name.")
@click.option("--branch", multiple=True, metavar="NAME")
@click.option("--no-children", is_flag=True, help="Leave out subagents and forks.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(min=0), default=0)
def sessions_(
    face: Face,
    *,
    since: str | None,
    until: str | None,
    host: tuple[str, ...],
    project: str | None,
    branch: tuple[str, ...],
    no_children: bool,
    limit: int,
    offset: int,
) -> None:
    """List sessions, the newest first."""
    from recall_lab.times import parse_time

    lab = face.lab()
    found = lab.sessions(
        since=parse_time(since, lab.zone) if since else None,
        until=parse_time(until, lab.zone, end=True) if until else None,
        hosts=host,
        project=project,
        branches=branch,
        children=not no_children,
        limit=limit,
        offset=offset,
    )
    if face.as_json:
        face.answer({"sessions": found, "zone": lab.zone})
        return
    rows = [
        (
            show_time(one.ended, lab.zone),
            one.host,
            one.native_id,
            one.relation,
            one.turns,
            short_repo(one.repo) if one.repo else None,
            shortened(one.title, 60) if one.title else None,
        )
        for one in found
    ]
    table((f"ended ({lab.zone})", "host", "session", "relation", "turns", "repo", "title"), rows)
    if not rows:
        click.echo(dim("no session fits; leave a filter out"))
    if len(rows) == limit:
        click.echo(dim(f"{count(limit, 'session')} at most; --limit and --offset show more"))


@command("session")
@click.argument("session")
@click.option("--host", metavar="NAME", help="Where two hosts use the same id.")
@click.option("--prompts", is_flag=True, help="Only what the user wrote.")
@click.option("--turn", type=int, metavar="N", help="Only this turn.")
@click.option("--tail", type=int, metavar="N", help="Only the last N blocks.")
@click.option("--around", metavar="TIME", help="Only the turns around a time, such as 2pm or 'jan 5 2pm'.")
@click.option("--turns", type=int, default=3, show_default=True, help="How many turns on either side of --around.")
@click.option("--last-turns", type=int, metavar="N", help="Only the last N turns.")
@click.option("--page", type=int, metavar="N", help="Only this page of the turn index.")
@click.option("--dead", is_flag=True, help="Also blocks on dead branches.")
def session_(
    face: Face,
    session: str,
    host: str | None,
    *,
    prompts: bool,
    turn: int | None,
    tail: int | None,
    around: str | None,
    turns: int,
    last_turns: int | None,
    page: int | None,
    dead: bool,
) -> None:
    """Read one session, or a part of it.

    SESSION is its id, or the beginning of it.
    """
    lab = face.lab()
    view = lab.session(
        session,
        host=host,
        prompts=prompts,
        turn=turn,
        tail=tail,
        around=around,
        turns=turns,
        last_turns=last_turns,
        page=page,
        dead=dead,
    )
    if face.as_json:
        face.answer(view)
        return
    info = view.session
    click.echo(f"{bold(one_line(info.title or info.native_id))}  {dim(f'{info.host} · session {info.native_id}')}")
    if page is not None:
        lines = [(line.turn, show_time(line.timestamp, lab.zone), line.blocks, line.preview) for line in view.turns]
        table(("turn", f"time ({lab.zone})", "blocks", "preview"), lines, title=f"page {view.page} of {view.pages}")
        return
    shown: int | None = None
    for at, block in enumerate(view.blocks):
        if block.turn != shown:
            shown = block.turn
            when = f"{show_time(block.timestamp, lab.zone)} {lab.zone}" if block.timestamp else "undated"
            click.echo(bold(f"── turn {shown} · {when}"))
        click.echo(dim(f"{block.role} {block.kind} · {block.block_id}{'' if block.live else ' · dead branch'}"))
        click.echo(visible(block.text))
        _show_called(view, at, "called here")
    _show_called(view, None, "called elsewhere, or at a place that is not known")


def _show_called(view: SessionView, after: int | None, where: str) -> None:
    """Print the subagents that were called after a block of the view."""
    for called in view.called:
        if called.after == after:
            title = f": {one_line(called.session.title)}" if called.session.title else ""
            click.echo(dim(f"── subagent {called.session.native_id} · {where}{title}"))


@command("sources")
@click.option("--state", type=click.Choice(STATES), metavar="STATE", help="Only sources in this state.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(min=0), default=0)
def sources_(face: Face, state: str | None, limit: int, offset: int) -> None:
    """List the known transcripts and how far each is captured."""
    rows = [one for one in face.lab().sources() if state is None or one.state == state]
    shown = rows[offset : offset + limit]
    if face.as_json:
        face.answer({"total": len(rows), "sources": shown})
        return
    table(
        ("source", "host", "state", "bytes", "captured", "detail"),
        [(one.path, one.host, one.state, one.size, one.cursor, one.detail) for one in shown],
    )
    click.echo(dim(f"{len(shown)} of {count(len(rows), 'source')}"))


@command("config")
def config_(face: Face) -> None:
    """Show every setting, and where its value comes from.

    The last column says what can set it: settings.toml in the home, or an environment variable, which goes before the
    file.
    """
    settings = face.lab(create=True).settings
    rows = [
        (name, getattr(settings, name), settings.origins.get(name, "default"), settable(name))
        for name in settings.__struct_fields__
        if name != "origins"
    ]
    if face.as_json:
        face.answer({name: {"value": value, "origin": origin, "set_by": by} for name, value, origin, by in rows})
        return
    table(
        ("setting", "value", "from", "set by"),
        [(name, _setting(value), origin, ", ".join(by)) for name, value, origin, by in rows],
    )


def _setting(value: object) -> str | None:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(f"{one.path} ({one.machine})" if isinstance(one, Root) else str(one) for one in value) or None
    return None if value is None else str(value)
