"""The second process of a capture: told jobs on standard input, answers with frames on standard output."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import msgspec

from recall_lab.capture.pipeline import Fatal, decode_task, read_all, read_frame, write_frame
from recall_lab.errors import RecallLabError


def main() -> int:
    """Read the jobs; a reader that went away ends the work."""
    # The first process decides what an interrupt means, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = sys.stdout.buffer
    encode = msgspec.msgpack.Encoder().encode
    with suppress(BrokenPipeError):
        task = decode_task(read_frame(sys.stdin.buffer))
        try:
            for outcome in read_all(task.jobs, task.context):
                write_frame(out, encode(outcome))
        except RecallLabError as error:
            write_frame(out, encode(Fatal(str(error))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
