"""One very large transcript in bounded memory, and very many small ones; both take minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall_lab.evaluation.transcripts import generate_transcripts

_PEAK = 500_000  # kilobytes, of any one process
_GIGABYTE = 1_000_000_000


# A process counts the memory of the one that it was forked from, so a small one stands between it and the tests.
_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "recall_lab", "index", "--yes", "--json"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def captured(home: Path, cache: Path) -> tuple[dict[str, Any], int]:
    """Capture a home with the command; return its answer, and the most memory that one of its processes took, in kB."""
    places = {"HOME": home, "RECALL_LAB_HOME": home / "lab", "RECALL_LAB_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED],
        env={**os.environ, **{name: str(place) for name, place in places.items()}},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer, _, peak = done.stdout.rstrip().rpartition("\n")
    return json.loads(answer), int(peak)


@pytest.mark.deep
def test_a_transcript_of_a_gigabyte_is_captured_in_bounded_memory(tmp_path: Path, rules_cache: Path) -> None:
    size = generate_transcripts(tmp_path, _GIGABYTE, file_size=_GIGABYTE)
    report, peak = captured(tmp_path, rules_cache)
    assert (report["sources_seen"], report["bytes"], report["problems"]) == (1, size, [])
    assert peak < _PEAK
    again, _ = captured(tmp_path, rules_cache)
    assert (again["sources_changed"], again["blocks_added"]) == (0, 0)


@pytest.mark.deep
def test_a_hundred_thousand_small_transcripts(tmp_path: Path, rules_cache: Path) -> None:
    wanted, of_one = 100_000, 400
    size = generate_transcripts(tmp_path, 84_500_000, file_size=of_one)
    files = sum(1 for _ in tmp_path.rglob("*.jsonl"))
    assert files >= wanted
    report, peak = captured(tmp_path, rules_cache)
    assert (report["sources_seen"], report["sources_changed"], report["bytes"]) == (files, files, size)
    assert report["problems"] == []
    assert peak < _PEAK
    again, _ = captured(tmp_path, rules_cache)
    assert (again["sources_seen"], again["sources_changed"]) == (files, 0)
