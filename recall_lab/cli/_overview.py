"""Every command with its place in ``recall-lab --help``; a test holds each line to the command's own docstring."""

from __future__ import annotations

from recall_lab.cli._commands import Entry

COMMANDS: dict[str, Entry] = {}
