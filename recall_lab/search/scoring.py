"""BM25 over postings: the best texts, and the score of any text.

Common words are most of the work and least of the score. So the rarest words are added up first, and once no text
without them can reach the best ones, the rest is looked up for the candidates alone (Turtle and Flood's MaxScore,
"Query Evaluation: Strategies and Optimizations"). The result is the same as that of adding up everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Feature
from recall_lab.store.fulltext import Fulltext, Ids, find

Scores = Any  # numpy float32, shape (n,)
Mask = Any  # numpy bool

_SAMPLE: Final = 64
_STRIDE: Final = 1 << 15
_MANY: Final = 20_000  # postings; fewer are added up at once
_SPARSE: Final = 64  # looking through all scores takes as long as sorting this share of their number


class Scorer:
    """Scores texts for one query: k1 and b as configured, with a fixed average length."""

    def __init__(self, index: Fulltext, features: Sequence[Feature], config: SearchConfig) -> None:
        self._index = index
        self._size = index.columns.size
        self._norms = index.norms(config.k1, config.b, config.average_length)
        self._parts = [
            (feature.postings.ids, feature.postings.counts, feature.idf * (config.k1 + 1))
            for feature in sorted(features, key=lambda feature: -feature.idf)
            if not feature.exact and len(feature.postings.ids)
        ]

    def of(self, ids: Ids) -> Scores:
        """The scores of these texts."""
        return self._add(ids, self._parts)

    def best(self, count: int, mask: Mask) -> Ids:
        """The ``count`` best texts of those in ``mask`` (bool by text_id), in no order; fewer when fewer match."""
        scores = self._index.scratch()
        touched: list[Ids] = []
        rest = sum(bound for _, _, bound in self._parts)
        for number, (ids, counts, bound) in enumerate(self._parts):
            if touched and len(ids) > _MANY:
                found = self._pruned(_touched(touched, scores, mask), scores, count, number, rest)
                if found is not None:
                    return found
            self._scatter(scores, ids, counts, bound)
            touched.append(ids)
            rest -= bound
        if sum(map(len, touched)) <= max(_MANY, self._size // _SPARSE):
            ids = _touched(touched, scores, mask)
            return ids[_largest(scores[ids], count)]
        scores[~mask] = 0
        return _best(scores, count)

    def _scatter(self, scores: Scores, ids: Ids, counts: Any, bound: float) -> None:
        """Add a part to the scores of all its texts, some thousand at a time: that stays in the processor's cache."""
        import numpy as np

        weight = np.float32(bound)
        for start in range(0, len(ids), _STRIDE):
            some = ids[start : start + _STRIDE]
            held = counts[start : start + _STRIDE].astype(np.float32, copy=False)
            # A text is at most once among the ids of a part.
            scores[some] += weight * held / (held + self._norms[some])

    def _pruned(self, ids: Ids, scores: Scores, count: int, number: int, rest: float) -> Ids | None:
        """Finish with the texts that can still be among the best.

        Args:
            ids: The texts that hold any of the parts so far.
            scores: What they have from these.
            count: How many are wanted.
            number: The next part.
            rest: The most that the parts from ``number`` on can add to a text.

        Returns:
            The best texts; None when texts that hold none of the parts so far could be among them.
        """
        if len(ids) < count:
            return None
        values = scores[ids]
        if _threshold(values, count) <= rest:
            return None
        for part in self._parts[number:]:
            keep = values >= _threshold(values, count) - rest
            ids, values = ids[keep], values[keep]
            values = values + self._add(ids, [part])
            rest -= part[2]
        return ids[_largest(values, count)]

    def matching(self) -> Mask:
        """Which texts hold anything of the query; bool by text_id."""
        import numpy as np

        found = np.zeros(self._size, bool)
        for ids, _, _ in self._parts:
            found[ids] = True
        return found

    def _add(self, wanted: Ids, parts: Sequence[tuple[Ids, Any, float]]) -> Scores:
        """Add up the scores of ``wanted`` for these parts."""
        import numpy as np

        scores = np.zeros(len(wanted), np.float32)
        norms = self._norms[wanted]
        for ids, counts, bound in parts:
            at, there = find(ids, wanted)
            held = np.where(there, counts[at].astype(np.float32), np.float32(0))
            scores += np.float32(bound) * held / (held + norms)
        return scores


def _touched(groups: Sequence[Ids], scores: Scores, mask: Mask) -> Ids:
    """The texts of several features that are in ``mask``, ascending, each once."""
    import numpy as np

    if sum(map(len, groups)) < len(scores) // _SPARSE:
        ids = np.unique(np.concatenate(groups)) if groups else np.empty(0, np.int32)
        return ids[mask[ids]]
    return np.flatnonzero((scores > 0) & mask).astype(np.int32)


def _threshold(values: Scores, count: int) -> float:
    """The ``count``-th greatest value, or less than any when there are not so many."""
    import numpy as np

    return float(np.partition(values, len(values) - count)[len(values) - count]) if len(values) >= count else -np.inf


def _best(scores: Scores, count: int) -> Ids:
    """The texts with the ``count`` greatest scores above 0."""
    import numpy as np

    sample = scores[::_SAMPLE]
    place = 4 * count // _SAMPLE + 8
    if len(sample) > 4 * place:
        # A sample says what score the best reach, so that not all have to be compared.
        least = np.partition(sample, len(sample) - place)[len(sample) - place]
        ids = np.flatnonzero(scores >= least) if least > 0 else np.empty(0, np.int64)
        if len(ids) >= count:
            return ids[_largest(scores[ids], count)].astype(np.int32)
    ids = np.flatnonzero(scores > 0)
    return ids[_largest(scores[ids], count)].astype(np.int32)


def _largest(values: Scores, count: int) -> Any:
    """Where the ``count`` greatest values are; of equal ones the last."""
    import numpy as np

    if len(values) <= count:
        return np.arange(len(values))
    least = np.partition(values, len(values) - count)[len(values) - count]
    better = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)
    return np.concatenate([better, equal[len(equal) - (count - len(better)) :]])
