"""Analytics over the mirror: named queries, usage and prices, coverage, charts."""

from recall_lab.analytics.catalogue import Catalogue, Chart, NamedQuery, Parameter
from recall_lab.analytics.charts import CHARTS, chart, offline_renderer, save_chart, to_svg
from recall_lab.analytics.coverage import Coverage, CoverageRow, coverage, coverage_by
from recall_lab.analytics.filters import COVERAGE_FILTERS, USAGE_FILTERS, check_filters
from recall_lab.analytics.running import bind, chart_of, run
from recall_lab.analytics.usage import GROUPINGS, UsageReport, UsageRow, usage, usage_sql

__all__ = [
    "CHARTS",
    "COVERAGE_FILTERS",
    "GROUPINGS",
    "USAGE_FILTERS",
    "Catalogue",
    "Chart",
    "Coverage",
    "CoverageRow",
    "NamedQuery",
    "Parameter",
    "UsageReport",
    "UsageRow",
    "bind",
    "chart",
    "chart_of",
    "check_filters",
    "coverage",
    "coverage_by",
    "offline_renderer",
    "run",
    "save_chart",
    "to_svg",
    "usage",
    "usage_sql",
]
