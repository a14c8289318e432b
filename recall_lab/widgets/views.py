"""The views that panels are made of: one anywidget each, told what to show and telling what was done.

Their modules and styles are in ``static/``; the kernel serves them, nothing is fetched. Text is handed over as text and
only ever becomes text nodes there.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

_STATIC = files("recall_lab.widgets").joinpath("static")


def _module(*names: str) -> str:
    """A view's ES module: what all views share, what it shares with some, then its own."""
    return "\n".join(_STATIC.joinpath(part).read_text(encoding="utf-8") for part in ("common.js", *names))


class View(anywidget.AnyWidget):
    """Base of the views: a line for what went wrong.

    Attributes:
        error: One line, or empty.
    """

    _css = _STATIC.joinpath("panel.css").read_text(encoding="utf-8")
    error = traitlets.Unicode("").tag(sync=True)


class ResultsView(View):
    """The list of hits.

    Attributes:
        hits: For each hit ``title``, ``place``, ``tier``, ``code`` (show as code), ``why`` (words) and ``pieces``
            ([text, mark]).
        selected: Index of the hit that the keyboard is on; -1 for none.
        status: One line about the whole search.
        name: What makes element ids unique on the page.

    Sends ``{"type": "open", "index": n}``.
    """

    _esm = _module("list.js", "results.js")
    hits = traitlets.List(traitlets.Dict()).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    name = traitlets.Unicode("").tag(sync=True)

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.name = self.model_id or "hits"


class PassageView(View):
    """One block in its place.

    Attributes:
        shown: ``title``, ``place``, ``code`` (show as code), ``start`` (code points), ``pieces`` ([text, mark]),
            ``before`` and ``after`` (neighbours: role and text), ``earlier`` and ``later`` (whether there is more),
            ``session`` (whether its session can be opened).
        cited: ``message``, ``verdict``, ``receipt``, ``code`` and ``added`` of what was selected or checked.
        invitation: What an empty view says.

    Sends ``{"type": "select", "start": n, "end": n}`` in code points of the block, and ``{"type": "page",
    "direction": n}``, ``{"type": "session"}`` and ``{"type": "add"}``.
    """

    _esm = _module("passage.js")
    shown = traitlets.Dict().tag(sync=True)
    cited = traitlets.Dict().tag(sync=True)
    invitation = traitlets.Unicode("").tag(sync=True)


class SessionReaderView(View):
    """A session in pages, and what is said of the words that are selected in one of its blocks.

    Attributes:
        shown: ``title``, ``place``, ``page`` and ``pages``, ``parent`` (whether another session called this one),
            ``agents`` whose call is not known (``session``, ``label``),
            ``turns`` (``turn``, ``head``, ``preview``, ``here``), ``turn_page`` and ``turn_pages``.
        blocks: For each block ``key``, ``role``, ``who``, ``place``, ``code`` (show as code), ``dead``, ``start`` (code
            points), ``pieces`` ([text, mark]), ``earlier`` and ``later`` (whether there is more of it), ``extent``, and
            ``agents`` that were called there (``session``, ``label``).
        cited: ``key`` of the block, ``verdict``, ``message``, ``facts`` (names and values), ``receipt``, ``code``,
            ``places`` (``label``, ``why``, ``here``), ``places_label`` and ``added``.
        reveal: ``key`` of the block to scroll to, and a ``serial`` that grows with each wish.
        invitation: What an empty view says.

    Sends ``select`` (``key``, ``start``, ``end`` in code points of the block), ``page``, ``turns`` (``page``),
    ``turn``, ``part`` (``key``, ``direction``), ``session``, ``parent``, ``place`` (``index``) and ``add``.
    """

    _esm = _module("session.js")
    shown = traitlets.Dict().tag(sync=True)
    blocks = traitlets.List(traitlets.Dict()).tag(sync=True)
    cited = traitlets.Dict().tag(sync=True)
    reveal = traitlets.Dict().tag(sync=True)
    invitation = traitlets.Unicode("").tag(sync=True)


class ComposerView(View):
    """The quotations of a brief in their order, and a preview.

    Attributes:
        items: For each quotation ``receipt``, ``quote``, ``code`` (show as code), ``place``, ``reason``, ``note`` and
            ``section``.
        preview: [kind, text]; the kinds are title, heading, passage, quote, receipt and text.
        status: One line.

    Sends ``move`` (``receipt``, ``to``), ``remove`` (``receipt``), ``note`` and ``section`` (``receipt``, ``value``).
    """

    _esm = _module("composer.js")
    items = traitlets.List(traitlets.Dict()).tag(sync=True)
    preview = traitlets.List(traitlets.List()).tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)


class JudgeView(View):
    """Passages to grade.

    Attributes:
        passages: For each ``place``, ``code`` (show as code), ``pieces`` ([text, mark]), and once it is revealed
            ``brought``.
        grades: For each its grade; -1 for none.
        scale: What each grade means, from 0.
        selected: Index of the passage that the keyboard is on; -1 for none.
        status: One line.
        name: What makes element ids unique on the page.

    Sends ``{"type": "grade", "index": n, "grade": n}``.
    """

    _esm = _module("list.js", "judge.js")
    passages = traitlets.List(traitlets.Dict()).tag(sync=True)
    grades = traitlets.List(traitlets.Int()).tag(sync=True)
    scale = traitlets.List(traitlets.Unicode()).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    name = traitlets.Unicode("").tag(sync=True)

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.name = self.model_id or "passages"


class PictureView(View):
    """A chart as a picture in the colours of the theme.

    Attributes:
        svg: The picture, drawn in ``theme``.
        theme: ``light`` or ``dark``, as the page that shows it says.
        width: Pixels that the page has for it, in steps; 0 until it says so.
        alt: What the picture shows, in words.
    """

    _esm = _module("picture.js")
    svg = traitlets.Unicode("").tag(sync=True)
    theme = traitlets.Unicode("light").tag(sync=True)
    width = traitlets.Int(0, min=0, max=2400).tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)


class FacetsView(View):
    """Groups of bars that filter when they are clicked.

    Attributes:
        facets: For each group ``name``, ``title``, ``unit``, ``kind`` (``time`` or ``bars``), ``chosen`` (whether it
            narrows) and ``items``: ``label``, ``value`` and ``tip`` as text, ``share`` of the longest bar, ``on``.

    Sends ``{"type": "pick", "facet": name, "index": n, "more": whether to widen}`` and ``{"type": "clear", "facet":
    name}``.
    """

    _esm = _module("facets.js")
    facets = traitlets.List(traitlets.Dict()).tag(sync=True)


class TableView(View):
    """A table that sorts.

    Attributes:
        columns: ``name`` and ``numeric`` of each.
        rows: Cells as text.
        sort_keys: What each cell sorts by: a number, a text, or ``None``.
        caption: A line above it.
    """

    _esm = _module("table.js")
    columns = traitlets.List(traitlets.Dict()).tag(sync=True)
    rows = traitlets.List(traitlets.List()).tag(sync=True)
    sort_keys = traitlets.List(traitlets.List()).tag(sync=True)
    caption = traitlets.Unicode("").tag(sync=True)


class FiguresView(View):
    """A few numbers at a glance, and the line that repeats them.

    Attributes:
        figures: Pairs of a shown value and its name.
        status: One line, such as how far the mirror is behind.
        code: A line of Python.
    """

    _esm = _module("figures.js")
    figures = traitlets.List(traitlets.List()).tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    code = traitlets.Unicode("").tag(sync=True)
