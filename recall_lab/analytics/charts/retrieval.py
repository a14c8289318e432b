"""How well search finds: a measure by stratum and configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.analytics.charts.marks import nothing, scale_axis, short, titled, tooltip
from recall_lab.analytics.theme import colours_of, theme_of

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def retrieval_by_stratum(
    frame: pd.DataFrame,
    *,
    theme: str = "light",
    measures: tuple[str, ...] = ("recall@5", "ndcg@10"),
    title: str = "What search finds, by kind of query",
) -> alt.TopLevelMixin:
    """Return a dot for each configuration, a row for each stratum, a panel for each measure.

    Args:
        frame: ``config``, ``stratum``, ``measure`` and ``value`` (0 to 1), as ``lab.ablations`` gives them.
        theme: light or dark.
        measures: The measures shown.
        title: The chart's title.
    """
    import altair as alt

    rows = frame[frame["measure"].isin(measures)].dropna(subset=["value"])
    if rows.empty:
        return nothing(title, "No query here has an answer.", theme)
    rows = rows.assign(config=rows["config"].map(short), stratum=rows["stratum"].map(short))
    configs, strata = list(dict.fromkeys(rows["config"])), list(dict.fromkeys(rows["stratum"]))
    y = alt.Y(
        field="stratum", type="nominal", sort=strata, axis=alt.Axis(title=None, grid=True, domain=False, ticks=False)
    )
    # Dots that would lie on one another stand a little apart.
    offset = alt.YOffset(field="config", type="nominal", sort=configs)
    panels = []
    for number, measure in enumerate(measures):
        shown = rows[rows["measure"] == measure]
        base = alt.Chart(shown[["config", "stratum", "value"]]).encode(
            x=alt.X(
                field="value",
                type="quantitative",
                title=measure,
                scale=alt.Scale(domain=[0, 1]),
                axis=scale_axis("share"),
            ),
            y=y if number == 0 else y.copy(deep=True),
            yOffset=offset,
            color=alt.Color(
                field="config",
                type="nominal",
                scale=alt.Scale(domain=configs, range=colours_of(configs, theme)),
                legend=alt.Legend(title="configuration", orient="bottom", columns=3, labelLimit=260),
            ),
            tooltip=[
                tooltip("stratum", "queries"),
                tooltip("config", "configuration"),
                tooltip("value", measure, "share"),
            ],
        )
        dots = base.mark_point(filled=True, size=80, opacity=1, stroke=theme_of(theme).ground, strokeWidth=0.5)
        panels.append(dots.properties(width=270, height=max(34, 13 * len(configs)) * len(strata)))
    return titled(alt.hconcat(*panels), title)
