"""Finds ``queries/`` and ``notebooks/`` in a checkout, an editable and a plain install."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from recall_lab.errors import NotFoundError

_PACKAGE = Path(__file__).resolve().parent


def shipped_folder(name: Literal["queries", "notebooks"]) -> Path:
    """Return the folder of named queries, or of notebooks, that came with this recall_lab.

    A wheel carries them inside the package; a checkout, and an editable install of one, has them beside it.

    Raises:
        NotFoundError: neither is there.
    """
    inside = _PACKAGE / "_shipped" / name
    beside = _PACKAGE.parent / name
    if inside.is_dir():
        return inside
    if beside.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return beside
    raise NotFoundError(f"{name}: not found in this installation of recall_lab; install it again")
