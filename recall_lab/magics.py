"""``%load_ext recall_lab``: ``%recall`` searches, ``%recall_query`` and ``%%recall_sql`` ask the mirror.

Errors are one line. Tab completes options and their values, named queries and their parameters, tables and columns.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from recall_lab.asking import SCOPES
from recall_lab.display import one_line
from recall_lab.errors import RecallLabError, UsageError
from recall_lab.lab import Lab, open_lab
from recall_lab.model import KINDS, ROLES, STATES

if TYPE_CHECKING:
    import pandas as pd
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

    from recall_lab.hits import Hits

Result = TypeVar("Result")
_KNOWN = {
    "host": "SELECT DISTINCT host FROM sessions ORDER BY 1",
    "tool": "SELECT DISTINCT tool FROM tool_calls WHERE tool IS NOT NULL ORDER BY 1",
    "model": "SELECT DISTINCT model FROM model_calls WHERE model IS NOT NULL ORDER BY 1",
    "repo": "SELECT DISTINCT repo FROM sessions WHERE repo IS NOT NULL ORDER BY 1",
    "project": "SELECT DISTINCT repo FROM sessions WHERE repo IS NOT NULL ORDER BY 1",
    "branch": "SELECT DISTINCT branch FROM sessions WHERE branch IS NOT NULL ORDER BY 1",
    "session": "SELECT DISTINCT session FROM sessions ORDER BY 1",
}  # option -> where its values are found in the mirror
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

    @line_magic
    def recall_query(self, line: str) -> pd.DataFrame | None:
        """Run a named query: ``%recall_query usage_by_day --since 2026-05-01``; the frame is the cell's value."""

        def query() -> pd.DataFrame:
            name, params = _name_and_parameters(_words(line))
            return self._open().query(name, **params)

        return _told(query)

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

    def complete(self, context: CompletionContext) -> SimpleMatcherResult:
        """Complete what stands before the cursor in one of these magics; nothing elsewhere, and nothing on an error."""
        found: list[str] = []
        with suppress(Exception):  # a Tab may not fail
            found = self._candidates(context)
        token = context.token
        shown = [SimpleCompletion(text=text, type="param") for text in found if text.startswith(token)]
        return {"completions": shown, "suppress": bool(shown), "matched_fragment": token}

    def _candidates(self, context: CompletionContext) -> list[str]:
        before = context.line_with_cursor[: context.cursor_position]
        if context.cursor_line and context.full_text.lstrip().startswith("%%recall_sql"):
            return self._sql_names(context.token)
        magic, _, rest = before.lstrip().partition(" ")
        words = rest.split()
        last = (words[-1] if before.endswith(" ") else words[-2] if len(words) > 1 else "") if words else ""
        if magic == "%recall_query":
            return self._query_words(words, last, typing=not before.endswith(" "))
        if magic == "%recall":
            return self._option_words(last)
        return []

    def _query_words(self, words: list[str], last: str, *, typing: bool) -> list[str]:
        queries = self._open().queries
        if not words or (len(words) == 1 and typing):
            return [query.name for query in queries]
        if last.startswith("--"):
            return self._values(last.removeprefix("--"))
        return [f"--{parameter.name}" for parameter in queries.get(words[0]).parameters]

    def _option_words(self, last: str) -> list[str]:
        if last.startswith("--") and last != "--has-error":
            return self._values(last.removeprefix("--"))
        return [word for action in _recall_options()._actions for word in action.option_strings if len(word) > 2]  # noqa: SLF001

    def _values(self, option: str) -> list[str]:
        """What an option or parameter may be, where that is known."""
        fixed = {"role": ROLES, "kind": KINDS, "scope": SCOPES, "state": STATES}
        if option in fixed:
            return list(fixed[option])
        statement = _KNOWN.get(option)
        values = [] if statement is None else [value for (value,) in self._open().records(statement)[1]]
        return [value for value in values if not any(sign.isspace() or sign in "'\"" for sign in value)]

    def _sql_names(self, token: str) -> list[str]:
        """Tables and columns of the mirror; columns of an alias keep the alias."""
        tables = self._open().mirror.columns()
        alias, dot, _ = token.rpartition(".")
        columns = sorted({column for of in tables.values() for column in of})
        if dot:
            return [f"{alias}.{column}" for column in tables.get(alias, columns)]
        return [*tables, *columns]

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
        said = str(error)
    except KeyboardInterrupt:
        said = "interrupted"
    except Exception as error:  # noqa: BLE001 - its own words may quote a transcript; its kind does not
        said = f"unexpected {type(error).__name__}; the Lab's own methods (lab.search, lab.sql) show where"
    print(f"recall_lab: {one_line(said)}", file=sys.stderr)
    return None


def _name_and_parameters(words: list[str]) -> tuple[str, dict[str, str]]:
    """Read ``usage_by_day --since 2026-05-01`` into the query's name and its parameters.

    Raises:
        UsageError: there is no name, or a word is no parameter or has no value.
    """
    if not words or words[0].startswith("-"):
        raise UsageError("%recall_query: name a query, such as usage_by_day; Tab lists them")
    name, *rest = words
    params: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or not rest:
            raise UsageError(f"%recall_query: {word!r} is no parameter with a value; write --NAME VALUE after {name}")
        params[word.removeprefix("--").replace("-", "_")] = rest.pop(0)
    return name, params


def load_ipython_extension(shell: Any) -> None:
    """Register the magics and their completion; IPython calls this for ``%load_ext recall_lab``."""
    magics = RecallMagics(shell)
    shell.register_magics(magics)

    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        return magics.complete(context)

    context_matcher(identifier="recall_lab")(matcher)
    others = [one for one in shell.Completer.custom_matchers if getattr(one, "matcher_identifier", "") != "recall_lab"]
    shell.Completer.custom_matchers = [*others, matcher]
