"""Which sessions are never kept: those that the settings list by id, by folder, or by the transcript's own place."""

from __future__ import annotations

from collections.abc import Iterable


def is_private(listed: Iterable[str], ids: Iterable[str | None], folders: Iterable[str | None]) -> bool:
    """Say whether a session is listed.

    Args:
        listed: Native ids or folders, as the settings have them.
        ids: The session's native id, and its parent's.
        folders: Where it worked and where its transcript lies; a folder below a listed one is listed too.
    """
    known = {name for name in ids if name}
    places = [f"{folder}/" for folder in folders if folder]
    return any(entry in known or any(place.startswith(entry.rstrip("/") + "/") for place in places) for entry in listed)
