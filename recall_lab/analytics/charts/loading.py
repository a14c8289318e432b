"""Loading Altair, which takes the longest of all that a first chart waits for."""

from __future__ import annotations

import sys
from importlib import import_module

_GRAMMARS = "rfc3987_syntax"


def load_altair() -> None:
    """Import Altair without the grammars that jsonschema builds for internationalised addresses.

    They are three quarters of the import, and no chart is checked against one. Where jsonschema is loaded already,
    nothing is left out. In a process that loads it here, its checks of the formats ``iri`` and ``iri-reference`` are
    off.
    """
    if "jsonschema" in sys.modules or _GRAMMARS in sys.modules:
        import_module("altair")
        return
    sys.modules[_GRAMMARS] = None  # type: ignore[assignment]  # importing it fails, as if it were not installed
    try:
        import_module("altair")
    finally:
        del sys.modules[_GRAMMARS]
