"""Analytics over the mirror: named queries, usage and prices, coverage, charts."""

from recall_lab.analytics.catalogue import Catalogue, Chart, NamedQuery, Parameter
from recall_lab.analytics.running import bind, run

__all__ = ["Catalogue", "Chart", "NamedQuery", "Parameter", "bind", "run"]
