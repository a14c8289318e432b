"""What every panel shares: its frame, its errors in one line, and a pause while somebody types."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import ipywidgets

from recall_lab.display import call_line, one_line
from recall_lab.errors import RecallLabError, UsageError
from recall_lab.widgets.views import View

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.lab import Lab

Telling = Callable[[View], AbstractContextManager[None]]
PAUSE = 0.25  # seconds without a key before what was typed is asked


class Panel(ipywidgets.VBox):  # type: ignore[misc]
    """Base of the panels: a box in the panels' look over one Lab.

    Attributes:
        lab: The Lab that the panel asks.
    """

    title = "Panel"

    def __init__(self, lab: Lab, children: list[ipywidgets.Widget]) -> None:
        super().__init__(children=children)
        self.lab = lab
        self.add_class("recall-lab-panel")
        self._waiting: asyncio.TimerHandle | None = None

    @property
    def error(self) -> str:
        """What is wrong now, in one line; empty when nothing is."""
        return next((view.error for view in self._views(self) if view.error), "")

    def _views(self, box: ipywidgets.Box) -> Iterator[View]:
        for child in box.children:
            if isinstance(child, View):
                yield child
            elif isinstance(child, ipywidgets.Box):
                yield from self._views(child)

    def __repr__(self) -> str:
        return f"<{self.title} panel, live in JupyterLab: {self.code or 'lab.panels'}>"

    @property
    def code(self) -> str:
        """The line of Python that repeats what the panel shows."""
        raise NotImplementedError

    @property
    def sql(self) -> str | None:
        """The SQL behind it, where there is one."""
        return None

    def data(self) -> pd.DataFrame:
        """The frame behind what the panel shows."""
        raise NotImplementedError

    @contextmanager
    def telling(self, view: View) -> Iterator[None]:
        """Say in ``view``, in one line, what goes wrong inside; nothing is raised."""
        said = ""
        try:
            yield
        except (RecallLabError, OSError) as error:
            said = one_line(str(error))
        except Exception as error:  # noqa: BLE001 - the person at the panel has no traceback to look at
            # Its own words may quote a transcript; its kind and place do not.
            said = f"unexpected {type(error).__name__}; repeat it in a cell with panel.code to see where"
        view.error = said

    def soon(self, call: Callable[[], None]) -> None:
        """Run ``call`` once nothing was typed for a moment; at once where no event loop runs."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            call()
            return
        self._waiting = loop.call_later(PAUSE, call)


class QueryPanel(Panel):
    """Base of the panels whose table is a named query, filtered by what is chosen.

    Attributes:
        query: The query's name.
    """

    query: str
    _filters: dict[str, ipywidgets.ValueWidget]
    _frame: pd.DataFrame | None

    @property
    def code(self) -> str:
        """The line of Python that repeats the table."""
        return call_line("query", self.query, **self._wish())

    @property
    def sql(self) -> str:
        """The SQL behind the table."""
        return self.lab.queries.get(self.query).sql

    def data(self) -> pd.DataFrame:
        """The table as a frame.

        Raises:
            UsageError: nothing could be shown.
        """
        if self._frame is None:
            raise UsageError(self.error or "nothing is shown yet")
        return self._frame

    def _wish(self) -> dict[str, Any]:
        """What is chosen, by the query's parameters."""
        return {name: widget.value for name, widget in self._filters.items() if widget.value}


def choice(description: str, options: list[tuple[str, Any]], value: object = None) -> ipywidgets.Dropdown:
    """A labelled choice."""
    known = [option for _, option in options]
    # A dropdown cannot show None as a choice, so "all" is the empty string.
    return ipywidgets.Dropdown(
        description=description,
        options=options,
        value=value if value in known else known[0],
        style={"description_width": "initial"},
        layout={"width": "auto"},
    )


def field(description: str, placeholder: str, value: str | None, width: str) -> ipywidgets.Text:
    """A labelled field for a short text; it tells when typing ends."""
    return ipywidgets.Text(
        description=description,
        placeholder=placeholder,
        value=value or "",
        continuous_update=False,
        style={"description_width": "initial"},
        layout={"width": width},
    )


def row(*children: ipywidgets.Widget, kind: str = "form") -> ipywidgets.Box:
    """Widgets beside one another, wrapping where the cell is narrow."""
    box = ipywidgets.Box(children=children)
    box.add_class(f"recall-lab-{kind}")
    return box
