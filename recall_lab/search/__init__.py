"""Query in, ranked and explained hits out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recall_lab.search.config import SearchConfig, parse_config
from recall_lab.search.engine import Scope, lexical_ranking, search
from recall_lab.search.fusing import Fused, Fusion, Lexical, LexicalHit
from recall_lab.search.query import parse
from recall_lab.search.sessions import SessionHits, group_sessions

if TYPE_CHECKING:
    from recall_lab.search.cold import ColdScan, cold_search, cold_store
    from recall_lab.search.explaining import Explanation, explain
    from recall_lab.search.similar import RelatedSession, more_like, related

__all__ = [
    "ColdScan",
    "Explanation",
    "Fused",
    "Fusion",
    "Lexical",
    "LexicalHit",
    "RelatedSession",
    "Scope",
    "SearchConfig",
    "SessionHits",
    "cold_search",
    "cold_store",
    "explain",
    "group_sessions",
    "lexical_ranking",
    "more_like",
    "parse",
    "parse_config",
    "related",
    "search",
]

# A search needs none of these, and capture, which a cold scan runs, is the heaviest room.
_DOORS = {
    "ColdScan": "cold",
    "cold_search": "cold",
    "cold_store": "cold",
    "Explanation": "explaining",
    "explain": "explaining",
    "RelatedSession": "similar",
    "more_like": "similar",
    "related": "similar",
}


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"recall_lab.search.{_DOORS[name]}"), name)
