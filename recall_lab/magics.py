"""``%load_ext recall_lab``: ``%recall`` searches, ``%%recall_sql`` asks the mirror; errors are one line."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from recall_lab.asking import SCOPES
from recall_lab.display import one_line
from recall_lab.errors import RecallLabError, UsageError
from recall_lab.lab import Lab, open_lab

if TYPE_CHECKING:
    import pandas as pd
    from IPython.core.interactiveshell import InteractiveShell

    from recall_lab.hits import Hits

Result = TypeVar("Result")
LAB_NAME = "lab"  # a Lab under this name in the notebook is used; else one is opened


class _Options(argparse.ArgumentParser):
    """Options of a magic; a mistake is an error of one line and never ends the kernel."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of leaving the process."""
        raise UsageError(f"%{self.prog}: {message}; %{self.prog} --help lists the options")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise instead of leaving the process."""
        raise _HelpWasShown(message or str(status))


class _HelpWasShown(Exception):  # noqa: N818 - nothing went wrong
    """The help of a magic was asked for and printed."""


def _recall_options() -> _Options:
    options = _Options(prog="recall", description="Search the history; the hits are the cell's value.")
    options.add_argument("query", nargs="+", help='words, "exact phrases", -without, prefix*')
    options.add_argument("--since", help="2026-05-01, 'yesterday 3pm', 'last 48h'")
    options.add_argument("--until", help="likewise; a day is included")
    for name in ("host", "role", "kind", "tool", "branch", "session", "model"):
        options.add_argument(f"--{name}", action="append", help="may be repeated")
    options.add_argument("--project", help="part of a repository's or folder's name")
    options.add_argument("--has-error", action="store_true", help="only what failed")
    options.add_argument("--scope", choices=SCOPES)
    options.add_argument("--limit", type=int, default=10)
    return options


@magics_class
class RecallMagics(Magics):
    """The magics of recall_lab."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        self._lab: Lab | None = None

    @line_magic
    def recall(self, line: str) -> Hits | None:
        """Search the history: ``%recall why did we reject batching --role user --since 2026-05-01``."""

        def search() -> Hits:
            options = _recall_options()
            known, more = options.parse_known_args(_words(line))
            wish = vars(known)
            for word in more:
                if word.startswith("--"):
                    options.error(f"there is no option {word}")
            # What is left begins with one hyphen: words to leave out, and what was typed after them.
            query = " ".join([*wish.pop("query"), *more])
            return self._open().search(query, **wish)

        return _told(search)

    @cell_magic
    def recall_sql(self, line: str, cell: str) -> pd.DataFrame | None:
        """Ask the mirror in SQL: ``%%recall_sql`` shows the frame, ``%%recall_sql name`` binds it too."""

        def query() -> pd.DataFrame:
            name = line.strip()
            if name and not name.isidentifier():
                raise UsageError(f"%%recall_sql: {name!r} cannot be a variable's name; use letters, digits and _")
            frame = self._open().sql(cell)
            if name:
                self._names()[name] = frame
            return frame

        return _told(query)

    def _names(self) -> dict[str, Any]:
        """The notebook's variables."""
        assert self.shell is not None
        names: dict[str, Any] = self.shell.user_ns
        return names

    def _open(self) -> Lab:
        """The notebook's own Lab if it has one, else the user's."""
        named = self._names().get(LAB_NAME)
        if isinstance(named, Lab):
            return named
        if self._lab is None:
            self._lab = open_lab()
        return self._lab


def _words(line: str) -> list[str]:
    """Cut a line like a shell, but let quotation marks stay: they make phrases of a query.

    Raises:
        UsageError: a quotation mark has no partner.
    """
    cut = shlex.shlex(line, posix=False)
    cut.whitespace_split = True
    cut.commenters = ""
    cut.quotes = '"'
    try:
        words = list(cut)
    except ValueError as error:
        raise UsageError("a quotation mark has no partner; close it, or leave it out") from error
    # A value of an option is no phrase: --since "last 48h".
    return [
        word.strip('"') if index and words[index - 1].startswith("--") else word for index, word in enumerate(words)
    ]


def _told(call: Callable[[], Result]) -> Result | None:
    """Run a call; what it cannot do is said in one line, without a traceback."""
    try:
        return call()
    except _HelpWasShown:
        return None
    except (RecallLabError, OSError) as error:
        print(f"recall_lab: {one_line(str(error))}", file=sys.stderr)
        return None


def load_ipython_extension(shell: Any) -> None:
    """Register the magics; IPython calls this for ``%load_ext recall_lab``."""
    shell.register_magics(RecallMagics)
