"""The views: their traits do not hide a widget's own, their modules are plain and never parse HTML."""

from __future__ import annotations

import re
from importlib.resources import files

import ipywidgets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.glance import compact, dollars
from recall_lab.widgets import views
from recall_lab.widgets._base import Panel
from recall_lab.widgets._reader import marked_pieces
from recall_lab.widgets._tables import fill_table
from recall_lab.widgets.citation_panel import CitationPanel
from recall_lab.widgets.coverage_panel import CoveragePanel
from recall_lab.widgets.search_panel import SearchPanel
from recall_lab.widgets.usage_panel import UsagePanel
from recall_lab.widgets.views import TableView

VIEWS = [views.ResultsView, views.PassageView, views.PictureView, views.TableView, views.FiguresView]
STATIC = files("recall_lab.widgets").joinpath("static")
SCRIPTS = sorted(path.name for path in STATIC.iterdir() if path.name.endswith(".js"))


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_hides_nothing_that_every_widget_has(view: type) -> None:
    taken = set(dir(ipywidgets.DOMWidget))
    assert not {name for name in vars(view) if not name.startswith("_")} & taken


@pytest.mark.parametrize("panel", [SearchPanel, CitationPanel, UsagePanel, CoveragePanel, Panel])
def test_a_panel_hides_nothing_that_every_box_has(panel: type) -> None:
    assert not {name for name in vars(panel) if not name.startswith("_")} & set(dir(ipywidgets.VBox))


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_opens_with_its_module_and_style(view: type) -> None:
    state = view().get_state()
    assert "export default" in state["_esm"]
    assert "--jp-" in state["_css"]
    assert state["_model_module"] == "anywidget"


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_parse_no_html_and_fetch_nothing(name: str) -> None:
    script = STATIC.joinpath(name).read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|new Function|fetch\(|XMLHttpRequest"
        r"|https?://|\bimport\b",
        script,
    )


def test_styles_fetch_nothing_and_show_the_focus() -> None:
    style = STATIC.joinpath("panel.css").read_text()
    assert not re.search(r"url\(|@import|https?://", style)
    assert ":focus-visible" in style


@given(
    st.text(max_size=40),
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c"]), st.tuples(st.integers(-5, 50), st.integers(-5, 50))), max_size=8
    ),
    st.integers(0, 8),
)
@settings(max_examples=100)
def test_marked_pieces_join_to_the_text_and_the_later_mark_holds(
    text: str, marks: list[tuple[str, tuple[int, int]]], offset: int
) -> None:
    cut = marked_pieces(text, marks, offset)
    assert "".join(piece for piece, _ in cut) == text
    wanted = [""] * len(text)
    for name, (start, end) in marks:
        for at in range(max(0, start - offset), min(len(text), end - offset)):
            wanted[at] = name
    assert [mark for piece, mark in cut for _ in piece] == wanted


def test_tables_show_numbers_as_people_read_them() -> None:
    table = TableView()
    fill_table(table, ("model", "cost_usd", "unread bytes", "calls"), [("m", None, 2_500_000, 1234), ("n", 0.5, 0, 1)])
    assert table.rows == [["m", "-", "2.5 MB", "1,234"], ["n", "$0.50", "0 bytes", "1"]]
    assert table.sort_keys[0] == ["m", None, 2_500_000.0, 1234.0]
    assert [column["numeric"] for column in table.columns] == [False, True, True, True]
    assert (dollars(None), dollars(0.0), dollars(1234.5)) == ("-", "$0.00", "$1,234.50")
    assert (dollars(0.018), dollars(0.0018)) == ("$0.02", "$0.0018")
    assert [compact(number) for number in (999, 9_999, 12_345, 8_900_000, 1_200_000_000)] == [
        "999",
        "9,999",
        "12.3k",
        "8.9M",
        "1.2G",
    ]
