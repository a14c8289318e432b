"""``lab.panels``: every panel by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_lab.lab import Lab
    from recall_lab.model import Citation
    from recall_lab.widgets.citation_panel import CitationPanel
    from recall_lab.widgets.composer_panel import ComposerPanel
    from recall_lab.widgets.coverage_panel import CoveragePanel
    from recall_lab.widgets.judgment_panel import JudgmentPanel
    from recall_lab.widgets.redaction_panel import RedactionPanel
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
        """Read sessions, check and make citations in them, and add them to the brief.

        Args:
            cited: A citation, a receipt, a Web Annotation's JSON, a block id or a session's id to start with.
        """
        from recall_lab.widgets.citation_panel import CitationPanel

        return CitationPanel(self._lab, cited)

    def composer(self, question: str = "", **options: Any) -> ComposerPanel:
        """Put what ``lab.draft`` holds in order, with notes and sections; preview, save and verify it.

        Args:
            question: What the brief answers.
            options: ``title`` and ``notes``, one text.
        """
        from recall_lab.widgets.composer_panel import ComposerPanel

        return ComposerPanel(self._lab, question, **options)

    def usage(self, by: str = "day", **filters: Any) -> UsagePanel:
        """Tokens and cost; the filters are since, until, host, repo and model."""
        from recall_lab.widgets.usage_panel import UsagePanel

        return UsagePanel(self._lab, by, **filters)

    def coverage(self, host: str | None = None, state: str | None = None, **filters: Any) -> CoveragePanel:
        """What of the transcripts is in the store, what is not, and why; more filters: repo, model, since and until."""
        from recall_lab.widgets.coverage_panel import CoveragePanel

        return CoveragePanel(self._lab, host, state, **filters)

    def judge(self, question: str = "", **configs: Any) -> JudgmentPanel:
        """Grade what two configurations of search find, blind; the grades make a benchmark of your own.

        Args:
            question: What is asked.
            configs: ``a`` and ``b``, the configurations, as ``lab.contest`` takes them.
        """
        from recall_lab.widgets.judgment_panel import JudgmentPanel

        return JudgmentPanel(self._lab, question, **configs)

    def redaction(self, kind: str | None = None, host: str | None = None, **filters: Any) -> RedactionPanel:
        """What was taken out of the store, and which raw files still hold it; more filters: repo, since and until."""
        from recall_lab.widgets.redaction_panel import RedactionPanel

        return RedactionPanel(self._lab, kind, host, **filters)

    def __repr__(self) -> str:
        first = "search(query), citation(citation), composer(question), usage(by), coverage()"
        return f"lab.panels: {first}, judge(question), redaction()"
