"""BM25 over postings: the best texts, the score of any text, and what of the query it holds.

Common words are most of the work and least of the score. So the rarest words are added up first, and once no text
without them can reach the best ones, the rest is looked up for the candidates alone (Turtle and Flood's MaxScore,
"Query Evaluation: Strategies and Optimizations"). The result is the same as that of adding up everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Feature
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.postings import Ids, distinct, find

Scores = Any  # numpy float32, shape (n,)
Bits = Any  # numpy uint64, shape (n,): bit k is set where feature k is held
Mask = Any  # numpy bool

_SAMPLE: Final = 64
_STRIDE: Final = 1 << 15
_MANY: Final = 20_000  # postings; fewer are added up at once
_MARKED: Final = 2_048  # postings that are marked in arrays too large for the processor's cache
_CACHED: Final = 100_000  # texts whose marks stay there
_SMALL: Final = 30_000  # texts; of fewer all scores are looked through, and who has one is not written down
_LOOKS: Final = 4  # postings that are added up while one is looked for
_ALMOST: Final = 1 - 1e-5  # scores are sums of float32, in one order or another
_DONE: Final = 1 << 63  # the bit of a text in which every part was looked up
_HELD: Final = _DONE - 1  # the bits of features


class _Part(msgspec.Struct, frozen=True):
    """A feature as it is added up: its bit, its postings, and the most it can add; 0 for what is held, not scored."""

    bit: int
    ids: Ids
    counts: Any
    bound: float


class Scorer:
    """Scores texts for one query: k1 and b as configured, with a fixed average length.

    Scores and holdings lie in arrays by text_id that every query of a reader uses again, so one scorer at a time.
    """

    def __init__(self, index: Fulltext, features: Sequence[Feature], config: SearchConfig) -> None:
        self._size = index.columns.size
        self._norms = index.norms(config.k1, config.b, config.average_length)
        self._scratch = index.scratch()
        self._scores, self._bits = self._scratch.scores, self._scratch.bits
        self._shifts = index.shifts(len(features))
        self._most_marked = _MANY if self._size <= _CACHED else _MARKED
        self._small = self._size <= _SMALL
        self._completed = False
        self._open: list[_Part] = []  # scoreless, and too long to go through for the few texts that are asked for
        self._parts: list[_Part] = []  # those that score, the rarest first
        self._unmarked: list[_Part] = []  # added up, but no text says that it holds them
        self._added = 0  # how many of them were added up
        self._new = self._scratch.scored  # the texts that each of them was the first to score; in a small store all
        self._inside: list[Ids] = []  # those of them that may be found
        for bit, feature in enumerate(features):
            if not len(feature.postings.ids):
                continue
            bound = 0.0 if feature.exact else feature.idf * (config.k1 + 1)
            part = _Part(bit, feature.postings.ids, feature.postings.counts, bound)
            if bound:
                self._parts.append(part)
            elif len(part.ids) > _MANY:
                self._open.append(part)
            else:
                self._add(part)
        self._parts.sort(key=lambda part: -part.bound)

    def of(self, ids: Ids) -> Scores:
        """The scores of these texts."""
        self.complete(ids)
        return self._scores[ids]

    def holding(self, ids: Ids) -> Bits:
        """What these texts hold."""
        self.complete(ids)
        return self._bits[ids] & _HELD

    def looked_up(self, ids: Ids) -> tuple[Scores, Bits]:
        """The scores of these texts, and what they hold."""
        self.complete(ids)
        return self._scores[ids], self._bits[ids] & _HELD

    def unpacked(self, bits: Bits) -> Mask:
        """Bits as a table: bool, shape (len(bits), features)."""
        found: Mask = (bits[:, None] & self._shifts) != 0
        return found

    def matching(self) -> Mask:
        """Which texts hold anything of the query; bool by text_id."""
        import numpy as np

        found = np.zeros(self._size, bool)
        for part in self._parts:
            found[part.ids] = True
        return found

    # ---- the best --------------------------------------------------------------------------------------------------

    def best(self, count: int, mask: Mask) -> Ids:
        """The ``count`` best texts of those in ``mask``, in no order; fewer when fewer match.

        Args:
            count: How many.
            mask: Which texts may be found, bool by text_id; the same each time that this scorer is asked.
        """
        import numpy as np

        if len(self._parts) == 1 and not self._added:
            return self._best_of(self._parts[0], count, mask)
        rest = sum(part.bound for part in self._parts[self._added :])
        reached = sum(part.bound for part in self._parts[: self._added])
        while self._added < len(self._parts):
            part = self._parts[self._added]
            if reached > rest and len(part.ids) > _MANY and not self._completed:
                found = self._pruned(self._touched(mask), count, rest)
                if found is not None:
                    return found
            self._add(part)
            self._added += 1
            rest -= part.bound
            reached += part.bound
        if self._completed:
            return _best(np.where(mask, self._scores, np.float32(0)), count)
        ids = self._touched(mask)
        return _largest_of(ids, self._scores[ids], count)

    def _best_of(self, part: _Part, count: int, mask: Mask) -> Ids:
        """The best texts by one part alone: nothing is added up, and what is asked for is looked up."""
        import numpy as np

        held = part.counts.astype(np.float32, copy=False)
        values = held / (held + self._norms[part.ids])
        values[~mask[part.ids]] = -1
        best = _largest(values, count)
        return part.ids[best[values[best] > 0]].astype(np.int32, copy=False)

    def _touched(self, mask: Mask) -> Ids:
        """The texts of the parts that were added up that are in ``mask``, each once, in no order."""
        import numpy as np

        if self._small:
            return np.flatnonzero((self._scores > 0) & mask).astype(np.int32)
        self._inside += [ids[mask[ids]] for ids in self._new[len(self._inside) :]]
        return np.concatenate(self._inside) if self._inside else np.empty(0, np.int32)

    def _pruned(self, ids: Ids, count: int, rest: float) -> Ids | None:
        """Finish with the texts that can still be among the best.

        Args:
            ids: The texts that hold any of the parts so far.
            count: How many are wanted.
            rest: The most that the parts that are left can add to a text.

        Returns:
            The best texts; None when texts that hold none of the parts so far could be among them, or when adding the
            next part up costs less.
        """
        import numpy as np

        if len(ids) < count:
            return None
        values = self._scores[ids]
        left = self._parts[self._added :]
        # The best so far, with what is left looked up, say what the best reach at least.
        top = _largest(values, count)
        least = float((values[top] + sum(self._looked_up(part, ids[top])[1] for part in left)).min()) * _ALMOST
        if least <= rest:
            return None
        for part in left:
            keep = values >= least - rest
            if part is left[0] and np.count_nonzero(keep) * _LOOKS > len(part.ids):
                return None
            ids, values = ids[keep], values[keep]
            values = values + self._looked_up(part, ids)[1]
            rest -= part.bound
        return _largest_of(ids, values, count)

    # ---- adding up -------------------------------------------------------------------------------------------------

    def _add(self, part: _Part) -> None:
        """Add a part to all its texts, some thousand at a time: that stays in the processor's cache."""
        import numpy as np

        weight, bit = np.float32(part.bound), np.uint64(1 << part.bit)
        # Who holds a common word is looked up for the few texts that are asked about.
        unmarked = len(part.ids) > self._most_marked
        if unmarked:
            self._unmarked.append(part)
        for start in range(0, len(part.ids), _STRIDE):
            some = part.ids[start : start + _STRIDE]
            counts = part.counts[start : start + _STRIDE]
            if self._completed:
                left = self._bits[some] < _DONE
                some, counts = some[left], counts[left]
            at = some.astype(np.intp)
            # A text is at most once among the ids of a part.
            if not unmarked:
                self._bits[at] = self._bits.take(at, mode="clip") | bit
            if part.bound:
                held = counts.astype(np.float32, copy=False)
                before = self._scores.take(at, mode="clip")
                self._new.append(some if self._small else some[before == 0])
                self._scores[at] = before + weight * held / (held + self._norms.take(at, mode="clip"))
        if not unmarked:
            self._scratch.marked.append(part.ids)

    def complete(self, ids: Ids) -> None:
        """Look up in these texts the parts that were not added up."""
        import numpy as np

        left = (*self._open, *self._parts[self._added :])
        if not left and not self._unmarked:
            return
        ids = distinct(ids[self._bits[ids] < _DONE])
        if not len(ids):
            return
        for part in left:
            there, scores = self._looked_up(part, ids)
            self._bits[ids] |= there.astype(np.uint64) << np.uint64(part.bit)
            self._scores[ids] += scores
        for part in self._unmarked:
            self._bits[ids] |= find(part.ids, ids)[1].astype(np.uint64) << np.uint64(part.bit)
        self._bits[ids] |= np.uint64(_DONE)
        self._scratch.marked.append(ids)
        self._scratch.scored.append(ids)
        self._completed = True

    def _looked_up(self, part: _Part, ids: Ids) -> tuple[Mask, Scores]:
        """Which of these texts hold a part, and what it adds to their scores."""
        import numpy as np

        at, there = find(part.ids, ids)
        held = np.where(there, part.counts.take(at, mode="clip").astype(np.float32), np.float32(0))
        return there, np.float32(part.bound) * held / (held + self._norms[ids])


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


def _largest_of(ids: Ids, values: Scores, count: int) -> Ids:
    """Of these texts, in any order, the ``count`` with the greatest values; of equal ones the newest."""
    import numpy as np

    if len(ids) <= count:
        return ids
    least = _threshold(values, count)
    better = ids[values > least]
    equal = np.sort(ids[values == least])
    return np.concatenate([better, equal[len(equal) - (count - len(better)) :]])


def _largest(values: Scores, count: int) -> Any:
    """Where the ``count`` greatest values are; of equal ones the last."""
    import numpy as np

    if len(values) <= count:
        return np.arange(len(values))
    least = np.partition(values, len(values) - count)[len(values) - count]
    better = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)
    return np.concatenate([better, equal[len(equal) - (count - len(better)) :]])
