"""``search``: hits with their highlighted passages, receipts and WHY."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import bold, dim, highlighted, table
from recall_lab.display import hit_place, one_line, visible, why_words
from recall_lab.errors import NoStoreError, UsageError
from recall_lab.hits import Hits
from recall_lab.model import Answer, Hit

if TYPE_CHECKING:
    from recall_lab.lab import Lab
    from recall_lab.search import Explanation

_FILTERS: Final = (
    "since", "until", "host", "role", "kind", "tool", "branch", "session", "model", "cwd", "project", "has_error",
)  # fmt: skip


@command("search")
@click.argument("query", nargs=-1)
@click.option("--since", metavar="TIME", help="2026-05-01, 'yesterday 3pm', 'last 48h' (in your zone).")
@click.option("--until", metavar="TIME", help="Likewise; a day is included.")
@click.option("--host", multiple=True, metavar="NAME", help="claude-code, codex; may be repeated, as the next ones.")
@click.option("--role", multiple=True, metavar="ROLE", help="user, assistant, tool, host (all but host when left out).")
@click.option("--kind", multiple=True, metavar="KIND", help="text, tool_use, tool_result, summary.")
@click.option("--tool", multiple=True, metavar="NAME", help="A tool's name.")
@click.option("--branch", multiple=True, metavar="NAME", help="A git branch.")
@click.option("--session", multiple=True, metavar="ID", help="A session's id, or its beginning.")
@click.option("--model", multiple=True, metavar="NAME", help="A model's name.")
@click.option("--cwd", type=NamedPath(), metavar="DIR", help="What happened in this folder or below.")
@click.option("--project", metavar="TEXT", help="Part of a repository's or folder's name.")
@click.option("--has-error", is_flag=True, help="Only what failed.")
@click.option(
    "--scope", type=click.Choice(["session", "repo", "all"]), help="Where to look [repo inside one, else all]."
)
@click.option("--limit", type=int, default=10, show_default=True, help="At most so many hits, up to 1,000.")
@click.option("--offset", type=int, default=0, help="Skip so many.")
@click.option("--require-all", is_flag=True, help="A hit must hold every word.")
@click.option(
    "--half-life",
    "half_life_days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="How fast age counts; 0 leaves it out.",
)
@click.option(
    "--mode",
    type=click.Choice(["lexical", "semantic", "hybrid"]),
    help="By words [default], by meaning, or by both; see `recall-lab semantic`.",
)
@click.option("--prefer", multiple=True, metavar="NAME", help="Roles and kinds that come first among equals.")
@click.option("--explain", is_flag=True, help="How the query was read, and what each score is made of.")
@click.option("--like", metavar="RECEIPT|BLOCK", help="Passages like this one, in the place of a query.")
def search_(face: Face, query: tuple[str, ...], *, explain: bool, like: str | None, **wish: Any) -> None:
    """Find passages, best first, each with WHY and its receipt."""
    words = " ".join(query)
    lab = _lab(face, like)
    if like is not None:
        if words:
            raise UsageError("--like takes the place of a query; leave the words out")
        named = {name: wish[name] for name in ("since", "until", "host", "role", "kind", "project", "limit")}
        hits, words = lab.more_like(like, **named), ""
    else:
        if not query:
            raise UsageError("search for what? type some words, or --like with a receipt")
        hits = lab.search(words, **wish)
    how = None
    if explain and not hits.answer.cold:
        filters = {name: wish[name] for name in _FILTERS}
        how = lab.explain(hits.answer.query, half_life_days=wish["half_life_days"], **filters)
    if face.as_json:
        face.answer({**_fields(hits.answer), "explanation": how} if how else hits.answer)
        return
    if how:
        _show_reading(how)
    show_hits(hits, lab.zone, parts=explain)


def _lab(face: Face, like: str | None) -> Lab:
    """The Lab; before there is an index, one that looks through raw transcripts."""
    try:
        return face.lab()
    except NoStoreError:
        if like is not None:
            raise
        return face.lab(create=True)


def _fields(record: Answer) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def _show_reading(how: Explanation) -> None:
    """Print what a query was read as: what counts, the weightiest first."""
    table(
        ("looked for as", "what", "terms", "blocks", "idf", "share"),
        [
            (part.kind, part.label, " ".join(part.terms), f"{part.blocks:,}", f"{part.idf:.2f}", f"{part.share:.0%}")
            for part in how.parts
        ],
    )
    for words, said in ((how.dropped, "left out, as words that only make a question"), (how.excluded, "excluded")):
        if words:
            click.echo(dim(f"{said}: {visible(', '.join(words))}"))
    if len(how.alternatives) > 1:
        sides = (" ".join(how.clauses[n].text for n in side) for side in how.alternatives)
        click.echo(dim(f"either: {visible(' | '.join(sides))}"))
    click.echo()


def show_hits(hits: Hits, zone: str, *, parts: bool = False) -> None:
    """Print hits for a person; times are in ``zone``; ``parts`` says what each score is made of."""
    for number, hit in enumerate(hits.answer.hits, 1):
        _show_hit(number, hit, zone, parts=parts)
    click.echo(dim(hits.heading()) + (dim(f" Times are {zone}.") if hits else ""))


def _show_hit(number: int, hit: Hit, zone: str, *, parts: bool) -> None:
    title = bold(one_line(hit.title)) + "  " if hit.title else ""
    click.echo(f"{number}. {title}{dim(' · '.join(hit_place(hit, zone)))}")
    for line in highlighted(hit.text.strip("\n"), hit.spans, hit.start + _leading(hit.text)).splitlines():
        click.echo(f"   {line}")
    click.echo(dim(f"   why: {'; '.join(why_words(hit.why))}"))
    if parts:
        made = ", ".join(f"{name} {value:.3f}" for name, value in hit.why.parts.items())
        click.echo(
            dim(f"   score {hit.score:.3f} ({hit.why.tier}): {made}; covers {hit.why.coverage:.0%} of the query")
        )
    click.echo(dim(f"   {hit.receipt}"))
    click.echo()


def _leading(text: str) -> int:
    """How many newlines a passage begins with."""
    return len(text) - len(text.lstrip("\n"))
