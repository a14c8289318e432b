"""Query in, ranked and explained hits out."""

from recall_lab.search.config import SearchConfig, parse_config
from recall_lab.search.engine import Scope, search
from recall_lab.search.query import parse
from recall_lab.search.sessions import SessionHits, group_sessions

__all__ = ["Scope", "SearchConfig", "SessionHits", "group_sessions", "parse", "parse_config", "search"]
