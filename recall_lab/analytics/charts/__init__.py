"""Charts: one function each, from a frame to an Altair chart in one theme; offline, static unless asked otherwise."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall_lab.analytics.charts.coverage import (
    coverage_by_source,
    ledger_by_type,
    over_time,
    own_activity,
    redactions_by_kind,
)
from recall_lab.analytics.charts.fitting import widened
from recall_lab.analytics.charts.general import bars, rate_over_time
from recall_lab.analytics.charts.loading import load_altair
from recall_lab.analytics.charts.page import page
from recall_lab.analytics.charts.redaction import found_by_kind
from recall_lab.analytics.charts.retrieval import retrieval_by_stratum
from recall_lab.analytics.charts.usage import active_hours, sessions, tokens_by_model, tools_and_failures, usage_by_day
from recall_lab.analytics.theme import config
from recall_lab.errors import UsageError

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

CHARTS: Mapping[str, Callable[..., Any]] = {
    made.__name__: made
    for made in (
        active_hours,
        bars,
        coverage_by_source,
        found_by_kind,
        ledger_by_type,
        over_time,
        own_activity,
        rate_over_time,
        redactions_by_kind,
        retrieval_by_stratum,
        sessions,
        tokens_by_model,
        tools_and_failures,
        usage_by_day,
    )
}
_SVG_WIDTH = re.compile(r'<svg[^>]*? width="([\d.]+)"')
_CLOSE = 24  # pixels by which a picture may miss the width that it is asked for
SUFFIXES = (".svg", ".png", ".html", ".json")


def chart(name: str, frame: pd.DataFrame, /, *, theme: str = "light", **options: Any) -> alt.TopLevelMixin:
    """Draw a frame.

    Args:
        name: A chart of ``CHARTS``.
        frame: The data; each chart says which columns it wants. An empty frame gives a chart that says so.
        theme: light or dark.
        **options: More for the chart's function.

    Raises:
        UsageError: there is no such chart, the frame lacks a column, or an option does not fit.
    """
    made = CHARTS.get(name)
    if made is None:
        raise UsageError(f"there is no chart named {name!r}; there are {', '.join(sorted(CHARTS))}")
    offline_renderer()
    try:
        drawn = made(frame, theme=theme, **options)
    except KeyError as error:
        raise UsageError(f"the chart {name} wants a column {error}, which the frame lacks") from error
    except TypeError as error:
        raise UsageError(f"the chart {name} cannot be drawn with these options: {error}") from error
    configured: alt.TopLevelMixin = drawn.configure(**config(theme))
    return configured


def offline_renderer(*, interactive: bool = False) -> None:
    """Make Altair show charts without a network: as a static picture, or live (about 4 s for the first one).

    A renderer that somebody chose stays, unless ``interactive`` is asked for.
    """
    load_altair()
    import altair as alt

    if interactive:
        alt.renderers.enable("jupyter", offline=True)
    elif alt.renderers.active == "default":
        alt.renderers.enable("svg")


def to_svg(drawn: alt.TopLevelMixin, *, width: int | None = None) -> str:
    """Return the chart as SVG text; the same chart gives the same bytes.

    Args:
        drawn: The chart.
        width: Pixels that the picture takes, as part of a page whose ground and margins are its own; None draws the
            chart as it is.
    """
    import vl_convert

    spec = drawn.to_dict()
    if width is not None:
        spec["config"] = {**spec["config"], "background": "transparent", "padding": 4}
    svg: str = vl_convert.vegalite_to_svg(spec)
    found = _SVG_WIDTH.match(svg)
    if width and found and abs(extra := width - float(found[1])) > _CLOSE:
        svg = vl_convert.vegalite_to_svg(widened(spec, extra))
    return svg


def save_chart(drawn: alt.TopLevelMixin, path: Path | str) -> Path:
    """Write the chart as ``.svg``, ``.png`` (twice the size), ``.html`` (self-contained, opens offline) or ``.json``.

    The file is private (0600). Nothing is written when the suffix is none of these.

    Raises:
        UsageError: the suffix is unknown, or the file cannot be written.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path}: a chart is saved as one of {', '.join(SUFFIXES)}")
    content = _encoded(drawn, path.suffix)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(content)
    except OSError as error:
        raise UsageError(f"{path}: the chart cannot be written ({error.strerror}); choose another place") from error
    return path


def _encoded(drawn: alt.TopLevelMixin, suffix: str) -> bytes:
    import vl_convert

    spec = drawn.to_dict()
    match suffix:
        case ".svg":
            return to_svg(drawn).encode()
        case ".png":
            png: bytes = vl_convert.vegalite_to_png(spec, scale=2)
            return png
        case ".html":
            return page(spec).encode()
        case _:
            return json.dumps(spec, ensure_ascii=False, indent=1).encode()
