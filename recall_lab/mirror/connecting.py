"""Opening the mirror for reading: one generation, read-only, closed to everything outside it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from recall_lab.errors import MirrorError, QueryError
from recall_lab.mirror.building import SCHEMA_VERSION
from recall_lab.mirror.generations import Folder
from recall_lab.mirror.interrupting import interruptible, limited
from recall_lab.mirror.prices import PriceCatalogue
from recall_lab.store.connection import Reader
from recall_lab.store.mirroring import session_changes, store_identity

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

Values = Sequence[Any] | Mapping[str, Any]
Config = dict[str, str | bool | int | float | list[str]]
T = TypeVar("T")

# No extension is fetched or loaded, and no Python variable of the caller is taken for a table.
SHUT: Config = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
}
# A reader's SQL is whatever somebody typed: no file, no network, and no way to switch that back on.
_READER: Config = {**SHUT, "enable_external_access": "false", "lock_configuration": "true"}
_TRIES = 5  # a refresh may remove the generation between reading the pointer and opening the file
_DAMAGED = ("Corrupt database file", "Could not read enough bytes")  # in what DuckDB says of such a file
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")


class Mirror:
    """One generation of the mirror, open read-only; it stays as it is while newer ones are made.

    Attributes:
        path: The generation's file.
        facts: What the generation says of itself: store, schema_version, built_at, price_catalogue, price_version, …
    """

    def __init__(self, database: duckdb.DuckDBPyConnection, path: Path, lease: int | None) -> None:
        self.path = path
        self._database = database
        self._lease = lease
        self.facts: dict[str, str] = dict(database.execute("SELECT key, value FROM mirror").fetchall())

    def sql(self, text: str, params: Values | None = None, *, seconds: float | None = None) -> pd.DataFrame:
        """Run SQL and return its result as a frame.

        Args:
            text: DuckDB SQL; ``$name`` or ``?`` stand for values.
            params: The values, by name or in order.
            seconds: How long it may take; None or 0 for as long as it needs.

        Raises:
            QueryError: the SQL cannot be run, or took longer; one line says why.
        """
        import pandas  # noqa: F401, ICN001 - DuckDB would load it, and forget a Ctrl-C meanwhile

        return self._run(text, params, lambda result: result.df(), seconds)

    def rows(self, text: str, params: Values | None = None) -> list[tuple[Any, ...]]:
        """Run SQL and return its rows, without loading pandas.

        Raises:
            QueryError: as for ``sql``.
        """
        return self._run(text, params, lambda result: result.fetchall())

    @property
    def price_catalogue(self) -> PriceCatalogue:
        """The catalogue that priced the calls."""
        return PriceCatalogue(self.facts["price_catalogue"], self.facts["price_version"], self.facts["price_date"])

    def records(
        self, text: str, params: Values | None = None, *, seconds: float | None = None
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Run SQL and return the names of its columns and its rows, as Python values.

        Raises:
            QueryError: as for ``sql``.
        """

        def take(result: duckdb.DuckDBPyConnection) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
            return tuple(column[0] for column in result.description or ()), result.fetchall()

        return self._run(text, params, take, seconds)

    def columns(self) -> dict[str, list[str]]:
        """Return table -> its columns, for completion and help."""
        found: dict[str, list[str]] = {}
        for table, column in self.rows(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal "
            "ORDER BY table_name, column_index"
        ):
            found.setdefault(table, []).append(column)
        return found

    def behind(self, reader: Reader) -> int:
        """Return how many sessions were added, changed or removed in the store since this generation was made."""
        now = session_changes(reader)
        if self.facts.get("store") != store_identity(reader):
            return len(now)
        here: dict[int, int] = dict(self.rows("SELECT session_id, change FROM sessions"))
        return sum(here.get(session) != now.get(session) for session in here.keys() | now.keys())

    def close(self) -> None:
        """Close the database and let its generation go; further calls do nothing."""
        self._database.close()
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(
        self,
        text: str,
        params: Values | None,
        take: Callable[[duckdb.DuckDBPyConnection], T],
        seconds: float | None = None,
    ) -> T:
        import duckdb

        try:
            # A cursor of its own, so that threads (widgets, kernels' tasks) do not read one another's results.
            with self._database.cursor() as cursor, interruptible(cursor), limited(cursor, seconds):
                # What is no statement (blank text, a comment) has no result, whatever the annotation says.
                result = cast("duckdb.DuckDBPyConnection | None", cursor.execute(text, params or None))
                if result is None:
                    raise QueryError("there is no SQL to run; write a statement such as SELECT * FROM sessions")
                return take(result)
        except QueryError:
            raise
        except (duckdb.Error, ValueError, TypeError) as error:
            if any(sign in str(error) for sign in _DAMAGED):
                raise _damaged(self.path) from error
            raise QueryError(f"the mirror cannot answer this SQL: {first_line(error)}") from error


def connect(folder: Path) -> Mirror:
    """Open the generation that the pointer names.

    Raises:
        MirrorError: there is none yet, it was made by another version, or it cannot be read.
    """
    place = Folder(folder)
    for attempt in range(_TRIES):
        current = place.current()
        if current is None:
            raise MirrorError(f"{folder}: there is no mirror yet; run `recall-lab mirror` (or `lab.index()`)")
        lease = place.lease(current)
        try:
            return open_generation(current, lease)
        except MirrorError:
            if lease is not None:
                os.close(lease)
            if attempt + 1 == _TRIES or place.current() == current:
                raise
    raise AssertionError


def open_generation(path: Path, lease: int | None = None) -> Mirror:
    """Open one generation's file.

    Raises:
        MirrorError: it is not there, not a mirror's, or made by another version.
    """
    import duckdb

    if not path.exists():
        raise MirrorError(f"{path}: the mirror's file is gone; run `recall-lab mirror`")
    try:
        database = duckdb.connect(str(path), read_only=True, config=_READER)
    except (duckdb.Error, OSError) as error:
        raise _damaged(path) from error
    try:
        mirror = Mirror(database, path, lease)
    except duckdb.Error as error:
        database.close()
        raise MirrorError(
            f"{path}: not a mirror made by recall_lab; move it away and run `recall-lab mirror`"
        ) from error
    if mirror.facts.get("schema_version") != str(SCHEMA_VERSION):
        database.close()
        raise MirrorError(f"{path}: made by another version of recall_lab; run `recall-lab mirror`")
    return mirror


def _damaged(path: Path) -> MirrorError:
    return MirrorError(f"{path}: damaged, or not a mirror; `recall-lab mirror --full` makes it anew from the store")


def first_line(error: BaseException) -> str:
    """Return what went wrong as one line, without the values that a message about data would quote."""
    import duckdb

    text = str(error).strip()
    about_sql = isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException)
    head = " ".join(part.strip() for part in text.split("\n\n")[0].splitlines())
    return head if about_sql else _QUOTED.sub("…", head)
