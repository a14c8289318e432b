"""The judgment collector: two configurations of search as one list, graded blind by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import call_line, count, hit_place, one_line, pieces
from recall_lab.errors import UsageError
from recall_lab.judging import GRADES, Contest
from recall_lab.widgets._base import Panel, field, row
from recall_lab.widgets.views import FiguresView, JudgeView

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.lab import Lab

INVITATION = "Type a question and press Enter; then grade with 0 to 3, and move with the arrow keys."


class JudgmentPanel(Panel):
    """Grade what two configurations find, without seeing which found what.

    Attributes:
        question: What is asked.
        a: One configuration.
        b: The other.
        passages: The view of the passages.
        contest: What is being graded.
    """

    title = "Judgments"

    def __init__(self, lab: Lab, question: str = "", *, a: str = "default", b: str | None = None) -> None:
        self.question = ipywidgets.Text(
            value=question, placeholder="A question of your own", continuous_update=False, layout={"flex": "1"}
        )
        self.question.add_class("recall-lab-query")
        self.a = field("One search", "default", a, "18em")
        self.b = field("The other", "plain, or mode=hybrid", b, "18em")
        self.reveal = ipywidgets.Button(description="Reveal", icon="eye", tooltip="Say which search brought what")
        self.save = ipywidgets.Button(description="Save", icon="floppy-o", tooltip="Write every grade as a benchmark")
        self.passages = JudgeView(scale=list(GRADES), status=INVITATION)
        self.footer = FiguresView()
        self.contest: Contest | None = None
        asking = row(self.question, self.reveal, self.save)
        super().__init__(lab, [asking, row(self.a, self.b), self.passages, self.footer])
        for widget in (self.question, self.a, self.b):
            widget.observe(lambda _: self.ask(), "value")
        self.reveal.on_click(lambda _: self.show_teams())
        self.save.on_click(lambda _: self.save_benchmark())
        self.passages.on_msg(self._on_message)
        if question:
            self.ask()

    @property
    def code(self) -> str:
        """The line of Python that repeats the search."""
        return call_line("contest", self.question.value, **self._configs())

    @property
    def sql(self) -> str:
        """What asks the mirror for the grades."""
        return "SELECT * FROM judgments ORDER BY timestamp"

    def data(self) -> pd.DataFrame:
        """Every grade that was given, one row each."""
        return self.lab.judgments()

    def ask(self) -> None:
        """Search with both configurations and show what they found, interleaved."""
        self.contest = None
        shown: list[dict[str, Any]] = []
        self.passages.status = INVITATION
        with self.telling(self.passages):
            if self.question.value.strip():
                self.contest = self.lab.contest(self.question.value, **self._configs())
                shown = [self._shown(index) for index in range(len(self.contest.passages))]
                self.passages.status = (
                    f"{count(len(shown), 'passage')} to grade" if shown else "nothing found by either"
                )
        self.passages.selected = -1
        self.passages.grades = [-1] * len(shown)
        self.passages.passages = shown
        self.footer.code = self.code if self.contest else ""

    def grade(self, index: int, grade: int) -> None:
        """Grade one of the passages; kept at once.

        Args:
            index: Its place in the list, from 0.
            grade: 0 to 3.
        """
        if self.contest is None or not 0 <= index < len(self.contest.passages):
            return
        with self.telling(self.passages):
            hit = self.contest.passages[index].hit
            self.lab.judge(self.contest.question, hit, grade, config=self.contest.config_of(index))
            given = list(self.passages.grades)
            given[index] = grade
            self.passages.grades = given
            left = given.count(-1)
            self.passages.status = (
                f"{count(left, 'passage')} to grade" if left else "all graded; Reveal says who found what"
            )

    def show_teams(self) -> None:
        """Say which configuration brought which passage, and which brought more that answers."""
        from recall_lab.evaluation.interleaving import credited

        with self.telling(self.passages):
            if self.contest is None:
                raise UsageError("there is nothing to reveal yet; ask a question first")
            given = zip(self.contest.passages, self.passages.grades, strict=True)
            counts = credited((one.team, grade) for one, grade in given)
            self.passages.passages = [
                self._shown(index) | {"brought": f"brought by {one_line(self.contest.config_of(index))}"}
                for index in range(len(self.contest.passages))
            ]
            a, b = one_line(self.contest.a), one_line(self.contest.b)
            self.passages.status = f"passages that answer: {counts['a']} brought by {a}, {counts['b']} by {b}"

    def save_benchmark(self) -> None:
        """Write every grade as a benchmark folder in the home."""
        with self.telling(self.passages):
            done = self.lab.save_judgments()
            self.passages.status = (
                f"{count(done.questions, 'question')} with {count(done.grades, 'grade')} over "
                f"{count(done.texts, 'text')}: recall-lab eval retrieval {one_line(done.folder)}"
            )

    def _configs(self) -> dict[str, Any]:
        chosen = {"a": self.a.value.strip(), "b": self.b.value.strip()}
        return {name: value for name, value in chosen.items() if value and (name, value) != ("a", "default")}

    def _shown(self, index: int) -> dict[str, Any]:
        """A passage as the list shows it: no rank, no score, no WHY, none of the query's words marked."""
        assert self.contest is not None
        hit = self.contest.passages[index].hit
        return {
            "place": " · ".join(hit_place(hit, self.lab.zone)),
            "code": hit.kind in {"tool_use", "tool_result"},
            "pieces": [[text, ""] for text, _ in pieces(hit.text, (), hit.start)],
        }

    def _on_message(self, _view: object, content: Any, _buffers: object) -> None:
        if isinstance(content, dict) and content.get("type") == "grade":
            self.grade(int(content.get("index", -1)), int(content.get("grade", -1)))
