"""``eval retrieval``: measures on a benchmark folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall_lab.cli._commands import Commands, Entry
from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import dim, table
from recall_lab.errors import UsageError

if TYPE_CHECKING:
    from recall_lab.search import SearchConfig

_HERE, _HEADING = "recall_lab.cli.evaluation", "Measures"
eval_ = Commands(
    "eval",
    entries={
        "redaction": Entry(_HERE, _HEADING, "Measure what the redaction finds and what it takes."),
        "retrieval": Entry(_HERE, _HEADING, "Measure how well search finds what it should."),
    },
    help="Measure search and redaction on labelled data.",
    no_args_is_help=False,
)


@command("retrieval")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of search, such as near=0.2.")
@click.option("--against", multiple=True, metavar="NAME=VALUE", help="A setting to compare with, query by query.")
def retrieval_(face: Face, folder: Path, *, settings: tuple[str, ...], against: tuple[str, ...]) -> None:
    """Measure how well search finds what it should.

    FOLDER holds corpus.jsonl, queries.jsonl and qrels.tsv; it is captured into a temporary store.
    """
    other = configured(against) if against else None
    report = face.lab(create=True).evaluate_retrieval(
        folder, config=configured(settings), against=other, progress=face.progress
    )
    if face.as_json:
        face.answer(report)
        return
    names = list(report.metrics)
    rows = [("all", *(report.metrics[name] for name in names))]
    rows += [(stratum or "(none)", *(values[name] for name in names)) for stratum, values in report.by_stratum.items()]
    shown = [(name, *(None if value is None else f"{value:.3f}" for value in values)) for name, *values in rows]
    table((f"{report.queries:,} queries", *names), shown)
    click.echo(dim(f"a search takes {report.latency_ms.p50:.1f} ms (median), {report.latency_ms.p95:.1f} ms (95%)"))
    for name, one in report.comparison.items():
        click.echo(f"{name}: {one}")


@command("redaction")
@click.argument("file", type=click.Path(path_type=Path))
def redaction_(face: Face, file: Path) -> None:
    """Measure what the redaction finds and what it takes.

    FILE is labelled JSON Lines: text, spans, kind, label. Misses are told by kind and shape, never by value.
    """
    report = face.lab(create=True).evaluate_redaction(file)
    if face.as_json:
        face.answer(report)
        return
    for name in ("recall", "precision", "f1", "over_redaction", "benign_hit_rate"):
        value = getattr(report, name)
        click.echo(f"{name.replace('_', ' '):<16} {'-' if value is None else f'{value:.4f}'}")
    click.echo(f"{'speed':<16} {report.mb_per_s:.1f} MB/s over {report.rows:,} rows with {report.secrets:,} secrets")
    table(("kind", "found", "of"), [(kind, one.found, one.total) for kind, one in report.by_kind.items()])


def configured(typed: tuple[str, ...]) -> SearchConfig:
    """A configuration of search from ``name=value`` words.

    Raises:
        UsageError: there is no such setting, or the value does not fit.
    """
    import msgspec

    from recall_lab.search import SearchConfig

    values = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if name not in SearchConfig.__struct_fields__ or not equals:
            raise UsageError(f"{word!r} is no setting of search; use {', '.join(SearchConfig.__struct_fields__)}")
        values[name] = value
    try:
        return msgspec.convert(values, SearchConfig, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"a setting of search does not fit: {error}") from error
