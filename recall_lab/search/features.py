"""From a parsed query to what can be counted: terms, phrases and identifiers with their postings."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from recall_lab.search.config import SearchConfig
from recall_lab.search.forms import completions, other_forms
from recall_lab.search.query import QUESTION_WORDS, Clause, Query
from recall_lab.search.rows import Rows
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.postings import Postings
from recall_lab.store.reaching import Reach
from recall_lab.text import SIGNED_WORDS, identifier_words, index_form, unspaced_runs

FeatureKind = Literal["term", "phrase", "identifier", "loose"]
MAX_TERMS: Final = 40  # the rarest are kept

# What an identifier counts by: as typed, its words beside one another, its words anywhere. With its words alone a text
# stays under the gate.
_TYPED, _BESIDE, _ANYWHERE = 0.6, 0.27, 0.13
_STRADDLING = 0.3
_TELLING_STEM = 4  # letters
_HEX = re.compile(r"(?=\w*\d)[0-9a-f]{7,40}")


class Feature(msgspec.Struct, frozen=True):
    """One thing that a text may hold.

    Attributes:
        kind: ``term`` (stemmed word), ``phrase`` (quoted, or all of the query), ``identifier`` (as typed), ``loose``
            (the words of one of these beside one another, stemmed).
        label: What WHY calls it.
        terms: Stemmed terms, one for a term, several beside one another for the others; the forms of an irregular word,
            the expansions of a prefix.
        postings: Which texts hold it. Of a phrase and an identifier: which may, until their texts are looked at.
        idf: ln(1 + (N - n + .5) / (n + .5)) over N texts of which n hold it.
        clauses: The clauses of the query that it speaks for.
        weight: What it counts in the share of the query that a text covers; 0 for what only adds to the score.
        any_term: Any one of its terms is enough.
    """

    kind: FeatureKind
    label: str
    terms: tuple[str, ...]
    postings: Postings
    idf: float
    clauses: tuple[int, ...]
    weight: float
    any_term: bool = False

    @property
    def exact(self) -> bool:
        """A text that holds it as typed is exact evidence; its score comes from its loose form."""
        return self.kind in {"phrase", "identifier"}

    @property
    def words(self) -> tuple[str, ...]:
        """The terms that each stand for it; none where several have to stand beside one another."""
        return self.terms if self.any_term or len(self.terms) == 1 else ()

    @property
    def blocks(self) -> int:
        """How many texts hold it."""
        return len(self.postings.ids)


class Features(msgspec.Struct, frozen=True):
    """All features of a query.

    Attributes:
        positive: What is looked for.
        excluded: What a text must not hold.
        dropped: Words that only make a question.
        timed: A date that is named has words that nobody wrote; only the time of a text can tell whether it is meant.
    """

    positive: tuple[Feature, ...]
    excluded: tuple[Feature, ...]
    dropped: tuple[str, ...]
    timed: bool = False


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
        self._rows = Rows(index, self._postings)
        self._uncounted: frozenset[str] = frozenset()

    def run(self, query: Query) -> Features:
        words = [clause for clause in query.clauses if not clause.excluded]
        dropped = [clause.text for clause in words if self._is_question_word(clause)]
        if len(dropped) == len(words):
            dropped = []
        excluded: list[Feature] = []
        self._uncounted = self._words_of_dates(query.dates, [c for c in words if c.text not in dropped])
        for number, clause in enumerate(query.clauses):
            if clause.excluded:
                excluded.extend(self._unwanted(clause, number))
            elif not (dropped and self._is_question_word(clause)):
                self._clause(clause, number)
        if self._config.identifiers and query.literal and len(words) > 1:
            self._whole_text(query)
        positive = list(self._found.values())
        if len(positive) > MAX_TERMS:
            positive = sorted(positive, key=lambda feature: (not feature.exact, -feature.idf))[:MAX_TERMS]
        timed = bool(self._uncounted)
        return Features(tuple(positive), tuple(excluded), tuple(dict.fromkeys(dropped)), timed)

    def _words_of_dates(self, dates: Sequence[str], clauses: Sequence[Clause]) -> frozenset[str]:
        """The words of dates that nobody wrote down, where others say what is asked."""
        found: set[str] = set()
        for date in dates if self._config.date else ():
            words = re.findall(r"\w+", date.lower())
            if not all(len(self._term(self._index.stem(word), word).ids) for word in words):
                found.update(words)
        return frozenset(found if any(clause.text.lower() not in found for clause in clauses) else ())

    def _is_question_word(self, clause: Clause) -> bool:
        if not self._config.question_words or clause.required or clause.kind not in {"word", "compound"}:
            return False
        word = clause.text.lower().replace("\u2019", "'")
        head, _, tail = word.partition("'")
        return word in QUESTION_WORDS or (
            bool(tail) and (head in QUESTION_WORDS or (head.endswith("n") and tail == "t"))
        )

    # ---- clauses ---------------------------------------------------------------------------------------------------

    def _clause(self, clause: Clause, number: int) -> None:
        text = clause.text
        if clause.kind == "prefix":
            self._prefix(text, number)
        elif clause.kind == "phrase":
            self._phrase(text, number)
        elif clause.kind == "identifier" and self._config.identifiers:
            self._identifier(text, number)
        else:
            for run, unspaced in unspaced_runs(text):
                if unspaced:
                    self._unspaced(run, number)
                else:
                    self._spaced(run, number)

    def _spaced(self, text: str, number: int) -> None:
        terms = self._terms(text)
        if len(terms) == 1:
            self._word(text, terms[0], number)
        elif terms:
            # The pieces of a contraction mean nothing by themselves.
            parts = [] if "'" in text or "\u2019" in text else _parts(text)
            added = [self._part(part, number) for part in parts]
            if self._config.identifiers or not any(added):
                self._add("loose", text, terms, self._rows.of(text), number, weight=0.0 if any(added) else 1.0)

    def _word(self, text: str, term: str, number: int) -> None:
        """A word, and the forms of it that the stemmer does not know."""
        own = self._term(term, text)
        if text.lower() in self._uncounted:
            self._add("term", text, (term,), own, number, weight=0.0)
            return
        others = other_forms(text, term, self._index.stem) if self._config.forms else ()
        known = [(other, found) for other, word in others if len((found := self._term(other, word)).ids)]
        if not known:
            self._add("term", text, (term,), own, number)
            return
        terms = (term, *(other for other, _ in known))
        postings = self._index.united(terms, [own, *(found for _, found in known)])
        self._add("term", text, terms, postings, number, any_term=True)

    def _phrase(self, text: str, number: int) -> None:
        """Words that are meant exactly: stemmed they find the texts, as typed they have to stand in them."""
        terms = self._terms(text)
        if terms:
            postings = self._term(terms[0], text) if len(terms) == 1 else self._rows.of(text)
            self._add("phrase", text, terms, postings, number)
            self._add("loose", text, terms, postings, number, weight=0.0)

    def _identifier(self, text: str, number: int) -> None:
        signed = SIGNED_WORDS.get(text.lower())
        terms = self._terms(signed or text)
        if not terms:
            return
        if len(terms) > 1:
            for part in _parts(text):
                for term in self._terms(part):
                    if len(term) > 1 or term.isdigit():
                        self._term(term, part)
            postings = self._rows.of(text)
        elif _HEX.fullmatch(text):
            terms, postings = self._expanded(terms[0])
        else:
            postings = self._term(terms[0], signed or text)
        # getUserName and get_user_name are the same words.
        words = identifier_words(text) if len(terms) == 1 and not signed and self._config.split_identifiers else ""
        parts = [] if signed else _parts(words or text)
        typed = self._add(
            "identifier", text, terms, postings, number, weight=_TYPED, any_term=len(terms) > 1 == len(_parts(text))
        )
        self._add("loose", text, terms, postings, number, weight=_BESIDE, any_term=typed.any_term)
        if words and len(parts) > 1:
            self._add("loose", words, self._terms(words), self._rows.of(words), number, weight=0.0)
        for part in parts:
            self._part(part, number, _ANYWHERE * typed.idf / len(parts))

    def _part(self, part: str, number: int, weight: float | None = None) -> bool:
        """Add a word of something longer; with a weight, its part of what the whole counts."""
        terms = [term for term in self._terms(part) if len(term) > 1 or term.isdigit()]
        for term in terms:
            self._add("term", part, (term,), self._term(term, part), number, part=weight)
        return bool(terms)

    def _unspaced(self, run: str, number: int) -> None:
        """A run of a script without spaces: its pairs of characters, and all of it beside one another."""
        if len(run) == 1:
            for term in self._terms(run):
                self._add("term", run, (term,), self._term(term, run), number)
            return
        for at in range(len(run) - 1):
            pair = run[at : at + 2]
            if terms := self._terms(pair):
                postings = self._rows.of(pair)
                # Many pairs only stand where two words meet: that one is nowhere says little.
                self._add("term", pair, terms, postings, number, weight=1.0 if len(postings.ids) else _STRADDLING)
        if len(run) > 2:
            self._add("loose", run, self._terms(run), self._rows.of(run), number, weight=0.0)

    def _prefix(self, text: str, number: int) -> None:
        terms = self._terms(text)
        if len(terms) == 1:
            expansions, postings = self._begun(text, terms[0])
            self._add("term", text + "*", expansions, postings, number, any_term=True)
        elif terms:
            self._add("loose", text, terms, self._rows.of(text), number)

    def _whole_text(self, query: Query) -> None:
        """A pasted text is tried as one phrase first."""
        terms = self._terms(query.text)
        if len(terms) < 2 or any(feature.terms == terms for feature in self._found.values()):
            return
        postings = self._rows.of_all(query.text, terms)
        if len(postings.ids):
            label = " ".join(query.text.split())
            self._add("phrase", label, terms, postings, -1, weight=0.0)
            self._add("loose", label, terms, postings, -1, weight=0.0)

    def _unwanted(self, clause: Clause, number: int) -> list[Feature]:
        """What an excluded clause means: the word, or all of it beside one another."""
        terms = self._terms(clause.text)
        if not terms:
            return []
        if clause.kind == "prefix" and len(terms) == 1:
            terms, postings = self._begun(clause.text, terms[0])
        else:
            postings = self._term(terms[0], clause.text) if len(terms) == 1 else self._rows.of(clause.text)
        return [Feature("term", clause.text, terms, postings, 0.0, (number,), 0.0)]

    # ---- features --------------------------------------------------------------------------------------------------

    def _add(
        self,
        kind: FeatureKind,
        label: str,
        terms: tuple[str, ...],
        postings: Postings,
        number: int,
        *,
        weight: float = 1.0,
        part: float | None = None,
        any_term: bool = False,
    ) -> Feature:
        """Add a feature, or the clause to one that is known.

        Kind, label, terms, postings and any_term are those of ``Feature``; ``number`` is the clause, -1 for the whole
        query; ``weight`` is the share of its idf that it counts by, ``part`` what it counts by as part of a whole.
        """
        known = self._found.get((kind, terms))
        if known is None:
            blocks = self._reach.holding(postings.ids) if self._narrow else len(postings.ids)
            value = idf(self._total, min(blocks, self._total))
            counts = weight * value if part is None else part
            clauses: tuple[int, ...] = (number,) if number >= 0 else ()
            known = Feature(kind, label, terms, postings, value, clauses, counts, any_term)
        else:
            counts = max(known.weight, weight * known.idf if part is None else part)
            clauses = known.clauses if number in known.clauses or number < 0 else (*known.clauses, number)
            known = msgspec.structs.replace(known, clauses=clauses, weight=counts)
        self._found[kind, terms] = known
        return known

    def _terms(self, text: str) -> tuple[str, ...]:
        if text.isascii() and text.isalnum():
            return (self._index.stem(text),)
        return tuple(self._index.terms(index_form(text)))

    def _term(self, term: str, word: str | None = None) -> Postings:
        found = self._postings.get(term)
        if found is None:
            found = self._postings[term] = self._index.postings(term, word and index_form(word))
        return found

    def _begun(self, text: str, term: str) -> tuple[tuple[str, ...], Postings]:
        """The terms of words that begin so, and the texts that hold any of them."""
        if not (text.isascii() and text.isalnum()):
            return self._expanded(term)
        typed = text.lower()
        found = dict.fromkeys(self._index.expand(typed))
        for word in completions(typed):
            stem = self._index.stem(word)
            # A short stem is that of too many other words.
            if (len(stem) >= _TELLING_STEM or not found) and len(self._term(stem, word).ids):
                found[stem] = None
        terms = tuple(found) or (term,)
        return terms, self._index.united(terms, [self._term(one) for one in terms])

    def _expanded(self, prefix: str) -> tuple[tuple[str, ...], Postings]:
        """The terms that begin so, and the texts that hold any of them."""
        terms = tuple(self._index.expand(prefix)) or (prefix,)
        return terms, self._index.united(terms, [self._term(term) for term in terms])


def _parts(text: str) -> list[str]:
    """The words of an identifier or compound, each once."""
    return list(dict.fromkeys(re.findall(r"[^\W_]+", index_form(text))))
