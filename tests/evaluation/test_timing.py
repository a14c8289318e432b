"""The benchmark measures what it says, on a store that is the same every time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recall_lab.errors import NotFoundError
from recall_lab.evaluation.generating import generate_store
from recall_lab.evaluation.timing import time_folder, time_generated, time_transcripts
from recall_lab.evaluation.transcripts import generate_transcripts
from recall_lab.sample import sample_home
from recall_lab.settings import Settings, load_settings
from recall_lab.store import open_reader
from recall_lab.store.backup import check
from recall_lab.store.portable import export_lines


@pytest.fixture
def settings(tmp_path: Path, rules_cache: Path) -> Settings:
    loaded = load_settings(tmp_path / "home", {"HOME": str(tmp_path), "TZ": "UTC"})
    return msgspec.structs.replace(loaded, cache=rules_cache)


def exported(path: Path) -> list[bytes]:
    with open_reader(path) as reader:
        return list(export_lines(reader))[1:]


def test_a_generated_store_is_whole_and_the_same_every_time(tmp_path: Path) -> None:
    seen: list[int] = []
    for name in "ab":
        generate_store(tmp_path / name / "recall.db", 250, seen.append)
    assert check(tmp_path / "a" / "recall.db")["blocks"] == 250
    assert exported(tmp_path / "a" / "recall.db") == exported(tmp_path / "b" / "recall.db")
    assert seen == [120, 240, 250] * 2


def test_a_folder_is_measured_and_left_alone(settings: Settings) -> None:
    before = {path: path.stat().st_mtime_ns for path in sample_home().rglob("*")}
    timing = time_folder(settings, sample_home())
    assert timing.mb == round(sum(path.stat().st_size for path in sample_home().rglob("*.jsonl")) / 1e6, 3)
    assert timing.sources == sum(1 for _ in sample_home().rglob("*.jsonl"))
    assert timing.blocks > 200
    assert timing.append_ms > 0
    assert timing.redaction_mb_per_s > 0
    assert timing.search_ms.common.p95 >= timing.search_ms.common.p50 > 0
    assert timing.search_cpu_ms.common.p95 >= timing.search_cpu_ms.common.p50 > 0
    assert timing.command.seconds > 0
    assert timing.command.cpu_seconds > 0
    assert {path: path.stat().st_mtime_ns for path in sample_home().rglob("*")} == before
    assert not settings.home.exists()


def test_a_generated_store_is_measured(settings: Settings) -> None:
    timing = time_generated(settings, 300)
    assert (timing.blocks, timing.sources) == (300, 3)
    assert timing.mirror.full_seconds > 0


def test_a_folder_without_transcripts_says_so(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no transcripts"):
        time_folder(settings, tmp_path)


def test_made_transcripts_are_of_the_size_asked_for_and_the_same_every_time(tmp_path: Path) -> None:
    seen: list[int] = []
    for name in "ab":
        written = generate_transcripts(tmp_path / name, 300_000, file_size=100_000, progress=seen.append)
    files = sorted((tmp_path / "a").rglob("*.jsonl"))
    assert written == sum(file.stat().st_size for file in files)
    assert 300_000 <= written < 400_000
    assert len(files) == 3
    assert seen == [*seen[:2], 300_000] * 2
    assert [file.read_bytes() for file in files] == [
        file.read_bytes() for file in sorted((tmp_path / "b").rglob("*.jsonl"))
    ]


def test_made_transcripts_are_captured_to_the_byte(settings: Settings) -> None:
    timing = time_transcripts(settings, 200_000, 50_000)
    assert timing.sources == 4  # the one that is appended to is made for that
    assert timing.mb * 1e6 >= 200_000
    assert timing.blocks > 100
    assert not settings.home.exists()
