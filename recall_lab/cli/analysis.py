"""``mirror``, ``sql``: the store as DuckDB."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import count, dim, table
from recall_lab.errors import UsageError

if TYPE_CHECKING:
    from recall_lab.lab import Lab, Table

MOST_ROWS = 200  # printed for a person; --json prints all


@command("mirror")
@click.option("--full", is_flag=True, help="Build it from nothing.")
def mirror_(face: Face, *, full: bool) -> int:
    """Bring the DuckDB mirror up to date."""
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


@command("sql")
@click.argument("text", required=False)
@click.option("-f", "--file", type=click.Path(path_type=Path), metavar="FILE", help="Read the SQL from a file.")
def sql_(face: Face, text: str | None, file: Path | None) -> None:
    """Ask the mirror in DuckDB SQL.

    TEXT is the SQL, or - to read it from standard input. Nothing outside the mirror can be reached.
    """
    if (text is None) == (file is None):
        raise UsageError("give the SQL as an argument, as --file FILE, or - for standard input")
    asked = file.read_text(encoding="utf-8") if file else sys.stdin.read() if text == "-" else text
    assert asked is not None
    with notices(face):
        found = face.lab().records(asked)
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
    queries = list(lab.queries)
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
