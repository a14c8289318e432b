"""The redaction panel: what was taken out of the store, and which raw files still hold it. Never a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import count, megabytes
from recall_lab.errors import UsageError
from recall_lab.widgets._base import QueryPanel, choice, field, row
from recall_lab.widgets._tables import Picture, fill_table
from recall_lab.widgets.views import FiguresView, PictureView, TableView

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from recall_lab.lab import Lab

QUERY = "secrets_by_source"
_SHOWN = ("kind", "host", "repo", "month", "spans", "blocks", "source")


class RedactionPanel(QueryPanel):
    """What was taken out of the kept texts, and an audit of the raw files.

    Attributes:
        host: The choice of a host.
        kind: The choice of a kind.
        repo: The choice of a repository.
        since: From when on; ``until`` likewise.
        audit: The button that looks at the raw files.
    """

    title = "Redaction"
    query = QUERY

    def __init__(self, lab: Lab, kind: str | None = None, host: str | None = None, **filters: Any) -> None:
        unknown = filters.keys() - {"repo", "since", "until"}
        if unknown:
            raise UsageError(
                f"the redaction panel has no filter {min(unknown)!r}; it has kind, host, repo, since, until"
            )
        self.kind = choice("Kind", _choices(lab, "kind"), kind)
        self.host = choice("Host", _choices(lab, "host"), host)
        self.repo = choice("Repository", _choices(lab, "repo"), filters.get("repo"))
        self.since = field("Since", "last 30 days", filters.get("since"), "14em")
        self.until = field("Until", "yesterday", filters.get("until"), "12em")
        self.audit = ipywidgets.Button(
            description="Look at the raw files",
            icon="search",
            tooltip="List the lines on the disk that hold secrets: kind and place, never a value",
            layout={"width": "auto"},
        )
        self.figures, self.picture = FiguresView(), PictureView(alt="What was taken out, by kind")
        self.found, self.table = TableView(), TableView()
        self._filters = {name: getattr(self, name) for name in ("kind", "host", "repo", "since", "until")}
        for widget in self._filters.values():
            widget.observe(lambda _: self.refresh(), "value")
        self._frame: pd.DataFrame | None = None
        asking = row(*self._filters.values(), self.audit)
        super().__init__(lab, [asking, self.figures, self.picture, self.found, self.table])
        self._drawn = Picture(self.picture, self._chart, self.telling)
        self.audit.on_click(lambda _: self.look())
        self.refresh()

    def refresh(self) -> None:
        """Ask again with what is chosen, and show it."""
        self._frame = None
        with self.telling(self.figures):
            self.figures.code = self.code
            frame = self.lab.query(QUERY, **self._wish())
            self._frame = frame
            self.figures.figures = [
                [f"{int(frame.spans.sum()):,}", "spans taken out"],
                [f"{frame.kind.nunique():,}", "kinds"],
                [f"{frame.source.nunique():,}", "transcripts"],
            ]
            self.figures.status = "The raw transcripts still hold them: rotate these keys." if len(frame) else ""
            told = frame.assign(source=frame.source.map(self._short), month=frame.month.map(_month))
            rows = told[list(_SHOWN)].astype(object).to_numpy().tolist()
            fill_table(self.table, _SHOWN, rows, "Where it stood, the newest month first")
        if self.figures.error:
            self.figures.figures, self.figures.status = [], ""
            fill_table(self.table, (), ())
        self._drawn.redraw()

    def look(self) -> None:
        """Audit the raw files of the known folders; kinds and places are shown, never a value."""
        with self.telling(self.found):
            audit = self.lab.audit(progress=False)
            rows = [
                [one.kind, one.host, one.repo, one.month, f"{self._short(one.file)}:{one.line}", one.count]
                for one in audit.findings
            ]
            looked = f"{count(audit.files, 'file')}, {megabytes(audit.bytes)} looked at"
            said = f"Secrets in raw files; {looked}" if rows else f"No secret in the raw files; {looked}"
            fill_table(self.found, ("kind", "host", "repo", "month", "place", "count") if rows else (), rows, said)

    def _chart(self, theme: str) -> alt.TopLevelMixin | None:
        from recall_lab.analytics import chart

        if self._frame is None:
            return None
        kinds = self._frame.groupby("kind", as_index=False).agg(spans=("spans", "sum"), blocks=("blocks", "sum"))
        kinds["sessions"] = kinds.kind.map(self._frame.groupby("kind").source.nunique())
        return chart("redactions_by_kind", kinds.sort_values(["spans", "kind"], ascending=[False, True]), theme=theme)

    def _short(self, path: str) -> str:
        """A path as people write it: their home folder is ``~``."""
        home = f"{self.lab.settings.user_home}/"
        return f"~/{path.removeprefix(home)}" if path.startswith(home) else path


def _month(day: pd.Timestamp) -> str | None:
    """The month that starts with a day, where it is known."""
    return f"{day:%Y-%m}" if day == day else None  # noqa: PLR0124 (an unknown time equals nothing)


def _choices(lab: Lab, column: str) -> list[tuple[str, Any]]:
    """What was taken out has these values; all of them is the first choice."""
    names = sorted(lab.query(QUERY)[column].dropna().unique())
    return [("all", ""), *((name, name) for name in names)]
