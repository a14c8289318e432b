"""Facets: bars by time, host, repository and more; a click on one narrows all that a panel shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from typing import Any

import ipywidgets
import msgspec

from recall_lab.display import shortened
from recall_lab.widgets.views import FacetsView

MOST = 60  # bars of one facet
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAYS, _WEEKS = 92, 2 * 366  # days that are shown as days, as weeks; months from there


class Bar(msgspec.Struct, frozen=True):
    """One bar: the value that a click chooses, its name, its size, and that as text."""

    key: str | tuple[str, str]
    label: str
    size: float
    value: str
    tip: str = ""


class Facet(msgspec.Struct, frozen=True):
    """A group of bars.

    Attributes:
        name: What it narrows; ``time`` narrows since and until.
        title: What a person calls it.
        unit: What the bars measure.
        bars: In order.
    """

    name: str
    title: str
    unit: str
    bars: tuple[Bar, ...]


class Facets:
    """Shows facets in a view and turns clicks into values of the panel's filters.

    Attributes:
        view: The view.
    """

    def __init__(self, view: FacetsView, fields: dict[str, ipywidgets.Widget], changed: Callable[[], None]) -> None:
        """Watch the view.

        Args:
            view: The view.
            fields: The panel's filters by name; ``since`` and ``until`` are set together by the facet ``time``.
            changed: Called once after each click that changed a filter, and after each change of a filter by hand.
        """
        self.view = view
        self._fields = fields
        self._changed = changed
        self._facets: dict[str, Facet] = {}
        self._holding = False
        view.on_msg(self._on_message)
        for field in fields.values():
            field.observe(lambda _: None if self._holding else changed(), "value")

    def show(self, facets: Iterable[Facet]) -> None:
        """Show these facets; what is chosen stands out. Where there is nothing to choose from, there are none."""
        self._facets = {facet.name: facet for facet in facets}
        shown = [self._shown(facet) for facet in self._facets.values()]
        self.view.facets = shown if any(one["items"] or one["chosen"] for one in shown) else []

    def choose(self, name: str, key: str | tuple[str, str] | None) -> None:
        """Narrow to a key; None shows all again."""
        wanted = dict(zip(("since", "until"), key or ("", ""), strict=True)) if name == "time" else {name: key or ""}
        self._holding = True
        try:
            for field, value in wanted.items():
                widget = self._fields[field]
                if isinstance(widget, ipywidgets.Dropdown) and value not in [option for _, option in widget.options]:
                    widget.options = [*widget.options, (shortened(str(value), 60), value)]
                widget.value = value
        finally:
            self._holding = False
        self._changed()

    def _chosen(self, name: str) -> str | tuple[str, str] | None:
        if name == "time":
            since, until = self._fields["since"].value, self._fields["until"].value
            return (since, until) if since or until else None
        value: str = self._fields[name].value
        return value or None

    def _shown(self, facet: Facet) -> dict[str, Any]:
        chosen = self._chosen(facet.name)
        most = max((bar.size for bar in facet.bars), default=0) or 1
        return {
            "name": facet.name,
            "title": facet.title,
            "unit": facet.unit,
            "kind": "time" if facet.name == "time" else "bars",
            "chosen": chosen is not None,
            "items": [
                {
                    "label": shortened(bar.label, 60),
                    "value": bar.value,
                    "tip": shortened(bar.tip or f"{bar.label}: {bar.value}", 200),
                    "share": bar.size / most,
                    "on": chosen is not None and _inside(bar.key, chosen),
                }
                for bar in facet.bars
            ],
        }

    def _on_message(self, _view: object, content: Any, _buffers: object) -> None:
        if not isinstance(content, dict) or content.get("facet") not in self._facets:
            return
        facet = self._facets[content["facet"]]
        if content.get("type") == "clear":
            self.choose(facet.name, None)
            return
        index = content.get("index")
        if content.get("type") != "pick" or not isinstance(index, int) or not 0 <= index < len(facet.bars):
            return
        key, chosen = facet.bars[index].key, self._chosen(facet.name)
        if content.get("more") and isinstance(key, tuple) and isinstance(chosen, tuple) and all(chosen):
            self.choose(facet.name, (min(key[0], chosen[0]), max(key[1], chosen[1])))
        else:
            self.choose(facet.name, None if key == chosen else key)


def without(wish: dict[str, Any], *names: str) -> dict[str, Any]:
    """Filters but for some of them."""
    return {name: value for name, value in wish.items() if name not in names}


def _inside(key: object, chosen: object) -> bool:
    if isinstance(key, tuple) and isinstance(chosen, tuple):
        if not all(_ISO.fullmatch(end) for end in chosen if end):
            return True  # typed in words, such as "last month": no bar is told apart
        return (not chosen[0] or key[0] >= chosen[0]) and (not chosen[1] or key[1] <= chosen[1])
    return key == chosen


def time_facet(days: Sequence[tuple[str, float]], *, title: str, unit: str, value: Callable[[float], str]) -> Facet:
    """Days (ISO, in order) with their sizes as bars of days, weeks or months, gaps between them shown.

    A bar's key is its first and last day.
    """
    if not days:
        return Facet("time", title, unit, ())
    first, last = date.fromisoformat(days[0][0]), date.fromisoformat(days[-1][0])
    span = (last - first).days + 1
    start = _day if span <= _DAYS else _monday if span <= _WEEKS else _month
    sizes: dict[date, float] = {}
    at = start(first)
    while at <= last:
        sizes[at] = 0
        at = _after(at, start)
    for day, size in days:
        sizes[start(date.fromisoformat(day))] += size
    bars = []
    for begin, size in sizes.items():
        end = _after(begin, start) - timedelta(days=1)
        label = begin.isoformat() if begin == end else f"{begin.isoformat()} to {end.isoformat()}"
        bars.append(Bar((begin.isoformat(), end.isoformat()), label, size, value(size)))
    return Facet("time", title, unit, tuple(bars))


def _day(day: date) -> date:
    return day


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _month(day: date) -> date:
    return day.replace(day=1)


def _after(day: date, start: Callable[[date], date]) -> date:
    if start is _month:
        return (day + timedelta(days=32)).replace(day=1)
    return day + timedelta(days=7 if start is _monday else 1)
