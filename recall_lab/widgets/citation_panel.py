"""The citation panel: a block, words selected or pasted, their offsets, receipt and every other occurrence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets

from recall_lab.display import call_line
from recall_lab.errors import UsageError
from recall_lab.model import Check, Citation
from recall_lab.widgets._base import Panel, row
from recall_lab.widgets._reader import BlockReader
from recall_lab.widgets.views import PassageView

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.lab import Lab

INVITATION = "Paste a block id or a receipt, then select words, or paste the words to look for."


class CitationPanel(Panel):
    """Check and make citations in one block.

    Attributes:
        block: The field for a block id, the head of one, or a receipt.
        quote: The field for words to look for.
        reader: The view of the block.
    """

    title = "Citation"

    def __init__(self, lab: Lab, cited: Citation | str | None = None) -> None:
        self.block = ipywidgets.Text(
            placeholder="block id or recall-lab://… receipt",
            continuous_update=False,
            layout={"flex": "1"},
        )
        self.quote = ipywidgets.Textarea(
            placeholder="Exact words to look for in the block",
            rows=2,
            layout={"flex": "1", "width": "auto"},
        )
        self.quote.add_class("recall-lab-query")
        self.button = ipywidgets.Button(description="Check", icon="check", tooltip="Check the words against the block")
        self.reader = PassageView(invitation=INVITATION)
        super().__init__(lab, [row(self.block), row(self.quote, self.button), self.reader])
        self._reader = BlockReader(lab, self.reader, self.telling)
        if isinstance(cited, Citation):
            self.block.value, self.quote.value = cited.block_id, cited.quote
            with self.telling(self.reader):
                self._reader.verify(cited)
        elif cited:
            self.block.value = cited
            self.open_block()
        self.block.observe(lambda _: self.open_block(), "value")
        self.button.on_click(lambda _: self.check_quote())

    @property
    def citation(self) -> Citation | None:
        """What was selected or checked last, if it stands in the block."""
        return self._reader.citation

    @property
    def check(self) -> Check | None:
        """What the last check found."""
        return self._reader.check

    @property
    def code(self) -> str:
        """The line of Python that repeats the check."""
        if self.citation is not None:
            return call_line("check", self.citation.receipt)
        return call_line("check", self.block.value, self.quote.value)

    def data(self) -> pd.DataFrame:
        """Every occurrence of the words: start and end in code points, and what matched.

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

    def open_block(self) -> None:
        """Show the block that the field names; a receipt is checked as well."""
        named = self.block.value.strip()
        with self.telling(self.reader):
            if not named:
                self.reader.shown, self.reader.cited = {}, {}
            elif named.startswith("recall-lab:"):
                self._reader.verify(self.lab.cite(named))
            else:
                self._reader.open(named)

    def check_quote(self) -> None:
        """Look for the words of the field in the block."""
        with self.telling(self.reader):
            if self._reader.reading is None:
                raise UsageError("there is no block to look in; paste a block id or a receipt above")
            if not self.quote.value:
                raise UsageError("there are no words to look for; paste them, or select them in the block")
            self._reader.look_for(self.quote.value)
