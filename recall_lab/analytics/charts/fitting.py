"""Making a drawn chart as wide as the place it is shown in."""

from __future__ import annotations

from typing import Any

_LEAST = 160  # pixels of a view, below which its labels would run into one another


def widened(spec: dict[str, Any], extra: float) -> dict[str, Any]:
    """Return a Vega-Lite specification whose views are together ``extra`` pixels wider, or narrower, than before.

    Views beside one another share what there is by their widths; views below one another each take all of it.
    """
    made = dict(spec)
    if isinstance(made.get("width"), int | float):
        made["width"] = max(_LEAST, round(made["width"] + extra))
    for below in ("vconcat", "layer"):
        if below in made:
            made[below] = [widened(one, extra) for one in made[below]]
    if "hconcat" in made:
        widths = [_width(one) for one in made["hconcat"]]
        whole = sum(widths) or 1
        made["hconcat"] = [
            widened(one, extra * width / whole) for one, width in zip(made["hconcat"], widths, strict=True)
        ]
    return made


def _width(spec: dict[str, Any]) -> float:
    """The width of the views in a specification, without axes and legends."""
    if isinstance(spec.get("width"), int | float):
        return float(spec["width"])
    inner = [_width(one) for below in ("vconcat", "layer") for one in spec.get(below, ())]
    return max(inner, default=0.0) + sum(_width(one) for one in spec.get("hconcat", ()))
