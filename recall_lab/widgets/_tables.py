"""Frames as the table view takes them, and charts as the picture view takes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recall_lab.display import cell, megabytes
from recall_lab.glance import dollars
from recall_lab.widgets._base import Telling
from recall_lab.widgets.views import PictureView, TableView

if TYPE_CHECKING:
    import altair as alt

Rows = Sequence[Sequence[Any]]
NAMES = {"cost_usd": "cost (USD)"}


def fill_table(view: TableView, columns: Sequence[str], rows: Rows, caption: str = "") -> None:
    """Show rows of plain values.

    Args:
        view: The view.
        columns: Their names; a name that ends in ``bytes`` or is ``size`` is shown in MB, ``cost_usd`` in dollars.
        rows: Numbers, texts, times or ``None``.
        caption: A line above.
    """
    columns = columns if rows else ()
    numeric = [any(isinstance(row[index], int | float) for row in rows) for index in range(len(columns))]
    shown = [[_text(name, value) for name, value in zip(columns, row, strict=True)] for row in rows]
    view.caption = caption
    view.columns = [
        {"name": NAMES.get(name, name.replace("_", " ")), "numeric": number}
        for name, number in zip(columns, numeric, strict=True)
    ]
    view.sort_keys = [[_key(value) for value in row] for row in rows]
    view.rows = shown


def _text(column: str, value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if column.endswith("bytes") or column == "size":
        return megabytes(int(value))
    if column == "cost_usd":
        return dollars(float(value))
    return cell(value)


def _key(value: Any) -> float | str | None:
    if isinstance(value, int | float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return None if value is None else str(value)


class Picture:
    """Draws a chart in the theme and the width of the page, again when either changes.

    Attributes:
        view: The view.
    """

    def __init__(self, view: PictureView, draw: Callable[[str], alt.TopLevelMixin | None], telling: Telling) -> None:
        self.view = view
        self._draw = draw
        self._telling = telling
        self._drawn_for: tuple[str, int] | None = None
        view.observe(lambda _: self._follow(), ["theme", "width"])

    def redraw(self) -> None:
        """Draw the chart anew; without a chart the picture goes, and what went wrong is said in its place."""
        from recall_lab.analytics import to_svg

        self._drawn_for = (self.view.theme, self.view.width)
        svg = ""
        with self._telling(self.view):
            chart = self._draw(self.view.theme)
            svg = "" if chart is None else to_svg(chart, width=self.view.width)
        self.view.svg = svg

    def _follow(self) -> None:
        """A page tells its theme and its width at once: one picture answers both."""
        if self._drawn_for != (self.view.theme, self.view.width):
            self.redraw()
