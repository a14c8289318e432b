"""What a text's surroundings say for it: neighbours, the title and the rest of its session, its age and kind."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from recall_lab.model import KINDS, ROLES
from recall_lab.search.asked import Asked
from recall_lab.search.scoring import Bits, Mask, Scores
from recall_lab.store.columns import Columns
from recall_lab.store.postings import Ids, find

STEPS: Final = (-2, -1, 1, 2)
LIKELY: Final = 100  # texts that are looked at for whether they are questions
RARE_ENOUGH: Final = 16_384
PROSE: Final = KINDS.index("text")
DAY_MS: Final = 86_400_000
_BEST: Final = (1.0, 0.5, 0.25, 0.0)  # what the best, the second, the third and any other score of a session count


def beside(columns: Columns, ids: Ids) -> tuple[Any, Mask]:
    """What stands two and one places before and after each text, and whether anything does: shape (len(ids), 4)."""
    import numpy as np

    at = columns.where[ids]
    places = at[:, None] + np.array(STEPS, np.int32)
    # What is below 0 is very large without its sign.
    there = (places.view(np.uint32) < len(columns.text)) & (at[:, None] >= 0)
    there &= columns.source.take(places, mode="clip") == columns.source.take(at, mode="clip")[:, None]
    return columns.text.take(places, mode="clip"), there


def neighbors(asked: Asked, ids: Ids) -> tuple[Bits, Scores]:
    """What stands beside each text, and what the neighbours add to its score.

    That one holds something as typed is not said: only in the texts that are shown it is looked up.
    """
    import numpy as np

    config = asked.config
    if not (config.far or config.near):
        return np.zeros(len(ids), np.uint64), np.zeros(len(ids), np.float32)
    weights = np.array((config.far, config.near, config.near, config.far), np.float32)
    texts, there = beside(asked.index.columns, ids)
    scores, bits = asked.scorer.looked_up(texts.ravel())
    scores = np.where(there, scores.reshape(texts.shape), np.float32(0)) @ weights
    bits = np.where(there & (weights > 0), bits.reshape(texts.shape), np.uint64(0))
    return np.bitwise_or.reduce(bits, axis=1) & ~asked.exact, scores


def answers(asked: Asked, ids: Ids, scores: Scores) -> tuple[Any, Any]:
    """Which of the likeliest texts are questions, and which texts follow one.

    Args:
        asked: The query.
        ids: Texts, ascending.
        scores: Of these texts.

    Returns:
        Places among the ids: of questions, and of the texts after them, -1 for one that is not among the ids.
    """
    import numpy as np

    config, columns = asked.config, asked.index.columns
    places = np.empty(0, np.int64)
    if asked.open and (config.answer or config.asking):
        likely = np.argsort(-scores, kind="stable")[:LIKELY]
        texts = ids[likely]
        prose = (columns.nature[texts] & 7) == PROSE
        likely, texts = likely[prose].tolist(), texts[prose].tolist()
        asking = asked.index.asking(texts)
        places = np.array([place for place, text in zip(likely, texts, strict=True) if text in asking], np.int64)
    if not len(places):
        return places, places
    texts, there = beside(columns, ids[places])
    after, there = texts[:, STEPS.index(1)], there[:, STEPS.index(1)]
    at, found = find(ids, after)
    # A call answers nobody.
    return places, np.where(there & found & ((columns.nature[after] & 7) == PROSE), at, -1)


def titled(asked: Asked, ids: Ids) -> Bits:
    """What the title of each text's session holds."""
    import numpy as np

    found = np.zeros(len(ids), np.uint64)
    if not asked.config.title:
        return found
    sessions = asked.index.sessions[ids]
    for bit, feature in enumerate(asked.features):
        for term in feature.words if feature.weight and not feature.exact else ():
            named = asked.index.titled(term)
            if len(named):
                holds = np.zeros(int(max(named[-1], sessions.max())) + 1, bool)
                holds[named] = True
                found |= holds[sessions].astype(np.uint64) << np.uint64(bit)
    return found


class Sessions:
    """The sessions of some texts.

    Attributes:
        priors: For each text its session's prior: its best three scores, weighted 1, 1/2, 1/4; float32.
    """

    def __init__(self, asked: Asked, ids: Ids, own: Scores, bits: Bits) -> None:
        import numpy as np

        self._asked = asked
        sessions = asked.index.sessions[ids]
        order = np.lexsort((-own, sessions))
        sessions = sessions[order]
        first = np.empty(len(ids), bool)
        first[0] = True
        np.not_equal(sessions[1:], sessions[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        group = np.cumsum(first) - 1
        place = np.arange(len(ids)) - starts[group]
        self._sums = np.bincount(group, own[order] * np.array(_BEST).take(place, mode="clip"))
        self._sessions = sessions[starts]
        self._bits = np.bitwise_or.reduceat(bits[order], starts)
        self._group = np.empty(len(ids), np.int64)
        self._group[order] = group
        self.priors: Scores = self._sums[self._group].astype(np.float32)

    def scores(self, places: Any) -> Scores:
        """The scores of the sessions of the texts at these places among the ids: the prior, and what they cover."""
        groups = self._group[places]
        return self._sums[groups] + self._asked.config.session_coverage * self._covered(groups)

    def _covered(self, groups: Any) -> Scores:
        """Idf of the query's terms found anywhere in each session."""
        import numpy as np

        asked = self._asked
        sessions, bits = self._sessions[groups], self._bits[groups]
        if asked.config.session_coverage and len(groups):
            every = int(np.bitwise_and.reduce(bits))
            for bit, feature in enumerate(asked.features):
                # What most sessions hold does not tell them apart.
                if feature.weight > 0 and not every >> bit & 1 and feature.blocks <= RARE_ENOUGH:
                    theirs = asked.index.sessions.take(feature.postings.ids)
                    holds = np.zeros(int(max(theirs.max(initial=0), sessions.max())) + 2, bool)
                    holds[theirs] = True
                    bits |= holds[sessions].astype(np.uint64) << np.uint64(bit)
        return asked.weigh(bits)


def kinds(asked: Asked, ids: Ids) -> Scores:
    """What prose is preferred by to what tools were asked and said, and what the caller prefers."""
    import numpy as np

    by_nature = np.array(factors(asked.config.tools, asked.config.prefer, asked.wanted.prefer), np.float32)
    found: Scores = by_nature[asked.index.columns.nature[ids] & 63]
    return found


@lru_cache(32)
def factors(tools: float, prefer: float, preferred: tuple[str, ...]) -> tuple[float, ...]:
    """The factor of each value of ``Columns.nature``."""
    found = []
    for nature in range(64):
        role, kind = ROLES[nature >> 3 & 3], KINDS[nature & 3]
        factor = 1 - tools if kind in {"tool_use", "tool_result"} else 1.0
        found.append(factor * (1 + prefer) ** len({role, kind} & set(preferred)))
    return tuple(found)


def dated(asked: Asked, ids: Ids) -> Scores:
    """What texts gain that stand in a day or month that the query names."""
    import numpy as np

    found = np.ones(len(ids), np.float32)
    if asked.wanted.spans and asked.config.date:
        columns = asked.index.columns
        moment = columns.moment[columns.where[ids]]
        for start, end in asked.wanted.spans:
            found[(moment >= start) & (moment < end) & (moment >= 0)] = 1 + asked.config.date
    return found


def recency(asked: Asked, ids: Ids) -> Scores:
    """1 for now, falling to ``1 - config.recency`` with age; texts without a time count as old."""
    import numpy as np

    config = asked.config
    if not config.half_life_days or not config.recency:
        return np.ones(len(ids), np.float32)
    columns = asked.index.columns
    moment = columns.moment[columns.where[ids]]
    age = np.maximum(asked.wanted.now.timestamp() * 1000 - moment, 0) / DAY_MS
    fresh = np.where(moment >= 0, np.exp2(-np.minimum(age / config.half_life_days, 1000)), 0)
    return (1 - config.recency + config.recency * fresh).astype(np.float32)
