"""The full-text index, read: postings, phrases, prefixes, lengths, and where the texts found stand.

Terms are what SQLite's ``porter unicode61`` tokenizer makes of a text's index form; the same tokenizer runs on queries
and on passages here, so that what is highlighted is what was matched. Texts are known by their ``text_id``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from weakref import WeakKeyDictionary

import apsw
import msgspec

from recall_lab.errors import UsageError
from recall_lab.model import Filters, Redacted
from recall_lab.store.connection import Reader, explained, rows
from recall_lab.store.reading import ROOT_ORDER

Ids = Any  # numpy int64, shape (n,), ascending text_ids
Counts = Any  # numpy float32, shape (n,)

_TOKENIZER = ("unicode61", "remove_diacritics", "2")
_MAX_PREFIX_TERMS = 128
_SMALL_SCOPE = 20_000  # placements; smaller scopes are listed, larger ones are checked candidate by candidate


class Token(msgspec.Struct, frozen=True):
    """A token of a text's index form: ``start`` and ``end`` are bytes of its UTF-8, ``term`` is stemmed."""

    start: int
    end: int
    term: str


class Postings(msgspec.Struct, frozen=True):
    """Which texts hold a term, ascending, and how often."""

    ids: Any  # numpy int64, shape (n,)
    counts: Any  # numpy float32, shape (n,)


class Place(msgspec.Struct, frozen=True):
    """Where a text stands first among the placements that the filters let through."""

    text_id: int
    session_id: int
    source_id: int
    ord: int
    role: str
    kind: str
    timestamp: str | None


class Fulltext:
    """The index of one store; one for a reader, see ``fulltext_of``."""

    def __init__(self, reader: Reader) -> None:
        self._path = reader.path
        self._db = reader.connection
        with explained(self._path):
            # A temporary table lives in memory; the store itself is opened read-only.
            self._db.execute("PRAGMA temp_store = MEMORY; PRAGMA query_only = 0")
            try:
                self._db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'fulltext', 'instance')")
            finally:
                self._db.execute("PRAGMA query_only = 1")
            self._tokenize = self._db.fts5_tokenizer("porter", list(_TOKENIZER))
        self._lengths: Any = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold one state of the store for several questions, whatever a capture writes meanwhile."""
        with explained(self._path):
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    # ---- terms -----------------------------------------------------------------------------------------------------

    def terms(self, form: str) -> list[str]:
        """Tokenise an index form; return the stemmed terms in order."""
        data = form.encode("utf-8", "replace")
        found = self._tokenize(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
        return list(found)

    def tokens(self, form: str) -> list[Token]:
        """Tokenise an index form; return the tokens with their bytes."""
        data = form.encode("utf-8", "replace")
        found = self._tokenize(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=True, include_colocated=False)
        return [Token(start, end, term) for start, end, term in found]

    # ---- which texts -----------------------------------------------------------------------------------------------

    def size(self) -> int:
        """How many texts are in the index."""
        data: bytes | None = self._db.execute("SELECT block FROM fulltext_data WHERE id = 1").get
        return _varint(data) if data else 0

    def postings(self, term: str) -> Postings:
        """Which texts hold a stemmed term."""
        import numpy as np

        text: str | None = self._db.execute("SELECT group_concat(doc) FROM vocabulary WHERE term = ?", (term,)).get
        if not text:
            return Postings(np.empty(0, np.int64), np.empty(0, np.float32))
        docs = np.fromstring(text, dtype=np.int64, sep=",")
        first = np.flatnonzero(np.diff(docs, prepend=-1))
        counts = np.diff(first, append=len(docs)).astype(np.float32)
        return Postings(docs[first], counts)

    def phrase(self, form: str, limit: int) -> Ids:
        """Which texts hold these words beside one another, stemmed; the newest ``limit`` of them, ascending."""
        import numpy as np

        quoted = '"' + form.replace('"', " ").replace("\x00", " ") + '"'
        found = self._db.execute(
            "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid DESC LIMIT ?", (quoted, limit)
        )
        ids = np.fromiter((text_id for (text_id,) in found), np.int64)
        return ids[::-1]

    def expand(self, prefix: str) -> list[str]:
        """Terms of the index that begin with ``prefix``, in order, at most 128."""
        found: list[str] = []
        at, end = prefix, prefix + "\U0010ffff"
        while len(found) < _MAX_PREFIX_TERMS:
            # Each step seeks to the next term; the vocabulary of a large store is never walked.
            term = self._db.execute(
                "SELECT term FROM vocabulary WHERE term >= ? AND term <= ? LIMIT 1", (at, end)
            ).get
            if term is None:
                break
            found.append(term)
            at = term + "\x01"
        return found

    def lengths(self, ids: Ids) -> Counts:
        """How many tokens these texts have."""
        import numpy as np

        if len(ids) and (self._lengths is None or int(ids[-1]) >= len(self._lengths)):
            self._load_lengths()
        return self._lengths[ids] if len(ids) else np.empty(0, np.float32)

    def _load_lengths(self) -> None:
        import numpy as np

        known = 0 if self._lengths is None else len(self._lengths)
        sizes = rows(self._db, "SELECT id, sz FROM fulltext_docsize WHERE id >= ?", (known,))
        highest = max((text_id for text_id, _ in sizes), default=known)
        lengths = np.zeros(highest + 1, np.float32)
        if known:
            lengths[:known] = self._lengths
        for text_id, size in sizes:
            lengths[text_id] = _varints_sum(size)
        self._lengths = lengths

    def highest(self) -> int:
        """The greatest text_id there is."""
        found: int = self._db.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get
        return found

    # ---- where they stand ------------------------------------------------------------------------------------------

    def small_scope(self, filters: Filters) -> Ids | None:
        """All texts of the sessions that the filters name, ascending; None when they name none or too many."""
        import numpy as np

        condition, bindings = _session_conditions(filters)
        if not condition:
            return None
        found = [
            text_id
            for (text_id,) in self._db.execute(
                f"SELECT p.text_id FROM sessions s JOIN placements p USING (session_id) WHERE {condition} LIMIT ?",
                (*bindings, _SMALL_SCOPE + 1),
            )
        ]
        return None if len(found) > _SMALL_SCOPE else np.unique(np.array(found, np.int64))

    def places(self, ids: Iterable[int], filters: Filters) -> dict[int, Place]:
        """Where texts stand; those that the filters keep out, and revisions, are left out."""
        condition, bindings = _conditions(filters)
        found = self._db.execute(
            "SELECT p.text_id, p.session_id, p.source_id, p.ord, b.role, b.kind, p.timestamp "
            "FROM json_each(?) w CROSS JOIN placements p ON p.text_id = w.value "
            "JOIN blocks b ON b.text_id = p.text_id JOIN sessions s ON s.session_id = p.session_id "
            f"JOIN sources f ON f.source_id = p.source_id WHERE {condition} ORDER BY w.key, {ROOT_ORDER}",
            (json.dumps([int(i) for i in ids]), *bindings),
        )
        places: dict[int, Place] = {}
        for row in found:
            if row[0] not in places:
                places[row[0]] = Place(*row)
        return places

    def around(self, place: Place, count: int) -> tuple[list[int], list[int]]:
        """Texts that stand before and after a place in its source, nearest first; what hosts wrote is passed over."""
        before = self._db.execute(
            "SELECT text_id FROM placements WHERE source_id = ? AND ord < ? AND role <> 'host' ORDER BY ord DESC LIMIT ?",
            (place.source_id, place.ord, count),
        )
        after = self._db.execute(
            "SELECT text_id FROM placements WHERE source_id = ? AND ord > ? AND role <> 'host' ORDER BY ord LIMIT ?",
            (place.source_id, place.ord, count),
        )
        return [text_id for (text_id,) in before], [text_id for (text_id,) in after]

    def texts(self, ids: Iterable[int]) -> dict[int, Redacted]:
        """The retained texts."""
        found = self._db.execute(
            "SELECT text_id, text FROM json_each(?) w JOIN blocks b ON b.text_id = w.value", (json.dumps(list(ids)),)
        )
        return {text_id: Redacted(text) for text_id, text in found}

    def holdings(self, filters: Filters | None = None) -> tuple[int, int]:
        """How many blocks and sessions a search with these filters looks through, roles and kinds not considered."""
        condition, bindings = _session_conditions(filters) if filters else ("", [])
        if not condition:
            return self.size(), self._db.execute("SELECT count(*) FROM sessions").get
        row = self._db.execute(
            "SELECT count(DISTINCT p.text_id), count(DISTINCT p.session_id) "
            f"FROM sessions s JOIN placements p USING (session_id) WHERE {condition}",
            bindings,
        ).fetchone()
        return (row[0], row[1]) if row else (0, 0)

    def resolve_session(self, typed: str) -> str:
        """Find the one session that a native id or the head of one names.

        Raises:
            UsageError: none or several are named so.
        """
        found = [
            native_id
            for (native_id,) in self._db.execute(
                "SELECT DISTINCT native_id FROM sessions WHERE substr(native_id, 1, length(?1)) = ?1 "
                "ORDER BY native_id <> ?1, instr(native_id, '/') > 0, native_id LIMIT 3",
                (typed,),
            )
        ]
        if not found:
            raise UsageError(f"no session begins with {typed!r}; `recall-lab sessions` lists them")
        mains = [native_id for native_id in found if not native_id.startswith(found[0])]
        if found[0] != typed and mains:
            raise UsageError(f"{len(found)} or more sessions begin with {typed!r}; type more of the id")
        return str(found[0])


_open: WeakKeyDictionary[Reader, Fulltext] = WeakKeyDictionary()


def fulltext_of(reader: Reader) -> Fulltext:
    """The index of a reader's store; made once, so that lengths and tokenizer are loaded once."""
    found = _open.get(reader)
    if found is None:
        found = _open[reader] = Fulltext(reader)
    return found


def _varint(data: bytes, at: int = 0) -> int:
    """Read one of SQLite's variable-length integers (big-endian, seven bits a byte)."""
    value = 0
    for byte in data[at : at + 9]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _varints_sum(data: bytes) -> int:
    """Add up a row of variable-length integers: the tokens of all columns."""
    total = value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            total += value
            value = 0
    return total


def _any(column: str, values: Iterable[str]) -> tuple[str, list[Any]]:
    return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(list(values))]


def _named(column: str, values: Iterable[str]) -> tuple[str, list[Any]]:
    condition, bindings = _any("name COLLATE NOCASE", values)
    return f"{column} IN (SELECT name_id FROM names WHERE {condition})", bindings


def _session_conditions(filters: Filters) -> tuple[str, list[Any]]:
    """SQL over sessions s for what the filters say of sessions; empty when they say nothing."""
    parts: list[tuple[str, list[Any]]] = []
    if filters.repos:
        parts.append(_any("s.repo", filters.repos))
    if filters.sessions:
        # A session's subagents stand under its id.
        either = " OR ".join("s.native_id = ? OR substr(s.native_id, 1, length(?) + 1) = ? || '/'" for _ in filters.sessions)
        parts.append((f"({either})", [native_id for native_id in filters.sessions for _ in range(3)]))
    if filters.hosts:
        parts.append(_any("s.host", filters.hosts))
    if filters.project:
        parts.append(
            ("(instr(lower(s.repo), ?) > 0 OR instr(lower(s.cwd), ?) > 0)", [filters.project.lower()] * 2)
        )
    return " AND ".join(condition for condition, _ in parts), [value for _, values in parts for value in values]


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    """SQL over placements p, blocks b, sessions s for all that the filters say."""
    condition, bindings = _session_conditions(filters)
    parts: list[tuple[str, list[Any]]] = [(condition or "1", bindings)]
    if filters.roles:
        parts.append(_any("b.role", filters.roles))
    if filters.kinds:
        parts.append(_any("b.kind", filters.kinds))
    if filters.since:
        parts.append(("p.timestamp >= ?", [filters.since]))
    if filters.until:
        parts.append(("p.timestamp < ?", [filters.until]))
    if filters.tools:
        parts.append(_named("p.tool", filters.tools))
    if filters.models:
        parts.append(_named("p.model", filters.models))
    if filters.branches:
        inside, values = _any("name", filters.branches)
        session, more = _any("s.branch", filters.branches)
        parts.append(
            (
                f"(p.branch IN (SELECT name_id FROM names WHERE {inside}) OR (p.branch IS NULL AND {session}))",
                values + more,
            )
        )
    if filters.cwd:
        folder = filters.cwd.rstrip("/") or "/"
        parts.append(
            (
                "EXISTS (SELECT 1 FROM (SELECT coalesce((SELECT name FROM names WHERE name_id = p.cwd), s.cwd) AS cwd) "
                "WHERE cwd = ? OR substr(cwd, 1, length(?) + 1) = ? || '/' OR ? = '/')",
                [folder] * 4,
            )
        )
    if filters.has_error:
        parts.append(
            (
                "EXISTS (SELECT 1 FROM tool_calls t WHERE t.session_id = p.session_id AND t.failed = 1 "
                "AND b.block_id IN (t.result_block, t.request_block))",
                [],
            )
        )
    return " AND ".join(condition for condition, _ in parts), [value for _, values in parts for value in values]
