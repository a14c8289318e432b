"""The dashboards as one HTML page that opens anywhere and asks nothing of a network."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from recall_lab.display import call_line, cell, count, megabytes, visible
from recall_lab.glance import Figures, coverage_figures, coverage_notes, dollars, usage_figures, usage_notes
from recall_lab.times import show_time

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.analysis import Analysis
    from recall_lab.model import UsageFilters

_USAGE = (
    "usage_by_day",
    "tokens_by_model",
    "cost_by_repo",
    "cost_by_session",
    "tools_and_failures",
    "slowest_commands",
    "files_touched",
    "active_hours",
)
_COVERAGE = (
    "coverage_by_host",
    "coverage_by_repo",
    "coverage_by_source",
    "backlog",
    "sources_at_risk",
    "unknown_types",
)
_RANKED = {"cost_by_repo", "cost_by_session", "slowest_commands", "files_touched", "coverage_by_repo"}
_MOST_BARS = 15  # of what is ranked
_ROOM = 200  # pixels that the page has beside a chart as it is drawn
_MOST_ROWS = 40  # of a table; the query gives all of them


class Report(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        file: Where it is.
        charts: How many charts it holds.
        bytes: Its size.
    """

    file: str
    charts: int
    bytes: int


class _Page:
    """Collects the parts of a page; every text is escaped on its way in."""

    def __init__(self, lab: Analysis, asked: dict[str, str]) -> None:
        self.lab = lab
        self.asked = asked
        self.parts: list[str] = []
        self.charts: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def heading(self, level: int, text: str, name: str = "") -> None:
        self.parts.append(f"<h{level}{f' id={name}' if name else ''}>{_text(text)}</h{level}>")

    def says(self, text: str) -> None:
        self.parts.append(f'<p class="says">{_text(text)}</p>')

    def figures(self, figures: Figures) -> None:
        shown = "".join(f"<div><b>{_text(value)}</b><span>{_text(name)}</span></div>" for value, name in figures)
        self.parts.append(f'<div class="figures" role="group" aria-label="At a glance">{shown}</div>')

    def query(self, name: str) -> None:
        """Add a named query: its chart, what it answers, its first rows, and the line that repeats it."""
        from recall_lab.analytics import chart_of
        from recall_lab.analytics.charts.fitting import widened

        query = self.lab.queries.get(name)
        takes = {parameter.name for parameter in query.parameters}
        asked: dict[str, Any] = {key: value for key, value in self.asked.items() if key in takes}
        asked |= {"limit": _MOST_BARS} if name in _RANKED else {}
        frame = self.lab.query(name, **asked)
        line = call_line("query", name, **asked)
        left_out = sorted(self.asked.keys() - asked.keys())
        self.parts.append(f'<figure aria-label="{_text(query.title)}">')
        if query.chart is not None:
            self.parts.append(f'<div class="chart" id="chart-{len(self.charts)}" role="img"></div>')
            drawn = (chart_of(query, frame, theme=theme).to_dict() for theme in ("light", "dark"))
            light, dark = (widened(spec, _ROOM) for spec in drawn)
            self.charts.append((light, dark))
        else:
            self.heading(3, query.title)
        self.parts.append(f"<figcaption>{_text(query.description)}</figcaption>")
        if left_out:
            self.parts.append(f"<p class='says'>Not narrowed by {_text(', '.join(left_out))}.</p>")
        self.parts.extend(_table(frame))
        self.parts.append(f"<p><code>{_text(line)}</code></p></figure>")


def report_page(lab: Analysis, **filters: Unpack[UsageFilters]) -> tuple[str, int]:
    """Return the usage and coverage dashboards as one page, and how many charts it holds.

    Args:
        lab: The Lab to ask.
        filters: since, until, host, repo and model, as ``lab.usage`` takes them; what a query does not know is said
            beside it.

    Raises:
        UsageError, QueryError, TimeError: a filter cannot be used.
        MirrorError: there is no mirror, and none can be built.
    """
    from recall_lab.analytics.charts.page import page_of

    asked = {name: str(value) for name, value in filters.items() if value}
    page = _Page(lab, asked)
    usage = lab.usage("day", **filters)
    coverage = lab.coverage(**filters)
    made = show_time(datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"), lab.zone)
    narrowed = ", ".join(f"{name} {value}" for name, value in asked.items()) or "everything that is captured"
    page.heading(1, "How agents were used here")
    page.says(f"Made {made} ({lab.zone}) from {narrowed}. This page holds its data and asks nothing of a network.")
    page.parts.append('<nav aria-label="Parts"><a href="#usage">Usage</a> <a href="#coverage">Coverage</a></nav>')
    page.heading(2, "Usage and cost", "usage")
    page.figures([*usage_figures(usage), *_last_month(lab, filters)])
    page.says(usage_notes(usage))
    for name in _USAGE:
        page.query(name)
    page.heading(2, "Coverage", "coverage")
    page.figures(coverage_figures(coverage))
    page.says(coverage_notes(coverage, lab.zone))
    for name in _COVERAGE:
        page.query(name)
    style = files("recall_lab").joinpath("report.css").read_text(encoding="utf-8")
    body = f"<main>{''.join(page.parts)}</main>"
    return page_of("recall_lab report", style, body, page.charts), len(page.charts)


def _last_month(lab: Analysis, filters: UsageFilters) -> Figures:
    """What the last thirty days cost, where no time was asked for."""
    if filters.get("since") or filters.get("until"):
        return []
    lately: UsageFilters = {**filters, "since": "last 30 days"}
    return [[dollars(lab.usage("day", **lately).total.cost_usd), "cost of the last 30 days"]]


def _table(frame: pd.DataFrame) -> Iterator[str]:
    rows = frame.head(_MOST_ROWS).astype(object).where(frame.head(_MOST_ROWS).notna(), None).to_numpy().tolist()
    shown = f"{count(len(frame), 'row')}" + (f", the first {_MOST_ROWS}" if len(frame) > _MOST_ROWS else "")
    yield f"<details><summary>The numbers ({_text(shown)})</summary><div class='wide'><table><thead><tr>"
    yield from (f"<th scope='col'>{_text(str(name).replace('_', ' '))}</th>" for name in frame.columns)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(_cell(name, value) for name, value in zip(frame.columns, row, strict=True))}</tr>"
    yield "</tbody></table></div></details>"


def _cell(name: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        shown = megabytes(int(value)) if name.endswith("bytes") or name in {"size", "unread"} else cell(value)
        return f"<td class='number'>{_text(dollars(value) if name == 'cost_usd' else shown)}</td>"
    listed = ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value
    return f"<td dir='auto'>{_text(cell(listed))}</td>"


def _text(text: str) -> str:
    return html.escape(visible(text), quote=True)
