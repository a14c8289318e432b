"""Sessions as CSL-JSON items (Citation Style Language 1.0.2), for reference managers; pure."""

from __future__ import annotations

from typing import Any

from recall_lab.evidence.forms.printing import label
from recall_lab.evidence.records import Brief, Excerpt


def csl_items(brief: Brief) -> list[dict[str, Any]]:
    """Return one item for each session that a brief cites, in the order of the document.

    An item is of type ``document``; ``archive`` is the host, ``archive_location`` the session's native id, ``issued``
    the day (UTC) of the first excerpt that has a time.
    """
    sessions: dict[tuple[str, str], list[Excerpt]] = {}
    for excerpt in brief.excerpts:
        sessions.setdefault((excerpt.host, excerpt.session), []).append(excerpt)
    return [_item(host, session, excerpts) for (host, session), excerpts in sessions.items()]


def _item(host: str, session: str, excerpts: list[Excerpt]) -> dict[str, Any]:
    title = next((excerpt.title for excerpt in excerpts if excerpt.title), None)
    item: dict[str, Any] = {
        "id": f"{host}:{session}",
        "type": "document",
        "title": label(title or f"Session {session}"),
        "genre": "coding agent session",
        "author": [{"literal": host}],
        "archive": host,
        "archive_location": session,
    }
    day = min((excerpt.timestamp[:10] for excerpt in excerpts if excerpt.timestamp), default=None)
    if day:
        item["issued"] = {"date-parts": [[int(part) for part in day.split("-")]]}
    repo = next((excerpt.repo for excerpt in excerpts if excerpt.repo), None)
    if repo:
        item["container-title"] = label(repo)
    return item
