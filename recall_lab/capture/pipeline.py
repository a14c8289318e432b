"""Reading beside writing: transcripts are parsed and redacted in other processes while this one writes the store.

Small captures stay in one process, because starting another takes longer than they do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
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
_MOST_READERS = 4  # more than that would wait for the one writer
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
    rules: tuple[Path, ...] = ()
    allow: tuple[str, ...] = ()
    mask_contacts: bool = False

    def redactor(self) -> RedactsTexts:
        """Load the rules.

        Raises:
            UsageError: a rule file or an expression of the settings cannot be used.
            RedactionError: they cannot be loaded.
        """
        return _loaded(open_redactor, self.rules_cache, self.rules, self.allow, mask_contacts=self.mask_contacts)

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
def _loaded(
    load: Callable[..., RedactsTexts],
    cache: Path,
    rules: tuple[Path, ...],
    allow: tuple[str, ...],
    *,
    mask_contacts: bool,
) -> RedactsTexts:
    """Load the rules once in a process that captures again and again."""
    return load(cache, rules=rules, allow=allow, mask_contacts=mask_contacts)


def encode_task(task: Task) -> bytes:
    """Return a task as bytes; file names are kept as the file system has them."""
    return msgspec.msgpack.encode(task, enc_hook=os.fsencode)


def decode_task(data: bytes) -> Task:
    """Read what ``encode_task`` wrote."""
    return msgspec.msgpack.decode(data, type=Task, dec_hook=lambda _, name: Path(os.fsdecode(name)))


def outcomes(jobs: Sequence[Job], context: Context) -> Generator[Outcome, None, None]:
    """Read the jobs and yield what comes of them; those of one job in their order.

    Raises:
        RedactionError: the rules cannot be loaded; nothing was read.
    """
    readers = readers_of(sum(job.stat.size - (job.known.cursor if job.known else 0) for job in jobs))
    return _beside(jobs, context, readers) if readers else read_all(jobs, context)


def readers_of(todo: int) -> int:
    """Return how many processes read so many bytes; 0: it is done in this one."""
    processors = _processors()
    return min(processors, _MOST_READERS, todo // _WORTH_A_PROCESS) if processors > 1 else 0


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
        except SourceError as error:  # of this one alone
            yield Failed(number, str(error).removeprefix(f"{job.path}: "))
        except OSError as error:
            if isinstance(error, RecallLabError):
                raise
            yield Failed(number, error.strerror or type(error).__name__)


def _beside(jobs: Sequence[Job], context: Context, readers: int) -> Generator[Outcome, None, None]:
    """Read the jobs in processes of their own; they end when this one does, or when the iterator is closed."""
    frames: Queue[tuple[int, bytes]] = Queue(_FRAMES_AHEAD)
    started: list[_Process] = []
    decoder = msgspec.msgpack.Decoder(_Frame)
    try:
        for numbers in _shares(jobs, readers):
            started.append(_Process(len(started), numbers, Task(context, tuple(jobs[n] for n in numbers)), frames))
        ended = 0
        while ended < len(started):
            place, data = frames.get()
            if not data:
                started[place].check()
                ended += 1
                continue
            frame = decoder.decode(data)
            if isinstance(frame, Fatal):
                raise RedactionError(frame.message)
            yield frame if isinstance(frame, Ready) else started[place].renumbered(frame)
    finally:
        for process in started:
            process.end()


def _shares(jobs: Sequence[Job], readers: int) -> list[list[int]]:
    """Deal the jobs out, the largest first, each to the reader that has least to do; each keeps their order."""
    shares: list[list[int]] = [[] for _ in range(min(readers, len(jobs)))]
    loads = [0] * len(shares)
    for number in sorted(range(len(jobs)), key=lambda n: (-jobs[n].stat.size, n)):
        lightest = loads.index(min(loads))
        shares[lightest].append(number)
        loads[lightest] += jobs[number].stat.size
    return [sorted(share) for share in shares]


class _Process:
    """One reading process, and the thread that tells it its task and moves its frames into memory.

    An empty frame marks the end.
    """

    def __init__(self, place: int, numbers: Sequence[int], task: Task, frames: Queue[tuple[int, bytes]]) -> None:
        self._numbers = numbers
        self._frames = frames
        # The child inherits what is blocked here: an interrupt cannot meet it before it can ignore one.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "recall_lab.capture.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        assert self._child.stdin
        assert self._child.stdout
        self._in, self._out = self._child.stdin, self._child.stdout
        self._pump = Thread(target=self._move, args=(place, encode_task(task)), daemon=True)
        self._pump.start()

    def renumbered(self, outcome: Read | Failed) -> Read | Failed:
        """Return the outcome with the job's number among all jobs."""
        return msgspec.structs.replace(outcome, job=self._numbers[outcome.job])

    def check(self) -> None:
        """Make sure that the process, which has closed its output, came to its end.

        Raises:
            SourceError: it did not.
        """
        if self._child.wait() != 0:
            raise SourceError(
                f"a reading process ended early (exit code {self._child.returncode}); what was captured is kept, "
                "run `recall-lab index` again"
            )

    def end(self) -> None:
        """Stop the process, whatever it is doing, and let go of its pipes."""
        self._child.kill()
        self._child.wait()
        with suppress(BrokenPipeError):
            self._in.close()
        while self._pump.is_alive():
            while not self._frames.empty():
                self._frames.get_nowait()
            self._pump.join(0.01)
        self._out.close()

    def _move(self, place: int, task: bytes) -> None:
        # A child that died at once is noticed by its empty output. A long task fills the pipe until the child has
        # started: nobody else waits for that.
        with suppress(BrokenPipeError):
            write_frame(self._in, task)
        while data := read_frame(self._out):
            self._frames.put((place, data))
        self._frames.put((place, b""))


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
