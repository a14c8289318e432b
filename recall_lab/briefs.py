"""A brief in a notebook: it shows itself and saves itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall_lab.display import passage_html, table_html
from recall_lab.model import SavedBrief

if TYPE_CHECKING:
    from recall_lab.evidence import Brief


class LabBrief:
    """A document made of citations; every field of :class:`recall_lab.evidence.Brief` is an attribute.

    Attributes:
        brief: The record itself.
    """

    def __init__(self, brief: Brief) -> None:
        self.brief = brief

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "brief":
            raise AttributeError(name)
        return getattr(self.brief, name)

    def save(self, path: Path | str) -> SavedBrief:
        """Write the brief, private (0600); the suffix chooses the form: .md, .html, .ipynb or .json.

        Raises:
            UsageError: the suffix names no form, or the place cannot be written.
            NotFoundError: the folder is not there.
            StoreFullError: the disk has no room.
        """
        from recall_lab.evidence import save

        return save(self.brief, path)

    @property
    def references(self) -> list[dict[str, Any]]:
        """The sessions that are cited, as CSL-JSON items for a reference manager."""
        from recall_lab.evidence import csl_items

        return csl_items(self.brief)

    def __repr__(self) -> str:
        return f"<Brief {self.brief.title!r}: {len(self.brief.excerpts)} citations of {self.brief.sessions} sessions>"

    def _repr_html_(self) -> str:
        rows = [
            (number, excerpt.reason, excerpt.citation.quote, excerpt.citation.receipt)
            for number, excerpt in enumerate(self.brief.excerpts, 1)
        ]
        heading = f"<p><strong>{passage_html(self.brief.title)}</strong></p>"
        return heading + table_html(("#", "why it is here", "words", "receipt"), rows)
