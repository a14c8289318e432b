"""Which sessions are never kept: those that the settings list by id, by folder, or by the transcript's own place.

And which paths are looked at by the rules before they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
# A word that names a secret, a sign that divides a name from its value, or a run of letters and digits.
_TELLING = re.compile(
    r"pass|pwd|secret|token|key|cred|auth|[=:@%]|(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{10}",
    re.IGNORECASE,
)


def may_hold_secret(path: str) -> bool:
    """Say whether a path has anything that the rules could take out; false for the names that hosts give files.

    Loading the rules takes a second, which a capture that finds nothing new has not to spend.
    """
    return _TELLING.search(_UUID.sub("", path)) is not None


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
