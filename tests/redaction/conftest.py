"""One loaded detector for all tests of redaction: compiling its rules takes seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.redaction import Redactor, open_redactor


@pytest.fixture(scope="session")
def redactor(rules_cache: Path) -> Redactor:
    return open_redactor(rules_cache)
