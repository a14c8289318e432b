"""Bytes in, events out: one module a host, all of them pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from recall_lab.hosts import claude_code, codex, copilot, pi
from recall_lab.hosts.base import Host

__all__ = ["HOSTS", "recognise"]

HOSTS: dict[str, Host] = {host.name: host for host in (claude_code.HOST, codex.HOST, pi.HOST, copilot.HOST)}


def recognise(head: Sequence[bytes], path: PurePath) -> Host | None:
    """Return the host that wrote a file, judged by its first records.

    Args:
        head: The first lines, at most 30, without their newlines; the last may be cut off.
        path: Where the file lies.
    """
    return next((host for host in HOSTS.values() if host.recognise(head, path)), None)
