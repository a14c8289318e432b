"""The usage panel: tokens and cost by day, model, repository and more, with filters that hold for chart and table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recall_lab.analytics import GROUPINGS, USAGE_FILTERS, UsageReport, UsageRow, check_filters, usage_sql
from recall_lab.display import call_line, short_repo, shortened
from recall_lab.errors import UsageError
from recall_lab.glance import compact, dollars, key_name, usage_figures, usage_notes
from recall_lab.widgets._base import Panel, choice, field, row
from recall_lab.widgets._facets import MOST, Bar, Facet, Facets, time_facet, without
from recall_lab.widgets._tables import Picture, fill_table
from recall_lab.widgets.views import FacetsView, FiguresView, PictureView, TableView

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from recall_lab.lab import Lab

_SHOWN = (
    "key",
    "calls",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cost_usd",
    "unpriced_calls",
)
_CHARTS = {"day": ("usage_by_day", "day"), "model": ("tokens_by_model", "model")}


class UsagePanel(Panel):
    """What the agents used and what it cost.

    Attributes:
        by: The choice of the grouping.
        bars: Bars by time, host, repository and model; a click on one filters all the others.
        report: What is shown.
    """

    title = "Usage"

    def __init__(self, lab: Lab, by: str = "day", **filters: Any) -> None:
        check_filters("the usage panel", filters, USAGE_FILTERS)
        self.by = choice("By", [(name, name) for name in GROUPINGS], by)
        self.since = field("Since", "last 30 days", filters.get("since"), "13em")
        self.until = field("Until", "yesterday", filters.get("until"), "12em")
        self.host = choice("Host", known(lab, "host", filters.get("host")), filters.get("host"))
        self.repo = choice("Repository", known(lab, "repo", filters.get("repo")), filters.get("repo"))
        self.model = choice("Model", known(lab, "model", filters.get("model")), filters.get("model"))
        self.figures = FiguresView()
        self.bars = FacetsView()
        self.picture = PictureView()
        self.table = TableView()
        self.report: UsageReport | None = None
        self._filters = {name: getattr(self, name) for name in USAGE_FILTERS}
        super().__init__(
            lab, [row(self.by, *self._filters.values()), self.figures, self.bars, self.picture, self.table]
        )
        self._facets = Facets(self.bars, self._filters, self.refresh)
        self._drawn = Picture(self.picture, self._chart, self.telling)
        self.by.observe(lambda _: self.refresh(), "value")
        self.refresh()

    @property
    def code(self) -> str:
        """The line of Python that repeats what is shown."""
        return call_line("usage", self.by.value, **self._wish())

    @property
    def sql(self) -> str:
        """The SQL behind the table; its parameters are ``$since``, ``$host`` and so on."""
        return usage_sql(self.by.value)

    def data(self) -> pd.DataFrame:
        """The table as a frame, one row a key.

        Raises:
            UsageError: nothing could be shown.
        """
        if self.report is None:
            raise UsageError(self.error or "nothing is shown yet")
        return self.report.frame()

    def refresh(self) -> None:
        """Ask again with what is chosen, and show it."""
        self.report = None
        with self.telling(self.figures):
            self.figures.code = self.code
            self.report = self.lab.usage(self.by.value, **self._wish())
            self._show(self.report)
        if self.figures.error:
            self.figures.figures, self.figures.status = [], ""
            fill_table(self.table, (), ())
        with self.telling(self.bars):
            self._facets.show([] if self.figures.error else self._asked_facets())
        self._drawn.redraw()

    def _show(self, report: UsageReport) -> None:
        self.figures.figures = usage_figures(report)
        self.figures.status = usage_notes(report)
        rows = [[_cell(report.by, name, getattr(one, name)) for name in _SHOWN] for one in report.rows]
        fill_table(self.table, (report.by, *_SHOWN[1:]), rows)
        self.picture.alt = f"Chart of usage by {report.by}; the table below has its numbers"

    def _asked_facets(self) -> list[Facet]:
        """Each facet under all filters but its own, so that what else could be chosen stays in sight."""
        wish = self._wish()
        days = self.lab.usage("day", **without(wish, "since", "until"))
        priced = days.total.cost_usd is not None
        unit = "cost, USD" if priced else "tokens written"

        def size(row: UsageRow) -> float:
            return (row.cost_usd or 0.0) if priced else float(row.output_tokens)

        def shown(amount: float) -> str:
            return dollars(amount) if priced else compact(int(amount))

        dated = [(row.key, size(row)) for row in days.rows if row.key is not None]
        found = [time_facet(dated, title=f"Time ({days.zone})", unit=unit, value=shown)]
        for name, title in (("host", "Host"), ("repo", "Repository"), ("model", "Model")):
            rows = sorted(self.lab.usage(name, **without(wish, name)).rows, key=size, reverse=True)[:MOST]
            bars = [
                Bar(
                    key_name(name, row.key),
                    short_repo(row.key) if name == "repo" and row.key else key_name(name, row.key),
                    size(row),
                    "no price" if priced and row.cost_usd is None else shown(size(row)),
                    f"{key_name(name, row.key)}: {compact(row.calls)} calls, {compact(row.output_tokens)} tokens out",
                )
                for row in rows
            ]
            found.append(Facet(name, title, unit, tuple(bars)))
        return found

    def _chart(self, theme: str) -> alt.TopLevelMixin | None:
        from recall_lab.analytics import chart

        if self.report is None:
            return None
        by = self.report.by
        frame = self.report.frame()
        if by != "day":
            frame = frame.assign(key=[key_name(by, row.key) for row in self.report.rows])
        if by in _CHARTS:
            name, column = _CHARTS[by]
            options = {"zone": self.report.zone} if by == "day" else {}
            return chart(name, frame.rename(columns={"key": column}), theme=theme, **options)
        priced = frame["cost_usd"].notna().any()
        value, unit, called = ("cost_usd", "usd", "Cost") if priced else ("output_tokens", "tokens", "Tokens written")
        titles = {"name": "key", "value": value, "unit": unit, "called": called, "title": f"{called} by {by}"}
        return chart("bars", frame, theme=theme, **titles)

    def _wish(self) -> dict[str, str]:
        return {name: widget.value for name, widget in self._filters.items() if widget.value}


def known(lab: Lab, column: str, chosen: str | None, of: str = "model_calls") -> list[tuple[str, str]]:
    """The values of a column as choices, ``all`` first; what has none is a choice, and so is a value asked for."""
    statement = {
        ("model_calls", "host"): "SELECT DISTINCT host FROM model_calls ORDER BY 1",
        ("model_calls", "repo"): "SELECT DISTINCT repo FROM model_calls ORDER BY 1",
        ("model_calls", "model"): "SELECT DISTINCT model FROM model_calls ORDER BY 1",
        ("sources", "repo"): "SELECT DISTINCT repo FROM sources ORDER BY 1",
    }[of, column]
    values = [key_name(column, value) for (value,) in lab.records(statement)[1]]
    if chosen and chosen not in values:
        values.append(chosen)
    return [("all", ""), *((shortened(value, 60), value) for value in values)]


def _cell(by: str, name: str, value: Any) -> Any:
    return key_name(by, value) if name == "key" else value
