"""Taking things out of the store for good: revisions that expired, missing sources, and what is to be forgotten.

Each has a preview that changes nothing. What is taken out leaves text, full-text index, revisions and free pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw
import msgspec

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.store.batches import retire_sessions
from recall_lab.store.conflicts import end_conflicts
from recall_lab.store.connection import OnStore, explained, rows
from recall_lab.store.index_rows import unindex
from recall_lab.store.scrubbing import next_change, owe_scrub, renew_lineage, scrub
from recall_lab.store.session_rows import FolderRemotes, retell
from recall_lab.store.writer import Writer
from recall_lab.times import utc_now

KEPT_REVISIONS = 3


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What to forget: exactly one of a session (native id), a repository, a block (32 hex), or a time range (UTC)."""

    session: str | None = None
    repo: str | None = None
    block: str | None = None
    since: str | None = None
    until: str | None = None


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """What goes, or went.

    Attributes:
        sessions: Sessions that go whole.
        blocks: Blocks that go, each with all its revisions.
        kept_elsewhere: Blocks that lose a place but stay, because another session holds them.
        held_by: The sessions (native ids) that hold those blocks.
        texts: Texts that go, revisions included.
        text_bytes: UTF-8 bytes of those texts.
        sources: Transcripts that are concerned.
    """

    sessions: int = 0
    blocks: int = 0
    kept_elsewhere: int = 0
    held_by: tuple[str, ...] = ()
    texts: int = 0
    text_bytes: int = 0
    sources: int = 0


def forget(store: OnStore, selection: Selection, *, writer: Writer | None = None) -> Purge:
    """Say what a selection would take out; with ``writer``, take it out and never capture it again.

    Raises:
        UsageError: the selection is empty, or names more than one thing.
        NotFoundError: nothing in the store matches it.
    """
    with explained(store.path):
        db = store.connection
        sessions, blocks = _selected(db, selection)
        if not sessions and not blocks:
            raise NotFoundError("nothing in the store matches; `recall-lab sessions` lists what there is")
        if sessions:
            blocks = _only_in(db, sessions)
        texts = _texts_of(db, sessions, blocks)
        purge = _measure(db, sessions, blocks, texts)
    if writer is not None:
        _take_out(writer, sessions, blocks, texts)
    return purge


def prune(store: OnStore, *, keep: int = KEPT_REVISIONS, missing: bool = True, writer: Writer | None = None) -> Purge:
    """Say which old revisions and rows of missing sources would go; with ``writer``, take them out.

    Args:
        store: The store.
        keep: Revisions kept of each block, the newest; pinned ones always stay.
        missing: Also take out sources whose transcript is gone, and what only they held.
        writer: Where to write.
    """
    with explained(store.path):
        db = store.connection
        gone = rows(db, "SELECT source_id FROM sources WHERE state = 'source_missing'") if missing else []
        sources = [source_id for (source_id,) in gone]
        texts = _expired(db, keep) + _held_only_by(db, sources)
        [(blocks, size)] = rows(
            db,
            "SELECT count(DISTINCT block_id), coalesce(sum(octet_length(text)), 0) FROM blocks "
            "WHERE text_id IN (SELECT value FROM json_each(?))",
            (_ids(texts),),
        )
        sessions = _told_only_by(db, sources)
        purge = Purge(sessions=len(sessions), blocks=blocks, texts=len(texts), text_bytes=size, sources=len(sources))
    if writer is not None and (texts or sources):
        with writer.transaction() as db:
            change = next_change(db)
            folders = FolderRemotes(db, sources=sources)
            told = set(_told_by(db, sources))
            _drop_sources(db, sources)
            _drop_texts(db, texts)
            retire_sessions(db, sessions, change)
            retell(db, (told | folders.renamed()) - set(sessions), change)
            owe_scrub(db)
        scrub(writer)
    return purge


# ---- what a selection means ----------------------------------------------------------------------------------------


def _selected(db: apsw.Connection, selection: Selection) -> tuple[list[int], list[bytes]]:
    """Return the sessions, or else the blocks, that are meant."""
    timed = selection.since is not None or selection.until is not None
    named = [selection.session is not None, selection.repo is not None, selection.block is not None, timed]
    if sum(named) != 1:
        raise UsageError("say what to forget: one of a session, a repository, a block, or a time range")
    if selection.session is not None:
        # A subagent's native id begins with its parent's and a slash.
        found = rows(
            db,
            "SELECT session_id FROM sessions WHERE native_id = ?1 OR substr(native_id, 1, length(?1) + 1) = ?1 || '/'",
            (selection.session,),
        )
        return [session_id for (session_id,) in found], []
    if selection.repo is not None:
        found = rows(db, "SELECT session_id FROM sessions WHERE repo = ?", (selection.repo,))
        return [session_id for (session_id,) in found], []
    if selection.block is not None:
        try:
            key = bytes.fromhex(selection.block)
        except ValueError:
            raise UsageError(f"{selection.block!r} is not a block id; it has 32 hex digits") from None
        return [], [key] if rows(db, "SELECT 1 FROM blocks WHERE block_id = ? LIMIT 1", (key,)) else []
    found = rows(
        db,
        "SELECT DISTINCT block_id FROM placements JOIN blocks USING (text_id) WHERE timestamp >= ? AND timestamp < ?",
        (selection.since or "", selection.until or "9999"),
    )
    return [], [block_id for (block_id,) in found]


def _only_in(db: apsw.Connection, sessions: Sequence[int]) -> list[bytes]:
    """Return the blocks that no other session holds, and those whose revisions came from these sessions."""
    chosen = _ids(sessions)
    found = rows(
        db,
        "SELECT DISTINCT block_id FROM blocks WHERE (text_id IN (SELECT text_id FROM placements "
        "WHERE session_id IN (SELECT value FROM json_each(?1))) OR origin IN (SELECT value FROM json_each(?1))) "
        "AND block_id NOT IN (SELECT b.block_id FROM placements p JOIN blocks b USING (text_id) "
        "WHERE p.session_id NOT IN (SELECT value FROM json_each(?1)))",
        (chosen,),
    )
    return [block_id for (block_id,) in found]


def _measure(db: apsw.Connection, sessions: Sequence[int], blocks: Sequence[bytes], texts: Sequence[int]) -> Purge:
    size = sum(
        db.execute("SELECT octet_length(text) FROM blocks WHERE text_id = ?", (text_id,)).get for text_id in texts
    )
    [(places, sources)] = rows(
        db,
        "SELECT count(DISTINCT block_id), count(DISTINCT source_id) FROM placements JOIN blocks USING (text_id) "
        "WHERE session_id IN (SELECT value FROM json_each(?)) OR text_id IN (SELECT value FROM json_each(?))",
        (_ids(sessions), _ids(texts)),
    )
    placed = len({block_id for block_id in blocks if _is_placed(db, block_id)})
    return Purge(
        sessions=len(sessions),
        blocks=len(blocks),
        kept_elsewhere=max(0, places - placed),
        held_by=_holders(db, sessions),
        texts=len(texts),
        text_bytes=size,
        sources=sources,
    )


def _holders(db: apsw.Connection, sessions: Sequence[int]) -> tuple[str, ...]:
    """Return the native ids of other sessions that hold blocks of these."""
    found = rows(
        db,
        "SELECT DISTINCT s.native_id FROM blocks JOIN placements p USING (text_id) JOIN sessions s USING (session_id) "
        "WHERE block_id IN (SELECT b.block_id FROM placements JOIN blocks b USING (text_id) "
        "WHERE session_id IN (SELECT value FROM json_each(?1))) "
        "AND p.session_id NOT IN (SELECT value FROM json_each(?1)) ORDER BY 1",
        (_ids(sessions),),
    )
    return tuple(native_id for (native_id,) in found)


def _is_placed(db: apsw.Connection, block_id: bytes) -> bool:
    found: int = db.execute(
        "SELECT EXISTS (SELECT 1 FROM blocks JOIN placements USING (text_id) WHERE block_id = ?)", (block_id,)
    ).get
    return bool(found)


def _texts_of(db: apsw.Connection, sessions: Sequence[int], blocks: Iterable[bytes]) -> list[int]:
    """Return every text of the blocks that go, and those of other blocks that only these sessions hold or brought."""
    found = {
        text_id
        for block_id in blocks
        for (text_id,) in rows(db, "SELECT text_id FROM blocks WHERE block_id = ?", (block_id,))
    }
    own = rows(
        db,
        "SELECT text_id FROM blocks WHERE (text_id IN (SELECT text_id FROM placements "
        "WHERE session_id IN (SELECT value FROM json_each(?1))) OR origin IN (SELECT value FROM json_each(?1))) "
        "AND text_id NOT IN (SELECT text_id FROM placements WHERE session_id NOT IN (SELECT value FROM json_each(?1)))",
        (_ids(sessions),),
    )
    return sorted(found.union(text_id for (text_id,) in own))


def _expired(db: apsw.Connection, keep: int) -> list[int]:
    """Return the revisions beyond the newest ``keep`` of each block, pinned ones left out."""
    found = rows(
        db,
        "SELECT text_id FROM (SELECT b.text_id, row_number() OVER (PARTITION BY b.block_id ORDER BY b.seen DESC, "
        "b.text_id DESC) AS age FROM blocks b WHERE b.text_id NOT IN (SELECT text_id FROM placements) "
        "AND NOT EXISTS (SELECT 1 FROM pins p WHERE p.block_id = b.block_id AND p.content_hash = b.content_hash)) "
        "WHERE age > ?",
        (keep,),
    )
    return [text_id for (text_id,) in found]


def _held_only_by(db: apsw.Connection, sources: Sequence[int]) -> list[int]:
    found = rows(
        db,
        "SELECT DISTINCT text_id FROM placements WHERE source_id IN (SELECT value FROM json_each(?1)) "
        "AND text_id NOT IN (SELECT text_id FROM placements WHERE source_id NOT IN (SELECT value FROM json_each(?1))) "
        "AND text_id NOT IN (SELECT b.text_id FROM pins p JOIN blocks b USING (block_id, content_hash))",
        (_ids(sources),),
    )
    return [text_id for (text_id,) in found]


def _told_by(db: apsw.Connection, sources: Sequence[int]) -> list[int]:
    found = rows(
        db,
        "SELECT DISTINCT session_id FROM source_sessions WHERE source_id IN (SELECT value FROM json_each(?))",
        (_ids(sources),),
    )
    return [session_id for (session_id,) in found]


def _told_only_by(db: apsw.Connection, sources: Sequence[int]) -> list[int]:
    found = rows(
        db,
        "SELECT DISTINCT session_id FROM source_sessions WHERE source_id IN (SELECT value FROM json_each(?1)) "
        "AND session_id NOT IN (SELECT session_id FROM source_sessions "
        "WHERE source_id NOT IN (SELECT value FROM json_each(?1)))",
        (_ids(sources),),
    )
    return [session_id for (session_id,) in found]


# ---- taking out ----------------------------------------------------------------------------------------------------


def _take_out(writer: Writer, sessions: Sequence[int], blocks: Sequence[bytes], texts: Sequence[int]) -> None:
    with writer.transaction() as db:
        change, now = next_change(db), utc_now()
        touched = rows(
            db,
            "SELECT DISTINCT session_id FROM placements WHERE text_id IN (SELECT value FROM json_each(?1)) "
            "OR text_id IN (SELECT text_id FROM placements WHERE session_id IN (SELECT value FROM json_each(?2)))",
            (_ids(texts), _ids(sessions)),
        )
        folders = FolderRemotes(db, sessions=sessions)
        if sessions:
            _take_out_sessions(db, sessions, now)
        else:
            db.executemany(
                "INSERT OR REPLACE INTO forgotten SELECT DISTINCT 'block', n.name, lower(hex(b.block_id)), ? "
                "FROM blocks b JOIN names n ON n.name_id = b.host WHERE b.block_id = ?",
                ((now, block_id) for block_id in blocks),
            )
        for block_id in blocks:
            db.execute("DELETE FROM pins WHERE block_id = ?", (block_id,))
            db.execute("DELETE FROM judgments WHERE block_id = ?", (block_id,))
        renew_lineage(db)
        db.execute(
            "DELETE FROM pins WHERE (block_id, content_hash) IN (SELECT block_id, content_hash FROM blocks "
            "WHERE text_id IN (SELECT value FROM json_each(?)))",
            (_ids(texts),),
        )
        _drop_errors(db, blocks)
        # A rebuild that is under way holds texts too; it starts again.
        db.execute("DELETE FROM staged")
        _drop_texts(db, texts)
        end_conflicts(db)
        retire_sessions(db, sessions, change)
        retell(db, {session_id for (session_id,) in touched}.union(folders.renamed()) - set(sessions), change)
        owe_scrub(db)
    scrub(writer)


def _drop_errors(db: apsw.Connection, blocks: Sequence[bytes]) -> None:
    """Forget the first lines of failures that these blocks tell of."""
    gone = set(blocks)
    found = rows(db, "SELECT source_id, call_id, result_block FROM tool_calls WHERE error IS NOT NULL")
    db.executemany(
        "UPDATE tool_calls SET error = NULL WHERE source_id = ? AND call_id = ?",
        ((source_id, call_id) for source_id, call_id, result in found if result in gone),
    )


def _take_out_sessions(db: apsw.Connection, sessions: Sequence[int], now: str) -> None:
    chosen = _ids(sessions)
    among = "IN (SELECT value FROM json_each(?))"
    db.execute(
        f"INSERT OR REPLACE INTO forgotten SELECT 'session', host, native_id, ? FROM sessions WHERE session_id {among}",
        (now, chosen),
    )
    sources = [source for (source,) in rows(db, f"SELECT source_id FROM sources WHERE session_id {among}", (chosen,))]
    for table in ("placements", "model_calls", "tool_calls", "source_sessions"):
        db.execute(f"DELETE FROM {table} WHERE session_id {among}", (chosen,))
    for source_id in sources:
        [(records, size)] = rows(
            db,
            "SELECT coalesce(sum(records), 0), coalesce(sum(bytes), 0) FROM ledger WHERE source_id = ?",
            (source_id,),
        )
        for table in ("placements", "model_calls", "tool_calls", "source_sessions", "ledger", "problems", "staged"):
            db.execute(f"DELETE FROM {table} WHERE source_id = ?", (source_id,))
        db.execute("INSERT INTO ledger VALUES (?, 'forgotten', 'excluded', ?, ?)", (source_id, records, size))
        db.execute(
            "DELETE FROM scopes WHERE (machine, path) = (SELECT machine, path FROM sources WHERE source_id = ?)",
            (source_id,),
        )
        db.execute(
            "UPDATE sources SET session_id = NULL, state = 'off', detail = 'forgotten on request', parser_state = x'', "
            "resume_offset = 0, resume_ord = 0 WHERE source_id = ?",
            (source_id,),
        )


def _drop_sources(db: apsw.Connection, sources: Sequence[int]) -> None:
    db.execute(
        "DELETE FROM scopes WHERE (machine, path) IN (SELECT machine, path FROM sources "
        "WHERE source_id IN (SELECT value FROM json_each(?)))",
        (_ids(sources),),
    )
    tables = ("placements", "model_calls", "tool_calls", "source_sessions", "ledger", "problems", "staged", "sources")
    for table in tables:
        db.executemany(f"DELETE FROM {table} WHERE source_id = ?", ((source_id,) for source_id in sources))


def _drop_texts(db: apsw.Connection, texts: Sequence[int]) -> None:
    for text_id in texts:
        db.execute("DELETE FROM placements WHERE text_id = ?", (text_id,))
        unindex(db, text_id)
        for table in ("redactions", "blocks"):
            db.execute(f"DELETE FROM {table} WHERE text_id = ?", (text_id,))


def _ids(values: Iterable[int]) -> str:
    """Bind a list of row numbers as one JSON array."""
    return msgspec.json.encode(list(values)).decode("ascii")
