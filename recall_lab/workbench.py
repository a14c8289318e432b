"""A private work folder with copies of the notebooks; what its owner changed in them is never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import msgspec

from recall_lab.errors import UsageError
from recall_lab.shipped import shipped_folder

FIRST = "00_start_here.ipynb"
_MANIFEST = ".copies.json"
_ON_SAMPLE, _ON_HISTORY = "SAMPLE = True", "SAMPLE = False"


class Copies(msgspec.Struct, frozen=True):
    """What became of the notebooks.

    Attributes:
        first: The notebook to open.
        kept: Copies that their owner changed, and that would be written differently now.
    """

    first: Path
    kept: tuple[str, ...]


def default_folder(home: Path) -> Path:
    """``work`` in a checkout that one stands in, else ``work`` in the home."""
    checkout = shipped_folder("notebooks").parent
    inside = Path.cwd() == checkout and (checkout / "pyproject.toml").is_file()
    return checkout / "work" if inside else home / "work"


def jupyter_settings(path: str | None) -> str:
    """Put the shipped settings of JupyterLab behind a search path of them: it does not ask to fetch news.

    Args:
        path: What ``JUPYTER_CONFIG_PATH`` says so far.
    """
    shipped = str(Path(__file__).parent / "_jupyter")
    return f"{path}{os.pathsep}{shipped}" if path else shipped


def copy_notebooks(folder: Path, *, sample: bool) -> Copies:
    """Copy the shipped notebooks into a private folder; a copy that was not changed since is brought up to date.

    Args:
        folder: Made (0700) when it is not there. Git ignores everything in it.
        sample: Whether the copies open the packaged sample or the user's own history.

    Raises:
        UsageError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        _write(folder / ".gitignore", b"*\n")
        written = _read_manifest(folder / _MANIFEST)
        kept = []
        for source in sorted(shipped_folder("notebooks").glob("*.ipynb")):
            content = _for_use(source.read_bytes(), sample=sample)
            target = folder / source.name
            if target.exists() and _digest(target.read_bytes()) != written.get(source.name):
                if written.get(source.name) != _digest(content):
                    kept.append(source.name)
                continue
            _write(target, content)
            written[source.name] = _digest(content)
        _write(folder / _MANIFEST, json.dumps(written, indent=1).encode())
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(f"{folder}: cannot be used ({why}); choose another folder with --work DIR") from error
    return Copies(folder / FIRST, tuple(kept))


def written_copies(folder: Path) -> dict[str, str]:
    """Return what was copied into a work folder: name -> sha256 of the copy as it was written, in hex."""
    return _read_manifest(folder / _MANIFEST)


def _for_use(notebook: bytes, *, sample: bool) -> bytes:
    """A notebook that opens what its owner has: the sample, or a history of their own, then without stored output."""
    if sample:
        return notebook
    content = json.loads(notebook)
    for one in content["cells"]:
        if one["cell_type"] == "code":
            one["source"] = [line.replace(_ON_SAMPLE, _ON_HISTORY) for line in _lines(one["source"])]
            one["outputs"], one["execution_count"] = [], None
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def _lines(source: str | list[str]) -> list[str]:
    return source.splitlines(keepends=True) if isinstance(source, str) else source


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    beside = path.with_name(path.name + ".part")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - the descriptor was opened private
            file.write(content)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
