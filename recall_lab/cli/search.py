"""``search``: hits with their highlighted passages, receipts and WHY."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recall_lab.cli._frame import Face, command, text_argument
from recall_lab.cli._terminal import bold, dim, highlighted
from recall_lab.display import hit_place, one_line, why_words
from recall_lab.hits import Hits
from recall_lab.model import Hit


@command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--since", metavar="TIME", help="2026-05-01, 'yesterday 3pm', 'last 48h' (in your zone).")
@click.option("--until", metavar="TIME", help="Likewise; a day is included.")
@click.option("--host", multiple=True, metavar="NAME", help="claude-code, codex; may be repeated, as the next ones.")
@click.option("--role", multiple=True, metavar="ROLE", help="user, assistant, tool, host (all but host when left out).")
@click.option("--kind", multiple=True, metavar="KIND", help="text, tool_use, tool_result, summary.")
@click.option("--tool", multiple=True, metavar="NAME", help="A tool's name.")
@click.option("--branch", multiple=True, metavar="NAME", help="A git branch.")
@click.option("--session", multiple=True, metavar="ID", help="A session's id, or its beginning.")
@click.option("--model", multiple=True, metavar="NAME", help="A model's name.")
@click.option("--cwd", type=click.Path(path_type=Path), metavar="DIR", help="What happened in this folder or below.")
@click.option("--project", metavar="TEXT", help="Part of a repository's or folder's name.")
@click.option("--has-error", is_flag=True, help="Only what failed.")
@click.option(
    "--scope", type=click.Choice(["session", "repo", "all"]), help="Where to look [repo inside one, else all]."
)
@click.option("--limit", type=int, default=10, show_default=True, help="At most so many hits, up to 1,000.")
@click.option("--offset", type=int, default=0, help="Skip so many.")
@click.option("--require-all", is_flag=True, help="A hit must hold every word.")
@click.option("--half-life", "half_life_days", type=float, metavar="DAYS", help="How fast age counts; 0 leaves it out.")
@click.option(
    "--mode",
    type=click.Choice(["lexical", "semantic", "hybrid"]),
    help="By words [default], by meaning, or by both; see `recall-lab semantic`.",
)
def search_(face: Face, query: tuple[str, ...], **wish: Any) -> None:
    """Find passages, best first, each with WHY and its receipt."""
    words = " ".join(text_argument(word) for word in query)
    hits = face.lab().search(words, **wish)
    if face.as_json:
        face.answer(hits.answer)
        return
    show_hits(hits, face.lab().zone)


def show_hits(hits: Hits, zone: str) -> None:
    """Print hits for a person; times are in ``zone``."""
    for number, hit in enumerate(hits.answer.hits, 1):
        _show_hit(number, hit, zone)
    click.echo(dim(hits.heading()) + (dim(f" Times are {zone}.") if hits else ""))


def _show_hit(number: int, hit: Hit, zone: str) -> None:
    title = bold(one_line(hit.title)) + "  " if hit.title else ""
    click.echo(f"{number}. {title}{dim(' · '.join(hit_place(hit, zone)))}")
    for line in highlighted(hit.text.strip("\n"), hit.spans, hit.start + _leading(hit.text)).splitlines():
        click.echo(f"   {line}")
    click.echo(dim(f"   why: {'; '.join(why_words(hit.why))}"))
    click.echo(dim(f"   {hit.receipt}"))
    click.echo()


def _leading(text: str) -> int:
    """How many newlines a passage begins with."""
    return len(text) - len(text.lstrip("\n"))
