"""Usage and coverage at a glance: a few figures and the sentences that go with them, for panels and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.display import count, megabytes, shortened
from recall_lab.times import show_time

if TYPE_CHECKING:
    from recall_lab.analytics import Coverage, UsageReport

Figures = list[list[str]]
_LACKS = {"day": "time", "repo": "repository"}


def dollars(value: float | None) -> str:
    """A cost as people read it; small ones keep their digits."""
    if value is None:
        return "-"
    return f"${value:,.2f}" if value >= 0.01 or value == 0 else f"${value:.4f}"


def compact(number: int) -> str:
    """A count at a glance: ``1,234``, ``56.7k``, ``8.9M``, ``1.2G``."""
    for size, sign in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if number >= size:
            return f"{number / (10**3 if sign == 'k' else size):,.1f}{sign}"
    return f"{number:,}"


def key_name(by: str, key: str | None) -> str:
    """A key of a usage report as people read it; calls without one say what they lack."""
    return f"(no {_LACKS.get(by, by)})" if key is None else key


def usage_figures(report: UsageReport) -> Figures:
    """Pairs of a shown value and its name."""
    total = report.total
    sent = total.input_tokens + total.cache_read_tokens + total.cache_write_5m_tokens + total.cache_write_1h_tokens
    return [
        [dollars(total.cost_usd), "cost of the priced calls"],
        [compact(total.calls), "model calls"],
        [compact(sent), "tokens sent, cache included"],
        [compact(total.output_tokens), "tokens written"],
        [f"{total.cache_read_tokens / sent:.0%}" if sent else "-", "of what was sent came from a cache"],
    ]


def usage_notes(report: UsageReport) -> str:
    """Zone, prices, and what has none."""
    prices = report.price_catalogue
    said = [f"Days are {report.zone}.", f"Prices: {prices.name} {prices.version} of {prices.date}."]
    if report.total.unpriced_calls:
        models = shortened(", ".join(report.unpriced_models), 120)
        said.append(f"{report.total.unpriced_calls:,} calls have no known price and are not in the cost: {models}.")
    return " ".join(said)


def coverage_figures(coverage: Coverage) -> Figures:
    """Pairs of a shown value and its name."""
    size = coverage.bytes
    whole = size.total + coverage.unread_bytes
    unknown = sum(coverage.unknown_types.values())
    return [
        [compact(coverage.sources), "sources"],
        [compact(coverage.sessions), "sessions"],
        [f"{size.total / whole:.1%}" if whole else "-", f"of {megabytes(whole)} read"],
        [f"{size.by_disposition['indexed'] / whole:.1%}" if whole else "-", "of the bytes are searchable"],
        [compact(unknown), "records of unknown type"],
        [compact(coverage.states.get("source_missing", 0)), "transcripts gone from the disk"],
    ]


def _share(part: int, whole: int) -> str:
    """A share that is never rounded to nothing."""
    share = part / whole
    return f"{share:.1%}" if share >= 0.001 else "less than 0.1%"


def coverage_notes(coverage: Coverage, zone: str) -> str:
    """How old it is, what is not complete, what is unknown, and what may be lost."""
    when = show_time(coverage.last_capture, zone)
    said = [f"Last capture {when} ({zone})." if when else "Nothing is captured yet."]
    amiss = {name: number for name, number in coverage.states.items() if name != "complete"}
    if amiss:
        listed = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in amiss.items())
        said.append(f"Not complete: {listed}.")
    else:
        said.append("Every known source is captured to its end." if coverage.sources else "")
    unsearched = {name: size for name, size in coverage.bytes.by_disposition.items() if size and name != "indexed"}
    if unsearched and coverage.bytes.total:
        listed = ", ".join(f"{_share(size, coverage.bytes.total)} {name}" for name, size in unsearched.items())
        said.append(f"Read but not searchable, of the bytes: {listed}.")
    if coverage.unknown_types:
        listed = ", ".join(f"{shortened(name, 60)} ({number})" for name, number in coverage.unknown_types.items())
        said.append(f"Unknown types: {shortened(listed, 400)}.")
    if coverage.oldest_missing:
        lost = count(coverage.states.get("source_missing", 0), "transcript")
        said.append(f"The store has the only copy of {lost}, the oldest of {show_time(coverage.oldest_missing, zone)}.")
    if coverage.at_risk:
        said.append(f"{count(coverage.at_risk, 'source')} may be lost: not wholly captured, and old enough to go.")
    return " ".join(filter(None, said))
