"""The chart of redaction by kind."""

from __future__ import annotations

import pandas as pd

from recall_lab.analytics import chart, to_svg

COLUMNS = ["kind", "found", "secrets", "recall", "low", "high"]


def test_every_kind_has_its_dot_and_its_interval() -> None:
    frame = pd.DataFrame([("api_key", 3, 4, 0.75, 0.3, 0.95), ("jwt", 4, 4, 1.0, 0.5, 1.0)], columns=COLUMNS)
    drawn = chart("found_by_kind", frame)
    svg = to_svg(drawn)
    assert "api_key" in svg
    assert "jwt" in svg
    assert [layer["mark"]["type"] for layer in drawn.to_dict()["layer"]] == ["rule", "circle"]


def test_a_file_without_secrets_is_said() -> None:
    frame = pd.DataFrame([("hash", 0, 0, None, 0.0, 1.0)], columns=COLUMNS)
    assert "No row of the file holds a secret" in to_svg(chart("found_by_kind", frame))
