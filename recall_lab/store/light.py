"""The full-text index of a small store, read without numpy: a command that answers once has no time to load it.

What ``Fulltext`` keeps in arrays of numpy stands here in views of the packed file or in lists. The answers are the
same, which tests check; large stores, and processes that have numpy anyway, use ``Fulltext``.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import and_
from typing import Any, Final
from weakref import WeakKeyDictionary

from recall_lab.model import Filters
from recall_lab.store.columns import change_number
from recall_lab.store.connection import Reader, explained
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.light_columns import LIGHT, LightColumns, read_columns
from recall_lab.store.packed import columns_of
from recall_lab.store.postings import Postings
from recall_lab.store.reaching import Reach, bounds, natures_of, sessions_of

ONCE: Final = 3  # questions; who asks more often gains by numpy


class Light(Fulltext):
    """The index of one small store; ids are arrays of the standard library.

    Attributes:
        asked: How often ``light_of`` gave it out.
    """

    asked = 0

    def _follow(self) -> None:
        now = change_number(self._db)
        if now != self.columns.change:
            self.columns: Any = _packed(self._path, self._db, now) or read_columns(self._db, now)
            self._forget()

    @staticmethod
    def _none() -> Any:
        return LightColumns(-1, (), (), (), (), (), b"", (), b"", ())

    def titled(self, term: str) -> array[int]:
        """Which sessions have a term in their title: session_ids, ascending."""
        if self._titles is None:
            self._titles = {word: array("i", sessions) for word, sessions in self._title_words().items()}
        found: array[int] = self._titles.get(term, array("i"))
        return found

    def _walk(self, term: str) -> Postings:
        text: str | None = self._db.execute("SELECT group_concat(doc) FROM vocabulary WHERE term = ?", (term,)).get
        counts = Counter(text.split(",")) if text else {}
        return Postings(array("i", map(int, counts)), array("f", counts.values()))

    def phrase(self, form: str, limit: int) -> array[int]:
        """Which texts hold these words beside one another, stemmed; the newest ``limit`` of them, ascending."""
        newest = self._newest(form, limit)
        return array("i", map(int, reversed(newest.split(",")))) if newest else array("i")

    def once(self, ids: Sequence[int]) -> Postings:
        """Postings of what counts once in each text; ``ids`` ascending."""
        return Postings(array("i", ids), array("f", [1.0]) * len(ids))

    def _unite(self, found: Sequence[Postings]) -> Postings:
        counts: dict[int, float] = {}
        for one in found:
            for text_id, count in zip(one.ids, one.counts, strict=True):
                counts[text_id] = counts.get(text_id, 0.0) + count
        ids = sorted(counts)
        return Postings(array("i", ids), array("f", [counts[text_id] for text_id in ids]))

    def shared(self, ids: Sequence[int], others: Sequence[int]) -> array[int]:
        """Those of the texts that are among the others."""
        among = set(others)
        return array("i", [text_id for text_id in ids if text_id in among])

    def session_of(self, text_id: int) -> int:
        """The session of a text's root placement, -1 for a text without a place."""
        row = self.columns.where[text_id]
        return int(self.columns.session[row]) if row >= 0 else -1

    def _reach_of(self, filters: Filters) -> Reach:
        columns = self.columns
        chosen = sessions_of(self._db, filters)
        passing = None if chosen is None else bytes([session in chosen for session in columns.session])
        since, until = bounds(self._db, filters)
        if since is not None or until is not None:
            inside = bytes(
                [
                    moment >= 0 and (since is None or moment >= since) and (until is None or moment < until)
                    for moment in columns.moment
                ]
            )
            passing = inside if passing is None else bytes(map(and_, passing, inside))
        mask = bytearray(columns.size)
        for text_id in columns.text if passing is None else compress(columns.text, passing):
            mask[text_id] = 1
        natures = natures_of(filters)
        texts = bytes(mask) if natures is None else bytes(map(and_, mask, columns.nature.translate(natures)))
        standing = map(texts.__getitem__, columns.text)
        sessions = set(compress(columns.session, standing if passing is None else map(and_, passing, standing)))
        return Reach(texts, passing, texts.count(1), len(sessions))

    def row_of(self, text_id: int, reach: Reach) -> int:
        """The row of the placement that a hit shows: the root placement, else the first that passes the filters."""
        row = int(self.columns.where[text_id])
        if reach.rows is None or reach.rows[row]:
            return row
        return next(n for n, text in enumerate(self.columns.text) if text == text_id and reach.rows[n])


_open: WeakKeyDictionary[Reader, Light] = WeakKeyDictionary()


def light_of(reader: Reader) -> Light | None:
    """The index of a reader's store, made once; None for a large store, and for one that is asked again and again."""
    found = _open.get(reader)
    if found is None:
        with explained(reader.path):
            if reader.connection.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get > LIGHT:
                return None
        found = _open[reader] = Light(reader)
    found.asked += 1
    return found if found.asked <= ONCE else None


def _packed(path: Any, db: Any, change: int) -> LightColumns | None:
    """Views of the packed file; None when it does not show this state of the store."""
    found = columns_of(path, db, change)
    if found is None:
        return None
    return LightColumns(change=change, **{**found, "nature": bytes(found["nature"])})
