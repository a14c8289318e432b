"""``lab.panels``: every panel by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_lab.lab import Lab
    from recall_lab.model import Citation
    from recall_lab.widgets.citation_panel import CitationPanel
    from recall_lab.widgets.coverage_panel import CoveragePanel
    from recall_lab.widgets.search_panel import SearchPanel
    from recall_lab.widgets.usage_panel import UsagePanel


class Panels:
    """Makes panels over one Lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def search(self, query: str = "", **wish: Any) -> SearchPanel:
        """Search as you type; the filters are those of ``lab.search``."""
        from recall_lab.widgets.search_panel import SearchPanel

        return SearchPanel(self._lab, query, **wish)

    def citation(self, cited: Citation | str | None = None) -> CitationPanel:
        """Check and make citations; starts with a citation, a receipt or a block id if one is given."""
        from recall_lab.widgets.citation_panel import CitationPanel

        return CitationPanel(self._lab, cited)

    def usage(self, by: str = "day", **filters: Any) -> UsagePanel:
        """Tokens and cost; the filters are since, until, host, repo and model."""
        from recall_lab.widgets.usage_panel import UsagePanel

        return UsagePanel(self._lab, by, **filters)

    def coverage(self, host: str | None = None, state: str | None = None) -> CoveragePanel:
        """What of the transcripts is in the store, what is not, and why."""
        from recall_lab.widgets.coverage_panel import CoveragePanel

        return CoveragePanel(self._lab, host, state)

    def __repr__(self) -> str:
        return "lab.panels: search(query), citation(citation), usage(by), coverage()"
