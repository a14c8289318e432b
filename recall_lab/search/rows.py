"""Which texts hold several words beside one another, found the cheapest way that there is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from recall_lab.search.signs import folds_in_place
from recall_lab.search.words import Stems, Words, has_identifier_words
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.postings import Ids, Postings
from recall_lab.text import identifier_words, index_form

PHRASE_LIMIT: Final = 2000  # newest texts that a phrase is followed into
_FEW, _MANY_WORDS = 8, 5
_FEWEST = 2  # texts that are read sooner than it is looked up whether they hold every word
_VERY_COMMON = 50_000
_POSTINGS_A_TEXT = 2_000  # FTS5 goes through so many postings of a phrase's words while a text is read
_WORTH = 1.5  # times as many postings as those of a pair of words make it worth to look for the pair first


class Rows:
    """Looks for words beside one another.

    Args:
        index: The full-text index.
        known: By term, the postings that were looked up for this query so far.
    """

    def __init__(self, index: Fulltext, known: Mapping[str, Postings]) -> None:
        self._index = index
        self._known = known
        self._stems = Stems(index.stem)

    def of_all(self, text: str, terms: tuple[str, ...]) -> Postings:
        """The texts that hold all that was typed, which is of these terms, beside one another."""
        least = min((self._known[term].ids for term in terms if term in self._known), key=len, default=None)
        if least is None:
            return self.of(text)
        every = least
        if len(least) > _FEWEST or len(terms) < _MANY_WORDS:
            every = self._holding_all(frozenset(terms), least)
        if len(every) > _FEW or (len(every) and len(terms) < _MANY_WORDS):
            return self.of(text)
        # Each word of a phrase costs the index a look; a few texts are read sooner.
        texts = self._index.texts(every.tolist()) if len(every) else {}
        return self._index.once(sorted(text_id for text_id, one in texts.items() if self._reads(one, terms)))

    def of(self, text: str) -> Postings:
        """The texts that hold these words beside one another."""
        form = index_form(text)
        tokens = self._index.tokens(form)
        sizes = [self._index.commonness(term) for _, _, term in tokens]
        # A phrase costs as much as its commonest words; two rare words of it leave few texts to read.
        pairs = (
            [(a + b, n) for n, (a, b) in enumerate(pairwise(sizes))] if max(sizes, default=0) >= _VERY_COMMON else []
        )
        least, first = min(pairs, default=(0, 0))
        if len(pairs) > 1 and sum(sizes) > _WORTH * least:
            few = min(PHRASE_LIMIT, sum(sizes) // _POSTINGS_A_TEXT)
            pair = form.encode("utf-8", "replace")[tokens[first][0] : tokens[first + 1][1]].decode("utf-8", "replace")
            ids = self._index.phrase(pair, few + 1)
            if len(ids) <= few:
                terms = tuple(term for _, _, term in tokens)
                texts = self._index.texts(self._holding_all(frozenset(terms), ids).tolist())
                typed = form.lower()
                held = [
                    text_id
                    for text_id, one in texts.items()
                    if _stands(one, typed) or self._reads(one, terms) or self._names(one, terms)
                ]
                return self._index.once(sorted(held))
        return self._index.beside(form, PHRASE_LIMIT)

    def _names(self, text: str, terms: tuple[str, ...]) -> bool:
        """Whether the words inside an identifier of a text are these terms."""
        return has_identifier_words(text) and self._reads(identifier_words(text), terms)

    def _holding_all(self, terms: frozenset[str], every: Ids) -> Ids:
        """Those of the texts that hold all of these terms, as far as they were looked up."""
        for ids in sorted((self._known[term].ids for term in terms & self._known.keys()), key=len):
            if not len(every):
                break
            if ids is not every:
                every = self._index.shared(every, ids)
        return every

    def _reads(self, text: str, terms: tuple[str, ...]) -> bool:
        """Whether a text has these terms one beside the other."""
        if folds_in_place(text) and all(map(str.isascii, terms)):
            return Words(text).row(terms, self._stems)
        held = self._index.terms(index_form(text))
        at = -1
        for _ in range(held.count(terms[0])):
            at = held.index(terms[0], at + 1)
            if tuple(held[at : at + len(terms)]) == terms:
                return True
        return False


def _stands(text: str, typed: str) -> bool:
    """Whether a text has this in it as it is typed, in small letters, and no word goes on before or after it."""
    low = text.lower()
    at = low.find(typed)
    return at >= 0 and not low[max(at - 1, 0) : at].isalnum() and not low[at + len(typed) :][:1].isalnum()
