"""Tiny stores, and an embedder that knows a few meanings by heart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.search.conftest import History

MEANINGS = ({"car", "automobile", "vehicle"}, {"reject", "decline", "refuse"}, {"fast", "quick", "swift"})


class KnowsByHeart:
    """Words of one meaning have one vector; every other word has its own. Deterministic."""

    name = "by heart"
    dims = 64

    def __init__(self, fingerprint: str = "ab" * 16) -> None:
        self.fingerprint = fingerprint
        self.seen: list[str] = []

    def passages(self, texts: Sequence[str]) -> Any:
        self.seen.extend(texts)
        return np.array([self.query(text) for text in texts], np.float32)

    def query(self, text: str) -> Any:
        vector = np.zeros(self.dims, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            known = next((min(meaning) for meaning in MEANINGS if word in meaning), word)
            seed = int.from_bytes(blake2b(known.encode(), digest_size=4).digest(), "big")
            vector += np.random.default_rng(seed).normal(size=self.dims).astype(np.float32)
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "recall.db")
    yield made
    made.close()


@pytest.fixture
def model() -> KnowsByHeart:
    return KnowsByHeart()
