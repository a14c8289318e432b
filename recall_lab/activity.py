"""recall_lab's own use: which command, when, in which repository; never what was asked.

A line goes to a private log beside the store, because a read changes no row; the next capture folds the log in.
"""

from __future__ import annotations

import os

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


def record_activity(
    settings: Settings, command: str, seconds: float, exit_code: int, repo: str | None = None
) -> None:
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
