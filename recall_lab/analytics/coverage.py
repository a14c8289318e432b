"""What of the transcripts is in the store, what is not and why, and what may be lost; from the mirror's ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from recall_lab.analytics.filters import COVERAGE_FILTERS, bound
from recall_lab.errors import UsageError
from recall_lab.mirror import Mirror
from recall_lab.model import DISPOSITIONS, CoverageFilters, Disposition, Record, Tally

if TYPE_CHECKING:
    import pandas as pd

KEPT_DAYS = 30  # that hosts keep a transcript, where nobody told them otherwise
# When a transcript was last written: its session's last time, for a copied file's own time says nothing.
_SOURCES = """FROM (
    SELECT q.*, coalesce(s.ended, q.modified) AS written
    FROM sources q LEFT JOIN (SELECT session_id, ended FROM sessions) s USING (session_id)
)
WHERE fits(host, $host) AND fits(repo, $repo) AND fits(state, $state) AND within(written, $since, $until)
  AND ($model IS NULL OR source_id IN (SELECT source_id FROM copies.model_calls WHERE fits(model, $model)))"""
_KEYS = {
    "day": "strftime(local_time(written, $zone), '%Y-%m-%d')",
    "host": "host",
    "repo": "repo",
    "state": "state",
}
_LEDGER = f"FROM ledger SEMI JOIN (SELECT source_id {_SOURCES}) USING (source_id)"


class Coverage(Record, frozen=True, kw_only=True):
    """Coverage at a glance.

    Attributes:
        sources: Transcripts that the store knows.
        sessions: Sessions that they tell of, subagents inside another session's transcript included.
        states: How many sources are in each state.
        records: Records of all sources, in all and by disposition.
        bytes: Their bytes likewise; ``unread_bytes`` come on top.
        unread_bytes: Bytes of the sources that were not read yet (backlog, unfinished last lines, changed sources).
        unknown_types: Record types that no rule knows -> how many records.
        last_capture: When anything was captured last, UTC.
        oldest_missing: Earliest last change of a transcript that is gone from the disk, UTC; the store has
            its only copy.
        at_risk: Sources that are not wholly captured and were last written longer ago than hosts keep them.
    """

    sources: int
    sessions: int
    states: dict[str, int]
    records: Tally
    bytes: Tally
    unread_bytes: int
    unknown_types: dict[str, int]
    last_capture: str | None
    oldest_missing: str | None
    at_risk: int = 0

    def frame(self) -> pd.DataFrame:
        """Return one row a disposition: records, bytes and their shares (0 to 1)."""
        import pandas as pd

        return pd.DataFrame(
            {
                "disposition": list(DISPOSITIONS),
                "records": [self.records.by_disposition[name] for name in DISPOSITIONS],
                "bytes": [self.bytes.by_disposition[name] for name in DISPOSITIONS],
                "share_of_records": [_share(self.records, name) for name in DISPOSITIONS],
                "share_of_bytes": [_share(self.bytes, name) for name in DISPOSITIONS],
            }
        )


class CoverageRow(Record, frozen=True, kw_only=True):
    """What is known of the sources of one key: how many, their bytes, and how many of these were not read."""

    key: str | None
    sources: int
    bytes: int
    unread_bytes: int


def coverage(mirror: Mirror, *, zone: str | None = None, **filters: Unpack[CoverageFilters]) -> Coverage:
    """Add up what was read of the transcripts and what became of it.

    Args:
        mirror: The mirror to ask.
        zone: IANA zone of typed times; this machine's when left out.
        filters: since, until, host, repo, model and state, as ``CoverageFilters`` describes them.

    Raises:
        UsageError: there is no such filter or zone.
        TimeError: a time cannot be understood.
    """
    only, _ = bound("coverage", filters, COVERAGE_FILTERS, zone)
    [(sessions,)] = mirror.rows(
        "SELECT count(*) FROM sessions WHERE fits(host, $host) AND fits(repo, $repo) "
        "AND (coalesce($state, $model, $since, $until) IS NULL OR session_id IN "
        f"(SELECT session_id FROM placements SEMI JOIN (SELECT source_id {_SOURCES}) USING (source_id)))",
        only,
    )
    [(sources, last, missing, unread, risk)] = mirror.rows(
        f"""SELECT count(*),
                   strftime(max(captured_at), '%Y-%m-%dT%H:%M:%SZ'),
                   strftime(min(modified) FILTER (state = 'source_missing'), '%Y-%m-%dT%H:%M:%SZ'),
                   coalesce(sum(greatest(size - cursor, 0)) FILTER (state <> 'source_missing'), 0)::BIGINT,
                   count(*) FILTER (state NOT IN ('complete', 'off', 'source_missing')
                                    AND modified < now()::TIMESTAMP - to_days({KEPT_DAYS}))
            {_SOURCES}""",
        only,
    )
    states = dict(mirror.rows(f"SELECT state, count(*) {_SOURCES} GROUP BY state ORDER BY state", only))
    ledger = mirror.rows(
        f"SELECT disposition, sum(records)::BIGINT, sum(bytes)::BIGINT {_LEDGER} GROUP BY disposition", only
    )
    unknown = mirror.rows(
        f"SELECT record_type, sum(records)::BIGINT {_LEDGER} WHERE disposition = 'unknown' "
        "GROUP BY record_type ORDER BY 2 DESC, 1",
        only,
    )
    return Coverage(
        sources=sources,
        sessions=sessions,
        states=states,
        records=_tally({name: records for name, records, _ in ledger}),
        bytes=_tally({name: size for name, _, size in ledger}),
        unread_bytes=unread,
        unknown_types=dict(unknown),
        last_capture=last,
        oldest_missing=missing,
        at_risk=risk,
    )


def coverage_by(
    mirror: Mirror, by: str, *, zone: str | None = None, **filters: Unpack[CoverageFilters]
) -> tuple[CoverageRow, ...]:
    """Add up sources by ``day`` (of their last record, in the zone), ``host``, ``repo``, ``state`` or ``model``.

    Days come in order, other keys by their bytes; a source that several models wrote counts for each of them. The
    filters are those of ``coverage``.

    Raises:
        UsageError: ``by`` is none of these, or there is no such filter or zone.
        TimeError: a time cannot be understood.
    """
    only, here = bound("coverage", filters, COVERAGE_FILTERS, zone)
    sums = "count(*), sum(size)::BIGINT, sum(greatest(size - cursor, 0))::BIGINT"
    if by == "model":
        statement = (
            f"SELECT c.model, {sums} FROM (SELECT DISTINCT source_id, model FROM copies.model_calls) c "
            f"JOIN (SELECT source_id, size, cursor {_SOURCES}) USING (source_id) GROUP BY 1 ORDER BY 3 DESC, 1"
        )
    elif by in _KEYS:
        order = "1 NULLS FIRST" if by == "day" else "3 DESC, 1"
        statement = f"SELECT {_KEYS[by]}, {sums} {_SOURCES} GROUP BY 1 ORDER BY {order}"
    else:
        raise UsageError(f"coverage cannot be grouped by {by!r}; use one of model, {', '.join(sorted(_KEYS))}")
    if by == "day":
        only["zone"] = here
    return tuple(
        CoverageRow(key=key, sources=sources, bytes=size, unread_bytes=unread)
        for key, sources, size, unread in mirror.rows(statement, only)
    )


def _tally(parts: dict[Disposition, int]) -> Tally:
    whole = {name: parts.get(name, 0) for name in DISPOSITIONS}
    return Tally(total=sum(whole.values()), by_disposition=whole)


def _share(tally: Tally, name: Disposition) -> float:
    return tally.by_disposition[name] / tally.total if tally.total else 0.0
