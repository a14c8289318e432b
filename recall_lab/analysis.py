"""The part of the Lab that asks the mirror: SQL, named queries, usage, coverage, charts."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from recall_lab.errors import MirrorError
from recall_lab.model import CoverageFilters, UsageFilters
from recall_lab.settings import Settings
from recall_lab.vectoring import Vectors

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from recall_lab.analytics import Catalogue, Coverage, CoverageRow, UsageReport
    from recall_lab.mirror import Mirror, MirrorCheck, Refreshed
    from recall_lab.reporting import Report

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]
F = TypeVar("F", bound=Callable[..., Any])
REFRESH_OWED = "mirror-is-behind"


class MirrorBehindWarning(UserWarning):
    """The mirror that answers does not hold the newest sessions yet."""


def _spelled_out(filters: type) -> Callable[[F], F]:
    """Let help and Tab name the filters, which a method takes together."""

    def decorate(method: F) -> F:
        told = inspect.signature(method)
        kept = [one for one in told.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None")
            for name in filters.__annotations__
        ]
        method.__signature__ = told.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        return method

    return decorate


class Analysis(Vectors):
    """Asks the mirror of one home."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._mirror: Mirror | None = None

    def close(self) -> None:
        """Let go of store and mirror; the next call opens them again."""
        super().close()
        if self._mirror is not None:
            self._mirror.close()
            self._mirror = None

    def refresh(self, *, full: bool = False, progress: bool = True) -> Refreshed:
        """Bring the mirror up to date with the store.

        Args:
            full: Build it from nothing.
            progress: Show a progress bar.

        Raises:
            NoStoreError: there is no store.
            MirrorError: it cannot be built; the one before stays in use.
        """
        from recall_lab.mirror import refresh

        with steps("mirroring", show=progress) as step:
            done = refresh(self.settings.store, self.settings.mirror, full=full, progress=step)
        with suppress(OSError):
            (self.home / REFRESH_OWED).unlink(missing_ok=True)
        return done

    def _settle(self) -> None:
        """Refresh the mirror if the last capture left that to whoever asks next; where it cannot be, it stays."""
        if (self.home / REFRESH_OWED).exists():
            with suppress(MirrorError):
                self.refresh(progress=False)

    @property
    def mirror(self) -> Mirror:
        """The newest generation of the mirror, read-only; built when there is none yet. It may be behind the store.

        Raises:
            MirrorError: it cannot be built or opened.
        """
        from recall_lab.mirror import connect
        from recall_lab.mirror.generations import Folder

        self._settle()
        current = Folder(self.settings.mirror).current()
        if self._mirror is not None and self._mirror.path != current:
            self._mirror.close()
            self._mirror = None
        if self._mirror is None:
            if current is None:
                self.refresh(progress=False)
            self._mirror = connect(self.settings.mirror)
            self._say_if_behind(self._mirror)
        return self._mirror

    def _say_if_behind(self, mirror: Mirror) -> None:
        behind = mirror.behind(self.reader)
        if behind:
            sessions = "1 session" if behind == 1 else f"{behind:,} sessions"
            warnings.warn(
                f"the mirror is {sessions} behind the store; lab.refresh() or `recall-lab mirror` updates it",
                MirrorBehindWarning,
                stacklevel=4,
            )

    def sql(
        self,
        text: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> pd.DataFrame:
        """Ask the mirror in DuckDB SQL; it cannot be changed, and nothing outside it can be reached.

        Args:
            text: SQL; ``$name`` or ``?`` stand for values.
            params: The values, by name or in order.
            seconds: How long it may take; None or 0 for as long as it needs.

        Raises:
            QueryError: the SQL cannot be run, or took longer; one line says why.
            MirrorError: there is no mirror, and none can be built.
        """
        return self.mirror.sql(text, params, seconds=seconds)

    def records(
        self,
        text: str,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> Table:
        """Ask the mirror in SQL like ``sql``; names of the columns and rows of plain values, without pandas.

        Raises:
            QueryError, MirrorError: as for ``sql``.
        """
        return self.mirror.records(text, params, seconds=seconds)

    @property
    def queries(self) -> Catalogue:
        """The named queries: those that came with recall_lab, then the home's own folder ``queries``."""
        from recall_lab.analytics import Catalogue

        return Catalogue.load((self.settings.queries,))

    def query(self, name: str, **params: Any) -> pd.DataFrame:
        """Run a named query; ``lab.queries`` lists them with their parameters.

        Raises:
            QueryError: there is no such query or parameter, or a value does not fit.
            MirrorError: there is no mirror, and none can be built.
        """
        from recall_lab.analytics import run

        return run(self.mirror, name, catalogue=self.queries, zone=self.zone, **params)

    def query_records(self, name: str, **params: Any) -> Table:
        """Run a named query like ``query``; names of the columns and rows of plain values, without pandas.

        Raises:
            QueryError, MirrorError: as for ``query``.
        """
        from recall_lab.analytics import bind

        query = self.queries.get(name)
        return self.records(query.sql, bind(query, params, zone=self.zone))

    def chart(self, name: str, *, theme: str = "light", **params: Any) -> alt.TopLevelMixin:
        """Draw the result of a named query.

        Args:
            name: A named query that has a chart.
            theme: ``light`` or ``dark``.
            params: The query's parameters, and options of the chart.

        Raises:
            QueryError: there is no such query, it has no chart, or a value does not fit.
        """
        from recall_lab.analytics import chart_of, run

        queries = self.queries
        query = queries.get(name)
        known = {parameter.name for parameter in query.parameters}
        asked = {key: value for key, value in params.items() if key in known}
        options = {key: value for key, value in params.items() if key not in known}
        frame = run(self.mirror, name, catalogue=queries, zone=self.zone, **asked)
        return chart_of(query, frame, theme=theme, **options)

    @_spelled_out(UsageFilters)
    def usage(self, by: str = "day", *, zone: str | None = None, **filters: Unpack[UsageFilters]) -> UsageReport:
        """Add up the hosts' tokens and cost, each model call once; ``.frame()`` gives the rows.

        Args:
            by: ``day``, ``model``, ``repo``, ``host``, ``branch`` or ``session``.
            zone: IANA zone of the days; the user's when left out.
            filters: ``since`` and ``until``, times as people type them (a day is included); ``host``, ``repo`` and
                ``model``, names, where "(no repository)" and the like keep what has none.

        Raises:
            UsageError: there is no such grouping, filter or zone.
            TimeError: a time cannot be understood.
        """
        from recall_lab.analytics import usage

        return usage(self.mirror, by, zone=zone or self.zone, **filters)

    @_spelled_out(CoverageFilters)
    def coverage(self, **filters: Unpack[CoverageFilters]) -> Coverage:
        """Add up what was read of the transcripts and what became of it; ``.frame()`` gives the dispositions.

        Args:
            filters: ``host``, ``repo`` (of a source's session), ``model`` (that a source tells of a call to) and
                ``state``; ``since`` and ``until``, when a source was last written, as people type times.

        Raises:
            UsageError: there is no such filter.
            TimeError: a time cannot be understood.
        """
        from recall_lab.analytics import coverage

        return coverage(self.mirror, zone=self.zone, **filters)

    @_spelled_out(CoverageFilters)
    def coverage_by(self, by: str, **filters: Unpack[CoverageFilters]) -> tuple[CoverageRow, ...]:
        """Add up sources and bytes by ``day``, ``host``, ``repo``, ``state`` or ``model``; filters as for ``coverage``.

        Raises:
            UsageError: there is no such grouping or filter.
            TimeError: a time cannot be understood.
        """
        from recall_lab.analytics import coverage_by

        return coverage_by(self.mirror, by, zone=self.zone, **filters)

    @_spelled_out(UsageFilters)
    def report(self, path: Path | str, **filters: Unpack[UsageFilters]) -> Report:
        """Write the usage and coverage dashboards as one self-contained HTML page (0600), which opens offline.

        Args:
            path: The file; an older one is replaced.
            filters: ``since``, ``until``, ``host``, ``repo`` and ``model``, as for ``usage``.

        Raises:
            UsageError: the file cannot be written, or there is no such filter.
            NotFoundError: its folder is not there.
            QueryError, TimeError: a filter cannot be used.
        """
        from recall_lab.evidence import write_private
        from recall_lab.reporting import Report, report_page

        page, charts = report_page(self, **filters)
        target = Path(path).expanduser()
        write_private(target, page)
        return Report(file=str(target), charts=charts, bytes=len(page.encode()))

    def check_mirror(self) -> MirrorCheck:
        """Compare the mirror with the store, table by table.

        Raises:
            MirrorError: there is no mirror, or it cannot be read.
        """
        from recall_lab.mirror import check

        self._settle()
        return check(self.settings.store, self.settings.mirror)


@contextmanager
def steps(what: str, *, show: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar as a callback that takes (done, in all)."""
    if not show:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc=what, unit="step", file=sys.stderr, leave=False, delay=1) as bar:

        def step(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield step
