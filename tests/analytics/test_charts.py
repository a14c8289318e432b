"""Every chart draws full, one-row and empty frames, offline, in both themes; hostile names stay names."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from recall_lab.analytics import CHARTS, Catalogue, bind, chart, chart_of, offline_renderer, save_chart, to_svg
from recall_lab.analytics.theme import THEMES
from recall_lab.errors import QueryError, UsageError
from recall_lab.mirror import Mirror, connect

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> {{7*7}} ' \" \\ 用户"


@pytest.fixture(scope="module")
def frames(captured_sample: Path) -> dict[str, pd.DataFrame]:
    """The result of every named query that has a chart, over the sample."""
    with connect(captured_sample / "mirror") as mirror:
        return {query.name: run(mirror, query.name) for query in Catalogue.load() if query.chart is not None}


def run(mirror: Mirror, name: str) -> pd.DataFrame:
    query = Catalogue.load().get(name)
    return mirror.sql(query.sql, bind(query, {}, zone="Europe/Berlin"))


CHARTED = [query.name for query in Catalogue.load() if query.chart is not None]


@pytest.mark.parametrize("name", CHARTED)
@pytest.mark.parametrize("rows", [None, 1, 0], ids=["full", "one", "empty"])
def test_a_query_s_chart_draws(frames: dict[str, pd.DataFrame], name: str, rows: int | None) -> None:
    query = Catalogue.load().get(name)
    frame = frames[name] if rows is None else frames[name].head(rows)
    svg = to_svg(chart_of(query, frame, theme="dark" if rows is None else "light"))
    assert svg.startswith("<svg")
    assert not re.search(r">\s*(NaN|undefined|null|Invalid.*?)\s*<|d=\"[^\"]*NaN", svg)
    assert "xlink:href" not in svg


def drawn_width(svg: str) -> float:
    found = re.match(r'<svg[^>]*? width="([\d.]+)"', svg)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("name", CHARTED)
def test_a_chart_takes_the_room_of_a_page_and_its_ground(frames: dict[str, pd.DataFrame], name: str) -> None:
    drawn = chart_of(Catalogue.load().get(name), frames[name])
    for width in (700, 1100):
        svg = to_svg(drawn, width=width)
        assert abs(drawn_width(svg) - width) < 60, (name, width)
        assert f'fill="{THEMES["light"].ground}"' not in svg
    assert drawn_width(to_svg(drawn, width=1)) > 100  # never narrower than can be read


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_colours_ground_and_text(frames: dict[str, pd.DataFrame], theme: str) -> None:
    svg = to_svg(chart("usage_by_day", frames["usage_by_day"], theme=theme))
    assert THEMES[theme].ground in svg
    assert THEMES[theme].text in svg


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_bars_stand_out_from_the_ground(theme: str) -> None:
    # WCAG 2 asks for 4.5 to 1 for text and 3 to 1 for graphics; yellow and sky are always named beside their bars.
    colours = THEMES[theme]
    assert contrast(colours.text, colours.ground) >= 7
    assert contrast(colours.quiet, colours.ground) >= 4.5
    for name in ("blue", "green", "vermilion", "grey"):
        assert contrast(getattr(colours, name), colours.ground) >= 3, name


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_same_frame_gives_the_same_picture(frames: dict[str, pd.DataFrame]) -> None:
    draw = lambda: to_svg(chart("tools_and_failures", frames["tools_and_failures"]))  # noqa: E731
    assert draw() == draw()


def hostile_frame() -> pd.DataFrame:
    return pd.DataFrame({"tool": [HOSTILE, None], "calls": [5, 3], "seconds": [1.0, 2.0]})


def hostile_chart() -> Any:
    return chart("bars", hostile_frame(), name="tool", value="calls", title="Tools")


@pytest.mark.parametrize("suffix", [".svg", ".html", ".json", ".png"])
def test_hostile_names_stay_names_in_every_file(tmp_path: Path, suffix: str) -> None:
    path = save_chart(hostile_chart(), tmp_path / f"chart{suffix}")
    content = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"<script>alert(1)" not in content or suffix == ".json"
    assert b"<img src=x" not in content or suffix == ".json"
    if suffix == ".json":
        [rows] = json.loads(content)["datasets"].values()
        assert rows[0]["whole"] == HOSTILE


def test_a_page_is_whole_and_asks_nobody(tmp_path: Path) -> None:
    page = save_chart(hostile_chart(), tmp_path / "chart.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
    assert page.count("</script>") == 1
    assert "default-src 'none'" in page
    assert '"editor": false' in page
    assert "<link" not in page
    assert " src=" not in page.split("<script", 1)[0]


def test_a_chart_is_saved_over_an_older_one_and_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    path.write_text("older")
    path.chmod(0o644)
    save_chart(hostile_chart(), path)
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_mistakes_are_one_clear_line(tmp_path: Path) -> None:
    frame = hostile_frame()
    for attempt, message in (
        (lambda: chart("pie", frame), "no chart named 'pie'"),
        (lambda: chart("usage_by_day", frame), "wants a column"),
        (lambda: chart("usage_by_day", frame, wrong=1), "these options"),
        (lambda: chart("bars", frame, theme="sepia", name="tool", value="calls", title="T"), "no theme"),
        (lambda: save_chart(hostile_chart(), tmp_path / "chart.gif"), "saved as one of"),
        (lambda: save_chart(hostile_chart(), tmp_path / "no" / "chart.svg"), "cannot be written"),
    ):
        with pytest.raises(UsageError, match=message):
            attempt()
    with pytest.raises(QueryError, match="has no chart"):
        chart_of(Catalogue.load().get("prices"), frame)


def test_many_days_become_weeks_and_months() -> None:
    for days, period in ((30, "day"), (300, "week"), (2_000, "month")):
        frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=days), "uses": 1, "command": "search"})
        spec = chart("own_activity", frame).to_dict()
        rows = next(iter(spec["datasets"].values()))
        assert spec["title"]["subtitle"] == f"by {period}"
        assert sum(row["uses"] for row in rows) == days


def test_a_day_without_a_priced_call_has_no_bar_of_zero_cost() -> None:
    frame = pd.DataFrame(
        {
            "day": ["2026-05-01", "2026-05-02"],
            "calls": [1, 1],
            "input_tokens": [5, 5],
            "output_tokens": [1, 1],
            "cache_read_tokens": [0, 0],
            "cache_write_tokens": [0, 0],
            "cost_usd": [None, 2.5],
            "unpriced_calls": [1, 0],
        }
    )
    spec = chart("usage_by_day", frame, zone="Europe/Berlin").to_dict()
    costs = [row["cost_usd"] for row in next(iter(spec["datasets"].values()))]
    assert costs == [None, 2.5]
    assert "1 call without a price" in spec["title"]["subtitle"]
    assert "Europe/Berlin" in spec["title"]["subtitle"]


def test_rarer_categories_are_shown_as_one() -> None:
    frame = pd.DataFrame({"day": "2026-05-01", "uses": range(1, 21), "command": [f"c{n}" for n in range(20)]})
    spec = chart("own_activity", frame).to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert len(rows) == 8
    assert sum(row["uses"] for row in rows) == 210


def test_a_renderer_that_was_chosen_stays() -> None:
    import altair as alt

    with alt.renderers.enable("png"):
        offline_renderer()
        assert alt.renderers.active == "png"
    with alt.renderers.enable("default"):
        offline_renderer()
        assert alt.renderers.active == "svg"


def test_charts_are_all_listed() -> None:
    assert set(CHARTS) >= {
        "usage_by_day",
        "tokens_by_model",
        "tools_and_failures",
        "coverage_by_source",
        "active_hours",
    }


def test_a_first_chart_waits_for_no_grammars_and_they_can_be_had_afterwards() -> None:
    code = (
        "import sys; from recall_lab.analytics.charts import offline_renderer; offline_renderer(); "
        "assert 'altair' in sys.modules and 'lark' not in sys.modules; "
        "assert 'rfc3987_syntax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
