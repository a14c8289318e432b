"""Letting go of the mirror: after text was taken out of the store no copy of it may stay."""

from __future__ import annotations

from pathlib import Path

from recall_lab.errors import MirrorError
from recall_lab.mirror.generations import POINTER, Folder


def discard(folder: Path, *, wait: float = 600.0) -> int:
    """Remove every generation, so that the next refresh builds from nothing.

    Args:
        folder: Where the generations are.
        wait: Seconds to wait for a refresh that is under way.

    Returns:
        How many somebody still reads; they go with a later refresh.

    Raises:
        MirrorError: the folder is not a mirror's, or cannot be written.
    """
    place = Folder(folder)
    if not folder.is_dir():
        return 0
    place.prepare()
    with place.refreshing(wait):
        try:
            (folder / POINTER).unlink(missing_ok=True)
        except OSError as error:
            raise MirrorError(f"{folder}: cannot be written ({error.strerror}); check its permissions") from error
        return place.sweep()
