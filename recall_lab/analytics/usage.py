"""Tokens and cost of the hosts' model calls, each call counted once, by one key at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from recall_lab.errors import UsageError
from recall_lab.mirror import Mirror, PriceCatalogue
from recall_lab.model import Record
from recall_lab.times import check_zone, local_zone, parse_time

if TYPE_CHECKING:
    import pandas as pd

By = Literal["day", "model", "repo", "host", "branch", "session"]
GROUPINGS: tuple[str, ...] = get_args(By)

_KEYS = {
    "day": "day",
    "model": "model",
    "repo": "repo",
    "host": "host",
    "branch": "branch",
    "session": "session",
}
_ORDERS = {"day": "1 NULLS FIRST"}
# Costs are added up as whole trillionths of a dollar, so that no order or grouping of the calls changes a sum.
_SUMS = """
    count(*) AS calls,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    coalesce(sum(cache_read_tokens), 0)::BIGINT AS cache_read_tokens,
    coalesce(sum(cache_write_5m_tokens), 0)::BIGINT AS cache_write_5m_tokens,
    coalesce(sum(cache_write_1h_tokens), 0)::BIGINT AS cache_write_1h_tokens,
    coalesce(sum(reasoning_tokens), 0)::BIGINT AS reasoning_tokens,
    coalesce(sum(web_searches), 0)::BIGINT AS web_searches,
    sum(round(cost_usd * 1e12)::HUGEINT)::DOUBLE / 1e12 AS cost_usd,
    count(*) FILTER (cost_usd IS NULL) AS unpriced_calls"""
# Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single calls.
_DAYS = """
    LEFT JOIN (
        SELECT quarter, strftime(local_time(quarter, $zone), '%Y-%m-%d') AS day
        FROM (SELECT DISTINCT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter FROM model_calls)
    ) ON quarter = time_bucket(INTERVAL 15 MINUTE, timestamp)"""
_COUNTED = """
WHERE counted
  AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
  AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo) AND ($model IS NULL OR model = $model)"""


class UsageRow(Record, frozen=True, kw_only=True):
    """Usage of one key. Token classes are disjoint but for ``reasoning_tokens``, which are part of ``output_tokens``.

    ``key`` is None for calls that have none (a call without a time has no day). ``cost_usd`` is the sum over the priced
    calls, None when none is priced.
    """

    key: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    reasoning_tokens: int
    web_searches: int
    cost_usd: float | None
    unpriced_calls: int


class UsageReport(Record, frozen=True, kw_only=True):
    """Usage by one key, with the total. Days are those of ``zone``."""

    by: By
    rows: tuple[UsageRow, ...]
    total: UsageRow
    unpriced_models: tuple[str, ...]
    price_catalogue: PriceCatalogue
    zone: str

    def frame(self) -> pd.DataFrame:
        """Return the rows as a frame, one column a key of the contract."""
        import pandas as pd

        return pd.DataFrame(
            [msgspec.structs.asdict(row) for row in self.rows], columns=list(UsageRow.__struct_fields__)
        )


def usage(
    mirror: Mirror,
    by: str = "day",
    *,
    zone: str | None = None,
    since: str | None = None,
    until: str | None = None,
    host: str | None = None,
    repo: str | None = None,
    model: str | None = None,
    now: datetime | None = None,
) -> UsageReport:
    """Add up the model calls by one key.

    Args:
        mirror: The mirror to ask.
        by: day, model, repo, host, branch or session. A call belongs to the repository and session at its root, and
            to the branch that was checked out when it was made.
        zone: IANA zone of days and typed times; this machine's when left out.
        since: A time as people type it; only calls from then on.
        until: Likewise; only calls before it, a day included.
        host: Only this host.
        repo: Only this repository.
        model: Only this model.
        now: The present moment, for relative times.

    Raises:
        UsageError: ``by`` is none of the groupings, or the zone is unknown.
        TimeError: a time cannot be understood.
    """
    _check_grouping(by)
    here = check_zone(zone) if zone else local_zone()
    values: dict[str, Any] = {
        "since": _moment(since, here, now),
        "until": _moment(until, here, now, end=True),
        "host": host,
        "repo": repo,
        "model": model,
    }
    keyed = {**values, "zone": here} if by == "day" else values
    rows = mirror.rows(usage_sql(by), keyed)
    total = mirror.rows(f"SELECT NULL AS key, {_SUMS} FROM model_calls {_COUNTED}", values)[0]
    unpriced = mirror.rows(
        f"SELECT DISTINCT coalesce(model, '(no model)') FROM model_calls {_COUNTED} AND cost_usd IS NULL ORDER BY 1",
        values,
    )
    return UsageReport(
        by=by,  # type: ignore[arg-type]  # is a key of _KEYS
        rows=tuple(UsageRow(**dict(zip(UsageRow.__struct_fields__, row, strict=True))) for row in rows),
        total=UsageRow(**dict(zip(UsageRow.__struct_fields__, ("total", *total[1:]), strict=True))),
        unpriced_models=tuple(name for (name,) in unpriced),
        price_catalogue=mirror.price_catalogue,
        zone=here,
    )


def usage_sql(by: str) -> str:
    """Return the SQL behind ``usage``: parameters $since, $until, $host, $repo and $model, and $zone when by day.

    Raises:
        UsageError: ``by`` is none of the groupings.
    """
    _check_grouping(by)
    order = _ORDERS.get(by, "10 DESC NULLS LAST, 4 DESC, 1")
    calls = f"model_calls {_DAYS}" if by == "day" else "model_calls"
    return f"SELECT {_KEYS[by]} AS key, {_SUMS} FROM {calls} {_COUNTED} GROUP BY 1 ORDER BY {order}"


def _check_grouping(by: str) -> None:
    if by not in _KEYS:
        raise UsageError(f"usage cannot be grouped by {by!r}; use one of {', '.join(GROUPINGS)}")


def _moment(text: str | None, zone: str, now: datetime | None, *, end: bool = False) -> str | None:
    return None if text is None else parse_time(text, zone, now, end=end).removesuffix("Z")
