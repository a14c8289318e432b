"""Running a named query: what a person typed becomes bound values, then one frame comes back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from recall_lab.analytics.catalogue import Catalogue, NamedQuery, Parameter
from recall_lab.errors import QueryError, RecallLabError
from recall_lab.mirror import Mirror
from recall_lab.times import check_zone, local_zone, parse_time

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

_TRUE = {"true", "yes", "1", "on"}
_FALSE = {"false", "no", "0", "off"}


def run(
    mirror: Mirror,
    query_name: str,
    *,
    catalogue: Catalogue | None = None,
    zone: str | None = None,
    now: datetime | None = None,
    **params: Any,
) -> pd.DataFrame:
    """Run a named query against the mirror.

    Args:
        mirror: The mirror to ask.
        query_name: Name of a query in the catalogue.
        catalogue: Where the query is looked up; the shipped catalogue when left out.
        zone: IANA zone of days and of typed times; this machine's when left out.
        now: The present moment, for relative times; the clock's when left out.
        **params: The query's parameters; what is left out takes its default.

    Raises:
        QueryError: there is no such query or parameter, a value does not fit, or the SQL fails.
    """
    query = (catalogue or Catalogue.load()).get(query_name)
    return mirror.sql(query.sql, bind(query, params, zone=zone, now=now))


def bind(
    query: NamedQuery, params: dict[str, Any], *, zone: str | None = None, now: datetime | None = None
) -> dict[str, Any]:
    """Return name -> value for every parameter of the query, typed.

    Raises:
        QueryError: a parameter is unknown, or its value does not fit its type.
    """
    known = {parameter.name for parameter in query.parameters}
    unknown = sorted(params.keys() - known)
    if unknown:
        takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
        raise QueryError(f"{query.name} has no parameter {unknown[0]!r}; {takes}")
    here = zone or local_zone()
    return {
        parameter.name: _value(query, parameter, params.get(parameter.name, parameter.default), here, now)
        for parameter in query.parameters
    }


def _value(query: NamedQuery, parameter: Parameter, value: Any, zone: str, now: datetime | None) -> Any:
    if value is None:
        return zone if parameter.type == "zone" else None
    text = value.isoformat() if hasattr(value, "isoformat") else str(value).strip()
    try:
        match parameter.type:
            case "integer":
                return int(text)
            case "number":
                return float(text)
            case "flag":
                return _flag(text.lower())
            case "zone":
                return zone if text == "local" else check_zone(text)
            case "time" | "end":
                return parse_time(text, zone, now, end=parameter.type == "end").removesuffix("Z")
            case _:
                return str(value)
    except (ValueError, RecallLabError) as error:
        why = str(error) if isinstance(error, RecallLabError) else f"{text!r} is not of type {parameter.type}"
        raise QueryError(f"{query.name}: the parameter {parameter.name!r} cannot be used: {why}") from error


def _flag(text: str) -> bool:
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError(text)


def chart_of(query: NamedQuery, frame: pd.DataFrame, *, theme: str = "light", **options: Any) -> alt.TopLevelMixin:
    """Draw a named query's result as its head says; options given here go over the head's.

    Raises:
        QueryError: its head names no chart.
        UsageError: the chart cannot be drawn from this frame.
    """
    from recall_lab.analytics.charts import chart

    if query.chart is None:
        raise QueryError(
            f"{query.name} has no chart; its frame can be drawn with chart('bars', frame, name=…, value=…)"
        )
    return chart(query.chart.name, frame, theme=theme, **{**query.chart.options, **options})
