"""The search panel: type, walk the hits with the keyboard, open one, cite what is selected in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import call_line, hit_place, pieces, why_words
from recall_lab.errors import UsageError
from recall_lab.hits import Hits
from recall_lab.model import KINDS, ROLES, Citation, Hit
from recall_lab.widgets._base import Panel, choice, field, row
from recall_lab.widgets._reader import BlockReader
from recall_lab.widgets.citation_panel import CitationPanel
from recall_lab.widgets.views import FiguresView, PassageView, ResultsView

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.lab import Lab

LIMITS = (10, 25, 50, 100)
MODES = [("words", ""), ("words and meaning", "hybrid"), ("meaning", "semantic")]
INVITATION = "Open a hit with Enter or a click; select words in it to cite them."


class SearchPanel(Panel):
    """Search with filters, highlights and WHY; the reader beside the hits cites what is selected.

    Attributes:
        query: The query box (``ipywidgets.Text``).
        results: The list of hits.
        reader: The view of the opened block.
        session: The panel that reads its session, once that was asked for.
        hits: The hits shown.
    """

    title = "Search"

    def __init__(self, lab: Lab, query: str = "", **wish: Any) -> None:
        from recall_lab.hosts import HOSTS

        self.query = ipywidgets.Text(
            value=query,
            placeholder='Ask in plain words, or use "exact words", path/to/file, -without',
            layout={"flex": "1"},
        )
        self.query.add_class("recall-lab-query")
        self.button = ipywidgets.Button(description="Search", icon="search", tooltip="Search the history")
        self.host = choice("Host", [("all", ""), *((name, name) for name in sorted(HOSTS))], wish.get("host"))
        self.role = choice("Role", [("all but host", ""), *((name, name) for name in ROLES)], wish.get("role"))
        self.kind = choice("Kind", [("all", ""), *((name, name) for name in KINDS)], wish.get("kind"))
        self.since = field("Since", "last 30 days", wish.get("since"), "13em")
        self.until = field("Until", "yesterday", wish.get("until"), "12em")
        self.project = field("Repo or folder", "part of its name", wish.get("project"), "17em")
        self.has_error = ipywidgets.Checkbox(
            description="Failed only", value=bool(wish.get("has_error")), indent=False, layout={"width": "auto"}
        )
        self.limit = choice("Hits", [(str(limit), limit) for limit in LIMITS], wish.get("limit", 10))
        self.mode = choice("By", MODES, wish.get("mode"))
        self.results = ResultsView()
        self.reader = PassageView(invitation=INVITATION)
        self.footer = FiguresView()
        self.hits: Hits | None = None
        self._filters = {
            name: getattr(self, name)
            for name in ("host", "role", "kind", "since", "until", "project", "has_error", "limit", "mode")
        }
        self._kept = {name: value for name, value in wish.items() if name not in self._filters}
        asking = row(self.query, self.button)
        columns = row(self.results, self.reader, kind="columns")
        self._rows = [asking, row(*self._filters.values()), columns, self.footer]
        super().__init__(lab, self._rows)
        self._reader = BlockReader(lab, self.reader, self.telling, self.open_session)
        self.session: CitationPanel | None = None
        self.query.observe(lambda _: self.soon(self.search), "value")
        for widget in self._filters.values():
            widget.observe(lambda _: self.search(), "value")
        self.button.on_click(lambda _: self.search())
        self.results.on_msg(self._on_message)
        self.search()

    @property
    def code(self) -> str:
        """The line of Python that repeats the search."""
        return call_line("search", self.query.value, **self._wish())

    @property
    def citation(self) -> Citation | None:
        """What was selected last in the reader."""
        return self._reader.citation

    def data(self) -> pd.DataFrame:
        """The hits as a frame, one row each.

        Raises:
            UsageError: nothing was searched yet.
        """
        if self.hits is None:
            raise UsageError("nothing was searched yet; type a query")
        return self.hits.frame()

    def search(self) -> None:
        """Search for what is in the box, and show the hits."""
        self.hits = None
        status, shown = "", []
        with self.telling(self.results):
            if self.query.value.strip():
                self.hits = self.lab.search(self.query.value, **self._wish())
                shown = [shown_hit(hit, self.lab.zone) for hit in self.hits.answer.hits]
                status = f"{self.hits.heading()} Times are {self.lab.zone}."
            else:
                status = "Type a query; the hits come as you type."
        self.results.selected = -1
        self.results.hits, self.results.status = shown, status
        self.footer.code = self.code if self.query.value.strip() else ""

    def open_hit(self, index: int) -> None:
        """Open one of the hits in the reader.

        Args:
            index: Its place in the list, from 0.
        """
        if self.hits is None or not 0 <= index < len(self.hits):
            return
        self.results.selected = index
        hit = self.hits.answer.hits[index]
        with self.telling(self.reader):
            self._reader.open(hit.block_id, hit.spans, hit.start)

    def open_session(self) -> None:
        """Read the session around the opened block, below the hits."""
        reading = self._reader.reading
        if reading is None:
            return
        if self.session is None:
            self.session = CitationPanel(self.lab)
            self.children = [*self._rows, self.session]
        self.session.show(reading.block_id, self._reader.matches, self._reader.start)

    def _wish(self) -> dict[str, Any]:
        """The filters that were set."""
        chosen = {name: widget.value for name, widget in self._filters.items()}
        if chosen["limit"] == LIMITS[0]:
            del chosen["limit"]
        return {**self._kept, **{name: value for name, value in chosen.items() if value}}

    def _on_message(self, _view: object, content: Any, _buffers: object) -> None:
        if isinstance(content, dict) and content.get("type") == "open":
            self.open_hit(int(content.get("index", -1)))


def shown_hit(hit: Hit, zone: str) -> dict[str, Any]:
    """A hit as the list shows it: texts and marked pieces, nothing to interpret.

    Args:
        hit: The hit.
        zone: IANA name of the zone that its time is shown in.
    """
    return {
        "title": hit.title or "",
        "code": hit.kind in {"tool_use", "tool_result"},
        "place": " · ".join(hit_place(hit, zone)),
        "tier": hit.why.tier,
        "why": why_words(hit.why),
        "pieces": [[text, "match" if marked else ""] for text, marked in pieces(hit.text, hit.spans, hit.start)],
        "receipt": hit.receipt,
    }
