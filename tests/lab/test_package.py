"""What `import recall_lab` promises: little to load, a complete list of names, and the way into the Lab."""

from __future__ import annotations

import subprocess
import sys

import pytest

import recall_lab


def test_all_is_sorted_and_every_name_is_there() -> None:
    assert recall_lab.__all__ == sorted(recall_lab.__all__)
    for name in recall_lab.__all__:
        assert getattr(recall_lab, name) is not None
    assert set(recall_lab.__all__) <= set(dir(recall_lab))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'frob'"):
        _ = recall_lab.frob


def test_import_is_fast_and_loads_nothing_heavy() -> None:
    code = (
        "import time; began = time.process_time(); import recall_lab; took = time.process_time() - began\n"
        "import sys; print(took, *sorted(sys.modules))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert min(float(done.stdout.split()[0]) for done in runs) < 0.1
    loaded = set(runs[0].stdout.split()[1:])
    assert not loaded & {"pandas", "altair", "duckdb", "ipywidgets", "numpy", "pyarrow", "apsw", "IPython", "click"}


def test_open_lab_loads_no_analysis(tmp_path: object) -> None:
    code = (
        "import sys, recall_lab as rl\n"
        "try:\n    rl.open_lab('/nonexistent/home')\n"
        "except rl.RecallLabError as error:\n    print(error)\n"
        "print(*sorted(sys.modules))"
    )
    said, loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "recall-lab index" in said
    assert not set(loaded.split()) & {"pandas", "altair", "duckdb", "ipywidgets", "pyarrow"}
