"""``mirror``, ``sql``: the store as DuckDB."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, table
from recall_lab.display import count
from recall_lab.errors import UsageError
from recall_lab.glance import key_name

if TYPE_CHECKING:
    from recall_lab.analysis import Table
    from recall_lab.lab import Lab
    from recall_lab.model import UsageFilters

MOST_ROWS = 200  # printed for a person; --json prints all


@command("mirror")
@click.option("--full", is_flag=True, help="Build it from nothing.")
@click.option("--check", is_flag=True, help="Compare it with the store instead; exits 1 when they differ.")
def mirror_(face: Face, *, full: bool, check: bool) -> int:
    """Bring the DuckDB mirror up to date."""
    if check:
        return _compare(face)
    done = face.lab().refresh(full=full, progress=face.progress)
    if face.as_json:
        face.answer(done)
    elif done.built:
        click.echo(
            f"generation {done.generation}: {count(done.sessions, 'session')} mirrored, {done.removed:,} removed, "
            f"in {done.seconds:.1f} s"
        )
    else:
        click.echo(f"generation {done.generation} is up to date")
    return 0


def _compare(face: Face) -> int:
    found = face.lab().check_mirror()
    if face.as_json:
        face.answer(found)
    else:
        rows = [(name, one.store, one.mirror, one.equal) for name, one in found.tables.items()]
        table(("table", "store", "mirror", "equal"), rows)
        click.echo("the mirror equals the store" if found.equal else "they differ; `recall-lab mirror` updates it")
    return 0 if found.equal else 1


def narrowed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the filters of usage as options."""
    for option in reversed(
        (
            click.option("--since", metavar="TIME", help="2026-05-01, 'yesterday 3pm', 'last 30 days' (in the zone)."),
            click.option("--until", metavar="TIME", help="Likewise; a day is included."),
            click.option("--host", metavar="NAME", help="A host as `usage --by host` names it."),
            click.option("--repo", metavar="KEY", help="A repository as `usage --by repo` names it."),
            click.option("--model", metavar="NAME", help="A model as `usage --by model` names it."),
        )
    ):
        function = option(function)
    return function


@command("usage")
@click.option(
    "--by",
    type=click.Choice(["day", "model", "repo", "host", "branch", "session"]),
    default="day",
    show_default=True,
)
@narrowed
@click.option("--zone", metavar="NAME", help="IANA zone of the days; yours when left out.")
def usage_(face: Face, by: str, zone: str | None, **filters: Unpack[UsageFilters]) -> None:
    """Add up tokens and cost, each model call once."""
    with notices(face):
        report = face.lab().usage(by, zone=zone, **filters)
    if not report.total.calls:
        _say_where_usage_is(face, zone, filters)
    if face.as_json:
        face.answer(report)
        return
    keys = ("calls", "input", "output", "cache read", "cache write 5m", "cache write 1h", "cost (USD)", "unpriced")
    rows = [
        (
            key_name(by, row.key),
            row.calls,
            row.input_tokens,
            row.output_tokens,
            row.cache_read_tokens,
            row.cache_write_5m_tokens,
            row.cache_write_1h_tokens,
            row.cost_usd,
            row.unpriced_calls,
        )
        for row in (*report.rows, report.total)
    ]
    table((f"day ({report.zone})" if by == "day" else by, *keys), rows)
    prices = report.price_catalogue
    click.echo(dim(f"Prices: {prices.name} {prices.version} of {prices.date}. Input is without cache."))
    if report.unpriced_models:
        click.echo(dim(f"Without a price, so not in the cost: {', '.join(report.unpriced_models)}."))


def _say_where_usage_is(face: Face, zone: str | None, filters: UsageFilters) -> None:
    """Where nothing was counted, say which days hold model calls of the same host, repository and model."""
    ever: UsageFilters = {**filters, "since": None, "until": None}
    found = face.lab().usage("day", zone=zone, **ever)
    days = sorted(row.key for row in found.rows if row.key)
    if days:
        face.note(
            f"note: no model call is in this span; the first is of {days[0]}, the last of {days[-1]} ({found.zone})"
        )
    elif any(ever.values()):
        face.note("note: no model call fits; leave --host, --repo or --model out")
    else:
        face.note("note: no model call is captured yet; run `recall-lab index`")


@command("sql")
@click.argument("text", required=False)
@click.option("-f", "--file", type=NamedPath(), metavar="FILE", help="Read the SQL from a file.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=60,
    show_default=True,
    help="Stop after so long without an answer; 0 waits for as long as it takes.",
)
def sql_(face: Face, text: str | None, file: Path | None, time_limit: float) -> None:
    """Ask the mirror in DuckDB SQL.

    TEXT is the SQL, or - to read it from standard input. Nothing outside the mirror can be reached. Ctrl-C ends it.
    """
    if (text is None) == (file is None):
        raise UsageError("give the SQL as an argument, as --file FILE, or - for standard input")
    try:
        asked = file.read_text(encoding="utf-8") if file else sys.stdin.read() if text == "-" else text
    except UnicodeDecodeError as error:
        name = file or "standard input"
        raise UsageError(f"{name}: not UTF-8 text (byte {error.start}); save it as UTF-8 and run it again") from error
    assert asked is not None
    with notices(face):
        found = face.lab().records(asked, seconds=time_limit)
    show(face, found)


@command("query", context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False)
@click.option("--param", "-p", "params", nargs=2, multiple=True, metavar="NAME VALUE", help="As --NAME VALUE.")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def query_(face: Face, name: str | None, params: tuple[tuple[str, str], ...], rest: tuple[str, ...]) -> None:
    """Run a named query, or list them all.

    Parameters of the query are given as --NAME VALUE.
    """
    lab = face.lab(create=name is None)
    if name is None:
        _list_queries(face, lab)
        return
    with notices(face):
        found = lab.query_records(name, **{**dict(params), **_parameters(name, rest)})
    show(face, found, name=name)


def _list_queries(face: Face, lab: Lab) -> None:
    catalogue = lab.queries
    for problem in catalogue.unusable:
        face.note(f"note: left out: {problem}")
    queries = list(catalogue)
    if face.as_json:
        listed = [
            {"name": one.name, "title": one.title, "description": one.description, "parameters": one.parameters}
            for one in queries
        ]
        face.answer({"queries": listed})
        return
    rows = [(one.name, one.title, " ".join(f"--{parameter.name}" for parameter in one.parameters)) for one in queries]
    table(("query", "title", "parameters"), rows)


def _parameters(name: str, rest: tuple[str, ...]) -> dict[str, str]:
    """Read ``--host codex --limit=5`` into names and values.

    Raises:
        UsageError: a word is no parameter, or has no value.
    """
    found: dict[str, str] = {}
    words = list(rest)
    while words:
        word = words.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise UsageError(f"{word!r} is no parameter; write --NAME VALUE, and `recall-lab query` lists them")
        if not equals:
            if not words:
                raise UsageError(f"--{key} has no value; write --{key} VALUE after `recall-lab query {name}`")
            value = words.pop(0)
        found[key.replace("-", "_")] = value
    return found


@contextmanager
def notices(face: Face) -> Iterator[None]:
    """Turn warnings of the Lab into notices on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        face.note(f"note: {warning.message}")


def show(face: Face, found: Table, **more: object) -> None:
    """Print rows: as JSON all of them, for a person the first."""
    columns, rows = _told_apart(found[0]), found[1]
    if face.as_json:
        face.answer({**more, "rows": [dict(zip(columns, row, strict=True)) for row in rows]})
        return
    table(columns, rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        click.echo(dim(f"the first {MOST_ROWS:,} of {count(len(rows), 'row')}; --json prints all"))


def _told_apart(columns: Sequence[str]) -> list[str]:
    """Names for columns, so that none hides another: the second ``a`` is ``a_2``."""
    seen: Counter[str] = Counter()
    names = []
    for column in columns:
        seen[column] += 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names
