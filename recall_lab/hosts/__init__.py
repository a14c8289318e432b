"""Bytes in, events out: one module a host, all of them pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath

from recall_lab.hosts._names import plain_id
from recall_lab.hosts._scan import value_end
from recall_lab.hosts.base import Host

__all__ = ["HOSTS", "plain_id", "recognise", "value_end"]

_FIRST_LINES = 30
_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "pi": "pi",
    "copilot": "copilot",
    "gemini-cli": "gemini_cli",
    "chatgpt-export": "chatgpt_export",
    "claudeai-export": "claudeai_export",
    "chat-snapshot": "chat_snapshot",
}


class _Hosts(Mapping[str, Host]):
    """The hosts by name, each loaded when it is first asked for; in the order in which a file is shown to them."""

    def __init__(self) -> None:
        self._loaded: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        if name not in self._loaded:
            found: Host = import_module(f"recall_lab.hosts.{_MODULES[name]}").HOST
            self._loaded[name] = found
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


HOSTS: Mapping[str, Host] = _Hosts()


def recognise(head: Sequence[bytes], path: PurePath) -> Host | None:
    """Return the host that wrote a file, judged by how it begins.

    Args:
        head: The first lines, without their newlines; the last may be cut off.
        path: Where the file lies.
    """
    first = head[:_FIRST_LINES]
    return next((host for host in HOSTS.values() if host.recognise(head if host.rewrites else first, path)), None)
