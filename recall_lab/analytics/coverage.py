"""What of the transcripts is in the store, what is not and why, and what may be lost; from the mirror's ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.mirror import Mirror
from recall_lab.model import DISPOSITIONS, Disposition, Record, Tally

if TYPE_CHECKING:
    import pandas as pd

_SOURCES = "FROM sources WHERE ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)"
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


def coverage(mirror: Mirror, *, host: str | None = None, repo: str | None = None) -> Coverage:
    """Add up what was read of the transcripts and what became of it.

    Args:
        mirror: The mirror to ask.
        host: Only sources of this host.
        repo: Only sources whose session belongs to this repository.
    """
    only = {"host": host, "repo": repo}
    [(sessions,)] = mirror.rows(
        "SELECT count(*) FROM sessions WHERE ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)", only
    )
    [(sources, last, missing, unread)] = mirror.rows(
        f"""SELECT count(*),
                   strftime(max(captured_at), '%Y-%m-%dT%H:%M:%SZ'),
                   strftime(min(modified) FILTER (state = 'source_missing'), '%Y-%m-%dT%H:%M:%SZ'),
                   coalesce(sum(greatest(size - cursor, 0)) FILTER (state <> 'source_missing'), 0)::BIGINT
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
    )


def _tally(parts: dict[Disposition, int]) -> Tally:
    whole = {name: parts.get(name, 0) for name in DISPOSITIONS}
    return Tally(total=sum(whole.values()), by_disposition=whole)


def _share(tally: Tally, name: Disposition) -> float:
    return tally.by_disposition[name] / tally.total if tally.total else 0.0
