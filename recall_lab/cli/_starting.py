"""Starts the command: streams that were closed lead nowhere, and Ctrl-C while the program loads is an answer too.

Loading takes longer than many commands, so what stands here needs nothing of it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
INTERRUPTED_WORDS = "interrupted; what was finished is kept, run it again to go on"


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with its exit code."""
    sys.exit(_start(sys.argv[1:] if argv is None else argv))


def open_workbench() -> NoReturn:
    """Run ``recall-lab lab``; what ``jupyter recall-lab`` calls, with the arguments that follow."""
    sys.exit(_start(["lab", *sys.argv[1:]]))


def run(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name.

    Returns:
        The exit code.
    """
    from recall_lab.cli import _main

    return _main.run(argv)


def _start(argv: Sequence[str]) -> int:
    _open_streams()

    def leave(_number: int, _frame: FrameType | None) -> None:
        os.write(2, f"recall-lab: {INTERRUPTED_WORDS}\n".encode())
        if "--json" in argv:
            error = f'{{"kind":"Interrupted","message":"{INTERRUPTED_WORDS}"}}'
            os.write(1, f'{{"error":{error},"exit_code":{INTERRUPTED}}}\n'.encode())
        os._exit(INTERRUPTED)

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else whoever started this wants Ctrl-C for something else
        signal.signal(signal.SIGINT, leave)
    import recall_lab.cli._main  # noqa: F401 - an interrupt in the middle of an import can become any error

    try:
        signal.signal(signal.SIGINT, before)
        return run(argv)
    except KeyboardInterrupt:  # a second one, while the first was being answered
        return INTERRUPTED


def _open_streams() -> None:
    """Open what the caller closed, so that no file gets its number and nothing that is printed is lost in one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, "r" if name == "stdin" else "w", encoding="utf-8"))
