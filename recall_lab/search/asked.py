"""One query on its way through the ranking: what is looked for, where, and the arrays that all parts of it share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from recall_lab.model import Filters
from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Feature, Features
from recall_lab.search.scoring import Bits, Mask, Scorer, Scores
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.postings import Ids
from recall_lab.store.reaching import Reach


class Wanted(msgspec.Struct, frozen=True):
    """What a search looks through, and which part of the ranking is asked for.

    Attributes:
        filters: What narrows the search, scope included.
        reach: The texts that pass them.
        beyond: The same without the scope, to count what lies outside; None when there is no scope.
        now: The moment that ages are counted from.
        offset: How many of the best to skip.
        limit: How many to return.
        alternatives: Clauses of each side of an OR.
        required: Clauses that a hit must hold.
        prefer: Roles and kinds that come first among equals.
        spans: Days and months that the query names; from when until when, in milliseconds since 1970, UTC.
    """

    filters: Filters
    reach: Reach
    beyond: Reach | None
    now: datetime
    offset: int
    limit: int
    alternatives: tuple[tuple[int, ...], ...] = ()
    required: tuple[int, ...] = ()
    prefer: tuple[str, ...] = ()
    spans: tuple[tuple[float, float], ...] = ()


class Asked:
    """A query, looked up.

    Attributes:
        index: The full-text index.
        features: What is looked for; feature ``k`` is bit ``k`` of what a text holds.
        config: Weights and switches.
        wanted: What is looked through.
        scorer: Scores and holdings of texts.
        weights: What each feature counts in the share of the query that a text covers; float32.
        weight: All of them together.
        counted: The bits of the features that count at all; uint64.
        exact: The bits of exact evidence; uint64.
        whole: The bit of all that was typed, as one phrase; uint64.
        open: Whether it asks in some words for what may be said in others.
        timed: Whether a text that holds every term must be of the time that the query names.
        may: Which texts pass the filters and satisfy AND, OR and NOT; bool by text_id.
    """

    def __init__(self, index: Fulltext, features: Features, config: SearchConfig, wanted: Wanted) -> None:
        import numpy as np

        self.index = index
        self.features = features.positive
        self.config = config
        self.wanted = wanted
        self.scorer = Scorer(index, features.positive, config)
        self.weights: Scores = np.array([feature.weight for feature in self.features], np.float32)
        self.weight = float(self.weights.sum())
        counted = sum(1 << bit for bit, feature in enumerate(self.features) if feature.weight > 0)
        exact = sum(1 << bit for bit, feature in enumerate(self.features) if feature.exact)
        self.counted, self.exact, self.whole = np.uint64(counted), np.uint64(exact), np.uint64(whole_of(self.features))
        # An identifier, a word or two, or a required word must stand in the text itself.
        self.open = not (counted.bit_count() < config.least_terms or counted & exact or wanted.required)
        self.timed = features.timed
        self._excluded = features.excluded
        self.may = self.satisfying(wanted.reach)

    def weigh(self, held: Bits) -> Scores:
        """The weights of what is held, added up; float32, shape (len(held),)."""
        # Added up here: BLAS may look beyond its arrays, and warn of what it sees there.
        found: Scores = (self.scorer.unpacked(held) * self.weights).sum(axis=1)
        return found

    def share(self, held: Bits) -> Any:
        """idf-weighted share of the query's terms."""
        return self.weigh(held) / self.weight if self.weight else (held > 0).astype("f4")

    def passing(self, ids: Ids) -> Ids:
        """Those of the texts that pass what the filters say of tools, models, branches, folders and errors."""
        import numpy as np

        found = self.index.passing(ids, self.wanted.filters) if len(ids) else None
        return ids if found is None else np.array(sorted(found), np.int32)

    def satisfying(self, reach: Reach) -> Mask:
        """Which texts of a reach satisfy AND, OR and NOT."""
        import numpy as np

        wanted = self.wanted
        mask = reach.texts.copy() if wanted.required or self._excluded else reach.texts
        if wanted.required:
            holding = np.zeros(len(mask), bool)
            for side in wanted.alternatives:
                must = [clause for clause in side if clause in wanted.required]
                mine = self._speaking_for(must[:1] or side)
                for clause in must[1:]:
                    mine &= self._speaking_for([clause])
                holding |= mine
            mask &= holding
        for feature in self._excluded:
            mask[feature.postings.ids] = False
        return mask

    def _speaking_for(self, clauses: Sequence[int]) -> Mask:
        """Which texts hold any of these clauses."""
        import numpy as np

        mask = np.zeros(self.index.columns.size, bool)
        for clause in clauses:
            speaking = [feature for feature in self.features if clause in feature.clauses]
            # A compound stands for all of it side by side; its parts are only hints.
            for feature in [f for f in speaking if f.kind == "loose"] or speaking:
                mask[feature.postings.ids] = True
        return mask


def whole_of(features: Sequence[Feature]) -> int:
    """The bit of the phrase that is all that was typed; 0 when there is none."""
    return sum(1 << bit for bit, feature in enumerate(features) if feature.exact and not feature.clauses)
