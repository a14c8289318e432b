"""The rows of the full-text index that a transaction brings; the caller holds it.

They wait until it ends and are written together: any statement between them that SQLite guards by a savepoint makes
FTS5 write what it holds as a piece of its own, and every piece costs a merge later.
"""

from __future__ import annotations

import apsw

from recall_lab.store.connection import rows
from recall_lab.text import identifier_words, index_form

_HOLDS = "SELECT EXISTS (SELECT 1 FROM fulltext WHERE rowid = ?)"


def put_into_index(db: apsw.Connection, text_id: int, text: str, words: str) -> None:
    """Index a text now, of which the index holds nothing; ``words`` are those inside its identifiers."""
    db.execute("INSERT INTO fulltext (rowid, body, words) VALUES (?, ?, ?)", (text_id, index_form(text), words))


def unindex(db: apsw.Connection, text_id: int) -> None:
    """Take a text out of the full-text index, if it is there."""
    if db.execute(_HOLDS, (text_id,)).get:
        db.execute("DELETE FROM fulltext WHERE rowid = ?", (text_id,))


class IndexRows:
    """What is to be put into the full-text index before the transaction ends."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._waiting: dict[int, tuple[str, str]] = {}  # text_id -> the text, and the words inside its identifiers

    def add(self, text_id: int, text: str, words: str | None = None) -> None:
        """Index a text that the index does not hold; ``words`` are those inside its identifiers, where known."""
        self._waiting[text_id] = (text, identifier_words(text) if words is None else words)

    def remove(self, text_id: int) -> None:
        """Take a text out of the index; nothing where it does not stand there."""
        if self._waiting.pop(text_id, None) is None:
            unindex(self._db, text_id)

    def holds(self, text_id: int) -> bool:
        """Whether the index holds a text, or will when the transaction ends."""
        return text_id in self._waiting or bool(self._db.execute(_HOLDS, (text_id,)).get)

    def mend(self) -> int:
        """Index the texts that have a placement and are not indexed; return how many."""
        self.write()
        missing = rows(
            self._db,
            "SELECT text_id, text FROM blocks WHERE text_id IN (SELECT text_id FROM placements) "
            "AND text_id NOT IN (SELECT id FROM fulltext_docsize)",
        )
        for text_id, text in missing:
            self.add(text_id, text)
        return len(missing)

    def write(self) -> None:
        """Write what waits, before the transaction ends."""
        for text_id, (text, words) in sorted(self._waiting.items()):
            put_into_index(self._db, text_id, text, words)
        self._waiting.clear()

    def forget(self) -> None:
        """Drop what waits, after a rollback."""
        self._waiting.clear()
