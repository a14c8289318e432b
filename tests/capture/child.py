"""Runs one capture step in a process of its own, with many small batches; told what to do by its arguments.

The parent kills it, or gives it little room, and looks at what is left.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from recall_lab.capture import files, index, pipeline, reading
from recall_lab.errors import RecallLabError
from recall_lab.settings import load_settings
from recall_lab.store import open_writer
from recall_lab.store.purging import prune
from tests.capture.conftest import FakeRedactor


def main(root: Path, step: str, limit: int) -> int:
    pipeline.open_redactor = lambda *_, **__: FakeRedactor()  # type: ignore[assignment]
    reading.BATCH_CHARS = 1500
    files._CHUNK = 3000
    settings = load_settings(root / "lab", {"HOME": str(root), "TZ": "UTC"})
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    print("go", flush=True)
    try:
        if step == "prune":
            with open_writer(settings.store) as writer:
                prune(writer, keep=0, writer=writer)
        elif step == "rebuild":
            index(settings, [root / ".claude"], rebuild=True)
        else:
            index(settings)
    except RecallLabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
