"""What one batch does to the tables; the caller holds the transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import apsw
import msgspec

from recall_lab.model import ROLES, Applied, Batch, Revision, Session, Source
from recall_lab.store.call_rows import write_calls
from recall_lab.store.conflicts import may_be_in_conflict, settle_conflicts
from recall_lab.store.connection import rows
from recall_lab.store.forgotten import without_forgotten
from recall_lab.store.index_rows import IndexRows
from recall_lab.store.session_rows import FolderRemotes, Span, retell, write_session_row
from recall_lab.times import utc_now

_ROLE_RANK: dict[str, int] = {role: rank for rank, role in enumerate(ROLES)}


class _Placed(NamedTuple):
    """What placing a batch's blocks came to.

    Attributes:
        texts: text_id -> whether it is new.
        fresh: (block_id, content_hash) -> text_id of the new ones.
        rivals: block_ids of the batch of which another text is known.
    """

    texts: dict[int, bool]
    fresh: dict[tuple[str, str], int]
    rivals: set[str]


class _Stood(NamedTuple):
    """A placement that a batch took away."""

    text_id: int
    block_id: str
    content_hash: str
    session_id: int
    timestamp: str | None


def best_role(roles: Iterable[str]) -> str:
    """Return the role that wins where copies of a block differ: user, then assistant, tool, host."""
    return min(roles, key=_ROLE_RANK.__getitem__)


def retire_sessions(db: apsw.Connection, sessions: Iterable[int], change: int) -> None:
    """Remove the sessions that no source tells of any more, and leave tombstones for those who follow the changes."""
    for session_id in sessions:
        if db.execute("SELECT EXISTS (SELECT 1 FROM source_sessions WHERE session_id = ?)", (session_id,)).get:
            continue
        db.execute(
            "INSERT OR REPLACE INTO tombstones (host, native_id, session_id, change) "
            "SELECT host, native_id, session_id, ? FROM sessions WHERE session_id = ?",
            (change, session_id),
        )
        db.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))


class BatchWriter:
    """Applies batches through one connection, with the names of recurring strings kept in memory between them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._names: dict[str, int] = {}
        self._index = IndexRows(connection)

    def forget_caches(self) -> None:
        """Drop what is remembered of names and waits for the index, after a rollback."""
        self._names.clear()
        self._index.forget()

    def finish(self) -> None:
        """Write what waits for the end of the transaction."""
        self._index.write()

    def apply(self, batch: Batch) -> Applied:
        """Write the batch; see ``model.Batch`` for what replaces what."""
        db = self._db
        change: int = db.execute("UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value").get
        batch = without_forgotten(db, batch)
        own = self._session(batch.session, change) if batch.session else None
        suspected, earlier = self._known_source(batch.source)
        source_id = self._source(batch.source, own)
        if own is None or batch.session is None:
            self._ledger(source_id, batch)
            return Applied()
        sessions: dict[str | None, int] = {None: own}
        sessions |= {child.agent_id: self._session(child, change) for child in batch.children}
        folders = FolderRemotes(db, (told.cwd for told in (batch.session, *batch.children)), sources=[source_id])
        renamed = {earlier, own} if earlier is not None and earlier != own else set()
        if renamed:
            self._rename(source_id, earlier, own)
        self._facts(source_id, {own: batch.session} | {sessions[child.agent_id]: child for child in batch.children})
        removed = self._remove(source_id, batch)
        placed = self._place(source_id, sessions, change, batch)
        shared = self._settle({stood.text_id for stood in removed} | set(placed.texts), placed.texts)
        left = self._told_by(source_id) if removed or batch.anew else set()
        left |= renamed - {own}
        if batch.anew:
            db.execute(
                "DELETE FROM source_sessions WHERE source_id = ? "
                "AND session_id NOT IN (SELECT value FROM json_each(?))",
                (source_id, json.dumps(list(sessions.values()))),
            )
            db.execute("DELETE FROM model_calls WHERE source_id = ?", (source_id,))
            db.execute("DELETE FROM tool_calls WHERE source_id = ?", (source_id,))
        shared |= self._calls(source_id, sessions, batch)
        self._dead(source_id, batch)
        self._ledger(source_id, batch)
        now = {block.block_id: block.content_hash for block in batch.blocks}
        before = {(stood.block_id, stood.content_hash) for stood in removed}
        conflicts = settle_conflicts(
            db,
            source_id,
            placed.rivals,
            (block_id for block_id, _ in before),
            stood={block_id for block_id, was in before if now.get(block_id) == was},
            suspected=suspected,
        )
        touched = left | set(sessions.values()) | folders.renamed()
        for session_id in touched:
            come = Span.of(block.timestamp for block in batch.blocks if sessions[block.agent] == session_id)
            gone = Span.of(stood.timestamp for stood in removed if stood.session_id == session_id)
            write_session_row(db, session_id, gone=None if session_id in renamed else gone, come=come)
        shared |= touched
        retire_sessions(db, left, change)
        db.executemany("UPDATE sessions SET change = ? WHERE session_id = ?", ((change, s) for s in shared))
        return Applied(
            blocks_added=len({block_id for block_id, _ in placed.fresh}),
            blocks_changed=sum(1 for block_id, was in before if now.get(block_id, was) != was),
            conflicts=conflicts,
        )

    def retell(self, sessions: Iterable[int]) -> None:
        """Say of sessions anew what their sources and their scope say, as a change of each."""
        db = self._db
        change: int = db.execute("UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value").get
        retell(db, sessions, change)

    def mend_index(self) -> int:
        """Index the texts that have a placement and are not indexed; return how many."""
        return self._index.mend()

    def add_revision(self, revision: Revision) -> None:
        """Insert a text without a placement, unless its block was forgotten."""
        if self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM forgotten WHERE what = 'block' AND host = ? AND id = ?)",
            (revision.host, revision.block_id),
        ).get:
            return
        self._db.execute(
            "INSERT INTO blocks SELECT coalesce(max(text_id), 0) + 1, ?1, ?2, ?, ?, ?, ?, ?, ?, 0, 0, ?, ? FROM blocks "
            "HAVING NOT EXISTS (SELECT 1 FROM blocks WHERE block_id = ?1 AND content_hash = ?2)",
            (
                *(bytes.fromhex(revision.block_id), bytes.fromhex(revision.content_hash)),
                *(revision.role, revision.kind, self._name(revision.host)),
                *(len(revision.text), revision.original_length, self._name(revision.rules)),
                *(revision.entities, revision.text),
            ),
        )

    # ---- the steps, in their order ---------------------------------------------------------------------------------

    def _name(self, name: str | None) -> int | None:
        if name is None:
            return None
        found = self._names.get(name)
        if found is None:
            found = self._db.execute("SELECT name_id FROM names WHERE name = ?", (name,)).get
            if found is None:
                found = self._db.execute("INSERT INTO names (name) VALUES (?) RETURNING name_id", (name,)).get
            self._names[name] = found
        return found

    def _session(self, session: Session, change: int) -> int:
        key = (session.host, session.native_id)
        found: int | None = self._db.execute(
            "SELECT session_id FROM sessions WHERE host = ? AND native_id = ?", key
        ).get
        if found is not None:
            return found
        self._db.execute("DELETE FROM tombstones WHERE host = ? AND native_id = ?", key)
        made: int = self._db.execute(
            "INSERT INTO sessions (host, native_id, change) VALUES (?, ?, ?) RETURNING session_id", (*key, change)
        ).get
        return made

    def _known_source(self, source: Source) -> tuple[bool, int | None]:
        """Return whether the source may be in conflict, and the session that it belonged to so far."""
        known = rows(
            self._db,
            "SELECT state, detail, session_id FROM sources WHERE machine = ? AND path = ?",
            (source.machine, source.path),
        )
        return (may_be_in_conflict(*known[0][:2]), known[0][2]) if known else (False, None)

    def _source(self, source: Source, session_id: int | None) -> int:
        row = msgspec.structs.asdict(source)
        row.update(session_id=session_id, captured_at=utc_now())
        state = row.pop("parser_state")
        moved = ", ".join(f"{name} = excluded.{name}" for name in row if name not in {"machine", "path"})
        made: int = self._db.execute(
            f"INSERT INTO sources ({', '.join(row)}, parser_state) "
            f"VALUES ({', '.join(f':{name}' for name in row)}, x'') "
            f"ON CONFLICT (machine, path) DO UPDATE SET {moved} RETURNING source_id",
            row,
        ).get
        if state is not None:
            self._db.execute("UPDATE sources SET parser_state = ? WHERE source_id = ?", (state, made))
        return made

    def _rename(self, source_id: int, earlier: int | None, own: int) -> None:
        """Give the session that a source names by now all that was captured of it under another name.

        A source that has told no session so far is named after its file, until its first message tells it.
        """
        for table in ("placements", "model_calls", "tool_calls"):
            self._db.execute(
                f"UPDATE {table} SET session_id = ? WHERE source_id = ? AND session_id = ?", (own, source_id, earlier)
            )
        self._db.execute("DELETE FROM source_sessions WHERE source_id = ? AND session_id = ?", (source_id, earlier))

    def _facts(self, source_id: int, sessions: dict[int, Session]) -> None:
        self._db.executemany(
            "INSERT INTO source_sessions VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts",
            (
                (source_id, session_id, msgspec.json.encode(session).decode("utf-8"))
                for session_id, session in sessions.items()
            ),
        )

    def _told_by(self, source_id: int) -> set[int]:
        """Return the sessions that the source tells of."""
        found = rows(self._db, "SELECT session_id FROM source_sessions WHERE source_id = ?", (source_id,))
        return {session_id for (session_id,) in found}

    def _remove(self, source_id: int, batch: Batch) -> list[_Stood]:
        """Take away the placements that the batch replaces or drops, and return them."""
        db = self._db
        found = (
            "SELECT b.text_id, lower(hex(b.block_id)), lower(hex(b.content_hash)), p.session_id, p.timestamp "
            "FROM placements p JOIN blocks b USING (text_id) WHERE p.source_id = ? AND p.ord "
        )
        stood = rows(db, found + ">= ?", (source_id, batch.from_ord))
        if stood:
            db.execute("DELETE FROM placements WHERE source_id = ? AND ord >= ?", (source_id, batch.from_ord))
        for ord_ in batch.dropped:
            stood += rows(db, found + "= ?", (source_id, ord_))
            db.execute("DELETE FROM placements WHERE source_id = ? AND ord = ?", (source_id, ord_))
        return [_Stood(*row) for row in stood]

    def _place(self, source_id: int, sessions: dict[str | None, int], change: int, batch: Batch) -> _Placed:
        """Write texts and placements."""
        db = self._db
        next_id: int = db.execute("SELECT coalesce(max(text_id), 0) + 1 FROM blocks").get
        host, rules = self._name(batch.source.host), self._name(batch.rules_version)
        known = self._known_texts({block.block_id for block in batch.blocks})
        texts: dict[int, bool] = {}
        fresh: dict[tuple[str, str], int] = {}
        blocks: list[tuple[object, ...]] = []
        placements: list[tuple[object, ...]] = []
        redactions: list[tuple[int, str, int]] = []
        for block in batch.blocks:
            key = (block.block_id, block.content_hash)
            text_id = fresh.get(key) or known.get(key)
            if text_id is None:
                fresh[key] = text_id = next_id
                next_id += 1
                blobs = (bytes.fromhex(block.block_id), bytes.fromhex(block.content_hash))
                lengths = (len(block.text), block.original_length)
                came = (rules, change, sessions[block.agent], block.entities, block.text)
                blocks.append((text_id, *blobs, block.role, block.kind, host, *lengths, *came))
                self._index.add(text_id, block.text, block.words)
                redactions += [(text_id, kind, spans) for kind, spans in block.findings]
            texts[text_id] = key in fresh
            names = (block.cwd, block.branch, block.tool, block.model)
            stands = (source_id, block.ord, sessions[block.agent], text_id, block.turn, block.role)
            placements.append((*stands, 1, int(block.queued), block.timestamp, *map(self._name, names)))
        db.executemany(f"INSERT INTO blocks VALUES ({', '.join('?' * 13)})", blocks)
        db.executemany(f"INSERT INTO placements VALUES ({', '.join('?' * 13)})", placements)
        db.executemany("INSERT INTO redactions VALUES (?, ?, ?)", redactions)
        versions = Counter(block_id for block_id, _ in (*known, *fresh))
        return _Placed(texts, fresh, {block_id for block_id, count in versions.items() if count > 1})

    def _known_texts(self, block_ids: Iterable[str]) -> dict[tuple[str, str], int]:
        """Return the texts that the store has of these blocks: (block_id, content_hash) -> text_id."""
        found = rows(
            self._db,
            "SELECT w.value, lower(hex(b.content_hash)), b.text_id "
            "FROM json_each(?) w CROSS JOIN blocks b ON b.block_id = unhex(w.value)",
            (json.dumps(list(block_ids)),),
        )
        return {(block_id, content_hash): text_id for block_id, content_hash, text_id in found}

    def _settle(self, touched: set[int], texts: dict[int, bool]) -> set[int]:
        """Bring role and index of touched texts in line with their placements; return the sessions of older ones."""
        db = self._db
        placements: dict[int, list[tuple[str, int]]] = {text_id: [] for text_id in touched}
        for text_id, role, session_id in rows(
            db,
            "SELECT p.text_id, p.role, p.session_id FROM json_each(?) w CROSS JOIN placements p ON p.text_id = w.value",
            (json.dumps(list(touched)),),
        ):
            placements[text_id].append((role, session_id))
        shared: set[int] = set()
        for text_id, placed in placements.items():
            if placed and (len(placed) > 1 or not texts.get(text_id)):
                role = best_role(role for role, _ in placed)
                db.execute("UPDATE blocks SET role = ? WHERE text_id = ? AND role <> ?", (role, text_id, role))
            if texts.get(text_id):
                continue
            shared.update(session_id for _, session_id in placed)
            if not placed:
                self._index.remove(text_id)
            elif not self._index.holds(text_id):
                text: str = db.execute("SELECT text FROM blocks WHERE text_id = ?", (text_id,)).get
                self._index.add(text_id, text)
        return shared

    def _calls(self, source_id: int, sessions: dict[str | None, int], batch: Batch) -> set[int]:
        """Merge model and tool calls; return the sessions that hold one of these model calls."""
        db = self._db
        write_calls(db, source_id, sessions, batch.model_calls, batch.tool_calls)
        found = rows(
            db,
            "SELECT DISTINCT m.session_id FROM json_each(?) w CROSS JOIN model_calls m ON m.key = unhex(w.value)",
            (json.dumps([call.key for call in batch.model_calls]),),
        )
        return {session_id for (session_id,) in found}

    def _dead(self, source_id: int, batch: Batch) -> None:
        if batch.dead is None:
            return
        self._db.execute("UPDATE placements SET live = 1 WHERE source_id = ? AND live = 0", (source_id,))
        self._db.executemany(
            "UPDATE placements SET live = 0 WHERE source_id = ? AND ord >= ? AND ord < ?",
            ((source_id, start, end) for start, end in batch.dead),
        )

    def _ledger(self, source_id: int, batch: Batch) -> None:
        db = self._db
        db.execute("DELETE FROM ledger WHERE source_id = ?", (source_id,))
        db.executemany(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?)",
            ((source_id, row.record_type, row.disposition, row.records, row.bytes) for row in batch.ledger),
        )
        db.execute("DELETE FROM problems WHERE source_id = ?", (source_id,))
        db.executemany(
            "INSERT OR IGNORE INTO problems VALUES (?, ?, ?, ?, ?)",
            ((source_id, row.offset, row.length, row.disposition, row.reason) for row in batch.problems),
        )
