"""A Jupyter-native research workbench over the history of coding agents.

Example:
    >>> import recall_lab as rl
    >>> lab = rl.open_lab()  # doctest: +SKIP
    >>> lab.search("why did we reject batching")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recall_lab._version import __version__

if TYPE_CHECKING:
    from recall_lab.errors import RecallLabError
    from recall_lab.lab import Lab, open_lab
    from recall_lab.magics import load_ipython_extension

__all__ = ["Lab", "RecallLabError", "__version__", "load_ipython_extension", "open_lab"]

# Names that are imported when they are first used, so that `import recall_lab` stays light.
_DOORS = {
    "Lab": "recall_lab.lab",
    "RecallLabError": "recall_lab.errors",
    "load_ipython_extension": "recall_lab.magics",
    "open_lab": "recall_lab.lab",
}


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_DOORS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
