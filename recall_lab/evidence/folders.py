"""What became of a folder that a session worked in, read from git's own files; no program is run.

Running git in a folder that a transcript names could start whatever that folder's configuration says.
"""

from __future__ import annotations

import re
from pathlib import Path

from recall_lab.evidence.records import Repository

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\/.-][^\x00-\x20\x7f~^:?*\[\\]*")
_REFS = "refs/heads/"
_LARGEST = 16 << 20  # bytes of packed refs that are looked through


def observe(folder: str | Path) -> Repository:
    """Say whether a folder is still there, and which branch and commit are checked out in it."""
    place = Path(folder)
    try:
        if not place.is_absolute() or not place.is_dir():
            return Repository(folder=str(folder), exists=False)
        git = _git_of(place)
        if git is None:
            return Repository(folder=str(folder), exists=True)
        head = _line(git / "HEAD")
        branch = head.removeprefix(f"ref: {_REFS}") if head.startswith(f"ref: {_REFS}") else None
        common = _common_of(git)
        commit = _resolve(common, branch) if branch else (head if _SHA.fullmatch(head) else None)
        return Repository(folder=str(folder), exists=True, branch=branch, commit=commit, worktree=common != git)
    except (OSError, ValueError):
        return Repository(folder=str(folder), exists=False)


def branch_exists(folder: str | Path, branch: str) -> bool | None:
    """Say whether the repository of a folder still has a local branch; None when that cannot be told."""
    if not _BRANCH.fullmatch(branch):
        return None
    try:
        git = _git_of(Path(folder))
        if git is None:
            return None
        common = _common_of(git)
        if (common / "reftable").is_dir():
            return None  # branches are kept in a form that is not read here
        return _resolve(common, branch) is not None
    except (OSError, ValueError):
        return None


def _git_of(folder: Path) -> Path | None:
    """The git directory of the repository or worktree that holds a folder."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return git
        if git.is_file():
            pointed = Path(place, _line(git).removeprefix("gitdir:").strip())
            return pointed.resolve() if pointed.is_dir() else None
    return None


def _common_of(git: Path) -> Path:
    """The directory that all worktrees of a repository share."""
    pointer = git / "commondir"
    return (git / _line(pointer)).resolve() if pointer.is_file() else git


def _resolve(common: Path, branch: str) -> str | None:
    loose = common / _REFS / branch
    if loose.is_file():
        commit = _line(loose)
        return commit if _SHA.fullmatch(commit) else None
    packed = common / "packed-refs"
    if not packed.is_file():
        return None
    with packed.open("rb") as file:
        lines = file.read(_LARGEST).decode("utf-8", "replace").split("\n")
    wanted = f" {_REFS}{branch}"
    return next((line[: -len(wanted)] for line in lines if line.endswith(wanted) and line[:1] not in "#^"), None)


def _line(path: Path) -> str:
    """The first line of a small file."""
    with path.open("rb") as file:
        return file.read(4096).decode("utf-8", "replace").partition("\n")[0].strip()
