"""Notebooks run on a capture of their own run, never on what an earlier version of the program left in a cache."""

from __future__ import annotations

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Start a notebook's kernel (nbval does it while it sets up the first cell) in a home that this run owns."""
    with pytest.MonkeyPatch.context() as patch:
        if item.path.suffix == ".ipynb":
            factory: pytest.TempPathFactory = item.config._tmp_path_factory  # type: ignore[attr-defined]  # noqa: SLF001
            patch.setenv("RECALL_LAB_HOME", str(factory.getbasetemp() / "notebooks"))
            patch.delenv("RECALL_LAB_CACHE_DIR", raising=False)
            patch.setenv("RECALL_LAB_ZONE", "Europe/Helsinki")
        return (yield)
