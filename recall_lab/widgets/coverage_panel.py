"""The coverage panel: what is in the store, what is not and why, how old it is, and what may be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import count, megabytes, short_repo
from recall_lab.glance import coverage_figures, coverage_notes, key_name
from recall_lab.model import STATES
from recall_lab.widgets._base import QueryPanel, choice, field, row
from recall_lab.widgets._facets import MOST, Bar, Facet, Facets, time_facet, without
from recall_lab.widgets._tables import Picture, fill_table
from recall_lab.widgets.usage_panel import known
from recall_lab.widgets.views import FacetsView, FiguresView, PictureView, TableView

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from recall_lab.analytics import Coverage
    from recall_lab.lab import Lab

QUERY = "coverage_by_source"
_SHOWN = ("source", "host", "state", "detail", "size", "records", "indexed", "unread")


class CoveragePanel(QueryPanel):
    """What of the transcripts is in the store.

    Attributes:
        host: The choice of a host.
        repo: The choice of a repository.
        model: The choice of a model.
        state: The choice of a state of sources.
        since: From when on the last record was written; ``until`` likewise.
        bars: Bars by time, host, repository, model and state; a click on one filters all the others.
        disk: The button that compares with the transcripts on the disk.
    """

    title = "Coverage"
    query = QUERY

    def __init__(self, lab: Lab, host: str | None = None, state: str | None = None, **filters: Any) -> None:
        from recall_lab.analytics import COVERAGE_FILTERS, check_filters
        from recall_lab.hosts import HOSTS

        check_filters("the coverage panel", filters, COVERAGE_FILTERS)
        self.since = field("Written since", "last 30 days", filters.get("since"), "16em")
        self.until = field("Until", "yesterday", filters.get("until"), "12em")
        self.host = choice("Host", [("all", ""), *((name, name) for name in sorted(HOSTS))], host)
        self.repo = choice("Repository", known(lab, "repo", filters.get("repo"), of="sources"), filters.get("repo"))
        self.model = choice("Model", known(lab, "model", filters.get("model")), filters.get("model"))
        self.state = choice("State", [("all", ""), *((name.replace("_", " "), name) for name in STATES)], state)
        self.disk = ipywidgets.Button(
            description="Compare with the disk",
            icon="hdd-o",
            tooltip="List transcripts on the disk that are not captured to their end",
            layout={"width": "auto"},
        )
        self.figures = FiguresView()
        self.bars = FacetsView()
        self.picture = PictureView(
            alt="Chart of what became of the bytes of each source; the table below has its numbers"
        )
        self.table = TableView()
        self.missing = TableView()
        self._frame: pd.DataFrame | None = None
        self._filters = {name: getattr(self, name) for name in COVERAGE_FILTERS}
        asking = row(*self._filters.values(), self.disk)
        super().__init__(lab, [asking, self.figures, self.bars, self.picture, self.missing, self.table])
        self._facets = Facets(self.bars, self._filters, self.refresh)
        self._drawn = Picture(self.picture, self._chart, self.telling)
        self.disk.on_click(lambda _: self.compare())
        self.refresh()

    def refresh(self) -> None:
        """Ask again with what is chosen, and show it."""
        self._frame = None
        with self.telling(self.figures):
            self.figures.code = self.code
            self._show(self.lab.coverage(**self._wish()))
            self._frame = self.lab.query(QUERY, **self._wish())
            rows = self._frame[list(_SHOWN)].astype(object).to_numpy().tolist()
            rows = [[self._short(source), *rest] for source, *rest in rows]
            columns = [f"{name} bytes" if name in {"indexed", "unread"} else name for name in _SHOWN]
            fill_table(self.table, columns, rows, "Sources, the largest first")
        if self.figures.error:
            self.figures.figures, self.figures.status = [], ""
            fill_table(self.table, (), ())
        with self.telling(self.bars):
            self._facets.show([] if self.figures.error else self._asked_facets())
        self._drawn.redraw()

    def compare(self) -> None:
        """List the transcripts on the disk that are not captured to their end."""
        with self.telling(self.missing):
            waiting = self.lab.uncaptured()
            rows = [[self._short(one.source), one.state, one.bytes] for one in waiting]
            size = sum(one.bytes for one in waiting)
            said = (
                f"{count(len(waiting), 'transcript')} on the disk with {megabytes(size)} that are not captured; "
                "lab.index() captures them"
                if waiting
                else "Every transcript on the disk is captured to its end."
            )
            fill_table(self.missing, ("source", "state", "waiting bytes") if rows else (), rows, said)

    def _show(self, coverage: Coverage) -> None:
        self.figures.figures = coverage_figures(coverage)
        self.figures.status = coverage_notes(coverage, self.lab.zone)

    def _asked_facets(self) -> list[Facet]:
        """Each facet under all filters but its own, so that what else could be chosen stays in sight."""
        wish = self._wish()
        dated = self.lab.coverage_by("day", **without(wish, "since", "until"))
        days = [(one.key, float(one.bytes)) for one in dated if one.key is not None]
        title = f"Last written ({self.lab.zone})"
        found = [time_facet(days, title=title, unit="bytes", value=lambda size: megabytes(int(size)))]
        for name, title in (("host", "Host"), ("repo", "Repository"), ("model", "Model"), ("state", "State")):
            rows = self.lab.coverage_by(name, **without(wish, name))[:MOST]
            bars = [
                Bar(
                    key_name(name, one.key),
                    _label(name, one.key),
                    float(one.bytes),
                    megabytes(one.bytes),
                    f"{key_name(name, one.key)}: {count(one.sources, 'source')}, {megabytes(one.unread_bytes)} unread",
                )
                for one in rows
            ]
            found.append(Facet(name, title, "bytes of transcripts", tuple(bars)))
        return found

    def _chart(self, theme: str) -> alt.TopLevelMixin | None:
        from recall_lab.analytics import chart

        return None if self._frame is None else chart(QUERY, self._frame, theme=theme)

    def _short(self, path: str) -> str:
        """A path as people write it: their home folder is ``~``."""
        home = f"{self.lab.settings.user_home}/"
        return f"~/{path.removeprefix(home)}" if path.startswith(home) else path


def _label(name: str, key: str | None) -> str:
    if key is None:
        return key_name(name, key)
    return short_repo(key) if name == "repo" else key.replace("_", " ") if name == "state" else key
