"""``eval``: measures of search and redaction, how findable a history is, and the runs that were kept."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._commands import Commands, Entry
from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, table
from recall_lab.cli.analysis import notices
from recall_lab.times import show_time

_HERE, _HEADING = "recall_lab.cli.evaluation", "Measures"
eval_ = Commands(
    "eval",
    entries={
        "known-items": Entry(_HERE, _HEADING, "Say how findable your own history is, without judgments."),
        "redaction": Entry(_HERE, _HEADING, "Measure what the redaction finds and what it takes."),
        "retrieval": Entry(_HERE, _HEADING, "Measure how well search finds what it should."),
        "runs": Entry(_HERE, _HEADING, "List the evaluations that were kept, and what changed from run to run."),
    },
    help="Measure search and redaction on labelled data.",
    no_args_is_help=False,
)
_NO_KEEP = click.option("--no-keep", "keep", is_flag=True, flag_value=False, default=True, help="Do not keep the run.")


@command("retrieval")
@click.argument("folder", type=NamedPath())
@click.option(
    "--config", multiple=True, metavar="CONFIG", help="default, plain, semantic or hybrid, then changes: plain,b=0.4."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A change alone, such as near=0.2.")
@click.option("--against", multiple=True, metavar="CONFIG", help="Another to compare with, query by query.")
@_NO_KEEP
def retrieval_(
    face: Face,
    folder: Path,
    *,
    config: tuple[str, ...],
    settings: tuple[str, ...],
    against: tuple[str, ...],
    keep: bool,
) -> None:
    """Measure how well search finds what it should.

    FOLDER holds corpus.jsonl, queries.jsonl and qrels.tsv; it is captured into a temporary store.
    """
    from recall_lab.search import parse_config

    with notices(face):
        report = face.lab(create=True).evaluate_retrieval(
            folder,
            config=parse_config(",".join([*config, *settings])),
            against=parse_config(",".join(against)) if against else None,
            progress=face.progress,
            keep=keep,
        )
    if face.as_json:
        face.answer(report)
        return
    names = list(report.metrics)
    groups = {"all": report.metrics, **{stratum or "(none)": one for stratum, one in report.by_stratum.items()}}
    shown = [(group, *(_figure(values[name]) for name in names)) for group, values in groups.items()]
    table((f"{report.queries:,} queries", *names), shown)
    if report.comparison:
        click.echo()
        table(
            ("measure", "queries", "this", "against", "difference", "95% interval", "p", "p (Holm)"),
            [
                (
                    name,
                    f"{one.queries:,}",
                    _figure(one.mean),
                    _figure(one.against),
                    f"{one.difference:+.3f}",
                    f"{one.low:+.3f} to {one.high:+.3f}",
                    _figure(one.p),
                    _figure(one.p_holm),
                )
                for name, one in report.comparison.items()
            ],
        )
    click.echo(dim(f"a search takes {report.latency_ms.p50:.1f} ms (median), {report.latency_ms.p95:.1f} ms (95%)"))
    _echo_changes(report.since_last)


@command("known-items")
@click.option("--passages", type=click.IntRange(min=1), default=100, show_default=True, help="How many are drawn.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed draws the same passages.")
@_NO_KEEP
def known_items_(face: Face, *, passages: int, seed: int, keep: bool) -> None:
    """Say how findable your own history is, without judgments.

    Passages are drawn, queries are made from parts of each, and a query is answered when it leads back to its passage.
    """
    with notices(face):
        report = face.lab().known_items(passages=passages, seed=seed, progress=face.progress, keep=keep)
    if face.as_json:
        face.answer(report)
        return
    groups = {"all": report.all}
    for heading, found in (
        ("query", report.by_query), ("host", report.by_host), ("role", report.by_role), ("kind", report.by_kind)
    ):  # fmt: skip
        groups |= {f"{heading} {name}": one for name, one in found.items()}
    table(
        (f"{report.passages:,} passages", "queries", "first", "first ten", "mean of 1/rank"),
        [
            (name, f"{one.queries:,}", f"{one.found_1:.1%}", f"{one.found_10:.1%}", _figure(one.mrr))
            for name, one in groups.items()
        ],
    )
    _echo_changes(report.since_last)


@command("runs")
@click.option("--kind", type=click.Choice(["retrieval", "redaction", "known-items"]), help="Of this kind alone.")
@click.option("--name", metavar="NAME", help="Of this folder or file alone.")
def runs_(face: Face, *, kind: str | None, name: str | None) -> None:
    """List the evaluations that were kept, and what changed from run to run."""
    from recall_lab.evaluation.runs import changes

    lab = face.lab(create=True)
    runs = lab.evaluations(kind, name)
    if face.as_json:
        face.answer({"runs": runs, "zone": lab.zone})
        return
    rows = []
    for number, run in enumerate(runs):
        before = next((old for old in reversed(runs[:number]) if (old.kind, old.name) == (run.kind, run.name)), None)
        moved = changes(run, before) if before else {}
        shown = [f"{name} {_figure(value)}" + _moved(moved.get(name)) for name, value in run.metrics.items()]
        rows.append((show_time(run.at, lab.zone), run.kind, run.name, run.version, ", ".join(shown)))
    table((f"at ({lab.zone})", "kind", "name", "version", "measures"), rows)


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _moved(by: float | None) -> str:
    return f" ({by:+.3f})" if by else ""


def _echo_changes(moved: dict[str, float]) -> None:
    """Say what changed since the last run that was kept."""
    if moved:
        told = ", ".join(f"{name} {by:+.3f}" for name, by in moved.items() if abs(by) >= 0.0005)
        click.echo(dim(f"since the last run: {told or 'no change'}"))


@command("redaction")
@click.argument("file", type=NamedPath())
@_NO_KEEP
def redaction_(face: Face, file: Path, *, keep: bool) -> None:
    """Measure what the redaction finds and what it takes.

    FILE is labelled JSON Lines: text, spans, kind, label. Misses are told by kind and shape, never by value.
    """
    with notices(face):
        report = face.lab(create=True).evaluate_redaction(file, keep=keep)
    if face.as_json:
        face.answer(report)
        return
    for name in ("recall", "precision", "f1", "over_redaction", "benign_hit_rate"):
        value = getattr(report, name)
        click.echo(f"{name.replace('_', ' '):<16} {'-' if value is None else f'{value:.4f}'}")
    click.echo(f"{'speed':<16} {report.mb_per_s:.1f} MB/s over {report.rows:,} rows with {report.secrets:,} secrets")
    table(("kind", "found", "of"), [(kind, one.found, one.total) for kind, one in report.by_kind.items()])
