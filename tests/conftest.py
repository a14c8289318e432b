"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real transcripts, labelled secrets and retrieval benchmarks; skipped where it is not given."""
    folder = os.environ.get("RECALL_LAB_CORPUS")
    if not folder:
        pytest.skip("RECALL_LAB_CORPUS is not set: no real transcripts to test on")
    if not Path(folder).is_dir():
        pytest.fail(f"RECALL_LAB_CORPUS names no folder: {folder}")
    return Path(folder)


@pytest.fixture(scope="session")
def rules_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where compiled redaction rules are kept between tests (RECALL_LAB_TEST_CACHE keeps them between runs)."""
    kept = os.environ.get("RECALL_LAB_TEST_CACHE")
    folder = Path(kept) if kept else tmp_path_factory.getbasetemp() / "rules-cache"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def captured_sample(tmp_path_factory: pytest.TempPathFactory, rules_cache: Path) -> Path:
    """A home that holds the packaged sample, its mirror included; for tests that only read."""
    from recall_lab.lab import open_lab

    home = tmp_path_factory.mktemp("sample") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
        with open_lab(home, sample=True) as lab:
            lab.refresh(progress=False)
    return home
