"""Fixtures of the analytics tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mirror.telling import Telling


@pytest.fixture
def telling(tmp_path: Path) -> Telling:
    """An empty store to tell sessions to, and the folder of its mirror."""
    return Telling(tmp_path)
