"""Shows a hit's block in its place, and cites what is selected in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from recall_lab.display import call_line, check_words, neighbor_text, short_repo
from recall_lab.model import Check, Citation, Neighbor, Reading
from recall_lab.times import show_time
from recall_lab.widgets._base import Telling
from recall_lab.widgets.views import PassageView, View

if TYPE_CHECKING:
    from recall_lab.lab import Lab

PAGE = 20_000  # code points shown at once
LEAD = 2_000  # code points shown before a passage that is far into its block
NEIGHBORS = 2

Spans = Sequence[tuple[int, int]]


class BlockReader:
    """Drives a :class:`PassageView`: opens blocks, turns their pages, cites selections.

    Attributes:
        view: The view.
        reading: The span of the block that is shown; ``None`` before anything is opened.
        citation: What was selected or checked last and stands in the block.
        check: What the last check found.
        matches: What is highlighted in the block.
        start: What was to be in sight when it was opened.
    """

    def __init__(
        self, lab: Lab, view: PassageView, telling: Telling, open_session: Callable[[], None] | None = None
    ) -> None:
        self.lab = lab
        self.view = view
        self.reading: Reading | None = None
        self.citation: Citation | None = None
        self.check: Check | None = None
        self._telling = telling
        self._open_session = open_session
        self.matches: Spans = ()
        self.start = 0
        view.on_msg(self._on_message)

    def open(self, block: str, matches: Spans = (), start: int = 0) -> None:
        """Show a block from where its passage starts.

        Args:
            block: Its id, a head of one, or a receipt.
            matches: Spans to highlight, in code points of the block.
            start: What should be in sight.
        """
        self.matches, self.start = matches, start
        self.citation = self.check = None
        self.view.cited = {}
        self._show(block, 0 if start < PAGE - LEAD else start - LEAD)

    def verify(self, citation: Citation) -> None:
        """Show a citation's block, and what a check of it says."""
        self.open(citation.block_id, start=citation.start)
        self._judge(self.lab.check(citation), citation.quote)

    def look_for(self, quote: str) -> None:
        """Check whether exact words stand in the open block, and show where.

        Args:
            quote: The words.
        """
        if self.reading is not None:
            self._judge(self.lab.check(self.reading.block_id, quote), quote)

    def select(self, start: int, end: int) -> None:
        """Cite a span of the open block.

        Args:
            start: First code point.
            end: Exclusive end.

        Raises:
            CitationError: the span is not in the block.
        """
        if self.reading is None:
            return
        quote = self.lab.read(self.reading.block_id, start=start, length=end - start).text
        citation = self.lab.cite(self.reading.block_id, quote, start=start)
        self._judge(self.lab.check(citation), citation.quote)

    def _judge(self, check: Check, quote: str) -> None:
        self.check, self.citation = check, None
        here: Spans = ()
        cited: dict[str, Any] = {"verdict": check.verdict, "message": check_line(check)}
        if check.start is not None and check.end is not None and self.reading is not None and check.valid:
            self.citation = self.lab.cite(self.reading.block_id, quote, start=check.start)
            here = [(check.start, check.end)]
            cited["receipt"] = self.citation.receipt
            cited["code"] = call_line("check", self.citation.receipt)
            if not self.reading.start <= check.start < self.reading.end:
                self._show(self.reading.block_id, max(0, check.start - LEAD))
        self.view.cited = cited
        others = [*check.occurrences, *((near.start, near.end) for near in check.near)]
        self._draw(here, others)

    def _show(self, block: str, start: int) -> None:
        self.reading = self.lab.read(block, start=start, length=PAGE, neighbors=NEIGHBORS)
        self._draw()

    def _draw(self, here: Spans = (), others: Spans = ()) -> None:
        reading = self.reading
        assert reading is not None
        when = show_time(reading.timestamp, self.lab.zone)
        place = [
            reading.host,
            f"session {reading.session[:8]}",
            f"turn {reading.turn}",
            f"{reading.role} {reading.kind}",
        ]
        place += [short_repo(reading.repo)] if reading.repo else []
        place += [reading.branch] if reading.branch else []
        place += [f"{when} {self.lab.zone}"] if when else []
        extent = f"characters {reading.start:,} to {reading.end:,} of {reading.length:,}"
        marks = [("match", span) for span in self.matches] if not (here or others) else []
        marks += [("also", span) for span in others] + [("here", span) for span in here]
        whole = reading.start == 0 and reading.end == reading.length
        self.view.shown = {
            "title": reading.title or "",
            "place": " · ".join([*place, f"{reading.length:,} characters" if whole else extent]),
            "code": reading.kind in {"tool_use", "tool_result"},
            "start": reading.start,
            "pieces": marked_pieces(reading.text, marks, reading.start),
            "before": [_neighbor(one) for one in reading.neighbors if one.offset < 0],
            "after": [_neighbor(one) for one in reading.neighbors if one.offset > 0],
            "earlier": reading.start > 0,
            "later": reading.end < reading.length,
            "session": self._open_session is not None and bool(reading.session),
        }

    def _on_message(self, _view: View, content: Any, _buffers: object) -> None:
        if not isinstance(content, dict):
            return
        with self._telling(self.view):
            if content.get("type") == "select":
                self.select(int(content["start"]), int(content["end"]))
            elif content.get("type") == "page" and self.reading is not None:
                step = PAGE if int(content["direction"]) > 0 else -PAGE
                self._show(self.reading.block_id, max(0, self.reading.start + step))
            elif content.get("type") == "session" and self._open_session is not None:
                self._open_session()
            elif content.get("type") == "add" and self.citation is not None:
                place = self.lab.draft.add(self.citation)
                self.view.cited = {**self.view.cited, "added": f"In the brief as number {place + 1}"}


def marked_pieces(text: str, marks: Iterable[tuple[str, tuple[int, int]]], offset: int) -> list[list[str]]:
    """Cut a text where marks begin and end.

    Args:
        text: A span of a block.
        marks: Names with half-open spans in code points of the block; where they overlap the later one holds.
        offset: Where ``text`` starts in the block.

    Returns:
        Pieces in order, each with its mark or ``""``; joined they are ``text``.
    """
    names = [""]
    level = bytearray(len(text))  # for each code point the index of its name
    for name, (span_start, span_end) in marks:
        start, end = max(0, span_start - offset), min(len(text), span_end - offset)
        if start < end:
            if name not in names:
                names.append(name)
            level[start:end] = bytes([names.index(name)]) * (end - start)
    cut: list[list[str]] = []
    at = 0
    for number, run in groupby(level):
        end = at + sum(1 for _ in run)
        cut.append([text[at:end], names[number]])
        at = end
    return cut


def _neighbor(neighbor: Neighbor) -> dict[str, str]:
    return {"role": neighbor.role, "text": neighbor_text(neighbor)}


def check_line(check: Check) -> str:
    """A check in one line, its offsets included."""
    line = f"{check.verdict}: {check_words(check)}"
    if check.start is not None:
        line += f" (characters {check.start:,} to {check.end:,})"
    near = [f"{near.why} at {near.start:,} to {near.end:,}" for near in check.near]
    return f"{line}; {'; '.join(near)}" if near else line
