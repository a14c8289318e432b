"""Charts as one HTML page that needs no network, and has none: its policy forbids every request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
# The menu keeps what stays on this machine; "open in the editor" would send the data to a web site.
_OPTIONS = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}
_BOTH = """
const charts = %s;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const draw = () => charts.forEach(([light, night], place) =>
  window.vegaEmbed(`#chart-${place}`, dark.matches ? night : light, %s));
dark.addEventListener("change", draw);
draw();"""


def page(spec: dict[str, Any]) -> str:
    """Return a self-contained page that shows a Vega-Lite chart, with tooltips.

    Names in the data are whatever a transcript held, so the specification is written without ``<``: nothing in it can
    end the script that it stands in.
    """
    ground = spec.get("config", {}).get("background", "#ffffff")
    return _document(
        "recall_lab",
        f"html, body {{ margin: 0; background: {ground}; }}",
        '<div id="chart"></div>',
        f'window.vegaEmbed("#chart", {_inert(spec)}, {_inert(_OPTIONS)});',
    )


def page_of(title: str, style: str, body: str, charts: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """Return a self-contained page with several charts, each in light and in dark as the reader's system has it.

    Args:
        title: Plain text.
        style: CSS.
        body: HTML, escaped; chart ``n`` is drawn into the element with the id ``chart-n``.
        charts: Vega-Lite specifications for light and for dark.
    """
    return _document(title, style, body, _BOTH % (_inert(charts), _inert(_OPTIONS)))


def _document(title: str, style: str, body: str, script: str) -> str:
    import vl_convert

    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="module">
{vl_convert.javascript_bundle(_SNIPPET)}
{script}
</script>
</body>
</html>
"""


def _inert(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
