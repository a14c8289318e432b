"""Fixtures of the evidence tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_store import TinyStore


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[TinyStore]:
    tiny = TinyStore(tmp_path / "home")
    yield tiny
    tiny.close()
