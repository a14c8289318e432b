"""Query in, ranked and explained hits out."""

from recall_lab.search.config import SearchConfig, parse_config
from recall_lab.search.engine import Scope, search
from recall_lab.search.explaining import Explanation, explain
from recall_lab.search.query import parse
from recall_lab.search.sessions import SessionHits, group_sessions
from recall_lab.search.similar import RelatedSession, more_like, related

__all__ = [
    "Explanation",
    "RelatedSession",
    "Scope",
    "SearchConfig",
    "SessionHits",
    "explain",
    "group_sessions",
    "more_like",
    "parse",
    "parse_config",
    "related",
    "search",
]
