"""recall_lab's own use: which command, when, in which repository; never what was asked.

A line goes to a private log beside the store, because a read changes no row; the next capture folds the log in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

import msgspec

from recall_lab.settings import Settings
from recall_lab.times import utc_now


class Activity(msgspec.Struct, frozen=True):
    """One command that ran.

    Attributes:
        at: When it ended, UTC.
        command: Its name, such as ``search`` or ``eval retrieval``.
        repo: The repository it ran in, by the key that sessions carry.
        seconds: How long it took.
        exit_code: 0, 1, 2 or 130.
    """

    at: str
    command: str
    repo: str | None
    seconds: float
    exit_code: int


def record_activity(settings: Settings, command: str, seconds: float, exit_code: int, repo: str | None = None) -> None:
    """Append one line to the activity log, best effort: a log that cannot be written costs nothing.

    Args:
        settings: Where the log is, and whether it is wanted.
        command: The command's name; never its arguments.
        seconds: How long it took.
        exit_code: How it ended.
        repo: The repository it ran in.
    """
    if not settings.activity or not settings.home.is_dir():
        return
    line = msgspec.json.encode(Activity(utc_now(), command, repo, round(seconds, 3), exit_code)) + b"\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        log = os.open(settings.activity_log, flags, 0o600)
    except OSError:
        return
    try:
        os.write(log, line)
    except OSError:
        return
    finally:
        os.close(log)


def fold_activity(settings: Settings, add: Callable[[Iterable[tuple[str, str, str | None, float, int]]], None]) -> None:
    """Hand the log's lines to ``add`` and start a new log; a line that cannot be read is left out.

    The log is set aside first, so that a command that ends meanwhile starts a new one. Where the last fold was
    interrupted before its lines were taken in, they are taken in now.
    """
    aside = settings.activity_log.with_suffix(".folding")
    for source in (aside, settings.activity_log):
        with suppress(OSError):
            if source != aside:
                source.rename(aside)
            rows = []
            for line in aside.read_bytes().splitlines():
                with suppress(msgspec.DecodeError):
                    rows.append(msgspec.structs.astuple(msgspec.json.decode(line, type=Activity)))
            add(rows)
            aside.unlink()
