"""Runs a command and turns whatever happens into an exit code and at most one line on standard error."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import click

from recall_lab._version import __version__
from recall_lab.cli import _terminal
from recall_lab.cli._commands import Commands
from recall_lab.cli._frame import Face, Interrupted, Unread, encode, home_option
from recall_lab.cli._overview import COMMANDS
from recall_lab.cli._starting import INTERRUPTED, INTERRUPTED_WORDS
from recall_lab.display import one_line
from recall_lab.errors import RecallLabError

CANNOT = 2

# A word that would drown what else the line says; no file name is as long.
_LONG = re.compile(r"\S{500,}")

_NEXT_STEPS = {
    errno.ENOSPC: "free some room on that disk and run the command again",
    errno.EDQUOT: "free some room on that disk and run the command again",
    errno.EFBIG: "the system limits how large a file may grow; raise the limit and run the command again",
    errno.EROFS: "choose a folder that can be written, with --home DIR",
    errno.EACCES: "check who may read and write it, or choose another folder with --home DIR",
    errno.EPERM: "check who may read and write it, or choose another folder with --home DIR",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "name a file instead",
    errno.EMFILE: "raise the limit of open files (ulimit -n) and run the command again",
}


@click.group(
    cls=Commands,
    entries=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="recall-lab %(version)s")
@home_option
@click.pass_context
def cli(context: click.Context, home: Path | None) -> None:
    """Search, quote and count the history of your coding agents."""
    face = context.find_object(Face)
    assert face is not None
    face.home = home
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name.

    Returns:
        The exit code.
    """
    face = Face()
    wants_json = "--json" in argv
    started = time.monotonic()
    try:
        code = int(cli.main(list(argv), prog_name="recall-lab", standalone_mode=False, obj=face) or 0)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the person gets one line and an exit code
        code = _explain(error, wants_json=wants_json)
    seconds = time.monotonic() - started
    _leave(face, seconds, code)
    return code


def _leave(face: Face, seconds: float, code: int) -> None:
    """Note that the command was used, and close what it opened; neither may fail the command."""
    with contextlib.suppress(Exception):
        face.close()
    if face.command:
        with contextlib.suppress(Exception):
            note_activity(face, seconds, code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _silence(stream)


def note_activity(face: Face, seconds: float, code: int) -> None:
    """Append one line to the activity log: the command and the repository it ran in, never its arguments."""
    from recall_lab.activity import record_activity
    from recall_lab.settings import load_settings

    settings = load_settings(face.home)
    if settings.activity and settings.home.is_dir():
        from recall_lab.capture.repositories import Repositories

        record_activity(settings, face.command, seconds, code, Repositories().key(None, str(Path.cwd())))


def _explain(error: BaseException, *, wants_json: bool) -> int:
    """Say in one line what went wrong, and give the exit code that goes with it."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else CANNOT
    if isinstance(error, BrokenPipeError | Unread):
        _silence(sys.stdout)  # whoever read the answer has read enough
        return 0
    if isinstance(error, KeyboardInterrupt | click.Abort | Interrupted):
        message, kind, code = INTERRUPTED_WORDS, "Interrupted", INTERRUPTED
    elif isinstance(error, RecallLabError):
        message, kind, code = str(error), type(error).__name__, error.exit_code
    elif isinstance(error, click.ClickException):
        message, kind, code = _usage(error), "UsageError", CANNOT
    elif isinstance(error, OSError):
        message, kind, code = _system(error), "OSError", CANNOT
    elif isinstance(error, MemoryError):
        message, kind, code = "out of memory; close other programs or narrow the request", "MemoryError", CANNOT
    else:
        message, kind, code = _unexpected(error), type(error).__name__, CANNOT
    if isinstance(error, click.Abort) and _terminal.is_terminal(sys.stderr):
        click.echo(err=True)  # a question still stands on the line
    line = _LONG.sub(lambda found: f"{found[0][:100]}…{found[0][-20:]}", one_line(message))
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"recall-lab: {line}", err=True)
    if wants_json:
        with contextlib.suppress(OSError, ValueError):
            click.echo(encode({"error": {"kind": kind, "message": line}, "exit_code": code}))
    return code


def _usage(error: click.ClickException) -> str:
    """Click's complaint, with where to read on."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--"):
        return f"{message}; to leave a word out of a search write -- first: recall-lab search -- batching -flush"
    if context is None or "--help" in message or message.endswith("?"):
        return message
    return f"{message}; see {context.command_path} --help"


def _system(error: OSError) -> str:
    """The system's complaint with the file it is about and the next step."""
    what = error.strerror or type(error).__name__
    where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    step = _NEXT_STEPS.get(error.errno or 0, "see whether the disk and the folder are well")
    return f"{what}{where}; {step}"


def _unexpected(error: BaseException) -> str:
    """Where an error that nobody foresaw came from; its own words may hold transcript text and are left out."""
    if os.environ.get("RECALL_LAB_DEBUG"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "recall_lab" in Path(frame.filename).parts] or frames
    where = f"{'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else "an unknown place"
    return (
        f"unexpected {type(error).__name__} at {where}; this is a bug: report it with this line, or set "
        "RECALL_LAB_DEBUG=1 to see the traceback, which may quote your transcripts"
    )


def _silence(stream: IO[str]) -> None:
    """Send what is still buffered nowhere, so that the interpreter ends without a complaint."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
