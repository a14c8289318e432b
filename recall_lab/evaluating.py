"""The part of the Lab that measures: search, redaction, and how findable a history is."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from recall_lab.analysis import steps
from recall_lab.errors import StoreError
from recall_lab.upkeep import Upkeep

if TYPE_CHECKING:
    from recall_lab.evaluation.known_items import KnownItemReport
    from recall_lab.evaluation.redaction import RedactionReport
    from recall_lab.evaluation.retrieval import RetrievalReport
    from recall_lab.evaluation.runs import Run
    from recall_lab.search import SearchConfig


class Evaluating(Upkeep):
    """Measures; runs are kept in the home, with date, version and settings."""

    def evaluate_retrieval(
        self,
        folder: Path | str,
        *,
        config: SearchConfig | None = None,
        against: SearchConfig | None = None,
        progress: bool = True,
        keep: bool = True,
    ) -> RetrievalReport:
        """Measure search on a benchmark folder, in a temporary store.

        Args:
            folder: Holds ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv``.
            config: The configuration to measure; the usual one when left out.
            against: One to compare it with, query by query.
            progress: Show a progress bar.
            keep: Keep the run in the home, and say what changed since the last one of this benchmark.

        Raises:
            NotFoundError, UsageError: the folder is not a benchmark.
            SemanticError: a configuration searches by meaning, and there is no model.
        """
        from recall_lab.capture.rules import open_rules
        from recall_lab.evaluation.retrieval import evaluate_retrieval
        from recall_lab.evaluation.runs import since_last
        from recall_lab.search import SearchConfig

        redactor = open_rules(self.settings)
        with steps("searching", show=progress) as step:
            report = evaluate_retrieval(
                Path(folder),
                redactor=redactor,
                config=config or SearchConfig(),
                against=against,
                progress=step,
                model=self.settings.semantic_model,
            )
        if not keep:
            return report
        settings = {"config": msgspec.to_builtins(report.config), "queries": report.queries}
        run = self._keep("retrieval", Path(folder).absolute().name, report.metrics, settings)
        return msgspec.structs.replace(report, since_last=since_last(self.home, run) if run else {})

    def known_items(
        self, *, passages: int = 100, seed: int = 1, progress: bool = True, keep: bool = True
    ) -> KnownItemReport:
        """Say how findable this history is: queries are made from parts of its passages, and the way back looked for.

        Args:
            passages: How many to draw.
            seed: The same seed draws the same passages from the same store.
            progress: Show a progress bar.
            keep: Keep the run in the home; no text of the history is in it.

        Raises:
            NoStoreError: there is no index yet.
        """
        from recall_lab.evaluation.known_items import known_items
        from recall_lab.evaluation.runs import since_last

        with steps("looking for passages", show=progress) as step:
            report = known_items(self.reader, passages=passages, seed=seed, progress=step)
        if not keep:
            return report
        metrics: dict[str, float | None] = {
            f"{group}/{measure}": getattr(found, measure)
            for group, found in (("all", report.all), *report.by_query.items())
            for measure in ("found_1", "found_10", "mrr")
        }
        run = self._keep("known-items", "history", metrics, {"passages": passages, "seed": seed})
        return msgspec.structs.replace(report, since_last=since_last(self.home, run) if run else {})

    def evaluate_redaction(self, file: Path | str, *, keep: bool = True) -> RedactionReport:
        """Measure the redaction on a labelled file.

        Args:
            file: JSON Lines: ``text``, ``spans``, ``kind``, ``label``.
            keep: Keep the run in the home; no value of the file is in it.

        Raises:
            NotFoundError, UsageError: the file is not one.
        """
        from recall_lab.capture.rules import open_rules
        from recall_lab.evaluation.redaction import evaluate_redaction

        report = evaluate_redaction(Path(file), open_rules(self.settings))
        if keep:
            names = ("recall", "precision", "f1", "over_redaction", "benign_hit_rate")
            metrics = {name: getattr(report, name) for name in names}
            self._keep("redaction", Path(file).absolute().name, metrics, {"rows": report.rows})
        return report

    def evaluations(self, kind: str | None = None, name: str | None = None) -> tuple[Run, ...]:
        """The runs that were kept, the oldest first.

        Args:
            kind: ``retrieval``, ``redaction`` or ``known-items``.
            name: Of the benchmark's folder or file.
        """
        from recall_lab.evaluation.runs import kept_runs

        return kept_runs(self.home, kind, name)

    def _keep(self, kind: str, name: str, metrics: dict[str, float | None], settings: dict[str, Any]) -> Run | None:
        """Keep a run; where that cannot be, say so, for the figures are worth more than their record."""
        from recall_lab.evaluation.runs import keep_run

        try:
            return keep_run(self.home, kind, name, metrics, settings)
        except StoreError as error:
            warnings.warn(str(error), stacklevel=3)
            return None
