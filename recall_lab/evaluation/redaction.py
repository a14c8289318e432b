"""How well redaction takes secrets out of a labelled file, and how much else it takes.

Each line of the file is ``{"text", "spans": [[start, end], ...], "kind", "label": "secret" | "benign"}``, with offsets
in code points. A span is found when at least 95% of its characters are covered by findings. Precision is the share of
findings that overlap a span; over-redaction the share of characters outside spans that were taken; the benign hit rate
the share of benign rows with a finding. Intervals are Wilson's score intervals (1927).
"""

from __future__ import annotations

import math
import os
import re
import stat
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from recall_lab.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

_FOUND = 0.95  # of a span's characters
_Z95 = 1.959963984540054  # quantile of the normal distribution for a two-sided interval of 95%
_SPEED_BYTES = 1_000_000  # text to time the detector on: rows are repeated up to this size
_LARGEST = 256 << 20  # bytes of a labelled file
_RUN = re.compile(r"([A-Z]+)|([a-z]+)|([0-9]+)")


class _Span(Protocol):
    """Where a secret was found: code points and its kind."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def kind(self) -> str: ...


class ScansTexts(Protocol):
    """What the evaluation needs of a redactor."""

    @property
    def version(self) -> str:
        """The version of the rules."""
        ...

    def scan(self, texts: Sequence[str]) -> Sequence[Sequence[_Span]]:
        """Return the findings of each text."""
        ...


class Row(msgspec.Struct, frozen=True):
    """A labelled text; ``line`` is its line in the file."""

    text: str
    spans: tuple[tuple[int, int], ...]
    kind: str
    label: Literal["secret", "benign"]
    line: int = 0


class Found(msgspec.Struct, frozen=True):
    """Of one kind: how many spans were found, of how many."""

    found: int
    total: int


class Miss(msgspec.Struct, frozen=True):
    """A span that was not found, told by its kind and shape; ``covered`` is the share of it that was.

    The shape names classes of characters (A, a, 9) and keeps nothing of the value.
    """

    kind: str
    shape: str
    line: int
    covered: float


class Interval(msgspec.Struct, frozen=True):
    """A 95% interval of a share; (0, 1) where there was nothing to count."""

    low: float
    high: float


class KindMeasures(msgspec.Struct, frozen=True):
    """What was measured on the rows of one kind; shares are None where there was nothing to divide by.

    Attributes:
        kind: The file's name for it.
        rows: Rows of the kind.
        secrets: Spans in them.
        found: Spans found.
        recall: Spans found / spans, with its 95% interval.
        precision: Findings that overlap a span / findings, with its 95% interval.
        f1: Harmonic mean of the two.
        over_redaction: Characters taken outside spans / characters outside spans.
    """

    kind: str
    rows: int
    secrets: int
    found: int
    recall: float | None
    recall_interval: Interval
    precision: float | None
    precision_interval: Interval
    f1: float | None
    over_redaction: float | None


class RedactionReport(msgspec.Struct, frozen=True):
    """What was measured. Shares are None where there was nothing to divide by.

    Attributes:
        rows: Lines of the file.
        secrets: Spans in them.
        recall: Spans found / spans.
        precision: Findings that overlap a span / findings.
        f1: Harmonic mean of the two.
        over_redaction: Characters taken outside spans / characters outside spans.
        benign_hit_rate: Benign rows with a finding / benign rows.
        mb_per_s: Millions of UTF-8 bytes scanned a second, in batches, on one core.
        by_kind: Spans found, by the file's kinds.
        rules_version: Of the redactor.
        recall_interval: 95% interval of the recall.
        precision_interval: 95% interval of the precision.
        benign_hits: Benign rows with a finding, by kind.
        misses: Spans not found.
        kinds: The measures of each kind, benign ones included, by its name.
    """

    rows: int
    secrets: int
    recall: float | None
    precision: float | None
    f1: float | None
    over_redaction: float | None
    benign_hit_rate: float | None
    mb_per_s: float
    by_kind: dict[str, Found]
    rules_version: str = ""
    recall_interval: Interval = Interval(0.0, 1.0)
    precision_interval: Interval = Interval(0.0, 1.0)
    benign_hits: dict[str, int] = {}
    misses: tuple[Miss, ...] = ()
    kinds: tuple[KindMeasures, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row a kind; ``low`` and ``high`` bound the recall."""
        import pandas as pd

        names = ("kind", "rows", "secrets", "found", "recall", "low", "high", "precision", "f1", "over_redaction")
        rows = [
            (
                *(one.kind, one.rows, one.secrets, one.found, one.recall),
                *(one.recall_interval.low, one.recall_interval.high, one.precision, one.f1, one.over_redaction),
            )
            for one in self.kinds
        ]
        return pd.DataFrame(rows, columns=pd.Index(names))

    def summary(self) -> pd.DataFrame:
        """One row a measure: its share and, where it has one, its 95% interval."""
        import pandas as pd

        rows = [
            ("recall", self.recall, self.recall_interval.low, self.recall_interval.high),
            ("precision", self.precision, self.precision_interval.low, self.precision_interval.high),
            ("f1", self.f1, None, None),
            ("over-redaction, of characters", self.over_redaction, None, None),
            ("benign rows hit", self.benign_hit_rate, None, None),
        ]
        return pd.DataFrame(rows, columns=pd.Index(("measure", "share", "low", "high"))).astype(
            {"low": float, "high": float}
        )


class _Tally(msgspec.Struct):
    """What is counted of rows, all of them or those of one kind."""

    rows: int = 0
    secrets: int = 0
    found: int = 0
    overlapping: int = 0
    reported: int = 0
    taken: int = 0
    outside: int = 0

    def add(self, row: Row, spans: Sequence[_Span]) -> list[Miss]:
        """Count a row and its findings; returns its misses."""
        covered = [_overlap(start, end, spans) for start, end in row.spans]
        misses = [
            Miss(row.kind, shape(row.text[start:end]), row.line, round(part / (end - start), 3))
            for (start, end), part in zip(row.spans, covered, strict=True)
            if part < _FOUND * (end - start)
        ]
        self.rows += 1
        self.secrets += len(row.spans)
        self.found += len(row.spans) - len(misses)
        self.reported += len(spans)
        self.overlapping += sum(any(start < s.end and s.start < end for start, end in row.spans) for s in spans)
        self.taken += sum(span.end - span.start for span in spans) - sum(covered)
        self.outside += len(row.text) - sum(end - start for start, end in row.spans)
        return misses

    def measures(self, kind: str) -> KindMeasures:
        """The shares of what was counted."""
        recall, precision = _share(self.found, self.secrets), _share(self.overlapping, self.reported)
        return KindMeasures(
            kind=kind,
            rows=self.rows,
            secrets=self.secrets,
            found=self.found,
            recall=recall,
            recall_interval=wilson(self.found, self.secrets),
            precision=precision,
            precision_interval=wilson(self.overlapping, self.reported),
            f1=2 * recall * precision / (recall + precision) if recall and precision else None,
            over_redaction=_share(self.taken, self.outside),
        )


def evaluate_redaction(path: Path, redactor: ScansTexts) -> RedactionReport:
    """Measure a redactor on a labelled file.

    Raises:
        UsageError: The file cannot be read, or a line of it is not a labelled row; the message names the line.
    """
    rows = read_rows(path)
    findings = redactor.scan([row.text for row in rows])
    whole, by_kind, benign_hits = _Tally(), defaultdict[str, _Tally](_Tally), Counter[str]()
    misses: list[Miss] = []
    for row, spans in zip(rows, findings, strict=True):
        if row.label == "benign" and spans:
            benign_hits[row.kind] += 1
        by_kind[row.kind].add(row, spans)
        misses += whole.add(row, spans)
    total = whole.measures("")
    benign = sum(row.label == "benign" for row in rows)
    return RedactionReport(
        rows=len(rows),
        secrets=total.secrets,
        recall=total.recall,
        precision=total.precision,
        f1=total.f1,
        over_redaction=total.over_redaction,
        benign_hit_rate=_share(benign_hits.total(), benign),
        mb_per_s=_speed([row.text for row in rows], redactor),
        by_kind={kind: Found(one.found, one.secrets) for kind, one in sorted(by_kind.items()) if one.secrets},
        rules_version=redactor.version,
        recall_interval=total.recall_interval,
        precision_interval=total.precision_interval,
        benign_hits=dict(sorted(benign_hits.items())),
        misses=tuple(misses),
        kinds=tuple(one.measures(kind) for kind, one in sorted(by_kind.items())),
    )


def read_rows(path: Path) -> list[Row]:
    """Read a labelled file; blank lines are passed over.

    Raises:
        UsageError: The file cannot be read, is too large, holds no row, or a line is not a labelled row; the message
            names the line.
    """
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
                raise UsageError(f"{path}: a device, not a file; name a labelled JSON Lines file")
            data = file.read(_LARGEST + 1) if found.st_size <= _LARGEST else b""
        if max(found.st_size, len(data)) > _LARGEST:
            raise UsageError(f"{path}: larger than {_LARGEST >> 20} MB; split it")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); name a labelled JSON Lines file") from None
    rows = [_row(path, number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not rows:
        raise UsageError(f"{path}: has no rows; each line is an object with text, spans, kind and label")
    return rows


def _row(path: Path, number: int, line: bytes) -> Row:
    try:
        row = msgspec.json.decode(line, type=Row, strict=True)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # msgspec's message names the field, never its content.
        raise UsageError(f"{path}:{number}: {error}; a row is {{text, spans, kind, label}}") from None
    if any(not 0 <= start < end <= len(row.text) for start, end in row.spans):
        raise UsageError(f"{path}:{number}: a span lies outside the text; offsets are code points, end exclusive")
    ordered = sorted(row.spans)
    if any(first[1] > second[0] for first, second in pairwise(ordered)):
        raise UsageError(f"{path}:{number}: spans overlap; join them")
    if row.label == "benign" and row.spans:
        raise UsageError(f"{path}:{number}: a benign row has spans; label it secret, or drop them")
    return Row(row.text, tuple(ordered), row.kind, row.label, number)


def shape(value: str) -> str:
    """What a value looks like: runs of letters and digits as AAAA, aaaa, 9999 (at most four), the rest as it is.

    Words in the value do not survive: ``sk-live_Ab12cdEFgh345`` is ``aa-aaaa_Aa99aaAAaa999``. After 24 characters it is
    cut off.
    """

    def classes(run: re.Match[str]) -> str:
        return ("A" if run[1] else "a" if run[2] else "9") * min(4, len(run[0]))

    ascii_only = "".join(c if c.isascii() and c.isprintable() else "?" for c in value[:200])
    drawn = _RUN.sub(classes, ascii_only)
    return drawn if len(drawn) <= 24 else f"{drawn[:24]}…"


def wilson(hits: int, total: int) -> Interval:
    """Wilson's score interval (E. B. Wilson, 1927) at 95% of a share of ``hits`` in ``total``."""
    if not total:
        return Interval(0.0, 1.0)
    share, weight = hits / total, _Z95**2 / total
    middle = (share + weight / 2) / (1 + weight)
    half = _Z95 * math.sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


class RedactionComparison(msgspec.Struct, frozen=True):
    """Two versions of the rules on the same file: spans that only one of them found, told by kind."""

    before: RedactionReport
    after: RedactionReport
    gained: dict[str, int]
    lost: dict[str, int]


def compare_redaction(path: Path, before: ScansTexts, after: ScansTexts) -> RedactionComparison:
    """Measure two redactors on one file.

    Raises:
        UsageError: As ``evaluate_redaction``.
    """
    first, second = evaluate_redaction(path, before), evaluate_redaction(path, after)
    missed_before = Counter((miss.line, miss.kind, miss.shape) for miss in first.misses)
    missed_after = Counter((miss.line, miss.kind, miss.shape) for miss in second.misses)
    return RedactionComparison(
        first,
        second,
        gained=_by_kind(missed_before - missed_after),
        lost=_by_kind(missed_after - missed_before),
    )


def _by_kind(misses: Counter[tuple[int, str, str]]) -> dict[str, int]:
    kinds: Counter[str] = Counter()
    for (_, kind, _), count in misses.items():
        kinds[kind] += count
    return dict(sorted(kinds.items()))


def _overlap(start: int, end: int, spans: Sequence[_Span]) -> int:
    return sum(max(0, min(end, span.end) - max(start, span.start)) for span in spans)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _speed(texts: Sequence[str], redactor: ScansTexts) -> float:
    sizes = [len(text.encode("utf-8", "replace")) for text in texts]
    repeats = max(1, _SPEED_BYTES // max(1, sum(sizes)))
    batch = list(_repeated(texts, repeats))
    started = time.process_time()
    redactor.scan(batch)
    seconds = time.process_time() - started
    return round(sum(sizes) * repeats / 1e6 / max(seconds, 1e-9), 1)


def _repeated(texts: Sequence[str], times: int) -> Iterator[str]:
    for _ in range(times):
        yield from texts
