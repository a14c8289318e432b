"""Bytes in, events out: one module a host, all of them pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts import chat_snapshot, chatgpt_export, claude_code, claudeai_export, codex, copilot, gemini_cli, pi
from recall_lab.hosts._names import plain_id
from recall_lab.hosts._scan import value_end
from recall_lab.hosts.base import Host

__all__ = ["HOSTS", "plain_id", "recognise", "value_end"]

# Asked in this order: those that look for the least come last.
_MODULES = (claude_code, codex, pi, copilot, gemini_cli, chatgpt_export, claudeai_export, chat_snapshot)
HOSTS: dict[str, Host] = {module.HOST.name: module.HOST for module in _MODULES}

_FIRST_LINES = 30


def recognise(head: Sequence[bytes], path: PurePath) -> Host | None:
    """Return the host that wrote a file, judged by its first records.

    Args:
        head: The first lines, without their newlines; the last may be cut off.
        path: Where the file lies.
    """
    first = head[:_FIRST_LINES]
    return next((host for host in HOSTS.values() if host.recognise(head if host.rewrites else first, path)), None)
