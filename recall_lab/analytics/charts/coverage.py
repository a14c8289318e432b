"""Charts of what was read of the transcripts, what was taken out, and recall_lab's own use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from recall_lab.analytics.charts.marks import (
    NONE,
    WIDTH,
    horizontal_bars,
    in_periods,
    labelled,
    many,
    measure,
    nothing,
    short,
    time_axis,
    titled,
    tooltip,
)
from recall_lab.analytics.theme import DISPOSITION_COLOURS, colours_of, theme_of

OTHERS = "others"  # what stands for the rarer categories of a chart

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def coverage_by_source(
    frame: pd.DataFrame, *, theme: str = "light", title: str = "Coverage by source", of: str = "source"
) -> alt.TopLevelMixin:
    """What became of the bytes: of all sources together, then of the largest ones.

    Args:
        frame: source, state, size and a column of bytes for each disposition and ``unread``.
        theme: light or dark.
        title: The chart's title.
        of: What a row is.
    """
    import altair as alt

    if frame.empty:
        return nothing(title, "No source has been captured yet.", theme)
    parts = [name for name in DISPOSITION_COLOURS if name in frame]
    colours = {name: colour for name, colour in theme_of(theme).named(DISPOSITION_COLOURS).items() if name in parts}
    whole = frame[parts].sum().rename("bytes").rename_axis("disposition").reset_index().assign(label=f"all {of}s")
    whole = _placed(whole.assign(share=whole["bytes"] / max(whole["bytes"].sum(), 1)), parts)
    used = {name: colour for name, colour in colours.items() if frame[name].sum() > 0} or colours
    tips = [
        tooltip("disposition", "Disposition"),
        tooltip("bytes", "Bytes", "bytes"),
        tooltip("share", "Share", "share"),
    ]
    summary = horizontal_bars(
        whole,
        value="share",
        title="Share of all bytes",
        unit="share",
        most=1.0,
        tooltips=tips,
        colours=used,
        series="disposition",
    )
    largest = frame.head(20).drop(columns="bytes", errors="ignore")
    largest = labelled(largest.assign(name=[_name(row) for row in largest.to_dict("records")]), "name")
    long = largest.melt(
        id_vars=["label", "source", "state"], value_vars=parts, var_name="disposition", value_name="bytes"
    )
    long = _placed(long[long["bytes"] > 0], parts)
    each = horizontal_bars(
        long,
        value="bytes",
        title="Bytes",
        unit="bytes",
        tooltips=[tooltip("source", "Source"), tooltip("state", "State"), *tips[:2]],
        colours=used,
        series="disposition",
    )
    sizes, states = int(frame[parts].sum().sum()), frame["state"].value_counts()
    told = ", ".join(f"{count:,} {str(state).replace('_', ' ')}" for state, count in states.items())
    more = f"; the {len(largest)} largest are shown" if len(frame) > len(largest) else ""
    both = alt.vconcat(summary, each, spacing=16).resolve_scale(color="shared")
    return titled(both, title, f"{many(len(frame), of)}, {_megabytes(sizes)}: {told}{more}")


def ledger_by_type(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """The record types that take the most bytes, by what became of them.

    Args:
        frame: record_type, disposition, records, bytes; host where there are several.
        theme: light or dark.
    """
    title = "Ledger by record type"
    if frame.empty:
        return nothing(title, "No record has been read yet.", theme)
    rows = frame.groupby(["record_type", "disposition"], as_index=False)[["records", "bytes"]].sum()
    sizes = rows.groupby("record_type")["bytes"].sum().sort_values(ascending=False)
    shown = list(sizes.head(25).index)
    labels = {name: short(name) for name in shown}
    rows = rows[rows["record_type"].isin(shown)].assign(label=lambda some: some["record_type"].map(labels))
    rows["order"] = rows["record_type"].map({name: place for place, name in enumerate(shown)})
    present = set(rows["disposition"])
    colours = {name: colour for name, colour in theme_of(theme).named(DISPOSITION_COLOURS).items() if name in present}
    chart = horizontal_bars(
        _placed(rows.sort_values("order"), list(colours)),
        value="bytes",
        title="Bytes",
        unit="bytes",
        tooltips=[
            tooltip("record_type", "Type"),
            tooltip("disposition", "Disposition"),
            tooltip("records", "Records", "count"),
            tooltip("bytes", "Bytes", "bytes"),
        ],
        colours=colours,
        series="disposition",
    )
    more = f", the {len(shown)} largest shown" if len(sizes) > len(shown) else ""
    subtitle = (
        f"{many(len(sizes), 'type')}{more}; {many(frame['records'].sum(), 'record')}, {_megabytes(int(sizes.sum()))}"
    )
    return titled(chart, title, subtitle)


def redactions_by_kind(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """How many spans of each kind were taken out of the kept texts.

    Args:
        frame: kind, spans, blocks, sessions.
        theme: light or dark.
    """
    title = "Redactions by kind"
    if frame.empty:
        return nothing(title, "Nothing has been taken out of the kept texts.", theme)
    chart = horizontal_bars(
        labelled(frame.head(30), "kind"),
        value="spans",
        title="Spans taken out",
        unit="count",
        tooltips=[
            tooltip("label", "Kind"),
            tooltip("spans", "Spans", "count"),
            tooltip("blocks", "Blocks", "count"),
            tooltip("sessions", "Sessions", "count"),
        ],
    )
    subtitle = f"{many(frame['spans'].sum(), 'span')} of {many(len(frame), 'kind')}; their values are kept nowhere"
    return titled(chart, title, subtitle)


def own_activity(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """How often recall_lab itself was used, by day and command.

    Args:
        frame: day, command, uses.
        theme: light or dark.
    """
    return over_time(
        frame,
        theme=theme,
        value="uses",
        series="command",
        title="recall_lab's own use",
        empty="No use of recall_lab has been noted.",
    )


def over_time(
    frame: pd.DataFrame,
    *,
    theme: str = "light",
    day: str = "day",
    value: str,
    series: str | None = None,
    title: str,
    unit: str = "count",
    called: str | None = None,
    empty: str = "Nothing in this time.",
) -> alt.TopLevelMixin:
    """Return stacked bars over time.

    Args:
        frame: A day, a number, and perhaps a category.
        theme: light or dark.
        day: Column of the day.
        value: Column of the number, which adds up.
        series: Column of the category that colours the bars; the eighth and rarer ones are shown as one.
        title: The chart's title.
        unit: usd, tokens, bytes, count, seconds or share.
        called: What the number is called; else the column's name.
        empty: What an empty chart says.
    """
    import altair as alt

    if frame.empty or frame[day].isna().all():
        return nothing(title, empty, theme)
    by: list[str] = []
    if series is not None:
        by = [series]
        frame = frame.assign(**{series: _most(frame, series, value)})
        frame = frame.groupby([day, series], as_index=False, dropna=False)[[value]].sum(min_count=1)
    dated, period = in_periods(frame, day, [value], by)
    shown_name = (called or value).replace("_", " ").capitalize()
    chart = (
        alt.Chart(dated)
        .mark_bar(orient="vertical")
        .encode(
            **time_axis(dated),
            y=alt.Y(**measure(value, shown_name, unit, stack="zero")),
            tooltip=[
                tooltip("when", period.capitalize()),
                *([tooltip(series, series.replace("_", " ").capitalize())] if series else []),
                tooltip(value, shown_name, unit),
            ],
        )
    )
    if series is not None:
        order = list(dated.groupby(series)[value].sum().sort_values(ascending=False).index)
        order = [name for name in order if name != OTHERS]
        shades = colours_of(order, theme)
        if (dated[series] == OTHERS).any():
            order, shades = [*order, OTHERS], [*shades, theme_of(theme).grey]
        shown = alt.Scale(domain=order, range=shades)
        chart = chart.encode(
            color=alt.Color(field=series, type="nominal", scale=shown, legend=alt.Legend(title=None, columns=4))
        )
    return titled(chart, title, f"by {period}", width=WIDTH, height=220)


def _name(row: Mapping[Any, Any]) -> str:
    """The repository's and the session's short names; a file's name where nothing more is known."""
    repo, session = row.get("repo"), row.get("session")
    if not isinstance(session, str):
        return PurePath(row["source"]).name
    folder = PurePath(repo).name if isinstance(repo, str) else NONE
    parent, _, agent = session.partition("/")
    return f"{short(folder, 22)} {parent[:8]}" + (f"/{agent[:8]}" if agent else "")


def _most(frame: pd.DataFrame, series: str, value: str) -> list[str]:
    names = frame[series].map(short)
    sums = frame[value].groupby(names).sum().sort_values(ascending=False)
    kept = set(sums.index if len(sums) <= 8 else sums.index[:7])
    return [name if name in kept else OTHERS for name in names]


def _placed(rows: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    return rows.assign(place=rows["disposition"].map({name: place for place, name in enumerate(order)}))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size:,} bytes"
