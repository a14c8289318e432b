"""A session by its exact native id, as other programs name it; heads of ids are for people."""

from __future__ import annotations

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.store import Reader
from recall_lab.store import export_reading as facts
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo


def exactly(reader: Reader, native_id: str, host: str | None) -> SessionInfo:
    """Return the session.

    Raises:
        NotFoundError: no captured session has the id.
        UsageError: sessions of two hosts have it.
    """
    found = facts.sessions_by_native_id(reader, native_id, host)
    if not found:
        raise NotFoundError(f"no captured session has the id {native_id!r}; give the whole id, or index first")
    if len(found) > 1:
        raise UsageError(f"{len(found)} hosts have a session {native_id!r}; name the host too")
    return sessions.session_info(reader, found[0])
