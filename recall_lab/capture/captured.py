"""Whose a file was when it was captured, for one that says nothing of itself any more."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from recall_lab.errors import RecallLabError
from recall_lab.store import open_reader
from recall_lab.store.status import known_sources


class CapturedBefore:
    """Hosts of captured files by path; the store is opened when it is first asked."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def __call__(self, path: Path) -> str | None:
        """Return the host of what was captured of a file, or None."""
        return self._hosts.get(str(path))

    @cached_property
    def _hosts(self) -> dict[str, str]:
        try:
            with open_reader(self._store) as reader:
                return {source.path: source.host for source in known_sources(reader).values()}
        except RecallLabError:
            return {}  # no store so far, or one that the writer will complain of
