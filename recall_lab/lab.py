"""The one object that faces hold: it opens a home and delegates, room by room, importing each when it is first used."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from recall_lab.analysis import REFRESH_OWED
from recall_lab.display import register
from recall_lab.errors import NoStoreError
from recall_lab.model import IndexReport, Source
from recall_lab.searching import Searching
from recall_lab.settings import load_settings

if TYPE_CHECKING:
    from recall_lab.capture import ConversationInfo, Diagnosis, Discovery
    from recall_lab.evaluation.audit import Audit
    from recall_lab.waiting import Waiting
    from recall_lab.widgets import Panels

Paths = Path | str | Iterable[Path | str]


def open_lab(home: Path | str | None = None, *, sample: bool = False, create: bool = False) -> Lab:
    """Open the Lab of a home.

    Args:
        home: The folder of store and mirror; else RECALL_LAB_HOME, else the platform's data folder.
        sample: Open the packaged sample instead of the user's own history. It is captured when it is first asked for,
            into a private folder of the cache (or into ``home``, when that is given), and used again later.
        create: Whether the home may hold no store yet; ``index`` then makes it.

    Raises:
        NoStoreError: there is no store yet.
        StoreError: the store cannot be opened, or another program made it.
        UsageError: a setting cannot be used.
    """
    settings = load_settings(home)
    if sample:
        from recall_lab.sampling import capture_sample, sample_settings

        settings = sample_settings(settings, own_home=home is None)
        capture_sample(settings)
    elif not create and not settings.store.exists():
        raise NoStoreError(
            f"there is no store in {settings.home} yet: run `recall-lab index`, or open_lab(create=True).index() in a "
            "notebook; open_lab(sample=True) opens the packaged sample"
        )
    lab = Lab(settings)
    if not create:
        _ = lab.reader  # a store that cannot be opened is said here, not later
    if "IPython" in sys.modules:
        register(sys.modules["IPython"].get_ipython())
    return lab


class Lab(Searching):
    """The history in one home: capture, search, evidence, analysis, panels.

    Attributes:
        settings: Where things are and how the user wants them.
    """

    # ---- capture ----

    def discover(self, paths: Paths = ()) -> Discovery:
        """List the transcripts that ``index`` would look at."""
        from recall_lab.capture import discover

        return discover(self.settings, _paths(paths))

    def places(self) -> tuple[Path, ...]:
        """List the folders where ``index`` looks for transcripts, whether they exist or not."""
        from recall_lab.capture.discovery import known_places

        return tuple(folder for folder, _ in known_places(self.settings))

    def preview_export(self, path: Path | str) -> tuple[ConversationInfo, ...]:
        """List the conversations in an account export, or in its archive; nothing is captured.

        Raises:
            SourceError: the file is no export, or cannot be read.
            RedactionError: the detector cannot be loaded.
        """
        from recall_lab.capture import preview_export

        return preview_export(self.settings, Path(path))

    def index(
        self,
        paths: Paths = (),
        *,
        host: str | None = None,
        rebuild: bool = False,
        progress: bool = True,
        conversations: Iterable[str] = (),
        cwd: Path | str | None = None,
    ) -> IndexReport:
        """Capture what is new and refresh the mirror.

        Args:
            paths: A file, a folder or several; the known folders of all hosts when there are none.
            host: The host of files that are not recognised.
            rebuild: Read the sources from the start and replace what was captured of them.
            progress: Show a progress bar.
            conversations: Of the account exports among the paths, these alone, by their ids.
            cwd: The folder that the paths belong to, where they name none: it gives them their repository.

        Raises:
            SourceError: a named path is not there, or is not a transcript.
            NotFoundError: a conversation is in none of the paths.
            RedactionError: the detector cannot be loaded; nothing was captured.
            StoreError: the store cannot be written; earlier batches are kept.
            MirrorError: all was captured, but the mirror cannot be refreshed.
        """
        from recall_lab.capture import index

        report = index(
            self.settings,
            _paths(paths),
            host=host,
            rebuild=rebuild,
            progress=progress,
            conversations=tuple(conversations),
            cwd=None if cwd is None else Path(cwd),
        )
        self._follow(report, progress=progress)
        return report

    def watch(self, paths: Paths = (), *, stop: Event, report: Callable[[IndexReport], None]) -> None:
        """Capture what is new and what changes, the mirror with it, until ``stop`` is set.

        Args:
            paths: A file, a folder or several; the known folders of all hosts when there are none.
            stop: Ends the watch after the pass that is under way.
            report: Told what each pass did.

        Raises:
            NotFoundError: there is nothing to watch.
            StoreError: the store cannot be written.
        """
        from recall_lab.capture import watch

        def follow(done: IndexReport) -> None:
            self._follow(done, progress=False)
            report(done)

        watch(self.settings, _paths(paths), stop=stop, report=follow)

    def _follow(self, report: IndexReport, *, progress: bool) -> None:
        """Bring the mirror up to date after a capture, or note that it is owed."""
        # Loading DuckDB takes longer than seeing that nothing is new: then whoever asks the mirror next refreshes it.
        os.close(os.open(self.home / REFRESH_OWED, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        if report.sources_changed or not self.settings.mirror.exists():
            self.refresh(progress=progress)

    # ---- panels ----

    @property
    def panels(self) -> Panels:
        """The panels for JupyterLab: ``search()``, ``citation()``, ``usage()``, ``coverage()``."""
        # Panels stand above the Lab and hold one, so the Lab knows them by name only.
        made: Panels = import_module("recall_lab.widgets").Panels(self)
        return made

    # ---- what the store holds ----

    def doctor(self, *, deep: bool = False) -> tuple[Diagnosis, ...]:
        """Look for what is wrong, or will be; nothing is written.

        Args:
            deep: Also compare every transcript's content with what was captured.
        """
        from recall_lab.capture import examine

        return examine(self.settings, deep=deep)

    def repair(self) -> tuple[str, ...]:
        """Put right what can be put right without asking; one line for each thing that was done."""
        from recall_lab.capture import repair

        return repair(self.settings)

    def audit(self, paths: Paths = (), *, progress: bool = True) -> Audit:
        """Look for secrets in raw files as they lie on the disk; places and kinds, never a value.

        Args:
            paths: A file, a folder or several; the transcripts of the known folders when there are none.
            progress: Show a progress bar.

        Raises:
            UsageError: a path does not exist.
        """
        from tqdm.auto import tqdm

        from recall_lab.capture.rules import open_rules
        from recall_lab.evaluation.audit import audit

        named = _paths(paths) or tuple(found.path for found in self.discover().found)
        redactor = open_rules(self.settings)
        with tqdm(unit="B", unit_scale=True, desc="auditing", disable=not progress, leave=False) as bar:

            def step(size: int) -> None:
                bar.update(size)

            return audit(named, redactor, progress=step)

    def uncaptured(self) -> tuple[Waiting, ...]:
        """List the transcripts on the disk that are not captured to their end, the largest rest first."""
        from recall_lab.waiting import waiting

        return waiting(self.discover(), self.sources())

    def sources(self) -> tuple[Source, ...]:
        """Every source that the store knows, by path."""
        from recall_lab.store.status import known_sources

        return tuple(known_sources(self.reader).values())


def _paths(paths: Paths) -> tuple[Path, ...]:
    several = (paths,) if isinstance(paths, Path | str) else paths
    return tuple(Path(path).expanduser() for path in several)
