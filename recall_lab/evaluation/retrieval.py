"""How well search finds what it should, on a benchmark folder."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from recall_lab.capture.preparing import RedactsTexts
from recall_lab.evaluation.benchmark import Benchmark, Captured, Question, capture_benchmark, read_benchmark
from recall_lab.evaluation.measures import MEASURES, SESSION_MEASURES, by_query, mean
from recall_lab.evaluation.statistics import Comparison, compare
from recall_lab.search import Scope, SearchConfig, group_sessions, parse_config
from recall_lab.semantic import build, find, open_model, vectors_folder
from recall_lab.store import Reader, open_reader

_FOR_SESSIONS = 50  # hits that sessions are ranked from


class Latency(msgspec.Struct, frozen=True):
    """Milliseconds of a search for ten hits, in process."""

    p50: float
    p95: float


class RetrievalReport(msgspec.Struct, frozen=True):
    """What was measured.

    Attributes:
        queries: How many there were.
        config: What search was configured to.
        metrics: recall@5, recall@10, mrr@10, ndcg@10, hit@1, session_hit@1, session_hit@5, session_mrr: means over the
            answerable queries; abstention: share of the unanswerable ones answered with nothing. None where there are
            no such queries.
        by_stratum: The same for each stratum of the queries.
        latency_ms: Of the searches.
        comparison: By measure, the paired comparison with the other configuration; empty without one.
        since_last: By measure, how much it differs from the last kept run on the same benchmark; empty for the first.
    """

    queries: int
    config: SearchConfig
    metrics: dict[str, float | None]
    by_stratum: dict[str, dict[str, float | None]]
    latency_ms: Latency
    comparison: dict[str, Comparison] = {}
    since_last: dict[str, float] = {}


class _Measured(msgspec.Struct, frozen=True):
    """By measure, by query, the value; and the seconds of each search."""

    values: dict[str, dict[str, float]]
    seconds: list[float]


def evaluate_retrieval(
    folder: Path,
    *,
    redactor: RedactsTexts,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    against: SearchConfig | None = None,
    progress: Callable[[int, int], None] | None = None,
    model: Path | None = None,
) -> RetrievalReport:
    """Capture a benchmark folder into a temporary store, search it, and measure.

    Args:
        folder: Holds ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv``.
        redactor: Takes secrets out of the corpus, as of every transcript.
        config: The configuration to measure.
        against: A second one to compare it with, query by query.
        progress: Told how many queries are done, and of how many.
        model: The folder of a model for search by meaning; the installed one when None.

    Raises:
        NotFoundError, UsageError: the folder is not a benchmark; the message names file and line.
        SemanticError: a configuration searches by meaning, and there is no model.
    """
    with opened(folder, redactor) as (reader, benchmark, captured):
        _embed(reader, [config, *([against] if against else [])], model, progress)
        done = _Progress(progress, len(benchmark.questions) * (2 if against else 1))
        measured = _measure(reader, benchmark, captured, config, done, model)
        other = _measure(reader, benchmark, captured, against, done, model) if against else None
    report = _report(benchmark, config, measured)
    return msgspec.structs.replace(report, comparison=compare(measured.values, other.values)) if other else report


class Ablation(msgspec.Struct, frozen=True):
    """What a configuration is worth beside the first one.

    Attributes:
        name: What is different, as ``search.parse_config`` reads it.
        report: What was measured; its comparison is with the first configuration.
    """

    name: str
    report: RetrievalReport


def ablate(
    folder: Path,
    names: Sequence[str],
    *,
    redactor: RedactsTexts,
    progress: Callable[[int, int], None] | None = None,
    model: Path | None = None,
) -> tuple[Ablation, ...]:
    """Measure several configurations on one benchmark folder, each compared with the first.

    Args:
        folder: See ``evaluate_retrieval``.
        names: Configurations as ``search.parse_config`` reads them: ``default``, ``plain``, ``near=0,far=0``.
        redactor: Takes secrets out of the corpus.
        progress: Told how many queries are done, and of how many.
        model: The folder of a model for search by meaning; the installed one when None.

    Raises:
        NotFoundError, UsageError: the folder is not a benchmark, or a name no configuration.
        SemanticError: a configuration searches by meaning, and there is no model.
    """
    configs = [parse_config(name) for name in names]
    with opened(folder, redactor) as (reader, benchmark, captured):
        _embed(reader, configs, model, progress)
        done = _Progress(progress, len(benchmark.questions) * len(configs))
        measured = [_measure(reader, benchmark, captured, config, done, model) for config in configs]
    reports = [_report(benchmark, *pair) for pair in zip(configs, measured, strict=True)]
    return tuple(
        Ablation(name, msgspec.structs.replace(report, comparison=compare(one.values, measured[0].values)))
        for name, report, one in zip(names, reports, measured, strict=True)
    )


@contextmanager
def opened(folder: Path, redactor: RedactsTexts) -> Iterator[tuple[Reader, Benchmark, Captured]]:
    """Read a benchmark folder, capture it into a temporary store, and open that."""
    benchmark = read_benchmark(folder)
    with tempfile.TemporaryDirectory(prefix="recall-lab-eval-") as scratch:
        store = Path(scratch) / "recall.db"
        captured = capture_benchmark(benchmark, store, redactor)
        with open_reader(store) as reader:
            yield reader, benchmark, captured


def _embed(
    reader: Reader,
    configs: Sequence[SearchConfig],
    model: Path | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Make the vectors of the temporary store, if any configuration needs them."""
    if any(config.mode != "lexical" for config in configs):
        build(reader, vectors_folder(reader.path), open_model(model), progress=progress)


def _report(benchmark: Benchmark, config: SearchConfig, measured: _Measured) -> RetrievalReport:
    return RetrievalReport(
        queries=len(benchmark.questions),
        config=config,
        metrics=_means(measured.values, benchmark.questions),
        by_stratum={
            name: _means(measured.values, [q for q in benchmark.questions if (q.stratum or "") == name])
            for name in sorted({q.stratum or "" for q in benchmark.questions})
        },
        latency_ms=Latency(_percentile(measured.seconds, 0.5), _percentile(measured.seconds, 0.95)),
    )


class _Progress:
    def __init__(self, tell: Callable[[int, int], None] | None, total: int) -> None:
        self._tell = tell
        self._total = total
        self._done = 0

    def step(self) -> None:
        self._done += 1
        if self._tell:
            self._tell(self._done, self._total)


def _measure(
    reader: Reader,
    benchmark: Benchmark,
    captured: Captured,
    config: SearchConfig,
    progress: _Progress,
    model: Path | None,
) -> _Measured:
    answerable = {q for q, grades in benchmark.grades.items() if max(grades.values(), default=0) > 0}
    rankings: dict[str, list[str]] = {}
    sessions: dict[str, list[str]] = {}
    abstained: dict[str, float] = {}
    seconds: list[float] = []
    of_row = {row.id: f"{row.scope}:{row.session or row.id}" for row in benchmark.rows}
    for question in benchmark.questions:
        scope: Scope = "all" if question.scope is None else "repo"
        repo = None if question.scope is None else captured.scopes.get(question.scope, "\x00")
        began = time.perf_counter()
        ask = partial(find, reader, question.text, config=config, model=model, strict=True, scope=scope, repo=repo)
        answer = ask(now=benchmark.newest)
        seconds.append(time.perf_counter() - began)
        if question.id in answerable:
            more = ask(now=benchmark.newest, limit=_FOR_SESSIONS)
            rankings[question.id] = [captured.rows[hit.block_id] for hit in answer.hits]
            sessions[question.id] = [
                of_row[captured.rows[group.hits[0].block_id]] for group in group_sessions(more.hits)
            ]
        else:
            abstained[question.id] = float(not answer.hits)
        progress.step()
    asked = {q.id for q in benchmark.questions}
    grades = {q: dict(benchmark.grades[q]) for q in answerable & asked}
    session_grades = {q: {of_row[doc]: 1 for doc, grade in docs.items() if grade > 0} for q, docs in grades.items()}
    values = by_query(MEASURES, rankings, grades)
    values |= by_query(SESSION_MEASURES, sessions, session_grades)
    values["abstention"] = abstained
    return _Measured(values, seconds)


def _means(values: dict[str, dict[str, float]], questions: Sequence[Question]) -> dict[str, float | None]:
    return {name: mean([by[question.id] for question in questions if question.id in by]) for name, by in values.items()}


def _percentile(seconds: Sequence[float], share: float) -> float:
    """Milliseconds that ``share`` of the searches stayed within."""
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) if ordered else 0.0
