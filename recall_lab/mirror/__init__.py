"""The mirror: the store as DuckDB, for analysis; disposable, rebuilt from the store at any time."""

from recall_lab.mirror.connecting import Mirror, connect
from recall_lab.mirror.prices import PriceCatalogue
from recall_lab.mirror.refreshing import Refreshed, refresh

__all__ = ["Mirror", "PriceCatalogue", "Refreshed", "connect", "refresh"]
