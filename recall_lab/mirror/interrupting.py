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

_AGAIN = 0.05  # seconds until it is interrupted once more


@contextmanager
def interruptible(database: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C end what ``database`` does inside, as a KeyboardInterrupt and nothing else.

    Only the main thread hears of Ctrl-C, and only where somebody listens to it: elsewhere nothing changes.
    """
    listens = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(listens):
        yield
        return
    end = _End(database)

    def note(number: int, frame: FrameType | None) -> None:
        try:
            listens(number, frame)
        except KeyboardInterrupt:
            end.wanted_after(0)
            raise

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if end.wanted:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, listens)
        end.reached()
    if end.wanted:
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
    end = _End(database)
    end.wanted_after(seconds)
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:
        if not end.wanted:
            raise
        raise QueryError(
            f"stopped after {seconds:g} s without an answer; narrow the SQL, or allow it more seconds "
            "(--time-limit in the terminal, 0 for no limit)"
        ) from error
    finally:
        end.reached()


class _End:
    """Interrupts a database until it has ended what it does: asked before a query has begun, DuckDB forgets it."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._database = database
        self._reached = threading.Event()
        self._thread: threading.Thread | None = None
        self.wanted = False

    def wanted_after(self, seconds: float) -> None:
        """Begin to interrupt in so many seconds, unless the end is reached before."""
        if seconds == 0:
            self.wanted = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._insist, args=(seconds,), daemon=True)
            self._thread.start()

    def reached(self) -> None:
        """Leave the database alone; what it does next is not interrupted."""
        self._reached.set()
        if self._thread is not None:
            self._thread.join()

    def _insist(self, seconds: float) -> None:
        import duckdb

        wait = seconds
        while not self._reached.wait(wait):
            self.wanted = True
            with suppress(duckdb.Error):  # it is closed
                self._database.interrupt()
            wait = _AGAIN
