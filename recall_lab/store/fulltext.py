"""The full-text index, read: postings, phrases, prefixes, and which texts a search may find.

Terms are what SQLite's ``porter unicode61`` tokenizer makes of a text's index form; the same tokenizer runs on queries
and on passages here, so that what is highlighted is what was matched. Texts are known by their ``text_id``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

import apsw

from recall_lab.model import Filters
from recall_lab.store.columns import Columns, empty, follow
from recall_lab.store.connection import Reader, explained, rows
from recall_lab.store.looking_up import LookingUp
from recall_lab.store.packed import Packed, load
from recall_lab.store.postings import Ids, Postings, Scratch, among, first_varint, nothing
from recall_lab.store.reaching import Reach, reach_of
from recall_lab.store.tokenizing import Tokenizing
from recall_lab.text import index_form

_MAX_PREFIX_TERMS: Final = 128
_MASKS_KEPT: Final = 8
_TERMS_KEPT: Final = 512
_BETWEEN: Final = "\U000ffffd"


class Fulltext(Tokenizing, LookingUp):
    """The index of one store; one for a reader, see ``fulltext_of``."""

    def __init__(self, reader: Reader) -> None:
        self._path = reader.path
        LookingUp.__init__(self, reader.connection)
        with explained(self._path):
            # A temporary table lives in memory; the store itself is opened read-only.
            self._db.execute("PRAGMA temp_store = MEMORY; PRAGMA query_only = 0")
            try:
                self._db.execute(
                    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'fulltext', 'instance')"
                )
            finally:
                self._db.execute("PRAGMA query_only = 1")
            Tokenizing.__init__(self, self._db)
            self._db.register_fts5_function("occurrences", _occurrences)
        self._reader = ref(reader)
        self._loaded = False
        self.packed: Packed | None = None
        self.columns = self._none()
        self._moved: tuple[Ids, Ids] | None = None
        self._scratch: Scratch | None = None
        self._shifts: Any = None
        self._sessions: Any = None
        self._titles: dict[str, Ids] | None = None
        self._read: OrderedDict[str, Postings] = OrderedDict()
        self._norms: tuple[tuple[float, float, float], Any] | None = None
        self._reaches: OrderedDict[Filters, Reach] = OrderedDict()

    @staticmethod
    def _none() -> Columns:
        return empty()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold one state of the store for several questions, whatever a capture writes meanwhile."""
        with explained(self._path):
            if self._db.in_transaction:
                self._follow()
                yield
                return
            self._db.execute("BEGIN")
            try:
                self._follow()
                yield
            finally:
                self._db.execute("COMMIT")

    def titled(self, term: str) -> Ids:
        """Which sessions have a term in their title: session_ids, ascending."""
        import numpy as np

        if self._titles is None:
            self._titles = {word: np.array(found, np.int32) for word, found in self._title_words().items()}
        found = self._titles.get(term)
        return np.empty(0, np.int32) if found is None else found

    def _title_words(self) -> dict[str, list[int]]:
        """By term, which sessions have it in their title."""
        titles = rows(self._db, "SELECT session_id, title FROM sessions WHERE title IS NOT NULL ORDER BY 1")
        # One call for all titles: what stands between them is a token of its own, and in no title.
        held: dict[str, list[int]] = {}
        number = 0
        for term in self.terms(f" {_BETWEEN} ".join(index_form(title) for _, title in titles)):
            if term == _BETWEEN:
                number += 1
                continue
            sessions = held.setdefault(term, [])
            if not sessions or sessions[-1] != titles[number][0]:
                sessions.append(titles[number][0])
        return held

    def _follow(self) -> None:
        if not self._loaded:
            reader = self._reader()
            self.packed = load(reader) if reader else None
            self.columns = self.packed.columns if self.packed else self._none()
            self._loaded = True
        now = follow(self._db, self.columns)
        if now is not self.columns:
            self.columns = now
            self._forget()

    def _forget(self) -> None:
        """Drop what was worked out from another state of the store."""
        self._reaches.clear()
        self._moved = None
        self._norms = None
        self._sessions = None
        self._titles = None
        self._asking.clear()
        self._read.clear()

    # ---- which texts -----------------------------------------------------------------------------------------------

    def size(self) -> int:
        """How many texts are in the index."""
        data: bytes | None = self._db.execute("SELECT block FROM fulltext_data WHERE id = 1").get
        return first_varint(data) if data else 0

    def postings(self, term: str, word: str | None = None) -> Postings:
        """Which texts hold a term.

        Args:
            term: Stemmed.
            word: A word with this stem, if one is known.
        """
        word = word or (term if self.terms(term) == [term] else None)
        place = self.packed.places.get(term) if self.packed and word else None
        if place is None or word is None or self.packed is None:
            return self._walked(term)
        start, end = place
        return self._joined(Postings(self.packed.ids[start:end], self.packed.counts[start:end]), word)

    def commonness(self, term: str) -> int:
        """How many texts held a term when common words were packed; 0 for a word that was none of them."""
        first, end = self.packed.places.get(term, (0, 0)) if self.packed else (0, 0)
        return end - first

    def packable(self, terms: Iterable[str]) -> Iterator[tuple[str, Postings]]:
        """The postings of these terms, each with its term; none is kept in memory."""
        for term in terms:
            yield term, self.postings(term)
            self._read.pop(term, None)

    def _walked(self, term: str) -> Postings:
        """A term's postings from the index, or as they were read for an earlier query."""
        return self._kept(term, lambda: self._walk(term))

    def _kept(self, key: str, make: Callable[[], Postings]) -> Postings:
        """What was made for an earlier query, or is made now."""
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = make()
            if len(self._read) > _TERMS_KEPT:
                self._read.popitem(last=False)
        else:
            self._read.move_to_end(key)
        return found

    def _walk(self, term: str) -> Postings:
        """Read a term's postings from the index, at some ten million a second."""
        import numpy as np

        text: str | None = self._db.execute("SELECT group_concat(doc) FROM vocabulary WHERE term = ?", (term,)).get
        if not text:
            return nothing()
        docs = np.fromstring(text, dtype=np.int32, sep=",")
        first = np.concatenate([[0], np.flatnonzero(docs[1:] != docs[:-1]) + 1])
        counts = np.concatenate([first[1:], [len(docs)]]) - first
        return Postings(docs[first], counts.astype(np.float32))

    def _joined(self, packed: Postings, word: str) -> Postings:
        """Add to packed postings the texts that were written, or came back to a session, since."""
        import numpy as np

        assert self.packed is not None
        highest = self.packed.header.highest
        quoted = _quoted(word)
        find = "SELECT rowid, occurrences(fulltext) FROM fulltext WHERE fulltext MATCH ? AND rowid "
        later = rows(self._db, find + "> ?", (quoted, highest))
        if self._moved is None:
            then = self.packed.columns.where
            now = self.columns.where[: len(then)]
            self._moved = np.flatnonzero((then < 0) & (now >= 0)), np.flatnonzero((then >= 0) & (now < 0))
        returned, gone = self._moved
        if len(gone):
            stays = ~among(gone, packed.ids)
            packed = Postings(packed.ids[stays], packed.counts[stays])
        for text_id in returned.tolist():
            later.extend(rows(self._db, find + "= ?", (quoted, text_id)))
        if not later:
            return packed
        ids = np.concatenate([packed.ids, np.array([text_id for text_id, _ in later], np.int32)])
        counts = np.concatenate([packed.counts, np.array([count for _, count in later], np.float32)])
        ids, first = np.unique(ids, return_index=True)
        return Postings(ids, counts[first])

    def phrase(self, form: str, limit: int) -> Ids:
        """Which texts hold these words beside one another, stemmed; the newest ``limit`` of them, ascending."""
        import numpy as np

        return np.ascontiguousarray(np.fromstring(self._newest(form, limit), np.int32, sep=",")[::-1])

    def beside(self, form: str, limit: int) -> Postings:
        """The postings of ``phrase``, each text once; remembered, as the next page asks the same."""
        return self._kept(f'"{form}"{limit}', lambda: self.once(self.phrase(form, limit)))

    def _newest(self, form: str, limit: int) -> str:
        """The newest texts that hold these words beside one another, the newest first, with commas between."""
        found: str | None = self._db.execute(
            "SELECT group_concat(rowid) FROM "
            "(SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid DESC LIMIT ?)",
            (_quoted(form), limit),
        ).get
        return found or ""

    def once(self, ids: Sequence[int]) -> Postings:
        """Postings of what counts once in each text; ``ids`` ascending."""
        import numpy as np

        return Postings(np.asarray(ids, np.int32), np.ones(len(ids), np.float32))

    def united(self, terms: Sequence[str], found: Sequence[Postings]) -> Postings:
        """Postings of any of several terms, which are given with the postings of each."""
        return self._kept(" ".join(terms), lambda: self._unite(found))

    def _unite(self, found: Sequence[Postings]) -> Postings:
        import numpy as np

        several = [one for one in found if len(one.ids)]
        if len(several) < 2:
            return several[0] if several else nothing()
        ids = np.concatenate([one.ids for one in several])
        # Runs that ascend already are merged, which takes a stable sort a tenth of the time.
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
        first = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        counts = np.concatenate([one.counts.astype(np.float32, copy=False) for one in several])[order]
        return Postings(ids[first], np.add.reduceat(counts, first))

    def shared(self, ids: Ids, others: Ids) -> Ids:
        """Those of the texts that are among the others; both ascending."""
        return ids[among(others, ids)]

    def expand(self, prefix: str) -> list[str]:
        """Terms of the index that begin with ``prefix``, in order, at most 128."""
        found: list[str] = []
        at, end = prefix, prefix + "\U0010ffff"
        while len(found) < _MAX_PREFIX_TERMS:
            # Each step seeks to the next term; the vocabulary of a large store is never walked.
            term = self._db.execute("SELECT term FROM vocabulary WHERE term >= ? AND term <= ? LIMIT 1", (at, end)).get
            if term is None:
                break
            found.append(term)
            at = term + "\x01"
        return found

    def scratch(self) -> Scratch:
        """Zeros by text_id: the same arrays each time, so that large ones are not made for each query."""
        import numpy as np

        if self._scratch is None or len(self._scratch.scores) != self.columns.size:
            size = self.columns.size
            self._scratch = Scratch(np.zeros(size, np.float32), np.zeros(size, np.uint64), [], [])
        else:
            self._scratch.clear()
        return self._scratch

    def shifts(self, count: int) -> Any:
        """The first ``count`` powers of two; uint64."""
        import numpy as np

        if self._shifts is None:
            self._shifts = np.uint64(1) << np.arange(64, dtype=np.uint64)
        return self._shifts[:count]

    def norms(self, k1: float, b: float, average: float) -> Any:
        """BM25's length normalisation, ``k1 * (1 - b + b * length / average)``; float32 by text_id."""
        key = (k1, b, average)
        if self._norms is None or self._norms[0] != key:
            self._norms = (key, k1 * (1 - b) + (k1 * b / average) * self.columns.length)
        return self._norms[1]

    # ---- where they stand ------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> Any:
        """The session of each text's root placement, -1 for a text without a place; int32 by text_id."""
        import numpy as np

        if self._sessions is None:
            where = self.columns.where
            self._sessions = np.where(where >= 0, self.columns.session[where], np.int32(-1)) if len(where) else where
        return self._sessions

    def reach(self, filters: Filters) -> Reach:
        """Which texts pass what the filters say of sessions, roles, kinds and times."""
        known = self._reaches.get(filters)
        if known is not None:
            self._reaches.move_to_end(filters)
            return known
        found = self._reaches[filters] = self._reach_of(filters)
        if len(self._reaches) > _MASKS_KEPT:
            self._reaches.popitem(last=False)
        return found

    def _reach_of(self, filters: Filters) -> Reach:
        return reach_of(self._db, self.columns, filters)

    def row_of(self, text_id: int, reach: Reach) -> int:
        """The row of the placement that a hit shows: the root placement, else the first that passes the filters."""
        import numpy as np

        row = int(self.columns.where[text_id])
        if reach.rows is None or reach.rows[row]:
            return row
        return int(np.flatnonzero((self.columns.text == text_id) & reach.rows)[0])


_open: WeakKeyDictionary[Reader, Fulltext] = WeakKeyDictionary()


def fulltext_of(reader: Reader) -> Fulltext:
    """The index of a reader's store; made once, so that columns and tokenizer are loaded once."""
    found = _open.get(reader)
    if found is None:
        found = _open[reader] = Fulltext(reader)
    return found


def _occurrences(api: apsw.FTS5ExtensionApi, /, *_: Any) -> int:
    """FTS5's auxiliary function for how often a text holds what was asked for."""
    return api.inst_count


def _quoted(form: str) -> str:
    """A phrase of FTS5's query language; whatever is in the form, it stays one."""
    return '"' + form.replace('"', " ").replace("\x00", " ") + '"'
