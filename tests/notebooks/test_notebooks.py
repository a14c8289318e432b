"""What the stored notebooks promise to a reader; that they run is shown by nbval (``make test``)."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import nbformat
import pytest

from recall_lab.sample import planted_secrets, planted_thoughts

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MACHINE = re.compile(r"/(?:root|tmp|work|Users|var/folders)/|/home/(?!dev/)|0x[0-9a-f]{8,}|\\\\Users\\\\")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> nbformat.NotebookNode:
    found = nbformat.read(request.param, as_version=4)
    nbformat.validate(found)
    return found


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def test_they_are_read_in_order() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert names[:5] == ["00_start_here", "01_search", "02_usage", "03_coverage", "04_brief"]
    assert names[5:6] == ["05_retrieval_quality"]


def test_the_first_names_all_the_others() -> None:
    first = nbformat.read(NOTEBOOKS[0], as_version=4).cells[0].source
    assert re.findall(r"^\| \[[^]]+\]\((\w+)\.ipynb\)", first, re.MULTILINE) == [path.stem for path in NOTEBOOKS[1:]]


def test_a_table_has_room_for_its_columns(notebook: nbformat.NotebookNode) -> None:
    for output in outputs(notebook):
        for head in re.findall(r"<thead>.*?</thead>", output.get("data", {}).get("text/html", ""), re.DOTALL):
            assert sum(map(len, re.findall(r"<th[^>]*>([^<]*)</th>", head))) <= 90, head


def test_it_opens_the_sample_unless_told_otherwise(notebook: nbformat.NotebookNode) -> None:
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())]
    assert parameters.source.startswith("SAMPLE = True")
    assert any("rl.open_lab(sample=SAMPLE)" in cell.source for cell in notebook.cells)


def test_its_parameters_can_be_set_from_outside(notebook: nbformat.NotebookNode) -> None:
    # What runs notebooks with parameters puts a cell behind this one: it may hold plain values only.
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())]
    for statement in ast.parse(parameters.source).body:
        assert isinstance(statement, ast.Assign)
        ast.literal_eval(statement.value)
    names = {target.id for one in ast.parse(parameters.source).body for target in one.targets}
    rest = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code" and cell is not parameters)
    used = {node.id for node in ast.walk(ast.parse(rest)) if isinstance(node, ast.Name)}
    assert names <= used


def test_it_begins_with_its_title_and_tells_a_story(notebook: nbformat.NotebookNode) -> None:
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds.count("markdown") >= 5


def test_every_cell_was_run_in_order_without_an_error(notebook: nbformat.NotebookNode) -> None:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for output in outputs(notebook) if output.output_type == "error"]
    assert not [output for output in outputs(notebook) if output.get("name") == "stderr"]


def test_it_shows_charts_as_svg_and_stays_small(notebook: nbformat.NotebookNode) -> None:
    for output in outputs(notebook):
        kinds = set(output.get("data", {}))
        assert not {kind for kind in kinds if kind.startswith("application/vnd.vega")}
    assert len(json.dumps(notebook)) < 600_000


def test_it_names_no_machine_and_holds_no_secret_and_no_thought(notebook: nbformat.NotebookNode) -> None:
    text = json.dumps(notebook, ensure_ascii=False)
    assert not MACHINE.findall(text)
    for private in (*planted_secrets(), *planted_thoughts()):
        assert private not in text
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
