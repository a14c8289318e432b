"""Query in, ranked and explained hits out."""

from recall_lab.search.config import SearchConfig
from recall_lab.search.engine import search
from recall_lab.search.query import parse

__all__ = ["SearchConfig", "parse", "search"]
