"""Finding by meaning, with a model that lies on this machine: the extra ``recall-lab[semantic]``.

Nothing is downloaded. Vectors are made by an explicit build, stand in a folder of their own beside the store, and go
when their text goes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_lab.semantic.building import Built, build, drop_stale
    from recall_lab.semantic.finding import VectorStatus, find, status
    from recall_lab.semantic.models import Embedder, open_model
    from recall_lab.semantic.vectors import vectors_folder

__all__ = [
    "Built",
    "Embedder",
    "VectorStatus",
    "build",
    "drop_stale",
    "find",
    "open_model",
    "status",
    "vectors_folder",
]

# A search by words needs none of these.
_DOORS = {
    "Built": "building",
    "build": "building",
    "drop_stale": "building",
    "VectorStatus": "finding",
    "find": "finding",
    "status": "finding",
    "Embedder": "models",
    "open_model": "models",
    "vectors_folder": "vectors",
}


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"recall_lab.semantic.{_DOORS[name]}"), name)
