"""The mirror: the store as DuckDB, for analysis; disposable, rebuilt from the store at any time."""

from recall_lab.mirror.checking import MirrorCheck, TableCheck, check
from recall_lab.mirror.connecting import Mirror, connect
from recall_lab.mirror.discarding import discard
from recall_lab.mirror.prices import PriceCatalogue
from recall_lab.mirror.refreshing import Refreshed, refresh

__all__ = [
    "Mirror",
    "MirrorCheck",
    "PriceCatalogue",
    "Refreshed",
    "TableCheck",
    "check",
    "connect",
    "discard",
    "refresh",
]
