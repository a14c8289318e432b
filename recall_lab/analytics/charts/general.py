"""Bars for any frame with a name and a number, as a named query's head can ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.analytics.charts.marks import (
    WIDTH,
    horizontal_bars,
    labelled,
    nothing,
    scale_axis,
    short,
    titled,
    tooltip,
)
from recall_lab.analytics.theme import colours_of

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def rate_over_time(
    frame: pd.DataFrame,
    *,
    theme: str = "light",
    day: str = "day",
    value: str,
    series: str,
    title: str,
    called: str,
    empty: str = "Nothing in this time.",
) -> alt.TopLevelMixin:
    """Return lines of a share (0 to 1) over time, a point for each day.

    Args:
        frame: A day, a share and a category.
        theme: light or dark.
        day: Column of the day.
        value: Column of the share.
        series: Column of the category.
        title: The chart's title.
        called: What the share is a share of.
        empty: What an empty chart says.
    """
    import altair as alt
    import pandas as pd

    rows = frame.dropna(subset=[day, value])
    if rows.empty:
        return nothing(title, empty, theme)
    rows = rows.assign(when=pd.to_datetime(rows[day]).dt.strftime("%a %-d %b %Y"))
    rows[day], rows[series] = pd.to_datetime(rows[day]), rows[series].map(short)
    names = sorted(set(rows[series]))
    shades = alt.Scale(domain=names, range=colours_of(names, theme))
    base = alt.Chart(rows[[day, "when", value, series]]).encode(
        x=alt.X(field=day, type="temporal", axis=alt.Axis(title=None, format="%-d %b %y", labelOverlap=True)),
        y=alt.Y(
            field=value, type="quantitative", title=called, scale=alt.Scale(domain=[0, 1]), axis=scale_axis("share")
        ),
        color=alt.Color(
            field=series,
            type="nominal",
            scale=shades,
            legend=alt.Legend(title=None),
        ),
        tooltip=[tooltip("when", "Day"), tooltip(series, series.capitalize()), tooltip(value, called, "share")],
    )
    both = alt.layer(base.mark_line(opacity=0.5), base.mark_circle(size=36, opacity=1))
    return titled(both, title, width=WIDTH, height=220)


def bars(
    frame: pd.DataFrame,
    *,
    theme: str = "light",
    name: str,
    value: str,
    title: str,
    unit: str = "count",
    called: str | None = None,
    empty: str = "Nothing to show.",
) -> alt.TopLevelMixin:
    """Return horizontal bars in the frame's order, at most 30.

    Args:
        frame: A name and a number.
        theme: light or dark.
        name: Column of the name.
        value: Column of the number.
        title: The chart's title.
        unit: usd, tokens, bytes, count, seconds or share.
        called: What the number is called; else the column's name.
        empty: What an empty chart says.
    """
    frame = frame.dropna(subset=[value])
    if frame.empty:
        return nothing(title, empty, theme)
    shown = called or value.removesuffix(f"_{unit}").replace("_", " ").capitalize()
    rows = labelled(frame.head(30), name).assign(whole=lambda some: some[name].map(str))
    chart = horizontal_bars(
        rows[["label", "whole", value]],
        value=value,
        title=shown,
        unit=unit,
        tooltips=[tooltip("whole", name.replace("_", " ").capitalize()), tooltip(value, shown, unit)],
    )
    more = f"the first {len(rows)} of {len(frame):,}" if len(frame) > len(rows) else f"{len(frame):,} shown"
    return titled(chart, title, more)
