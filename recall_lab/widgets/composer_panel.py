"""The composer panel: the quotations of a brief in an order, with notes and sections; preview, save, verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import call_line, count, one_line
from recall_lab.errors import UsageError
from recall_lab.widgets._base import Panel, field, row
from recall_lab.widgets._tables import fill_table
from recall_lab.widgets.views import ComposerView, TableView

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.briefs import LabBrief
    from recall_lab.evidence import Chosen
    from recall_lab.lab import Lab
    from recall_lab.model import Verification

QUOTE_SHOWN = 600  # code points of a quotation in the list; the preview and the file have it whole
EMPTY = "No quotation yet: select words in lab.panels.citation(), or choose passages for the question."


class ComposerPanel(Panel):
    """Compose a brief of what ``lab.draft`` holds.

    Attributes:
        question: What the brief answers.
        heading: Its title; the question when empty.
        notes: What the writer has to say, below the quotations.
        file: Where it is saved; the suffix chooses the form.
        items: The view of the quotations.
        verdicts: What was saved or verified, and the receipts that failed.
        pieces: The view of the preview.
        verification: What the last verification found.
    """

    title = "Composer"

    def __init__(self, lab: Lab, question: str = "", *, title: str = "", notes: str = "") -> None:
        self.question = field("Question", "what the brief answers", question, "auto")
        self.question.layout.flex = "1"
        self.heading = field("Title", "the question when empty", title, "22em")
        self.notes = ipywidgets.Textarea(
            value=notes, placeholder="Notes of your own, below the quotations", rows=2, layout={"flex": "1"}
        )
        self.surroundings = ipywidgets.Checkbox(
            value=True, description="Opening ask, decisions, open problems", indent=False, layout={"width": "auto"}
        )
        self.file = field("File", "brief.md, .html, .ipynb or .json", "brief.md", "22em")
        self.choose = _button("Choose passages", "search", "Search for the question, and add the best passages")
        self.show = _button("Preview", "eye", "Show the brief as it will be saved")
        self.save = _button("Save", "floppy-o", "Write the file, readable by you alone")
        self.verify = _button("Verify", "check", "Check every receipt of the file again")
        self.items = ComposerView(status=EMPTY)
        self.pieces = ComposerView()
        self.verdicts = TableView()
        self.verification: Verification | None = None
        rows = [
            row(self.question, self.heading, self.choose),
            row(self.notes),
            self.items,
            row(self.file, self.surroundings, self.show, self.save, self.verify),
        ]
        super().__init__(lab, [*rows, self.verdicts, self.pieces])
        self.choose.on_click(lambda _: self.choose_passages())
        self.show.on_click(lambda _: self.preview())
        self.save.on_click(lambda _: self.save_brief())
        self.verify.on_click(lambda _: self.verify_file())
        self.items.on_msg(self._on_message)
        lab.draft.watch(self._draw)
        self._draw()

    def close(self) -> None:
        """Take the panel away; the draft stays."""
        self.lab.draft.unwatch(self._draw)
        super().close()

    @property
    def brief(self) -> LabBrief:
        """The brief as the panel has it now.

        Raises:
            UsageError: nothing was chosen yet.
            CitationError, UnknownBlockError: a quotation's text is not in the store any more.
        """
        if not len(self.lab.draft):
            raise UsageError("nothing was chosen yet; select words in lab.panels.citation(), or choose passages")
        return self.lab.brief(self.question.value, self.lab.draft, **self._options())

    @property
    def code(self) -> str:
        """The line of Python that makes the same brief, in this Lab or another of the same store."""
        chosen = [item.citation.receipt for item in self.lab.draft]
        told = {"remarks": {}, "sections": {}, "reasons": {}} | self._options()
        for item in self.lab.draft:
            for name, said in (("remarks", item.note), ("sections", item.section)):
                if said:
                    told[name][item.citation.receipt] = said
            if item.reason != type(item)(citation=item.citation).reason:
                told["reasons"][item.citation.receipt] = item.reason
        kept = {name: value for name, value in told.items() if value not in ({}, "")}
        return call_line("brief", self.question.value, chosen, **kept)

    def data(self) -> pd.DataFrame:
        """The quotations in order, one row each."""
        import pandas as pd

        rows = [
            (item.section, item.citation.quote, item.note, item.reason, item.citation.receipt)
            for item in self.lab.draft
        ]
        return pd.DataFrame(rows, columns=["section", "quote", "note", "reason", "receipt"])

    def choose_passages(self) -> None:
        """Search for the question, and add the best passages with the reason for each."""
        from recall_lab.evidence import Chosen

        with self.telling(self.items):
            found = self.lab.brief(self.question.value, surroundings=False)
            for excerpt in found.passages:
                self.lab.draft.add(Chosen(citation=excerpt.citation, reason=excerpt.reason))
            if not found.passages:
                raise UsageError("no passage answers the question; ask it in other words")

    def preview(self) -> None:
        """Show the brief as it will be saved."""
        from recall_lab.evidence import outline

        self.pieces.preview = []
        with self.telling(self.items):
            self.pieces.preview = [list(piece) for piece in outline(self.brief.brief)]

    def save_brief(self) -> None:
        """Write the file."""
        with self.telling(self.items):
            saved = self.brief.save(self.file.value.strip())
            self._say(
                f"Saved {saved.file}: {count(saved.citations, 'citation')} of {count(saved.sessions, 'session')}."
            )

    def verify_file(self) -> None:
        """Check every receipt of the file again."""
        self.verification = None
        self._say("")
        with self.telling(self.items):
            found = self.verification = self.lab.verify(Path(self.file.value.strip()))
            failed = [(one.receipt, one.verdict, one.detail) for one in found.failed]
            self._say(f"Verified: {found.valid} of {count(found.checked, 'receipt')} valid.", failed)

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.heading.value.strip():
            options["title"] = self.heading.value.strip()
        if self.notes.value.strip():
            options["notes"] = self.notes.value.strip()
        if not self.surroundings.value:
            options["surroundings"] = False
        return options

    def _say(self, line: str, failed: list[tuple[str, str, str]] | None = None) -> None:
        """Say beside the buttons what they did; the receipts that failed stand below."""
        fill_table(self.verdicts, ("receipt", "verdict", "detail") if failed else (), failed or (), line)

    def _draw(self) -> None:
        self.items.items = [_shown(item) for item in self.lab.draft]
        self.items.status = (
            f"{count(len(self.lab.draft), 'quotation')} in this order." if len(self.lab.draft) else EMPTY
        )
        self.pieces.preview = []

    def _on_message(self, _view: object, content: Any, _buffers: object) -> None:
        if not isinstance(content, dict):
            return
        with self.telling(self.items):
            at = self.lab.draft.find(str(content.get("receipt", "")))
            if at is None:
                return
            if content.get("type") == "move":
                self.lab.draft.move(at, int(content["to"]))
            elif content.get("type") == "remove":
                self.lab.draft.remove(at)
            elif content.get("type") in {"note", "section"}:
                self.lab.draft.change(at, **{content["type"]: str(content["value"])})


def _button(description: str, icon: str, tooltip: str) -> ipywidgets.Button:
    return ipywidgets.Button(description=description, icon=icon, tooltip=tooltip, layout={"width": "auto"})


def _shown(item: Chosen) -> dict[str, Any]:
    """A quotation as the list shows it."""
    quote: str = item.citation.quote
    more = f" … ({len(quote):,} characters)" if len(quote) > QUOTE_SHOWN else ""
    return {
        "receipt": item.citation.receipt,
        "quote": quote[:QUOTE_SHOWN] + more,
        "code": False,
        "place": f"block {item.citation.block_id[:8]}, characters {item.citation.start:,} to {item.citation.end:,}",
        "reason": one_line(item.reason),
        "note": item.note or "",
        "section": item.section or "",
    }
