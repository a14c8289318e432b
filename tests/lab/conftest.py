"""A Lab over the packaged sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.lab import Lab, open_lab


@pytest.fixture(scope="module")
def lab(captured_sample: Path) -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALL_LAB_ZONE", "Europe/Helsinki")
        with open_lab(captured_sample) as opened:
            yield opened
