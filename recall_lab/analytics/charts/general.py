"""Bars for any frame with a name and a number, as a named query's head can ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.analytics.charts.marks import horizontal_bars, labelled, nothing, titled, tooltip

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


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
    more = f"the first {len(rows)} of {len(frame):,}" if len(frame) > len(rows) else f"{len(frame):,} in all"
    return titled(chart, title, more)
