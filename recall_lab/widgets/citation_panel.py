"""The citation panel: a session to read in pages, words selected or pasted, their offsets, receipt and every place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets

from recall_lab.display import call_line
from recall_lab.errors import NotFoundError, UnknownBlockError, UsageError
from recall_lab.model import Check, Citation
from recall_lab.widgets._base import Panel, field, row
from recall_lab.widgets._session import SessionReader
from recall_lab.widgets._session_shown import Spans
from recall_lab.widgets.views import SessionReaderView

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.lab import Lab

INVITATION = (
    "Paste a block id, a receipt, a Web Annotation or the id of a session; then select words with the mouse, or with "
    "shift and the arrow keys, or paste the words to look for."
)


class CitationPanel(Panel):
    """Read a session, check and make citations in it, and add them to the brief.

    Attributes:
        block: The field for a block id, the head of one, a receipt, a Web Annotation or a session.
        go_to: The field for a turn's number or a time of the session.
        dead: Whether blocks on dead branches are shown.
        quote: The field for words to look for.
        reader: The view of the session.
    """

    title = "Citation"

    def __init__(self, lab: Lab, cited: Citation | str | None = None) -> None:
        self.block = ipywidgets.Text(
            placeholder="block id, recall-lab://… receipt, Web Annotation, or session id",
            continuous_update=False,
            layout={"flex": "1"},
        )
        self.go_to = field("Go to", "turn 3, or jan 5 2pm", None, "19em")
        self.dead = ipywidgets.Checkbox(description="Dead branches", indent=False, layout={"width": "auto"})
        self.quote = ipywidgets.Textarea(
            placeholder="Exact words to look for in the block",
            rows=2,
            layout={"flex": "1", "width": "auto"},
        )
        self.quote.add_class("recall-lab-query")
        self.button = ipywidgets.Button(description="Check", icon="check", tooltip="Check the words against the block")
        self.reader = SessionReaderView(invitation=INVITATION)
        rows = [row(self.block, self.go_to, self.dead), row(self.quote, self.button)]
        super().__init__(lab, [*rows, self.reader])
        self._reader = SessionReader(lab, self.reader, self.telling)
        if isinstance(cited, Citation):
            self.block.value, self.quote.value = cited.block_id, cited.quote
            with self.telling(self.reader):
                self._reader.verify(cited)
        elif cited:
            self.block.value = cited
            self.open_block()
        self.block.observe(lambda _: self.open_block(), "value")
        self.go_to.observe(lambda _: self._go(), "value")
        self.dead.observe(lambda _: self._toggle_dead(), "value")
        self.button.on_click(lambda _: self.check_quote())

    @property
    def citation(self) -> Citation | None:
        """What was selected or checked last, if it stands in its block."""
        return self._reader.citation

    @property
    def check(self) -> Check | None:
        """What the last check found."""
        return self._reader.check

    @property
    def code(self) -> str:
        """The line of Python that repeats the check, or opens what is shown."""
        if self.citation is not None:
            return call_line("check", self.citation.receipt)
        if self._reader.check is None and self._reader.session is not None:
            return call_line("session", self._reader.session.info.native_id)
        words = (self.quote.value,) if self.quote.value else ()  # what was pasted may have its own
        return call_line("check", self.block.value, *words)

    def data(self) -> pd.DataFrame:
        """Every place of the words: start and end in code points, and what matched.

        Raises:
            UsageError: nothing was checked yet.
        """
        import pandas as pd

        found = self.check
        if found is None:
            raise UsageError("nothing was checked yet; select words in the block, or paste them and press Check")
        rows = [(start, end, "exact") for start, end in found.occurrences]
        rows += [(near.start, near.end, near.why) for near in found.near]
        return pd.DataFrame(rows, columns=["start", "end", "match"])

    def show(self, block: str, matches: Spans = (), start: int = 0) -> None:
        """Show a block where it stands in its session.

        Args:
            block: Its id, a head of one, or a receipt.
            matches: Spans to highlight, in code points of the block.
            start: What should be in sight.
        """
        with self.telling(self.reader):
            self._reader.open_block(block, matches, start)

    def open_block(self) -> None:
        """Show what the field names: a block, or a session; a receipt and an annotation are checked as well."""
        named = self.block.value.strip()
        with self.telling(self.reader):
            if not named:
                self.reader.shown, self.reader.cited, self.reader.blocks = {}, {}, []
            elif "recall-lab:" in named or named.startswith("{"):
                self._reader.verify(named)
            else:
                self._open_named(named)

    def _open_named(self, named: str) -> None:
        try:
            self._reader.open_block(named)
        except (UnknownBlockError, UsageError) as no_block:
            try:
                self._reader.open_session(named, dead=self.dead.value)
            except NotFoundError:
                raise no_block from None

    def _go(self) -> None:
        """Go to the turn or the time that the field names."""
        wanted = self.go_to.value.strip()
        turn = wanted.lower().removeprefix("turn").strip()
        with self.telling(self.reader):
            if turn.isascii() and turn.isdigit():
                self._reader.open_turn(int(turn))
            elif wanted:
                self._reader.open_time(wanted)

    def _toggle_dead(self) -> None:
        """Read the open session again, with or without its dead branches."""
        with self.telling(self.reader):
            if self._reader.session is not None:
                info = self._reader.session.info
                self._reader.open_session(info.native_id, host=info.host, dead=self.dead.value)

    def check_quote(self) -> None:
        """Look for the words of the field in the block."""
        with self.telling(self.reader):
            if self._reader.block is None:
                raise UsageError("there is no block to look in; paste a block id or a receipt above")
            if not self.quote.value:
                raise UsageError("there are no words to look for; paste them, or select them in the block")
            self._reader.look_for(self.quote.value)
