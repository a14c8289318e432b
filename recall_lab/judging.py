"""The part of the Lab that collects judgments: two configurations shown as one, grades, and the benchmark they make."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recall_lab.analysis import REFRESH_OWED, steps
from recall_lab.errors import NotFoundError, UsageError
from recall_lab.exchange import Exchange
from recall_lab.model import Hit, Record, Redacted

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.evaluation.interleaving import Team
    from recall_lab.evaluation.judged import JudgedBenchmark
    from recall_lab.evaluation.retrieval import Ablation
    from recall_lab.store.judging import Judgment

ABLATED = ("default", "plain", "near=0,far=0", "session=0", "tiers=false", "identifiers=false")
GRADES = ("does not answer", "touches it", "answers", "answers fully")


class Contested(Record, frozen=True):
    """A passage, and which of the two configurations brought it."""

    hit: Hit
    team: Team


class Contest(Record, frozen=True):
    """Two configurations of search, shown as one list.

    Attributes:
        question: What was asked.
        a: One configuration, as ``search.parse_config`` reads it.
        b: The other.
        passages: What they found, interleaved.
    """

    question: str
    a: str
    b: str
    passages: tuple[Contested, ...]

    def config_of(self, index: int) -> str:
        """The configuration that brought a passage."""
        return self.a if self.passages[index].team == "a" else self.b


class Judging(Exchange):
    """Collects judgments over the history of one home."""

    _asked: tuple[str, Redacted] | None = None  # the question that was graded last, and as it is kept

    def contest(self, question: str, *, a: str = "default", b: str | None = None, limit: int = 10) -> Contest:
        """Search with two configurations and interleave what they find (team draft).

        Args:
            question: Anything that a person types.
            a: A configuration: ``default``, ``plain``, ``mode=hybrid``, ``near=0`` and the like.
            b: The other; by default ``mode=hybrid`` where there are vectors, else ``plain``.
            limit: At most so many passages.

        Raises:
            UsageError: the question is empty, or there is no such configuration.
            SemanticError: a configuration searches by meaning, and there is no model.
        """
        from hashlib import blake2b

        from recall_lab.evaluation.interleaving import team_draft
        from recall_lab.search import parse_config
        from recall_lab.semantic import find, vectors_folder

        if not question.strip():
            raise UsageError("there is no question; type what you would ask")
        if b is None:
            b = "mode=hybrid" if any(vectors_folder(self.settings.store).glob("*.vectors")) else "plain"
        model = self.settings.semantic_model
        found: list[dict[str, Hit]] = []
        for name in (a, b):
            answer = find(self.reader, question, config=parse_config(name), model=model, strict=True, limit=limit)
            found.append({hit.block_id: hit for hit in answer.hits})
        seed = int.from_bytes(
            blake2b(f"{question}\0{a}\0{b}".encode("utf-8", "replace"), digest_size=8).digest(), "big"
        )
        drafted = team_draft(list(found[0]), list(found[1]), seed=seed, limit=limit)
        hits = {"a": found[0], "b": found[1]}
        return Contest(
            question=question,
            a=a,
            b=b,
            passages=tuple(Contested(hit=hits[team][block_id], team=team) for block_id, team in drafted),
        )

    def judge(self, question: str, hit: Hit, grade: int, *, config: str | None = None) -> Judgment:
        """Keep a grade of a passage for a question; an earlier one gives way.

        Args:
            question: What was asked; secrets are taken out before it is kept.
            hit: The passage.
            grade: 0 (does not answer), 1 (touches it), 2 (answers) or 3 (answers fully).
            config: The configuration that brought it.

        Raises:
            UsageError: there is no such grade.
            StoreError: it cannot be kept.
        """
        from recall_lab.store import open_writer
        from recall_lab.store.judging import Judgment, add_judgment
        from recall_lab.times import utc_now

        if grade not in range(len(GRADES)):
            raise UsageError(f"{grade!r} is no grade; use 0 to {len(GRADES) - 1}")
        judgment = Judgment(
            at=utc_now(),
            question=self._redacted_question(question),
            block_id=hit.block_id,
            start=hit.start,
            end=hit.end,
            grade=grade,
            config=config,
        )
        _ = self.reader  # says so where there is no store; a writer would make one
        self.close()
        with open_writer(self.settings.store) as writer:
            add_judgment(writer, judgment)
            writer.checkpoint()
        self._owe_mirror()
        return judgment

    def judgments(self) -> pd.DataFrame:
        """Every grade that was given, the oldest first."""
        import pandas as pd

        from recall_lab.store.judging import Judgment, judgments

        rows = [msgspec.structs.asdict(one) for one in judgments(self.reader)]
        return pd.DataFrame(rows, columns=list(Judgment.__struct_fields__))

    def save_judgments(self, folder: Path | str | None = None) -> JudgedBenchmark:
        """Write the grades as a benchmark folder that ``eval retrieval`` reads.

        Args:
            folder: Where to; ``judgments`` in the home when left out. Only that one follows what is forgotten.

        Raises:
            NotFoundError: nothing is judged yet.
            StoreError: the folder cannot be written.
        """
        from recall_lab.evaluation.judged import write_judged

        return write_judged(self.reader, Path(folder).expanduser() if folder else self._judged)

    def ablations(
        self,
        folder: Path | str | None = None,
        configs: Sequence[str] = ABLATED,
        *,
        passages: int = 40,
        seed: int = 1,
        progress: bool = True,
    ) -> pd.DataFrame:
        """Measure several configurations of search on one benchmark.

        Args:
            folder: A benchmark folder; when left out, this history's own: queries made from parts of its passages.
            configs: As ``search.parse_config`` reads them; each is compared with the first.
            passages: How many passages are drawn where there is no folder.
            seed: The same seed draws the same passages.
            progress: Show a progress bar.

        Returns:
            A row for each configuration, stratum (``all`` among them) and measure: ``config``, ``stratum``,
            ``measure``, ``value``, ``differs`` (whether a paired test tells it from the first, for ``all``), and
            ``p50_ms`` and ``p95_ms`` of a search.

        Raises:
            NotFoundError, UsageError: the folder is no benchmark, or there is nothing to draw from.
            SemanticError: a configuration searches by meaning, and there is no model.
        """
        import tempfile

        from recall_lab.capture.rules import open_rules
        from recall_lab.evaluation.retrieval import ablate
        from recall_lab.evaluation.self_made import write_known_items

        redactor = open_rules(self.settings)
        with (
            tempfile.TemporaryDirectory(prefix="recall-lab-known-") as scratch,
            steps("searching", show=progress) as step,
        ):
            place = Path(folder).expanduser() if folder else Path(scratch) / "known-items"
            if not folder:
                write_known_items(self.reader, place, passages=passages, seed=seed)
            found = ablate(place, configs, redactor=redactor, progress=step, model=self.settings.semantic_model)
        return _ablation_frame(found)

    @property
    def _judged(self) -> Path:
        return self.home / "judgments"

    def _redacted_question(self, question: str) -> Redacted:
        """A question as it is kept; the rules are loaded once for all grades of one question."""
        if self._asked is None or self._asked[0] != question:
            from recall_lab.capture.rules import open_rules

            self._asked = question, open_rules(self.settings).redact([question])[0].text
        return self._asked[1]

    def _owe_mirror(self) -> None:
        """Let whoever asks the mirror next refresh it."""
        os.close(os.open(self.home / REFRESH_OWED, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))

    def _renew_judged(self) -> None:
        """Let no benchmark folder keep what was taken out of the store."""
        if self._judged.is_dir():
            with suppress(NotFoundError):
                self.save_judgments()


def _ablation_frame(found: Sequence[Ablation]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for one in found:
        report = one.report
        for stratum, values in {"all": report.metrics, **report.by_stratum}.items():
            for measure, value in values.items():
                compared = report.comparison.get(measure) if stratum == "all" else None
                differs = bool(compared and compared.p_holm < 0.05)
                latency = (report.latency_ms.p50, report.latency_ms.p95)
                rows.append((one.name, stratum or "(none)", measure, value, differs, *latency))
    return pd.DataFrame(rows, columns=["config", "stratum", "measure", "value", "differs", "p50_ms", "p95_ms"])
