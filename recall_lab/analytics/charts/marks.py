"""The kinds of marks that charts are made of: bars, bars over time, a heat map, points, and the picture of nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recall_lab.analytics.theme import theme_of

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

WIDTH = 640
ROW = 22  # pixels of one horizontal bar
NONE = "(none)"  # what stands for a missing name
_WEEKS_FROM = 200  # days in view from which bars are weeks
_MONTHS_FROM = 1_100
_PERIODS = {
    "day": ("D", "%a %-d %b %Y"),
    "week": ("W-SUN", "week of %-d %b %Y"),
    "month": ("M", "%B %Y"),
}

FORMATS = {
    "usd": ("$,.2f", "$,.3~r"),  # not SI: $200m would be read as millions
    "tokens": (",.0f", "~s"),
    "bytes": (",.0f", "~s"),
    "count": (",.0f", "~s"),
    "seconds": (",.2f", "~s"),
    "share": (".1%", ".0%"),
}
UNITS = {"usd": "USD", "tokens": "tokens", "bytes": "bytes", "count": "", "seconds": "seconds", "share": ""}


def nothing(title: str, why: str, mode: str, width: int = WIDTH) -> alt.TopLevelMixin:
    """Return a chart that says that there is nothing to show."""
    import altair as alt
    import pandas as pd

    chart = alt.Chart(pd.DataFrame({"why": [why]})).mark_text(fontSize=13, color=theme_of(mode).quiet)
    return titled(chart.encode(text="why:N"), title, width=width, height=90)


def titled(chart: Any, title: str, subtitle: str | None = None, **properties: Any) -> alt.TopLevelMixin:
    """Return the chart under a title, with more properties."""
    import altair as alt

    words = alt.TitleParams(title) if subtitle is None else alt.TitleParams(title, subtitle=subtitle)
    drawn: alt.TopLevelMixin = chart.properties(title=words, **properties)
    return drawn


def tooltip(column: str, title: str, unit: str | None = None) -> alt.Tooltip:
    """Return a tooltip line; ``unit`` is a key of ``FORMATS``."""
    import altair as alt

    if unit is None:
        return alt.Tooltip(field=column, type="nominal", title=title)
    return alt.Tooltip(field=column, type="quantitative", title=with_unit(title, unit), format=FORMATS[unit][0])


def with_unit(title: str, unit: str) -> str:
    """Return the title with its unit behind it, unless it names the unit already."""
    name = UNITS[unit]
    return title if not name or name in title.lower() else f"{title} ({name})"


def scale_axis(unit: str, ticks: int = 5, **options: Any) -> alt.Axis:
    """Return the axis of a quantity; every label is shortened on its own, so that nothing reads 0M."""
    import altair as alt

    label = f"format(datum.value, '{FORMATS[unit][1]}')"
    if unit == "count":  # there is no half of a thing
        label = f"datum.value % 1 ? '' : {label}"
    return alt.Axis(labelExpr=label, tickCount=ticks, grid=True, **options)


def measure(column: str, title: str, unit: str, **options: Any) -> dict[str, Any]:
    """Return the parts of a quantitative axis: field, title with its unit, number format."""
    return {
        "field": column,
        "type": "quantitative",
        "title": with_unit(title, unit),
        "axis": options.pop("axis", None) or scale_axis(unit),
        **options,
    }


def many(number: float, thing: str) -> str:
    """Return the number and the thing it counts, in the plural where it is one: ``1 call``, ``2,000 calls``."""
    return f"{int(number):,} {thing}" if int(number) == 1 else f"{int(number):,} {thing}s"


def short(text: Any, most: int = 42) -> str:
    """Return a name that fits beside a bar: the end of a path, the start of anything else."""
    if not isinstance(text, str):  # NaN is what pandas makes of a missing name
        return NONE
    if len(text) <= most:
        return text
    is_path = "/" in text and " " not in text
    return "…" + text[1 - most :] if is_path else text[: most - 1] + "…"


def labelled(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the frame with a column ``label``: short names of ``column``, each its own even if their ends agree."""
    labels: list[str] = []
    for value in frame[column]:
        label = short(value)
        while label in labels:
            label += "\u200b"  # an invisible character keeps two bars apart
        labels.append(label)
    return frame.assign(label=labels)


def horizontal_bars(
    frame: pd.DataFrame,
    *,
    value: str,
    title: str,
    unit: str,
    tooltips: Sequence[alt.Tooltip],
    colours: dict[str, str] | None = None,
    series: str | None = None,
    series_title: str | None = None,
    names: bool = True,
    most: float | None = None,
    width: int = WIDTH - 220,
) -> alt.Chart:
    """Return horizontal bars, one a ``label``, in the frame's order; stacked by ``series`` where there is one."""
    import altair as alt

    order = list(dict.fromkeys(frame["label"]))
    axis = alt.Axis(labels=names, title=None)
    scale = alt.Undefined if most is None else alt.Scale(domainMax=most)
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(height={"band": 0.72}, cornerRadiusEnd=0 if series else 2)
        .encode(
            x=alt.X(**measure(value, title, unit, stack="zero" if series else None, scale=scale)),
            y=alt.Y(field="label", type="nominal", sort=order, axis=axis),
            tooltip=list(tooltips),
        )
        .properties(width=width, height=max(len(order), 1) * ROW)
    )
    if series is None:
        return chart
    shades = alt.Undefined if colours is None else alt.Scale(domain=list(colours), range=list(colours.values()))
    place = alt.Order(field="place", type="quantitative") if "place" in frame else alt.Undefined
    stacked: alt.Chart = chart.encode(
        color=alt.Color(field=series, type="nominal", scale=shades, legend=alt.Legend(title=series_title)), order=place
    )
    return stacked


def in_periods(frame: pd.DataFrame, day: str, sums: Sequence[str], by: Sequence[str] = ()) -> tuple[pd.DataFrame, str]:
    """Lay days out as spans of time; add them up to weeks or months where there are too many to see.

    Args:
        frame: The data.
        day: Column of the day; one that is called week or month holds first days of these.
        sums: Columns that add up.
        by: Columns that are kept apart.

    Returns:
        The frame with ``from`` and ``to`` for each bar and ``when`` as text, and the period's name. Rows without a
        day are left out; a sum over nothing but missing values stays missing.
    """
    import pandas as pd

    dated = frame.dropna(subset=[day]).assign(**{day: lambda rows: pd.to_datetime(rows[day])})
    span = (dated[day].max() - dated[day].min()).days if len(dated) else 0
    least = list(_PERIODS).index(day) if day in _PERIODS else 0
    period = list(_PERIODS)[max(least, sum(span >= limit for limit in (_WEEKS_FROM, _MONTHS_FROM)))]
    rule, shown = _PERIODS[period]
    dated[day] = dated[day].dt.to_period(rule).dt.start_time
    dated = dated.groupby([day, *by], as_index=False, dropna=False)[list(sums)].sum(min_count=1)
    after = (dated[day].dt.to_period(rule) + 1).dt.start_time
    margin = (after - dated[day]) * 0.08
    spans = {"from": dated[day] + margin, "to": after - margin, "when": dated[day].dt.strftime(shown)}
    return dated.assign(**spans), period


def time_axis(frame: pd.DataFrame, *, labels: bool = True) -> dict[str, Any]:
    """Return the encodings x and x2 of bars over spans of time; a few days do not fill the whole width."""
    import altair as alt
    import pandas as pd

    first, last = frame["from"].min().normalize(), frame["to"].max().normalize() + pd.Timedelta(days=1)
    missing = max(0, 12 - (last - first).days)
    first -= pd.Timedelta(days=missing // 2)
    last += pd.Timedelta(days=missing - missing // 2)
    bounds = [alt.DateTime(year=at.year, month=at.month, date=at.day) for at in (first, last)]
    many = (last - first).days > 400
    axis = alt.Axis(
        title=None,
        labels=labels,
        ticks=labels,
        format="%b %Y" if many else "%-d %b %y" if first.year != last.year else "%-d %b",
        tickCount=6 if many else min(8, (last - first).days),
        labelOverlap=True,
        labelSeparation=10,
    )
    scale = alt.Scale(domain=bounds, nice=False)
    return {"x": alt.X(field="from", type="temporal", scale=scale, axis=axis), "x2": alt.X2(field="to")}
