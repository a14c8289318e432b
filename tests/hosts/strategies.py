"""Small pieces that generated sessions of every host are made of."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

THOUGHT = "THOUGHT-THAT-NOBODY-MAY-KEEP"
"""Stands in every field that holds thinking, reasoning or its encrypted form."""

TEXTS = st.sampled_from(
    [
        "why did we reject batching?",
        "  two\nlines\r\nand a third\u2028here ",
        "naïve 用户 🙂 \u0000 \ud83d",
        "<command-name>/clear</command-name>",
        "<command-message>plan</command-message>",
        "<system-reminder>be brief</system-reminder>",
        "[Request interrupted by user]",
        "# AGENTS.md instructions",
        "<environment_context>x</environment_context>",
        "Exit code 2\nls: no such file",
        "",
        " ",
    ]
)
TIMES = st.sampled_from(["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z", "2026-04-30T23:59:59Z", "soon", None])
UUIDS = [f"00000000-0000-4000-8000-{number:012x}" for number in range(8)] + ["not-a-uuid"]
CALLS = st.sampled_from(["toolu_1", "toolu_2", "toolu_3"])
NUMBERS = st.sampled_from([0, 1, 7, 120])
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}


def an_object(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return an object whose None fields are left out."""
    return st.fixed_dictionaries(fields).map(lambda found: {k: v for k, v in found.items() if v is not None})


def just(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.just(fields)


ODD_VALUES = st.sampled_from(
    [None, True, 0, -1, 10**30, 1.5, "", "x", [], ["x"], [[]], [{}], {}, {"a": 1}, {"type": []}]
)
"""Values of every JSON type, for places where another one is written."""


@st.composite
def with_an_odd_value(draw: st.DrawFn, record: Any) -> Any:
    """Draw the record with one of its values, at any depth, replaced by one of any type."""
    if not isinstance(record, dict | list) or not record or draw(st.integers(0, 5)) == 5:
        return draw(ODD_VALUES)
    if isinstance(record, dict):
        key = draw(st.sampled_from(sorted(record)))
        return record | {key: draw(with_an_odd_value(record[key]))}
    at = draw(st.integers(0, len(record) - 1))
    return [*record[:at], draw(with_an_odd_value(record[at])), *record[at + 1 :]]
