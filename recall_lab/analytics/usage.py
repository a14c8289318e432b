"""Tokens and cost of the hosts' model calls, each call counted once, by one key at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, Unpack, get_args

import msgspec

from recall_lab.analytics.filters import USAGE_FILTERS, bound
from recall_lab.errors import UsageError
from recall_lab.mirror import Mirror, PriceCatalogue
from recall_lab.model import Record, UsageFilters

if TYPE_CHECKING:
    import pandas as pd

By = Literal["day", "model", "repo", "host", "branch", "session"]
GROUPINGS: tuple[str, ...] = get_args(By)

_SUMS = (
    "calls, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, "
    "reasoning_tokens, web_searches, cost_usd, unpriced_calls"
)
_ASKED = "$since, $until, $host, $repo, $model"


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
    now: datetime | None = None,
    **filters: Unpack[UsageFilters],
) -> UsageReport:
    """Add up the model calls by one key.

    Args:
        mirror: The mirror to ask.
        by: day, model, repo, host, branch or session. A call belongs to the repository and session at its root, and
            to the branch that was checked out when it was made.
        zone: IANA zone of days and typed times; this machine's when left out.
        now: The present moment, for relative times.
        filters: since, until, host, repo and model, as ``UsageFilters`` describes them.

    Raises:
        UsageError: ``by`` is none of the groupings, or there is no such filter or zone.
        TimeError: a time cannot be understood.
    """
    statement = usage_sql(by)
    values, here = bound("usage", filters, USAGE_FILTERS, zone, now)
    rows = mirror.rows(statement, {**values, "zone": here} if by == "day" else values)
    total = mirror.rows(f"SELECT key, {_SUMS} FROM usage_by('total', {_ASKED})", values)
    unpriced = mirror.rows(
        f"SELECT key FROM usage_by(coalesce(c.model, '(no model)'), {_ASKED}) WHERE unpriced_calls > 0 ORDER BY key",
        values,
    )
    return UsageReport(
        by=by,  # type: ignore[arg-type]  # is one of GROUPINGS
        rows=tuple(_row(row) for row in rows),
        total=_row(total[0] if total else ("total", *[0] * 8, None, 0)),
        unpriced_models=tuple(name for (name,) in unpriced),
        price_catalogue=mirror.price_catalogue,
        zone=here,
    )


def _row(values: tuple[object, ...]) -> UsageRow:
    return msgspec.convert(dict(zip(UsageRow.__struct_fields__, values, strict=True)), UsageRow)


def usage_sql(by: str) -> str:
    """Return the SQL behind ``usage``: parameters $since, $until, $host, $repo and $model, and $zone when by day.

    Raises:
        UsageError: ``by`` is none of the groupings.
    """
    if by not in GROUPINGS:
        raise UsageError(f"usage cannot be grouped by {by!r}; use one of {', '.join(GROUPINGS)}")
    if by == "day":
        return (
            f"SELECT strftime(key, '%Y-%m-%d') AS key, {_SUMS}\n"
            f"FROM usage_by_day($zone, {_ASKED})\nORDER BY key NULLS FIRST"
        )
    order = "cost_usd DESC NULLS LAST, output_tokens DESC, key"
    return f"SELECT key, {_SUMS}\nFROM usage_by(c.{by}, {_ASKED})\nORDER BY {order}"
