"""The short strings of a store (titles, folders, branches, tools, errors, paths), and putting others in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import apsw
import msgspec

from recall_lab.model import Record, Session
from recall_lab.store.connection import OnStore, explained, rows
from recall_lab.store.scrubbing import next_change, owe_scrub, renew_lineage
from recall_lab.store.writer import Writer

# Columns in which a string may be replaced by itself.
_PLAIN = (
    *(("sessions", column) for column in ("parent_id", "agent_id", "agent_type", "title", "cwd", "branch", "repo")),
    *(("sessions", column) for column in ("model", "version")),
    ("model_calls", "model"),
    ("tool_calls", "call_id"),
    ("tool_calls", "tool"),
    ("tool_calls", "error"),
    ("problems", "reason"),
    ("sources", "detail"),
    ("activity", "command"),
    ("activity", "repo"),
    ("judgments", "question"),
    ("judgments", "config"),
    ("pins", "note"),
    ("scopes", "path"),
    ("scopes", "cwd"),
    ("scopes", "repo"),
    ("forgotten", "id"),
    ("tombstones", "native_id"),
)
_OTHER = (("names", "name"), ("sources", "path"), ("sessions", "native_id"), ("ledger", "record_type"))
_NAMED = (
    *(("placements", column) for column in ("cwd", "branch", "tool", "model")),
    *(("blocks", column) for column in ("host", "rules")),
)
_OF_SESSIONS = ("placements", "model_calls", "tool_calls", "sources")
_LOOKED_AT = "strings"  # of meta: version of the rules that all of them went through


class Resumption(Record, frozen=True):
    """From what a source's parser goes on, and whether it reads the source from its start."""

    state: bytes
    from_start: bool


def strings_are_new(store: OnStore, rules: str) -> bool:
    """Say whether the strings as a whole have not been through these rules."""
    with explained(store.path):
        return bool(store.connection.execute("SELECT value FROM meta WHERE key = ?", (_LOOKED_AT,)).get != rules)


def all_strings(store: OnStore) -> set[str]:
    """Return every short string that is kept, once."""
    found: set[str] = set()
    with explained(store.path):
        for table, column in (*_PLAIN, *_OTHER):
            found.update(s for (s,) in rows(store.connection, f"SELECT DISTINCT {column} FROM {table}") if s)
        for (facts,) in store.connection.execute("SELECT facts FROM source_sessions"):
            found.update(_texts_of(msgspec.json.decode(facts)))
    return found


def parser_states(store: OnStore) -> Iterator[tuple[int, bytes]]:
    """Yield (source_id, state) of the sources that a parser can go on with."""
    with explained(store.path):
        yield from rows(store.connection, "SELECT source_id, parser_state FROM sources WHERE length(parser_state) > 0")


def hash_at(store: OnStore, source_id: int, ord_: int) -> str | None:
    """Return the content hash (64 hex) of what stands at a place of a source."""
    with explained(store.path):
        found: str | None = store.connection.execute(
            "SELECT lower(hex(content_hash)) FROM placements JOIN blocks USING (text_id) "
            "WHERE source_id = ? AND ord = ?",
            (source_id, ord_),
        ).get
    return found


def replace_strings(writer: Writer, rules: str, put: Mapping[str, str], states: Mapping[int, Resumption]) -> int:
    """Put strings in the place of others, everywhere and in one transaction.

    Args:
        writer: The store.
        rules: Version of the rules that all strings went through.
        put: What stands there now -> what is to stand there.
        states: source_id -> from what its parser goes on.

    Returns:
        How many strings and states were replaced.
    """
    with writer.transaction() as db:
        if put or states:
            # A rebuild that is under way holds strings of its own; it starts again.
            db.execute("DELETE FROM staged")
            for old, new in put.items():
                _put(db, old, new)
            _put_facts(db, put)
            _put_states(db, states)
            db.execute("UPDATE sessions SET change = ?", (next_change(db),))
            renew_lineage(db)
            owe_scrub(db)
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_LOOKED_AT, rules))
    writer.forget_caches()
    return len(put) + len(states)


def _put(db: apsw.Connection, old: str, new: str) -> None:
    for table, column in _PLAIN:
        db.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?", (new, old))
    _put_name(db, old, new)
    _put_path(db, old, new)
    _put_record_type(db, old, new)
    for (session_id,) in rows(db, "SELECT session_id FROM sessions WHERE native_id = ?", (old,)):
        _put_native_id(db, session_id, new)


def _put_name(db: apsw.Connection, old: str, new: str) -> None:
    before = db.execute("SELECT name_id FROM names WHERE name = ?", (old,)).get
    if before is None:
        return
    twin = db.execute("SELECT name_id FROM names WHERE name = ?", (new,)).get
    if twin is None:
        db.execute("UPDATE names SET name = ? WHERE name_id = ?", (new, before))
        return
    for table, column in _NAMED:
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (twin, before))
    db.execute("DELETE FROM names WHERE name_id = ?", (before,))


def _put_path(db: apsw.Connection, old: str, new: str) -> None:
    """Two transcripts whose paths differ in a secret only stay two."""
    for source_id, machine in rows(db, "SELECT source_id, machine FROM sources WHERE path = ?", (old,)):
        path, number = new, 1
        while db.execute("SELECT EXISTS (SELECT 1 FROM sources WHERE machine = ? AND path = ?)", (machine, path)).get:
            number += 1
            path = f"{new} ({number})"
        db.execute("UPDATE sources SET path = ? WHERE source_id = ?", (path, source_id))


def _put_record_type(db: apsw.Connection, old: str, new: str) -> None:
    db.execute(
        "INSERT INTO ledger SELECT source_id, ?, disposition, records, bytes FROM ledger WHERE record_type = ? "
        "ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes",
        (new, old),
    )
    db.execute("DELETE FROM ledger WHERE record_type = ?", (old,))


def _put_native_id(db: apsw.Connection, session_id: int, new: str) -> None:
    """Rename a session; where another has that name already they become one, as capture would make them."""
    twin = db.execute(
        "SELECT t.session_id FROM sessions s JOIN sessions t ON t.host = s.host AND t.native_id = ? "
        "WHERE s.session_id = ?",
        (new, session_id),
    ).get
    if twin is None:
        db.execute("UPDATE sessions SET native_id = ? WHERE session_id = ?", (new, session_id))
        return
    for table in _OF_SESSIONS:
        db.execute(f"UPDATE {table} SET session_id = ? WHERE session_id = ?", (twin, session_id))
    db.execute("UPDATE OR IGNORE source_sessions SET session_id = ? WHERE session_id = ?", (twin, session_id))
    db.execute("DELETE FROM source_sessions WHERE session_id = ?", (session_id,))
    # Those who follow the changes know the session by its number.
    db.execute(
        "INSERT OR REPLACE INTO tombstones SELECT host, ? || ' (' || session_id || ')', session_id, ? FROM sessions "
        "WHERE session_id = ?",
        (new, next_change(db), session_id),
    )
    db.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))


def _put_facts(db: apsw.Connection, put: Mapping[str, str]) -> None:
    told = rows(db, "SELECT source_id, session_id, facts FROM source_sessions")
    for source_id, session_id, facts in told:
        session = msgspec.json.decode(facts, type=Session)
        fields = {name: put[text] for name, text in msgspec.structs.asdict(session).items() if text in put}
        if fields:
            db.execute(
                "UPDATE source_sessions SET facts = ? WHERE source_id = ? AND session_id = ?",
                (msgspec.json.encode(msgspec.structs.replace(session, **fields)).decode(), source_id, session_id),
            )


def _put_states(db: apsw.Connection, states: Mapping[int, Resumption]) -> None:
    for source_id, now in states.items():
        db.execute("UPDATE sources SET parser_state = ? WHERE source_id = ?", (now.state, source_id))
        if now.from_start:
            db.execute("UPDATE sources SET resume_offset = 0, resume_ord = 0 WHERE source_id = ?", (source_id,))


def _texts_of(facts: Mapping[str, Any]) -> Iterator[str]:
    return (value for value in facts.values() if isinstance(value, str) and value)
