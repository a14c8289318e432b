"""One look for every chart: light and dark, in colours that people with any colour vision can tell apart.

The colours are Okabe and Ito's palette (Color Universal Design, 2008), lightened on dark ground. A colour means the
same thing in every chart: a disposition, a class of tokens, an outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Literal

import msgspec

Mode = Literal["light", "dark"]

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Theme(msgspec.Struct, frozen=True):
    """The colours of one mode."""

    ground: str
    text: str
    quiet: str
    line: str
    blue: str
    orange: str
    green: str
    vermilion: str
    purple: str
    sky: str
    yellow: str
    grey: str
    ramp: tuple[str, ...]  # from nothing to much

    @property
    def series(self) -> list[str]:
        """Colours for categories that have none of their own, in the order they are given out."""
        return [self.blue, self.orange, self.green, self.purple, self.sky, self.vermilion, self.yellow, self.grey]

    def named(self, names: dict[str, str]) -> dict[str, str]:
        """Return name -> colour for names that map to a colour's name."""
        return {name: getattr(self, colour) for name, colour in names.items()}


THEMES: dict[str, Theme] = {
    "light": Theme(
        ground="#ffffff",
        text="#1f2328",
        quiet="#59636e",
        line="#e4e7eb",
        blue="#0072b2",
        orange="#e69f00",
        green="#009e73",
        vermilion="#d55e00",
        purple="#cc79a7",
        sky="#56b4e9",
        yellow="#d8c722",
        grey="#8c959f",
        ramp=("#d9e9f5", "#b9d9ee", "#6db3dc", "#1d86c0", "#00507d"),
    ),
    "dark": Theme(
        ground="#16191d",
        text="#e6e9ec",
        quiet="#9aa4af",
        line="#2c323a",
        blue="#4fa3dd",
        orange="#f0b13c",
        green="#35c197",
        vermilion="#f5814a",
        purple="#dea0c2",
        sky="#8fcdf2",
        yellow="#f0e442",
        grey="#7d8792",
        ramp=("#22384c", "#1e4566", "#2476ad", "#5fb0e6", "#c4e4fa"),
    ),
}

DISPOSITION_COLOURS = {
    "indexed": "green",
    "metadata": "sky",
    "duplicate": "blue",
    "excluded": "grey",
    "unknown": "orange",
    "malformed": "vermilion",
    "pending": "yellow",
    "unread": "purple",
}
TOKEN_COLOURS = {"input": "blue", "output": "vermilion", "cache read": "sky", "cache write": "orange"}
HOST_COLOURS = {
    "claude-code": "blue",
    "codex": "orange",
    "claudeai-export": "purple",
    "chatgpt-export": "green",
    "gemini-cli": "sky",
    "copilot": "vermilion",
    "pi": "yellow",
    "chat-snapshot": "grey",
}
OUTCOME_COLOURS = {"succeeded": "green", "failed": "vermilion", "unknown": "grey"}


def colours_of(names: Sequence[str], mode: str) -> list[str]:
    """Return a colour for each name: a host always has its own, other names take what is left in turn."""
    theme = theme_of(mode)
    hosts = [getattr(theme, HOST_COLOURS[name]) for name in names if name in HOST_COLOURS]
    spare = [colour for colour in theme.series if colour not in hosts]
    taken = (spare[place % len(spare)] for place in count())
    return [getattr(theme, HOST_COLOURS[name]) if name in HOST_COLOURS else next(taken) for name in names]


def theme_of(mode: str) -> Theme:
    """Return the theme of a mode.

    Raises:
        UsageError: there is no such mode.
    """
    if mode not in THEMES:
        from recall_lab.errors import UsageError

        raise UsageError(f"{mode!r} is no theme of a chart; use light or dark")
    return THEMES[mode]


def config(mode: str) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a mode."""
    theme = theme_of(mode)
    axis = {
        "labelColor": theme.quiet,
        "titleColor": theme.quiet,
        "titleFontWeight": "normal",
        "titleFontSize": 11,
        "labelFontSize": 11,
        "gridColor": theme.line,
        "domainColor": theme.line,
        "tickColor": theme.line,
        "labelLimit": 260,
        "titlePadding": 8,
    }
    return {
        "background": theme.ground,
        "font": FONT,
        "padding": 14,
        "view": {"stroke": "transparent"},
        "title": {
            "anchor": "start",
            "color": theme.text,
            "subtitleColor": theme.quiet,
            "fontSize": 15,
            "subtitleFontSize": 12,
            "fontWeight": 600,
            "offset": 14,
            "subtitlePadding": 5,
        },
        "axis": axis,
        "axisX": {"grid": False},
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
        "legend": {
            "labelColor": theme.quiet,
            "titleColor": theme.quiet,
            "titleFontWeight": "normal",
            "labelFontSize": 11,
            "titleFontSize": 11,
            "orient": "top",
            "direction": "horizontal",
            "symbolType": "square",
            "symbolSize": 90,
            "symbolBaseFillColor": theme.quiet,
            "symbolBaseStrokeColor": theme.quiet,
            "offset": 10,
            "padding": 0,
        },
        "header": {"labelColor": theme.quiet, "titleColor": theme.quiet, "labelFontSize": 11},
        "range": {"category": theme.series, "heatmap": list(theme.ramp), "ramp": list(theme.ramp)},
        "bar": {"color": theme.blue},
        "line": {"color": theme.blue, "strokeWidth": 2},
        "point": {"color": theme.blue, "filled": True},
        "text": {"color": theme.quiet, "font": FONT},
        "concat": {"spacing": 22},
    }
