"""Charts of tokens, cost, tools, sessions and hours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from recall_lab.analytics.charts.marks import (
    NONE,
    ROW,
    WIDTH,
    horizontal_bars,
    in_periods,
    labelled,
    many,
    measure,
    nothing,
    scale_axis,
    time_axis,
    titled,
    tooltip,
)
from recall_lab.analytics.theme import OUTCOME_COLOURS, TOKEN_COLOURS, colours_of, theme_of

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

_CLASSES = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache read": "cache_read_tokens",
    "cache write": "cache_write_tokens",
}
_WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def usage_by_day(frame: pd.DataFrame, *, theme: str = "light", zone: str | None = None) -> alt.TopLevelMixin:
    """Cost on top, each class of tokens below, over time.

    Args:
        frame: day, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, unpriced_calls.
        theme: light or dark.
        zone: Name of the zone whose days these are, for the subtitle.
    """
    import altair as alt

    frame = _with_cache_writes(frame)
    dated, period = in_periods(frame, "day", ["calls", *_CLASSES.values(), "cost_usd", "unpriced_calls"])
    title = f"Usage by {period}"
    if dated.empty:
        return nothing(title, "No model call in this time.", theme)
    colours = theme_of(theme)
    base = alt.Chart(dated)
    tips = [
        tooltip("when", period.capitalize()),
        tooltip("cost_usd", "Cost", "usd"),
        tooltip("calls", "Calls", "count"),
        tooltip("unpriced_calls", "Calls without a price", "count"),
        *(tooltip(column, name.capitalize(), "tokens") for name, column in _CLASSES.items()),
    ]
    parts: list[Any] = []
    if dated["cost_usd"].notna().any():
        parts.append(
            base.mark_bar(orient="vertical", color=colours.green)
            .encode(**time_axis(dated, labels=False), y=alt.Y(**measure("cost_usd", "Cost", "usd")), tooltip=tips)
            .properties(width=WIDTH, height=110)
        )
    shown = {name: column for name, column in _CLASSES.items() if dated[column].sum() > 0}
    names = theme_of(theme).named(TOKEN_COLOURS)
    for place, (name, column) in enumerate(shown.items(), 1):
        parts.append(
            base.mark_bar(orient="vertical", color=names[name])
            .encode(
                **time_axis(dated, labels=place == len(shown)),
                y=alt.Y(
                    field=column,
                    type="quantitative",
                    title=[name.capitalize(), "(tokens)"],
                    axis=scale_axis("tokens", 3),
                ),
                tooltip=tips,
            )
            .properties(width=WIDTH, height=54)
        )
    if not parts:
        return nothing(title, "The model calls of this time report no tokens.", theme)
    return titled(alt.vconcat(*parts, spacing=12), title, _sum_up(dated, zone))


def tokens_by_model(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """What each model cost, and its tokens by class.

    Args:
        frame: model, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
            unpriced_calls.
        theme: light or dark.
    """
    import altair as alt

    frame = _with_cache_writes(frame)
    if frame.empty:
        return nothing("Tokens by model", "No model call in this time.", theme)
    sums = ["calls", *_CLASSES.values(), "cost_usd", "unpriced_calls"]
    grouped = frame.groupby("model", dropna=False, as_index=False, sort=False)[sums].sum(min_count=1).head(20)
    rows = labelled(grouped.assign(model=grouped["model"].fillna("(no model)")), "model")
    rows = rows.assign(price=[_price(cost) for cost in rows["cost_usd"]])
    tips = [
        tooltip("label", "Model"),
        tooltip("price", "Cost"),
        tooltip("calls", "Calls", "count"),
        tooltip("unpriced_calls", "Calls without a price", "count"),
    ]
    cost = horizontal_bars(rows, value="cost_usd", title="Cost", unit="usd", tooltips=tips, width=210).mark_bar(
        height={"band": 0.72}, cornerRadiusEnd=2, color=theme_of(theme).green
    )
    order = list(rows["label"])
    amounts = (
        alt.Chart(rows)
        .mark_text(align="left", dx=5, fontSize=11)
        .encode(
            x=alt.X(**measure("cost_usd", "Cost", "usd")) if rows["cost_usd"].notna().any() else alt.value(0),
            y=alt.Y(field="label", type="nominal", sort=order),
            text="price:N",
        )
    )
    unpriced = alt.Chart(rows[rows["cost_usd"].isna()]).mark_text(align="left", dx=5, fontSize=11, fontStyle="italic")
    marks = unpriced.encode(
        x=alt.value(0), y=alt.Y(field="label", type="nominal", sort=order), text=alt.value("no price")
    )
    long = _long(rows)
    colours = theme_of(theme).named(TOKEN_COLOURS)
    tokens = horizontal_bars(
        long,
        value="tokens",
        title="Tokens",
        unit="tokens",
        tooltips=[tooltip("label", "Model"), tooltip("class", "Class"), tooltip("tokens", "Tokens", "tokens")],
        colours=colours,
        series="class",
        names=False,
        width=300,
    )
    priced = alt.layer(cost, amounts.transform_filter("isValid(datum.cost_usd)"), marks)
    subtitle = f"{many(rows['calls'].sum(), 'call')}; cached tokens are read and written at prices of their own"
    both = alt.hconcat(priced, tokens, spacing=26).resolve_scale(color="independent")
    return titled(both, "Cost and tokens by model", subtitle)


def _price(cost: float) -> str:
    """A cost beside its bar; what costs something is never shown as nothing."""
    if math.isnan(cost):
        return "no price"
    return "under $0.01" if 0 < cost < 0.005 else f"${cost:,.2f}"


def tools_and_failures(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """How often each tool was called and how often it failed.

    Args:
        frame: tool, calls, failures, unknown, failure_rate, median_seconds.
        theme: light or dark.
    """
    import altair as alt

    title = "Tools and their failures"
    if frame.empty:
        return nothing(title, "No tool call in this time.", theme)
    rows = labelled(frame.head(25), "tool")
    rows = rows.assign(
        succeeded=rows["calls"] - rows["failures"] - rows["unknown"], failed=rows["failures"], rate=rows["failure_rate"]
    )
    colours = theme_of(theme).named(OUTCOME_COLOURS)
    long = rows.melt(
        id_vars=["label", "calls", "rate", "median_seconds"],
        value_vars=list(colours),
        var_name="outcome",
        value_name="times",
    )
    long = long[long["times"] > 0].assign(place=lambda some: some["outcome"].map({n: i for i, n in enumerate(colours)}))
    tips = [
        tooltip("label", "Tool"),
        tooltip("outcome", "Outcome"),
        tooltip("times", "Calls", "count"),
        tooltip("rate", "Failure rate", "share"),
        tooltip("median_seconds", "Median", "seconds"),
    ]
    bars = horizontal_bars(
        long, value="times", title="Calls", unit="count", tooltips=tips, colours=colours, series="outcome"
    )
    rates = (
        alt.Chart(rows[rows["failures"] > 0])
        .mark_text(align="left", dx=6, fontSize=11)
        .encode(
            x=alt.X(field="calls", type="quantitative"),
            y=alt.Y(field="label", type="nominal", sort=list(rows["label"])),
            text=alt.Text(field="rate", type="quantitative", format=".1%"),
        )
    )
    calls, failures = int(rows["calls"].sum()), int(rows["failures"].sum())
    subtitle = f"{many(calls, 'call')}, {failures:,} failed; the share of failures stands behind the bar"
    return titled(alt.layer(bars, rates), title, subtitle)


def sessions(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """Each session when it started, how long it lasted, and how much was written in it.

    Args:
        frame: started, minutes, host, title, repo, turns, output_tokens, cost_usd, as the query ``sessions`` has them.
        theme: light or dark.
    """
    import altair as alt

    rows = frame.dropna(subset=["started", "minutes"]).head(2_000)
    if rows.empty:
        return nothing("Sessions", "No session in this time.", theme)
    rows = rows.assign(shown_minutes=rows["minutes"].clip(lower=0.5), repo=rows["repo"].fillna(NONE))
    columns = ["started", "shown_minutes", "minutes", "host", "title", "repo", "turns", "output_tokens", "cost_usd"]
    most = float(f"{max(rows['output_tokens'].max(), 10):.0e}")  # one digit: the legend names it
    hosts = sorted(set(rows["host"]))
    shades = alt.Scale(domain=hosts, range=colours_of(hosts, theme))
    chart = (
        alt.Chart(rows[columns])
        .mark_circle(opacity=0.75, stroke=theme_of(theme).ground, strokeWidth=0.5)
        .encode(
            x=alt.X("started:T", axis=alt.Axis(title=None, labelOverlap=True, tickCount=8, format="%-d %b %y")),
            y=alt.Y(
                "shown_minutes:Q",
                scale=alt.Scale(type="log", domainMin=0.5),
                axis=alt.Axis(title="Length (minutes, log)", values=[1, 10, 60, 600, 6000], format="~s", grid=True),
            ),
            size=alt.Size(
                "output_tokens:Q",
                scale=alt.Scale(domain=[0, most], range=[25, 700]),
                legend=alt.Legend(title="Output tokens", values=[most / 10, most], format="~s", symbolType="circle"),
            ),
            color=alt.Color("host:N", scale=shades, legend=alt.Legend(title="Host", symbolType="circle")),
            tooltip=[
                tooltip("title", "Session"),
                tooltip("repo", "Repository"),
                alt.Tooltip("started:T", title="Started", format="%-d %b %Y %H:%M"),
                alt.Tooltip("minutes:Q", title="Minutes", format=",.1f"),
                tooltip("turns", "Turns", "count"),
                tooltip("output_tokens", "Output", "tokens"),
                tooltip("cost_usd", "Cost", "usd"),
            ],
        )
        .properties(width=WIDTH, height=280)
    )
    return titled(chart, "Sessions", f"{many(len(rows), 'session')}, by when they started and how long they lasted")


def active_hours(frame: pd.DataFrame, *, theme: str = "light") -> alt.TopLevelMixin:
    """When somebody was at work: prompts by weekday and hour.

    Args:
        frame: weekday (1 is Monday), hour (0 to 23), prompts.
        theme: light or dark.
    """
    import altair as alt

    title = "Active hours"
    if frame.empty:
        return nothing(title, "No prompt in this time.", theme)
    rows = frame.assign(day=[_WEEKDAYS[int(number) - 1] for number in frame["weekday"]])
    chart = (
        alt.Chart(rows)
        .mark_rect(cornerRadius=2, stroke=theme_of(theme).ground, strokeWidth=2)
        .encode(
            x=alt.X(
                "hour:O",
                scale=alt.Scale(domain=list(range(24))),
                axis=alt.Axis(title="Hour", labelAngle=0, ticks=False, domain=False),
            ),
            y=alt.Y("day:O", scale=alt.Scale(domain=_WEEKDAYS), axis=alt.Axis(title=None)),
            color=alt.Color(
                "prompts:Q", legend=alt.Legend(title="Prompts", format="~s", gradientLength=160, tickCount=4)
            ),
            tooltip=[
                tooltip("day", "Day"),
                alt.Tooltip("hour:O", title="Hour"),
                tooltip("prompts", "Prompts", "count"),
            ],
        )
    )
    prompts = many(rows["prompts"].sum(), "prompt")
    return titled(chart, title, prompts, width=WIDTH, height=7 * ROW + 20)


def _with_cache_writes(frame: pd.DataFrame) -> pd.DataFrame:
    """Usage reports keep writes of both lifetimes apart; charts show their sum."""
    if "cache_write_tokens" in frame or "cache_write_5m_tokens" not in frame:
        return frame
    return frame.assign(cache_write_tokens=frame["cache_write_5m_tokens"] + frame["cache_write_1h_tokens"])


def _long(rows: pd.DataFrame) -> pd.DataFrame:
    names = {column: name for name, column in _CLASSES.items()}
    long = rows.melt(id_vars=["label"], value_vars=list(names), var_name="column", value_name="tokens")
    long["class"] = long["column"].map(names)
    long["place"] = long["column"].map({column: place for place, column in enumerate(names)})
    return long


def _sum_up(frame: pd.DataFrame, zone: str | None) -> str:
    cost = frame["cost_usd"].sum(min_count=1)
    parts = [many(frame["calls"].sum(), "call"), "no price known" if math.isnan(cost) else f"${cost:,.2f}"]
    unpriced = int(frame["unpriced_calls"].sum())
    if unpriced and not math.isnan(cost):
        parts.append(f"{many(unpriced, 'call')} without a price")
    if zone:
        parts.append(f"days in {zone}")
    return ", ".join(parts)
