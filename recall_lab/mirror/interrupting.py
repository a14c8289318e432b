"""Ending what DuckDB does, by Ctrl-C and by a limit of time.

DuckDB takes Ctrl-C for an error of its own, or forgets it where a module is imported meanwhile; what it makes of it is
no word to a person who pressed it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from recall_lab.errors import QueryError

if TYPE_CHECKING:
    import duckdb


@contextmanager
def interruptible(database: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C end what ``database`` does inside, as a KeyboardInterrupt and nothing else.

    Only the main thread hears of Ctrl-C, and only where somebody listens to it: elsewhere nothing changes.
    """
    listens = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(listens):
        yield
        return
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        try:
            listens(number, frame)
        except KeyboardInterrupt:
            pressed = True
            database.interrupt()
            raise

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if pressed:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, listens)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def limited(database: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[None]:
    """Stop what ``database`` does inside when it takes longer; None and 0 are no limit.

    Raises:
        QueryError: the time was up.
    """
    import duckdb

    if not seconds:
        yield
        return
    over = threading.Event()

    def stop() -> None:
        over.set()
        with suppress(duckdb.Error):
            database.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:
        if not over.is_set():
            raise
        raise QueryError(
            f"stopped after {seconds:g} s without an answer; narrow the SQL, or allow it more seconds "
            "(--time-limit in the terminal, 0 for no limit)"
        ) from error
    finally:
        timer.cancel()
