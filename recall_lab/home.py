"""One home that is open: its settings, and its store for reading."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from recall_lab.model import Status
from recall_lab.settings import Settings

if TYPE_CHECKING:
    from recall_lab.store import Reader


class Home:
    """The folder that holds store, mirror, caches and settings.

    Attributes:
        settings: Where things are and how the user wants them.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._reader: Reader | None = None

    @property
    def home(self) -> Path:
        """The folder that holds store, mirror, caches and settings."""
        return self.settings.home

    @property
    def zone(self) -> str:
        """IANA name of the zone that days and times are shown in."""
        return self.settings.zone

    @property
    def reader(self) -> Reader:
        """The store, read-only; opened when it is first needed.

        Raises:
            NoStoreError: there is none yet.
        """
        if self._reader is None:
            from recall_lab.store import open_reader

            self._reader = open_reader(self.settings.store)
        return self._reader

    def status(self) -> Status:
        """The store at a glance."""
        from recall_lab.store.status import status

        return status(self.reader)

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        from recall_lab.sampling import is_sample

        return f"<Lab of {'the packaged sample' if is_sample(self.settings) else self.home}>"
