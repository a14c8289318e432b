"""Runs the notebooks on the packaged sample and stores what they show: ``make notebooks``.

What would differ on another machine or in another year (kernel versions, times of execution, widget ids) is not stored.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from recall_lab.sample import sample_home

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
HERE = str(sample_home())  # where the sample lies on this machine
WIDGET = "application/vnd.jupyter.widget-view+json"


def run(path: Path, scratch: Path) -> None:
    """Execute one notebook in a scratch folder and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(scratch)}}
    ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            data.pop(WIDGET, None)
            data |= {kind: text.replace(HERE, "~") for kind, text in data.items() if isinstance(text, str)}
    nbformat.write(notebook, path)


def main() -> None:
    """Run all notebooks, or those that are named."""
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"RECALL_LAB_HOME": f"{scratch}/home", "RECALL_LAB_ZONE": "Europe/Helsinki"}
        for path in chosen:
            run(path, Path(scratch))
            print(path.name)


if __name__ == "__main__":
    main()
