"""What was captured before: whose a file was, and whether it is as it was then."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from recall_lab.errors import RecallLabError
from recall_lab.store import open_reader
from recall_lab.store.status import SourceFile, source_files


class CapturedBefore:
    """Captured files by path; the store is opened when it is first asked."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def host_of(self, path: Path) -> str | None:
        """Return the host of what was captured of a file, or None."""
        found = self._files.get(str(path))
        return found.host if found else None

    def unchanged(self, path: Path, stat: os.stat_result) -> str | None:
        """Return the same when the file is as it was then, by its size and times; it need not be opened."""
        found = self._files.get(str(path))
        now = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        return found.host if found and (found.size, found.mtime_ns, found.ctime_ns) == now else None

    @cached_property
    def _files(self) -> dict[str, SourceFile]:
        try:
            with open_reader(self._store) as reader:
                return source_files(reader)
        except RecallLabError:
            return {}  # no store so far, or one that the writer will complain of
