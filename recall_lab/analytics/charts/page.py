"""A chart as one HTML page that needs no network, and has none: its policy forbids every request."""

from __future__ import annotations

import json
from typing import Any

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
# The menu keeps what stays on this machine; "open in the editor" would send the data to a web site.
_OPTIONS = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}


def page(spec: dict[str, Any]) -> str:
    """Return a self-contained page that shows a Vega-Lite chart, with tooltips.

    Names in the data are whatever a transcript held, so the specification is written without ``<``: nothing in it can
    end the script that it stands in.
    """
    import vl_convert

    ground = spec.get("config", {}).get("background", "#ffffff")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>recall_lab</title>
<style>html, body {{ margin: 0; background: {ground}; }}</style>
</head>
<body>
<div id="chart"></div>
<script type="module">
{vl_convert.javascript_bundle(_SNIPPET)}
window.vegaEmbed("#chart", {_inert(spec)}, {_inert(_OPTIONS)});
</script>
</body>
</html>
"""


def _inert(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
