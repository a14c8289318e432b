"""From a parsed query to what can be counted: terms, phrases and prefixes with their postings."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from recall_lab.search.config import SearchConfig
from recall_lab.search.query import QUESTION_WORDS, Clause, Query
from recall_lab.store.fulltext import Fulltext, Postings, Reach
from recall_lab.text import SIGNED_WORDS, identifier_words, index_form, unspaced_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FeatureKind = Literal["term", "phrase", "identifier"]
PHRASE_LIMIT: Final = 2000  # newest texts that a phrase is followed into
MAX_TERMS: Final = 40  # the rarest are kept


class Feature(msgspec.Struct, frozen=True):
    """One thing that a text may hold.

    Attributes:
        kind: ``term`` (stemmed word), ``phrase`` (quoted, or all of the query), ``identifier`` (as typed).
        label: What WHY calls it.
        terms: Stemmed terms, one for a term, several beside one another for a phrase; the expansions of a prefix.
        postings: Which texts hold it.
        idf: ln(1 + (N - n + .5) / (n + .5)) over N texts of which n hold it.
        clauses: The clauses of the query that it speaks for.
        counted: It counts in the share of the query that a text covers.
        exact: A text that holds it is exact evidence.
    """

    kind: FeatureKind
    label: str
    terms: tuple[str, ...]
    postings: Postings
    idf: float
    clauses: tuple[int, ...]
    counted: bool = True
    exact: bool = False
    prefix: bool = False

    @property
    def blocks(self) -> int:
        """How many texts hold it."""
        return len(self.postings.ids)


class Features(msgspec.Struct, frozen=True):
    """All features of a query; ``dropped`` are words that only make a question."""

    positive: tuple[Feature, ...]
    excluded: tuple[Feature, ...]
    dropped: tuple[str, ...]
    total: int  # texts in the index


def idf(total: int, blocks: int) -> float:
    """Inverse document frequency, never negative (Lucene's form of Robertson and Sparck Jones' weight)."""
    return math.log(1 + (total - blocks + 0.5) / (blocks + 0.5))


def extract(index: Fulltext, query: Query, config: SearchConfig, reach: Reach) -> Features:
    """Look the query's clauses up in the index.

    Args:
        index: The full-text index.
        query: The parsed query.
        config: Weights and switches.
        reach: The texts that words are rare or common among.
    """
    return _Extractor(index, config, reach).run(query)


class _Extractor:
    def __init__(self, index: Fulltext, config: SearchConfig, reach: Reach) -> None:
        self._index = index
        self._config = config
        self._reach = reach
        self._total = reach.blocks
        # Counting each word anew is for narrow searches; in a wide one its share of all texts says the same.
        self._narrow = 2 * reach.blocks < len(reach.texts)
        self._found: dict[tuple[FeatureKind, tuple[str, ...]], Feature] = {}
        self._postings: dict[str, Postings] = {}

    def run(self, query: Query) -> Features:
        words = [clause for clause in query.clauses if not clause.excluded]
        dropped = [clause.text for clause in words if self._is_question_word(clause)]
        if len(dropped) == len(words):
            dropped = []
        excluded: list[Feature] = []
        for number, clause in enumerate(query.clauses):
            if clause.excluded:
                excluded.extend(self._whole(clause, number))
            elif not (dropped and self._is_question_word(clause)):
                self._clause(clause, number)
        if self._config.identifiers and query.literal and len(words) > 1:
            self._whole_text(query)
        positive = list(self._found.values())
        if len(positive) > MAX_TERMS:
            positive = sorted(positive, key=lambda feature: -feature.idf)[:MAX_TERMS]
        return Features(tuple(positive), tuple(excluded), tuple(dict.fromkeys(dropped)), self._total)

    def _is_question_word(self, clause: Clause) -> bool:
        if not self._config.question_words or clause.required or clause.kind not in {"word", "compound"}:
            return False
        word = clause.text.lower().replace("’", "'")
        head, _, tail = word.partition("'")
        return word in QUESTION_WORDS or bool(tail) and (head in QUESTION_WORDS or head.endswith("n") and tail == "t")

    def _clause(self, clause: Clause, number: int) -> None:
        text = clause.text
        if clause.kind == "prefix":
            self._prefix(text, number)
            return
        signed = SIGNED_WORDS.get(text.lower())
        if signed:
            terms = tuple(self._index.terms(signed))
            self._add("identifier", text, terms, self._term_postings(terms[0]), number, exact=True)
            return
        if clause.kind == "phrase":
            terms = self._index.terms(index_form(text))
            if len(terms) == 1:
                self._add("phrase", text, tuple(terms), self._term_postings(terms[0], text), number, exact=True)
            elif terms:
                self._add("phrase", text, tuple(terms), self._phrase_postings(text), number, exact=True)
            return
        runs = unspaced_runs(text)
        if len(runs) > 1 or runs and runs[0][1]:
            for run, unspaced in runs:
                if unspaced:
                    self._unspaced(run, number)
                else:
                    self._spaced(clause, run, number)
            return
        self._spaced(clause, text, number)

    def _spaced(self, clause: Clause, text: str, number: int) -> None:
        terms = tuple(self._index.terms(index_form(text)))
        exact = clause.kind == "identifier" and self._config.identifiers
        if len(terms) == 1:
            kind: FeatureKind = "identifier" if exact else "term"
            self._add(kind, text, terms, self._term_postings(terms[0], text), number, exact=exact)
        elif terms:
            contraction = "'" in text or "’" in text
            if not contraction:
                for part in re.findall(r"[^\W_]+", index_form(text)):
                    self._part(part, number)
            if self._config.identifiers or contraction:
                postings = self._phrase_postings(text)
                if exact:
                    self._add("identifier", text, terms, postings, number, exact=True)
                else:
                    self._add("phrase", text, terms, postings, number, counted=contraction)
        if clause.kind == "identifier" and self._config.split_identifiers:
            for part in identifier_words(text).split():
                self._part(part, number)

    def _part(self, part: str, number: int) -> None:
        for term in self._index.terms(part):
            if len(term) > 1 or term.isdigit():
                self._add("term", part, (term,), self._term_postings(term, part), number)

    def _unspaced(self, run: str, number: int) -> None:
        """A run of a script without spaces: its pairs of characters, and all of it beside one another."""
        if len(run) == 1:
            for term in self._index.terms(index_form(run)):
                self._add("term", run, (term,), self._term_postings(term, run), number)
            return
        for at in range(len(run) - 1):
            pair = run[at : at + 2]
            terms = tuple(self._index.terms(index_form(pair)))
            if terms:
                self._add("term", pair, terms, self._phrase_postings(pair), number)
        if len(run) > 2:
            terms = tuple(self._index.terms(index_form(run)))
            self._add("phrase", run, terms, self._phrase_postings(run), number, counted=False)

    def _prefix(self, text: str, number: int) -> None:
        import numpy as np

        terms = self._index.terms(index_form(text))
        if not terms:
            return
        expansions = self._index.expand(terms[-1]) if len(terms) == 1 else []
        if not expansions:
            self._add("phrase", text, tuple(terms), self._phrase_postings(text), number)
            return
        found = [self._term_postings(term) for term in expansions]
        ids, places = np.unique(np.concatenate([p.ids for p in found]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([p.counts for p in found])).astype(np.float32)
        feature = self._make("term", text + "*", tuple(expansions), Postings(ids, counts), (number,))
        self._found["term", tuple(expansions)] = msgspec.structs.replace(feature, prefix=True)

    def _whole_text(self, query: Query) -> None:
        """A pasted text is tried as one phrase first."""
        form = index_form(query.text)
        terms = tuple(self._index.terms(form))
        if len(terms) > 1 and not any(f.terms == terms for f in self._found.values()):
            postings = self._phrase_postings(query.text)
            if len(postings.ids):
                numbers = tuple(range(len(query.clauses)))
                label = " ".join(query.text.split())
                self._found["phrase", terms] = self._make(
                    "phrase", label, terms, postings, numbers, counted=False, exact=True
                )

    def _whole(self, clause: Clause, number: int) -> list[Feature]:
        """What an excluded clause means: the word, or all of it beside one another."""
        if clause.kind == "prefix":
            before = dict(self._found)
            self._prefix(clause.text, number)
            added = [feature for key, feature in self._found.items() if key not in before]
            self._found = before
            return added
        terms = tuple(self._index.terms(index_form(clause.text)))
        if not terms:
            return []
        postings = self._term_postings(terms[0], clause.text) if len(terms) == 1 else self._phrase_postings(clause.text)
        return [self._make("term", clause.text, terms, postings, (number,))]

    def _add(
        self,
        kind: FeatureKind,
        label: str,
        terms: tuple[str, ...],
        postings: Postings,
        number: int,
        *,
        counted: bool = True,
        exact: bool = False,
    ) -> None:
        key = (kind, terms)
        known = self._found.get(key)
        if known is None:
            self._found[key] = self._make(kind, label, terms, postings, (number,), counted=counted, exact=exact)
        elif number not in known.clauses:
            self._found[key] = msgspec.structs.replace(known, clauses=(*known.clauses, number))

    def _make(
        self,
        kind: FeatureKind,
        label: str,
        terms: tuple[str, ...],
        postings: Postings,
        numbers: tuple[int, ...],
        *,
        counted: bool = True,
        exact: bool = False,
    ) -> Feature:
        blocks = int(self._reach.texts[postings.ids].sum()) if self._narrow else len(postings.ids)
        weight = idf(self._total, min(blocks, self._total))
        return Feature(kind, label, terms, postings, weight, numbers, counted, exact)

    def _term_postings(self, term: str, word: str | None = None) -> Postings:
        found = self._postings.get(term)
        if found is None:
            found = self._postings[term] = self._index.postings(term, word and index_form(word))
        return found

    def _phrase_postings(self, text: str) -> Postings:
        import numpy as np

        ids = self._index.phrase(index_form(text), PHRASE_LIMIT)
        return Postings(ids, np.ones(len(ids), np.float32))


Scores = Any  # numpy float32, indexed by text_id


def bm25(index: Fulltext, features: tuple[Feature, ...], config: SearchConfig) -> NDArray[np.float32]:
    """Score every text: BM25 with a fixed average length.

    Returns:
        float32, shape (greatest text_id + 1,); 0 where nothing matched.
    """
    import numpy as np

    lengths = index.columns.length
    scores = np.zeros(index.columns.size, np.float32)
    for feature in features:
        ids, counts = feature.postings.ids, feature.postings.counts
        if not len(ids):
            continue
        norm = config.k1 * (1 - config.b + config.b * lengths[ids] / config.average_length)
        scores[ids] += np.float32(feature.idf * (config.k1 + 1)) * counts / (counts + norm)
    return scores
