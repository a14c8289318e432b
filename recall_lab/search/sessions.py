"""Hits grouped by session; pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from recall_lab.model import Hit, Redacted


class SessionHits(msgspec.Struct, frozen=True, kw_only=True):
    """A session and its hits, best first.

    Attributes:
        host: Its host.
        session: Its native id.
        title: Its title.
        repo: Its repository.
        score: Best three scores of its blocks, weighted 1, 1/2, 1/4, and half the idf of the terms found in it.
        hits: Its hits.
    """

    host: str
    session: str
    title: Redacted | None
    repo: Redacted | None
    score: float
    hits: tuple[Hit, ...]


def group_sessions(hits: Iterable[Hit]) -> tuple[SessionHits, ...]:
    """Group hits by session, the best session first; equals stay in the order of their first hits."""
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((hit.host, hit.session), []).append(hit)
    found = [
        SessionHits(
            host=host,
            session=session,
            title=group[0].title,
            repo=group[0].repo,
            score=max(hit.session_score for hit in group),
            hits=tuple(group),
        )
        for (host, session), group in groups.items()
    ]
    return tuple(sorted(found, key=lambda group: -group.score))
