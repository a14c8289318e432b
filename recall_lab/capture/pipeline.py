"""Reading beside writing: transcripts are parsed and redacted in one process while another writes the store.

Small captures stay in one process, because starting a second one takes longer than they do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import msgspec

from recall_lab.capture.preparing import Preparer, RedactsTexts
from recall_lab.capture.reading import Job, Reading, SourceReader
from recall_lab.errors import RecallLabError, RedactionError, SourceError
from recall_lab.redaction import open_redactor
from recall_lab.settings import ToolResults

_WORTH_A_PROCESS = 8_000_000  # bytes to read
_FRAMES_AHEAD = 4  # batches that wait in memory while one is written
_LENGTH_BYTES = 8


class Context(msgspec.Struct, frozen=True):
    """What reading needs to know, in either process."""

    rules_cache: Path
    tool_results: ToolResults
    tool_result_cap: int
    private: tuple[str, ...]
    agents: frozenset[str]
    hash_key: bytes

    def redactor(self) -> RedactsTexts:
        """Load the rules.

        Raises:
            RedactionError: they cannot be loaded.
        """
        return _loaded(open_redactor, self.rules_cache)

    def reader(self, redactor: RedactsTexts) -> SourceReader:
        """Return a reader of sources."""
        preparer = Preparer(redactor, self.tool_results, self.tool_result_cap)
        return SourceReader(preparer, self.hash_key, agents=self.agents, private=self.private)


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The rules are loaded."""

    rules_seconds: float


class Read(msgspec.Struct, frozen=True, tag=True):
    """A batch of the job with this number."""

    job: int
    reading: Reading


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The file of this job could not be read to its end."""

    job: int
    why: str


class Fatal(msgspec.Struct, frozen=True, tag=True):
    """Nothing can be read."""

    message: str


Outcome = Ready | Read | Failed
_Frame = Ready | Read | Failed | Fatal


class Task(msgspec.Struct, frozen=True):
    """What the second process is told."""

    context: Context
    jobs: tuple[Job, ...]


@lru_cache(maxsize=1)
def _loaded(load: Callable[[Path], RedactsTexts], cache: Path) -> RedactsTexts:
    """Load the rules once in a process that captures again and again."""
    return load(cache)


def encode_task(task: Task) -> bytes:
    """Return a task as bytes; file names are kept as the file system has them."""
    return msgspec.msgpack.encode(task, enc_hook=os.fsencode)


def decode_task(data: bytes) -> Task:
    """Read what ``encode_task`` wrote."""
    return msgspec.msgpack.decode(data, type=Task, dec_hook=lambda _, name: Path(os.fsdecode(name)))


def outcomes(jobs: Sequence[Job], context: Context) -> Generator[Outcome, None, None]:
    """Read the jobs in their order and yield what comes of them.

    Raises:
        RedactionError: the rules cannot be loaded; nothing was read.
    """
    todo = sum(job.stat.size - (job.known.cursor if job.known else 0) for job in jobs)
    alone = todo < _WORTH_A_PROCESS or _processors() < 2
    return read_all(jobs, context) if alone else _beside(jobs, context)


def _processors() -> int:
    """Return how many processors this process may use, where the system tells; else how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_all(jobs: Sequence[Job], context: Context) -> Generator[Outcome, None, None]:
    """Read the jobs in this process; no job needs no rules."""
    if not jobs:
        return
    started = time.perf_counter()
    redactor = context.redactor()
    yield Ready(time.perf_counter() - started)
    reader = context.reader(redactor)
    for number, job in enumerate(jobs):
        try:
            for reading in reader.read(job):
                yield Read(number, reading)
        except OSError as error:
            if isinstance(error, RecallLabError):
                raise
            yield Failed(number, error.strerror or type(error).__name__)


def _beside(jobs: Sequence[Job], context: Context) -> Generator[Outcome, None, None]:
    """Read the jobs in a process of their own; it ends when this one does, or when the iterator is closed."""
    task = Task(context, tuple(jobs))
    process = subprocess.Popen(
        [sys.executable, "-m", "recall_lab.capture.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    frames: Queue[bytes] = Queue(_FRAMES_AHEAD)
    pump = Thread(target=_pump, args=(process.stdout, frames), daemon=True)
    try:
        write_frame(process.stdin, encode_task(task))
        pump.start()
        decoder = msgspec.msgpack.Decoder(_Frame)
        while data := frames.get():
            frame = decoder.decode(data)
            if isinstance(frame, Fatal):
                raise RedactionError(frame.message)
            yield frame
        if process.wait() != 0:
            raise SourceError(
                f"the reading process ended early (exit code {process.returncode}); what was captured is kept, "
                "run `recall-lab index` again"
            )
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        while pump.is_alive():
            while not frames.empty():
                frames.get_nowait()
            pump.join(0.01)
        process.stdout.close()


def _pump(stream: IO[bytes], frames: Queue[bytes]) -> None:
    """Move frames from the pipe into memory; an empty one marks the end."""
    while data := read_frame(stream):
        frames.put(data)
    frames.put(b"")


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame: its length, then its bytes."""
    stream.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Read one frame; empty at the end of the stream, also where it breaks off."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return b""
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return data if len(data) == size else b""
