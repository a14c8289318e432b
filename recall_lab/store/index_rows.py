"""The rows of the full-text index that a transaction brings; the caller holds it.

They wait until it ends and are written together: any statement between them that SQLite guards by a savepoint makes
FTS5 write what it holds as a piece of its own, and every piece costs a merge later.
"""

from __future__ import annotations

import apsw

from recall_lab.store.connection import rows
from recall_lab.text import identifier_words, index_form


class IndexRows:
    """What is to be put into the full-text index before the transaction ends."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._waiting: dict[int, tuple[str, str]] = {}

    def add(self, text_id: int, text: str, words: str | None = None) -> None:
        """Index a text that the index does not hold; ``words`` are those inside its identifiers, where known."""
        self._waiting[text_id] = (index_form(text), identifier_words(text) if words is None else words)

    def remove(self, text_id: int) -> None:
        """Take a text out of the index; nothing where it does not stand there."""
        if self._waiting.pop(text_id, None) is None and self._stands(text_id):
            self._db.execute("DELETE FROM fulltext WHERE rowid = ?", (text_id,))

    def holds(self, text_id: int) -> bool:
        """Whether the index holds a text, or will when the transaction ends."""
        return text_id in self._waiting or self._stands(text_id)

    def _stands(self, text_id: int) -> bool:
        found: int | None = self._db.execute("SELECT 1 FROM fulltext WHERE rowid = ?", (text_id,)).get
        return found is not None

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
        if self._waiting:
            self._db.executemany(
                "INSERT INTO fulltext (rowid, body, words) VALUES (?, ?, ?)",
                ((text_id, body, words) for text_id, (body, words) in sorted(self._waiting.items())),
            )
            self._waiting.clear()

    def forget(self) -> None:
        """Drop what waits, after a rollback."""
        self._waiting.clear()
