"""Query in, ranked and explained hits out."""

from recall_lab.search.config import SearchConfig, parse_config
from recall_lab.search.engine import search
from recall_lab.search.query import parse
from recall_lab.search.sessions import SessionHits, group_sessions

__all__ = ["SearchConfig", "SessionHits", "group_sessions", "parse", "parse_config", "search"]
