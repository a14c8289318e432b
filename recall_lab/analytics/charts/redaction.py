"""How well redaction works, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.analytics.charts.marks import ROW, WIDTH, nothing, scale_axis, titled, tooltip

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

_MOST = 40


def found_by_kind(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """Return the share of secrets that were found, a dot for each kind on its 95% interval, the lowest first.

    Args:
        frame: kind, found, secrets, recall, low, high; shares from 0 to 1.
        theme: light or dark.
    """
    import altair as alt

    title = "Secrets found, by kind"
    rows = frame.dropna(subset=["recall"]).sort_values(["recall", "secrets", "kind"], ascending=[True, False, True])
    if rows.empty:
        return nothing(title, "No row of the file holds a secret.", theme)
    shown = rows.head(_MOST)
    order = list(shown["kind"])
    base = alt.Chart(shown[["kind", "found", "secrets", "recall", "low", "high"]]).encode(
        y=alt.Y(field="kind", type="nominal", sort=order, axis=alt.Axis(title=None)),
        tooltip=[
            tooltip("kind", "Kind"),
            tooltip("found", "Found", "count"),
            tooltip("secrets", "Secrets", "count"),
            tooltip("recall", "Share found", "share"),
            tooltip("low", "At least", "share"),
            tooltip("high", "At most", "share"),
        ],
    )
    share = alt.Scale(domain=[0, 1])
    interval = base.mark_rule(strokeWidth=2, opacity=0.45).encode(
        x=alt.X(
            field="low", type="quantitative", title="Share found (95% interval)", scale=share, axis=scale_axis("share")
        ),
        x2=alt.X2(field="high"),
    )
    dots = base.mark_circle(size=55, opacity=1).encode(x=alt.X(field="recall", type="quantitative", scale=share))
    chart = alt.layer(interval, dots)
    more = f"the lowest {len(shown)} of {len(rows):,} kinds" if len(rows) > len(shown) else f"{len(rows):,} kinds"
    return titled(chart, title, more, width=WIDTH - 220, height=len(order) * ROW)
