"""Putting texts that were redacted again in the place of those that older rules let through.

A text keeps its place and its block; its hash, index row, identifiers and counts follow the new wording, and so do pins
of the old one. A citation made before says ``changed``. Each batch is one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import apsw

from recall_lab.model import Record, Redacted, Role
from recall_lab.store.batches import best_role
from recall_lab.store.conflicts import end_conflicts
from recall_lab.store.connection import OnStore, explained, rows
from recall_lab.store.index_rows import put_into_index, unindex
from recall_lab.store.packing import discard
from recall_lab.store.portable import hash_of
from recall_lab.store.scrubbing import next_change, owe_scrub, renew_lineage
from recall_lab.store.writer import Writer


class Outdated(Record, frozen=True):
    """Texts that other rules went through: how many, their UTF-8 bytes, and how many by version of the rules."""

    texts: int
    bytes: int
    versions: dict[str, int]


class Stored(Record, frozen=True):
    """A text as it is kept."""

    text_id: int
    text: str


class Rescanned(Record, frozen=True):
    """A text as it is to be kept: redacted again, with what was found by kind, its identifiers and index words."""

    text_id: int
    text: Redacted
    findings: tuple[tuple[str, int], ...]
    entities: bytes
    words: str


class Replaced(Record, frozen=True):
    """How many texts have another wording now, and how many of them became equal to another text of their block."""

    changed: int
    merged: int


def outdated(store: OnStore, rules: str) -> Outdated:
    """Count the texts, revisions included, that were redacted by rules of another version."""
    with explained(store.path):
        found = rows(
            store.connection,
            "SELECT n.name, count(*), sum(octet_length(b.text)) FROM blocks b JOIN names n ON n.name_id = b.rules "
            "WHERE n.name <> ? GROUP BY n.name ORDER BY n.name",
            (rules,),
        )
    return Outdated(
        texts=sum(count for _, count, _ in found),
        bytes=sum(size for _, _, size in found),
        versions={name: count for name, count, _ in found},
    )


def outdated_texts(store: OnStore, rules: str, most: int) -> Iterator[tuple[Stored, ...]]:
    """Yield these texts in portions of about ``most`` code points; what was replaced meanwhile does not come again."""
    after = 0
    while True:
        portion: list[Stored] = []
        with explained(store.path):
            found = store.connection.execute(
                "SELECT text_id, text FROM blocks WHERE text_id > ? "
                "AND rules NOT IN (SELECT name_id FROM names WHERE name = ?) ORDER BY text_id",
                (after, rules),
            )
            size = 0
            for text_id, text in found:
                portion.append(Stored(text_id=text_id, text=text))
                size += len(text)
                if size >= most:
                    break
            found.close()
        if not portion:
            return
        after = portion[-1].text_id
        yield tuple(portion)


def begin_refresh(writer: Writer) -> None:
    """Make sure that no copy of the store outlives what follows: its mirror is built whole, packed postings go."""
    with writer.transaction() as db:
        renew_lineage(db)
    discard(writer.path)


def refresh_texts(writer: Writer, rules: str, same: Iterable[int], changed: Sequence[Rescanned]) -> Replaced:
    """Note that these texts were looked at, and put the new wordings in their places.

    Args:
        writer: The store.
        rules: Version of the rules that looked at them.
        same: Texts in which nothing new was found.
        changed: Texts with another wording.
    """
    with writer.transaction() as db:
        version = _version(db, rules)
        db.executemany("UPDATE blocks SET rules = ? WHERE text_id = ?", ((version, text_id) for text_id in same))
        merged = sum(_replace(db, item, version) for item in changed)
        if merged:
            end_conflicts(db)
        if changed:
            owe_scrub(db)
    return Replaced(changed=len(changed), merged=merged)


def _version(db: apsw.Connection, rules: str) -> int:
    db.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (rules,))
    found: int = db.execute("SELECT name_id FROM names WHERE name = ?", (rules,)).get
    return found


def _replace(db: apsw.Connection, item: Rescanned, version: int) -> bool:
    """Put one wording in place; say whether its block had that text already."""
    found = rows(db, "SELECT block_id, content_hash, length FROM blocks WHERE text_id = ?", (item.text_id,))
    if not found:
        return False  # it became equal to another text of this batch
    [(block_id, was, length)] = found
    now = bytes.fromhex(hash_of(item.text))
    twin: int | None = db.execute(
        "SELECT text_id FROM blocks WHERE block_id = ? AND content_hash = ? AND text_id <> ?",
        (block_id, now, item.text_id),
    ).get
    if twin is None:
        db.execute(
            "UPDATE blocks SET content_hash = ?, length = ?, original_length = original_length + ?, rules = ?, "
            "entities = ?, text = ? WHERE text_id = ?",
            (now, len(item.text), len(item.text) - length, version, item.entities, item.text, item.text_id),
        )
        _count(db, item)
    else:
        _merge(db, item.text_id, twin, version)
        unindex(db, item.text_id)
    _index(db, item, item.text_id if twin is None else twin)
    db.execute(
        "INSERT OR IGNORE INTO pins SELECT block_id, ?, at, note FROM pins WHERE block_id = ? AND content_hash = ?",
        (now, block_id, was),
    )
    db.execute("DELETE FROM pins WHERE block_id = ? AND content_hash = ?", (block_id, was))
    db.execute(
        'UPDATE judgments SET start = min(start, ?1), "end" = min("end", ?1) WHERE block_id = ?2',
        (len(item.text), block_id),
    )
    _touch(db, item.text_id if twin is None else twin)
    return twin is not None


def _count(db: apsw.Connection, item: Rescanned) -> None:
    db.executemany(
        "INSERT INTO redactions VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET spans = spans + excluded.spans",
        ((item.text_id, kind, spans) for kind, spans in item.findings),
    )


def _merge(db: apsw.Connection, text_id: int, twin: int, version: int) -> None:
    """Let a text that equals another one of its block stand where it stood, and go."""
    db.execute("UPDATE placements SET text_id = ? WHERE text_id = ?", (twin, text_id))
    for table in ("redactions", "blocks"):
        db.execute(f"DELETE FROM {table} WHERE text_id = ?", (text_id,))
    roles: list[tuple[Role]] = rows(db, "SELECT DISTINCT role FROM placements WHERE text_id = ?", (twin,))
    if roles:
        best = best_role(role for (role,) in roles)
        db.execute("UPDATE blocks SET role = ? WHERE text_id = ?", (best, twin))
    db.execute("UPDATE blocks SET rules = ? WHERE text_id = ?", (version, twin))


def _index(db: apsw.Connection, item: Rescanned, text_id: int) -> None:
    """Index a wording in the place of the one before, if a session holds it."""
    unindex(db, text_id)
    if db.execute("SELECT EXISTS (SELECT 1 FROM placements WHERE text_id = ?)", (text_id,)).get:
        put_into_index(db, text_id, item.text, item.words)


def _touch(db: apsw.Connection, text_id: int) -> None:
    """Let those who follow the change numbers see the sessions that hold a text."""
    db.execute(
        "UPDATE sessions SET change = ? WHERE session_id IN (SELECT session_id FROM placements WHERE text_id = ?)",
        (next_change(db), text_id),
    )
