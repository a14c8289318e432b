"""Bringing the mirror up to date: a new generation beside the old one, then the pointer moves."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from recall_lab.errors import MirrorError, QueryError, RecallLabError
from recall_lab.mirror.building import SCHEMA_VERSION, STREAMED, Builder, Progress
from recall_lab.mirror.connecting import SHUT, Config, Mirror, first_line, open_generation
from recall_lab.mirror.generations import Folder
from recall_lab.mirror.interrupting import interruptible
from recall_lab.mirror.prices import LookedUp, Lookup, Price, price_version
from recall_lab.model import Record
from recall_lab.store.connection import Reader, open_reader
from recall_lab.store.mirroring import (
    called_models,
    content_hashes,
    last_text,
    loose_ends,
    session_changes,
    snapshot,
    source_places,
    store_identity,
)
from recall_lab.store.reading_ahead import reading_ahead

_MEMORY = "256MB"  # of DuckDB while it builds; the rest of a refresh takes up to 300 MB
# Rows that are compressed together, by one processor: few enough for all of them to work on a small store. A large one
# takes a third more room in such groups, and has enough of the usual ones.
_SMALL = 65_536  # texts
_GROUP = 4_096
_WAIT = 600.0  # seconds to wait for another refresh: a million blocks take one minute


class Refreshed(Record, frozen=True, kw_only=True):
    """What a refresh did.

    Attributes:
        generation: Number of the generation that is current now.
        path: Its file.
        built: False when the mirror was up to date and nothing was written.
        full: Whether it was built from nothing.
        sessions: Sessions that were mirrored again.
        removed: Sessions that are no more.
        held: Older generations that somebody still reads; they go with a later refresh.
        seconds: How long it took.
    """

    generation: int
    path: Path
    built: bool
    full: bool
    sessions: int
    removed: int
    held: int
    seconds: float


def refresh(
    store_path: Path, folder: Path, *, full: bool = False, progress: Progress | None = None, wait: float = _WAIT
) -> Refreshed:
    """Bring the mirror in ``folder`` up to date with the store; readers are never disturbed.

    Sessions whose change number moved are replaced whole. It is built from nothing when there is none yet, when its
    file was changed or is damaged, when its schema or the store is another, or when texts were purged from the store
    (an incremental copy would keep their bytes).

    Args:
        store_path: The SQLite store; opened read-only.
        folder: Where the generations are; made (0700) when missing.
        full: Build from nothing in any case.
        progress: Called with (steps done, steps in all).
        wait: Seconds to wait for another refresh of the same folder.

    Raises:
        NoStoreError, StoreError: the store cannot be read.
        MirrorError: the folder is not a mirror's, cannot be written, or another refresh does not end.
    """
    started = time.perf_counter()
    place = Folder(folder)
    with open_reader(store_path) as reader:
        place.prepare()
        with place.refreshing(wait), snapshot(reader):
            place.sweep()
            current = place.intact()
            plan = _plan(reader, None if full else current)
            if plan.up_to_date:
                pointer = place.pointer()
                assert pointer is not None
                return Refreshed(
                    generation=pointer.generation,
                    path=folder / pointer.file,
                    built=False,
                    full=False,
                    sessions=0,
                    removed=0,
                    held=place.sweep(),
                    seconds=time.perf_counter() - started,
                )
            try:
                number, building = _built(place, reader, plan, current, progress)
            except MirrorError:
                if plan.full:
                    raise
                # Whatever cannot be changed (a file that is damaged somewhere) can be made anew.
                plan = msgspec.structs.replace(plan, full=True, stale=(), sessions=len(session_changes(reader)))
                number, building = _built(place, reader, plan, None, progress)
            with _thrown_away_on_failure(building):
                final = place.publish(number, building)
            return Refreshed(
                generation=number,
                path=final,
                built=True,
                full=plan.full,
                sessions=plan.sessions,
                removed=len(plan.gone),
                held=place.sweep(),
                seconds=time.perf_counter() - started,
            )


def _built(
    place: Folder, reader: Reader, plan: _Plan, current: Path | None, progress: Progress | None
) -> tuple[int, Path]:
    """Fill a file that no pointer names yet; return its generation's number and where it is."""
    number, building = place.new_name()
    with _thrown_away_on_failure(building):
        _build(building, reader, plan, current, progress)
    return number, building


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be done. ``stale`` and ``gone`` are session ids; ``full`` says that everything is built anew."""

    full: bool
    up_to_date: bool = False
    stale: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    sessions: int = 0


def _plan(reader: Reader, current: Path | None) -> _Plan:
    changes = session_changes(reader)
    everything = _Plan(full=True, sessions=len(changes))
    if current is None:
        return everything
    try:
        with open_generation(current) as old:
            return _compared(reader, changes, old, everything)
    except (MirrorError, QueryError):  # lost, damaged or of another schema: the mirror is disposable
        return everything


def _compared(reader: Reader, changes: dict[int, int], old: Mirror, everything: _Plan) -> _Plan:
    """Compare the store's sessions (id -> change number) with those of the old generation."""
    import duckdb

    facts = old.facts
    if (facts.get("store"), facts.get("duckdb")) != (store_identity(reader), duckdb.__version__):
        return everything
    before: dict[int, int] = dict(old.rows("SELECT session_id, change FROM sessions"))
    moved = {session for session, change in changes.items() if before.get(session) != change}
    moved |= _told_by_moved_sources(reader, old) & changes.keys()
    gone = tuple(before.keys() - changes.keys())
    same = (facts.get("price_version"), facts.get("loose_ends")) == (price_version(), loose_ends(reader))
    if not moved and not gone and same:
        return _Plan(full=False, up_to_date=True)
    everything = msgspec.structs.replace(everything, gone=gone)
    if len(moved) + len(gone) > len(changes) // 3:
        return everything  # no slower than replacing them, and without the holes
    texts = old.rows(
        "SELECT DISTINCT text_id, content_hash FROM placements JOIN blocks USING (text_id) "
        "WHERE placements.session_id IN (SELECT unnest(?::BIGINT[]))",
        [[*moved, *gone]],
    )
    kept = content_hashes(reader, [text_id for text_id, _ in texts])
    if any(kept.get(text_id) != content_hash for text_id, content_hash in texts):
        return everything
    return _Plan(full=False, stale=tuple(moved), gone=gone, sessions=len(moved))


def _told_by_moved_sources(reader: Reader, old: Mirror) -> set[int]:
    """A moved transcript changes no session, but the order in which a session's sources count follows their paths."""
    places = source_places(reader)
    rows = old.rows("SELECT source_id, path, session_id FROM sources")
    moved = [source for source, path, session in rows if places.get(source) != (path, session)]
    told = old.rows(
        "SELECT DISTINCT session_id FROM placements WHERE source_id IN (SELECT unnest(?::BIGINT[]))", [moved]
    )
    now = {places[source][1] for source in moved if source in places}
    return {session for (session,) in told} | {session for session in now if session is not None}


def _build(building: Path, reader: Reader, plan: _Plan, current: Path | None, progress: Progress | None) -> None:
    facts = {"store": store_identity(reader), "loose_ends": loose_ends(reader)}
    if not plan.full:
        assert current is not None
        _fill(building, current, "", facts, progress, lambda builder: builder.replace(reader, plan.stale, plan.gone))
        return
    groups = f", ROW_GROUP_SIZE {_GROUP}" if last_text(reader) < _SMALL else ""
    # Prices are looked up and the store is read before anything waits for them: loading DuckDB takes a while.
    with (
        _nothing_collected(),
        closing(Lookup(called_models(reader), _looked_up(current))) as lookup,
        reading_ahead(reader, STREAMED) as streams,
    ):
        _fill(building, None, groups, facts, progress, lambda builder: builder.build(streams, lookup))


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Rows make no cycles; looking for some among them takes a twentieth of a build."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _looked_up(current: Path | None) -> LookedUp | None:
    """What the generation before found in the price catalogue, if it can still be read."""
    if current is None:
        return None
    try:
        with open_generation(current) as old:
            models = msgspec.json.decode(old.facts["price_models"], type=list[tuple[str, str]])
            rows = old.rows("SELECT * FROM prices")
            return LookedUp(old.price_catalogue, frozenset(models), tuple(Price(*row) for row in rows))
    except (MirrorError, QueryError, msgspec.DecodeError):
        return None


def _fill(
    building: Path,
    copied: Path | None,
    options: str,
    facts: dict[str, str],
    progress: Progress | None,
    fill: Callable[[Builder], None],
) -> None:
    """Make a database, from the copy of one or of nothing with these options, and note what it is."""
    import duckdb

    try:
        if copied is not None:
            shutil.copyfile(copied, building)
        config: Config = {**SHUT, "memory_limit": _MEMORY, "temp_directory": str(building) + ".tmp"}
        # A file half made is thrown away anyway: no log of what is written, and it is made durable when it is finished.
        config["fsync_mode"] = "NONE"
        database = duckdb.connect(config=config)
        try:
            with interruptible(database):
                quoted = str(building).replace("'", "''")
                database.execute(f"ATTACH '{quoted}' AS building (RECOVERY_MODE no_wal_writes{options})")
                database.execute("USE building")
                database.execute("SET enable_progress_bar = false")  # in a notebook; ``progress`` is told
                builder = Builder(database, progress)
                fill(builder)
                builder.note(
                    **facts,
                    schema_version=str(SCHEMA_VERSION),
                    duckdb=duckdb.__version__,  # its hash() may be another in another version
                    built_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
                )
                database.execute("CHECKPOINT")
        finally:
            database.close()
    except (duckdb.Error, OSError) as error:
        if isinstance(error, RecallLabError):
            raise
        raise MirrorError(
            f"{building.parent}: the mirror could not be built ({first_line(error)}); "
            "the one before stays in use; see that the disk has room, then run `recall-lab mirror --full`"
        ) from error


@contextmanager
def build_beside(place: Folder, reader: Reader) -> Iterator[Path]:
    """Build the store's mirror from nothing in a file that no pointer names, and remove it in the end.

    The caller holds the folder's refresh lock and a snapshot of the store.
    """
    _, building = place.new_name()
    try:
        _build(building, reader, _Plan(full=True), None, None)
        yield building
    finally:
        place.sweep()


@contextmanager
def _thrown_away_on_failure(building: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for path in (building, building.with_name(building.name + ".wal")):
            path.unlink(missing_ok=True)
        shutil.rmtree(building.with_name(building.name + ".tmp"), ignore_errors=True)
        raise
