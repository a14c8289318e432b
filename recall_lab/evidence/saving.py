"""Saving a brief: the form by the file's suffix, the file private and whole or not there at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from recall_lab.errors import NotFoundError, StoreFullError, UsageError
from recall_lab.evidence.forms import html_page, markdown, notebook, web_annotations
from recall_lab.evidence.records import Brief
from recall_lab.model import SavedBrief

_DEVICES = Path("/dev")

FORMS: dict[str, Callable[[Brief], str]] = {
    ".md": markdown.render,
    ".html": html_page.render,
    ".json": web_annotations.render,
    ".ipynb": notebook.render,
}


def save(brief: Brief, path: str | Path) -> SavedBrief:
    """Write a brief as Markdown, HTML, JSON-LD or a notebook, by the suffix of the path (.md .html .json .ipynb).

    The file is readable by its owner only (0600) and replaces an older one in one step.

    Returns:
        Where it is, how many receipts it holds (as ``verify`` counts them), and from how many sessions.

    Raises:
        UsageError: the suffix names no form, or the place cannot be written.
        NotFoundError: the folder is not there.
        StoreFullError: the disk has no room; an older file stays as it was.
    """
    target = Path(path).expanduser()
    render = FORMS.get(target.suffix.lower())
    if render is None:
        raise UsageError(f"{target.name}: a brief is saved as {', '.join(FORMS)}; choose one of these suffixes")
    text = notebook.render(brief, target.name) if target.suffix.lower() == ".ipynb" else render(brief)
    write_private(target, text)
    return SavedBrief(file=str(target), citations=len(brief.citations), sessions=brief.sessions)


def write_private(target: Path, text: str) -> None:
    """Write a file of the user's (UTF-8, 0600) whole or not at all; what is no file (a device, a pipe) is written into.

    Raises:
        UsageError, NotFoundError, StoreFullError: as for ``save``.
    """
    if not target.parent.is_dir():
        raise NotFoundError(f"{target.parent}: no such folder; make it, or choose another place")
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; name a file")
    beside = target.with_name(f".{target.name[:64]}.{token_hex(6)}.part")
    try:
        if target.parent == _DEVICES or (target.exists() and not target.is_file()):
            target.write_bytes(text.encode("utf-8"))  # a file in its place would take it from everybody
            return
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - the descriptor was opened private
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise StoreFullError(
                f"{target}: no room left on the disk; free some space, or choose another place"
            ) from error
        raise UsageError(f"{target}: cannot be written ({error.strerror}); choose another place") from error
