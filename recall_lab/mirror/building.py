"""Filling one generation of the mirror from the store: all of it, or the sessions that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from recall_lab.mirror import statements as sql
from recall_lab.mirror.prices import Lookup, Price, PriceCatalogue, price_catalogue, price_version, prices_of
from recall_lab.store.arrow import ArrowStream
from recall_lab.store.connection import Reader
from recall_lab.store.mirroring import stream

if TYPE_CHECKING:
    import duckdb

SCHEMA_VERSION = 4  # of mirror/schema.sql and of what fills it; a mirror of another version is built anew

Progress = Callable[[int, int], None]

# The order matters: what a statement joins stands before it.
_SESSIONS = ("placements", "model_calls", "tool_calls", "ledger", "problems")
_TEXTS = ("texts", "redactions", "entities")
_WHOLE = ("activity", "judgments", "pins")
_BEFORE_ROOTS = ("names", "sessions", "sources", *_SESSIONS)
_AFTER_ROOTS = ("texts", "redactions", *_WHOLE)
# Entities take longest to be read: what does not need them is done meanwhile.
STREAMED = (*_BEFORE_ROOTS, *_AFTER_ROOTS, "entities")
STEPS = len(STREAMED) + 8


class Builder:
    """Fills an open DuckDB database; the caller holds a snapshot of the store for as long as it does."""

    def __init__(self, database: duckdb.DuckDBPyConnection, progress: Progress | None = None) -> None:
        self._db = database
        self._progress = progress
        self._done = 0

    def build(self, streams: Mapping[str, ArrowStream], lookup: Lookup) -> None:
        """Make the tables and fill them with the whole store.

        Args:
            streams: Those that ``STREAMED`` names, to be read in that order.
            lookup: Knows the prices of all models that were called.
        """
        self._db.execute(files("recall_lab.mirror").joinpath("schema.sql").read_text(encoding="utf-8"))
        self._db.execute(sql.TEMPORARY)
        for name in _BEFORE_ROOTS:
            self._load(name, streams[name])
        self._execute(sql.RANK_PLACES)
        self._execute(sql.ROOTS.format(only=""))
        for name in _AFTER_ROOTS:
            self._load(name, streams[name])
        self._execute(sql.PAUSES.format(only=""))
        self._execute(sql.TURNS.format(only=""))
        self._db.execute(sql.WANDERERS.format(only=""))
        self._price(*lookup.result(), looked_up=self._models())
        self._call_models(only="")
        self._execute(sql.TOOL_CALLS.format(only=""))
        self._load("entities", streams["entities"])
        self._execute(sql.TOUCHES.format(only=""))
        self._execute(sql.COUNT_SESSIONS.format(again="true", only=""))

    def replace(self, reader: Reader, stale: Sequence[int], gone: Sequence[int]) -> None:
        """Replace the ``stale`` sessions, take out the ``gone`` ones; the tables hold an earlier state of the store."""

        def load(name: str, only: Iterable[int] | None = None) -> None:
            self._load(name, stream(reader, name, only))

        self._db.execute(sql.TEMPORARY)
        self._db.execute("INSERT INTO temp.stale_sessions SELECT unnest(?::BIGINT[])", ([*stale, *gone],))
        self._run(sql.NOTE_STALE)
        self._run(sql.DELETE_OF_SESSIONS)
        load("names")
        load("sessions", stale)
        load("sources")
        for name in _SESSIONS:
            load(name, stale)
        self._run(sql.NOTE_STALE)
        self._run(sql.DELETE_OF_TEXTS)
        self._run(sql.DELETE_OF_CALLS)
        self._execute(sql.RANK_PLACES)
        self._execute(sql.ROOTS.format(only=sql.ONLY_STALE_TEXTS))
        texts = self._db.execute("SELECT DISTINCT text_id FROM temp.stale_texts").fetchall()
        for name in _TEXTS:
            load(name, [text_id for (text_id,) in texts])
        for name in _WHOLE:
            load(name)
        self._execute(sql.TOUCHES.format(only=sql.ONLY_STALE_TEXTS))
        self._execute(sql.PAUSES.format(only=sql.ONLY_STALE_SESSIONS))
        self._execute(sql.TURNS.format(only=sql.ONLY_STALE_SESSIONS))
        if self._reprice():
            self._db.execute(sql.WANDERERS.format(only=sql.ONLY_WHERE_STALE_MODEL_CALLS))
            self._call_models(only=sql.ONLY_STALE_MODEL_CALLS)
        else:
            self._db.execute("DELETE FROM model_calls")
            self._db.execute(sql.WANDERERS.format(only=""))
            self._call_models(only="")
        self._execute(sql.TOOL_CALLS.format(only=sql.ONLY_STALE_TOOL_CALLS))
        self._execute(sql.COUNT_SESSIONS.format(again=sql.READ_AGAIN, only=sql.ONLY_STALE_SESSIONS))

    def _call_models(self, only: str) -> None:
        name, version, date = self.catalogue()
        self._execute(
            sql.MODEL_CALLS.format(only=only),
            {"price_catalogue": name, "price_version": version, "price_date": date},
        )

    def _run(self, statements: Iterable[str]) -> None:
        for statement in statements:
            self._db.execute(statement)

    def catalogue(self) -> tuple[str, str, str]:
        """Return name, version and date of the catalogue whose prices the mirror holds."""
        known = dict(self._db.execute("SELECT key, value FROM mirror WHERE key LIKE 'price_%'").fetchall())
        return known["price_catalogue"], known["price_version"], known["price_date"]

    def _reprice(self) -> bool:
        """Look up the models that have not been looked up yet, or all of them when the catalogue is another.

        Returns:
            Whether the costs that were computed before still hold.
        """
        known = dict(self._db.execute("SELECT key, value FROM mirror WHERE key LIKE 'price_%'").fetchall())
        same: bool = known["price_version"] == price_version()
        before = {(host, model) for host, model in msgspec.json.decode(known["price_models"])} if same else set()
        if not same:
            self._db.execute("DELETE FROM prices")
        new = self._models() - before
        if new or not same:
            self._price(price_catalogue(), prices_of(sorted(new)), looked_up=before | new)
        return same

    def _models(self) -> set[tuple[str, str]]:
        return set(
            self._db.execute(
                "SELECT DISTINCT q.host, c.model FROM copies.model_calls c JOIN sources q USING (source_id) "
                "WHERE c.model IS NOT NULL"
            ).fetchall()
        )

    def _price(self, catalogue: PriceCatalogue, prices: Iterable[Price], looked_up: set[tuple[str, str]]) -> None:
        rows = [msgspec.structs.astuple(price) for price in prices]
        if rows:
            one = f"({', '.join('?' * len(rows[0]))})"
            self._db.execute(f"INSERT INTO prices VALUES {', '.join([one] * len(rows))}", list(chain(*rows)))
        self.note(
            price_catalogue=catalogue.name,
            price_version=catalogue.version,
            price_date=catalogue.date,
            price_models=msgspec.json.encode(sorted(looked_up)).decode(),
        )

    def note(self, **facts: str) -> None:
        """Write facts about the mirror into its ``mirror`` table."""
        self._db.execute("DELETE FROM mirror WHERE key IN (SELECT unnest(?::VARCHAR[]))", (list(facts),))
        self._db.execute(f"INSERT INTO mirror VALUES {', '.join(['(?, ?)'] * len(facts))}", list(chain(*facts.items())))

    def _load(self, name: str, rows: ArrowStream) -> None:
        self._db.register("rows", rows)
        # DuckDB takes a stream for a small table and would keep all of it as the build side of a join.
        self._db.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        try:
            self._execute(sql.LOAD[name])
        except Exception as error:
            if rows.error is not None:  # DuckDB makes one of its own of it
                raise rows.error from error
            raise
        self._db.execute("RESET disabled_optimizers")
        self._db.unregister("rows")

    def _execute(self, statement: str, values: dict[str, str] | None = None) -> None:
        self._db.execute(statement, values) if values else self._db.execute(statement)
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, STEPS)
