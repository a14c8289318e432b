"""Which repository a folder belongs to, from git's own files; no program is run.

The key is the normalised remote, else the common git directory, else the folder itself, so that clones and worktrees of
one repository group together.
"""

from __future__ import annotations

import re
from configparser import Error as ConfigError
from configparser import RawConfigParser
from pathlib import Path

_SCP = re.compile(r"^(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)$")
_URL = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^@/\s]*@)?([^/:\s]+)(?::\d+)?/(.+)$", re.IGNORECASE)
_CONFIG_BYTES = 1 << 20


def normalise_remote(remote: str) -> str | None:
    """Return ``host/owner/name`` of a git remote: credentials, port, ``.git`` and scheme dropped, host in lower case.

    ``git@github.com:Owner/Name.git``, ``ssh://git@github.com:22/Owner/Name`` and ``https://user@GitHub.com/Owner/Name``
    are the same repository. None for a path or anything else.
    """
    match = _URL.match(remote.strip()) or _SCP.match(remote.strip())
    if not match or remote.startswith("file:") or (len(match[1]) == 1 and remote[1:2] == ":"):
        return None
    path = match[2].strip("/").removesuffix(".git").strip("/")
    return f"{match[1].lower()}/{path}" if path not in {"", ".", ".."} else None


class Repositories:
    """Remembers what it found for each folder."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def key(self, remote: str | None, cwd: str | None) -> str | None:
        """Return the repository's key for a remote that the host logged, or for a folder; None without both."""
        if remote and (named := normalise_remote(remote)):
            return named
        if not cwd:
            return None
        if cwd not in self._known:
            self._known[cwd] = self._look(cwd)
        return self._known[cwd]

    @staticmethod
    def _look(cwd: str) -> str:
        folder = Path(cwd)
        if not folder.is_absolute():
            return cwd
        try:
            for place in (folder, *folder.parents):
                git = place / ".git"
                if git.is_dir():
                    return _remote_of(git) or str(git)
                if git.is_file():
                    common = _common_directory(git)
                    return (_remote_of(common) or str(common)) if common else cwd
        except (OSError, ValueError):
            return cwd
        return cwd


def _common_directory(git_file: Path) -> Path | None:
    """Follow a worktree's ``.git`` file to the repository that it belongs to."""
    line = git_file.read_text(encoding="utf-8", errors="replace")[:4096].strip()
    if not line.startswith("gitdir:"):
        return None
    directory = (git_file.parent / line.removeprefix("gitdir:").strip()).resolve()
    pointer = directory / "commondir"
    if pointer.is_file():
        return (directory / pointer.read_text(encoding="utf-8", errors="replace")[:4096].strip()).resolve()
    return directory


def _remote_of(git: Path) -> str | None:
    """Return the normalised remote of a git directory: origin, else the first one."""
    config = git / "config"
    if not config.is_file() or config.stat().st_size > _CONFIG_BYTES:
        return None
    parser = RawConfigParser(strict=False, allow_no_value=True, delimiters=("=",), comment_prefixes=("#", ";"))
    try:
        parser.read_string(re.sub(r"(?m)^[ \t]+", "", config.read_text(encoding="utf-8", errors="replace")))
    except ConfigError:
        return None
    remotes = {
        name[len('remote "') : -1]: parser[name].get("url") for name in parser.sections() if name.startswith('remote "')
    }
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    return normalise_remote(url) if url else None
