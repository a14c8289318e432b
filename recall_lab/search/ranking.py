"""Which texts come first: tiers of evidence, neighbours, the session's prior, age."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Features, Scores, bm25
from recall_lab.model import Filters
from recall_lab.store.fulltext import Fulltext, Place

Tier = Literal["exact", "all", "some"]
_RANK: dict[str, int] = {"exact": 0, "all": 1, "some": 2}
_MOST_LOOKED_AT = 6400
_EXACT_LOOKED_AT = 400


class Ranked(msgspec.Struct, frozen=True):
    """A text in its rank.

    Attributes:
        place: Where it stands.
        tier: Its evidence.
        held: Numbers of the features that it holds.
        around: Numbers of the features that only its neighbours hold.
        coverage: idf-weighted share of the query's terms that it holds.
        own: Its own BM25.
        context: What neighbours and session added.
        recency: The factor for its age.
        score: (own + context) * recency.
        session_score: For ranking sessions.
    """

    place: Place
    tier: Tier
    held: tuple[int, ...]
    around: tuple[int, ...]
    coverage: float
    own: float
    context: float
    recency: float
    score: float
    session_score: float


class Ranking(msgspec.Struct, frozen=True):
    """Texts in order, how many were held back by the gate, and how well the best one covers the query."""

    ranked: tuple[Ranked, ...]
    gated: int
    best_coverage: float
    outside: int


def rank(
    index: Fulltext,
    features: Features,
    filters: Filters,
    outside_filters: Filters | None,
    config: SearchConfig,
    now: datetime,
    *,
    need: int,
    alternatives: Sequence[Sequence[int]] = (),
    required: Sequence[int] = (),
) -> Ranking:
    """Rank the texts that hold something of the query and pass the filters.

    Args:
        index: The full-text index.
        features: The query's features.
        filters: What narrows the search, scope included.
        outside_filters: The same without the scope; None when there is no scope.
        config: Weights and switches.
        now: The moment that ages are counted from.
        need: How many results are asked for.
        alternatives: Clauses of each side of an OR.
        required: Clauses that a hit must hold.
    """
    return _Ranker(index, features, config, now).run(
        filters, outside_filters, max(need, config.pool), alternatives, required
    )


class _Ranker:
    def __init__(self, index: Fulltext, features: Features, config: SearchConfig, now: datetime) -> None:
        self._index = index
        self._features = features.positive
        self._excluded = features.excluded
        self._total = features.total
        self._config = config
        self._now = now
        self._scores: Scores = bm25(index, features.positive, config)
        self._weight = sum(feature.idf for feature in self._features if feature.counted)

    def run(
        self,
        filters: Filters,
        outside_filters: Filters | None,
        need: int,
        alternatives: Sequence[Sequence[int]],
        required: Sequence[int],
    ) -> Ranking:
        places = self._candidates(filters, need, alternatives, required)
        held = self._held(places)
        coverage = {text_id: self._share(numbers) for text_id, numbers in held.items()}
        best = max(coverage.values(), default=0.0)
        kept = {i: place for i, place in places.items() if coverage[i] >= self._config.refuse}
        gated = len(places) - len(kept)
        ranked = self._rank(kept, held, coverage)
        outside = 0
        if outside_filters is not None:
            everywhere = self._candidates(outside_filters, max(need, 1000), alternatives, required)
            beyond = [i for i in everywhere if i not in places]
            shares = self._held(beyond)
            outside = sum(self._share(numbers) >= self._config.refuse for numbers in shares.values())
        return Ranking(tuple(ranked), gated, best, outside)

    # ---- candidates ------------------------------------------------------------------------------------------------

    def _candidates(
        self, filters: Filters, need: int, alternatives: Sequence[Sequence[int]], required: Sequence[int]
    ) -> dict[int, Place]:
        """The best texts that pass the filters, best first."""
        import numpy as np

        scores = self._scores
        mask = self._must(alternatives, required)
        if mask is not None:
            scores = np.where(mask, scores, np.float32(0))
        scope = self._index.small_scope(filters)
        if scope is not None:
            inside = np.zeros_like(scores)
            scope = scope[scope < len(scores)]
            inside[scope] = scores[scope]
            scores = inside
        matched = int(np.count_nonzero(scores))
        look_at = need
        while True:
            ids = [*self._strongest(scores), *_top(scores, min(look_at, matched))]
            places = self._index.places(dict.fromkeys(ids), filters)
            if len(places) >= need or look_at >= min(matched, _MOST_LOOKED_AT):
                return places
            look_at *= 4

    def _strongest(self, scores: Scores) -> Iterable[int]:
        """Texts with exact evidence, and texts that hold every term, whatever their score."""
        import numpy as np

        groups = [feature.postings.ids for feature in self._features if feature.exact]
        counted = sorted((f.postings.ids for f in self._features if f.counted), key=len)
        if len(counted) > 1 and len(counted[0]):
            every = counted[0]
            for ids in counted[1:]:
                every = every[np.isin(every, ids, assume_unique=True)]
            groups.append(every)
        for ids in groups:
            ids = ids[scores[ids] > 0]
            if len(ids) > _EXACT_LOOKED_AT:
                ids = ids[np.argsort(-scores[ids], kind="stable")[:_EXACT_LOOKED_AT]]
            yield from ids.tolist()

    def _must(self, alternatives: Sequence[Sequence[int]], required: Sequence[int]) -> Scores | None:
        """Which texts satisfy AND, OR and NOT; None when the query asks for nothing of the kind."""
        import numpy as np

        mask = None
        if required:
            needed = set(required)
            sides = [needed & set(side) for side in alternatives]
            mask = np.zeros(len(self._scores), bool)
            for side, must in zip(alternatives, sides, strict=True):
                mine = self._holding(side, any_of=True) if not must else None
                for clause in must:
                    holds = self._holding([clause], any_of=False)
                    mine = holds if mine is None else mine & holds
                if mine is not None:
                    mask |= mine
        for feature in self._excluded:
            if mask is None:
                mask = np.ones(len(self._scores), bool)
            mask[feature.postings.ids] = False
        return mask

    def _holding(self, clauses: Sequence[int], *, any_of: bool) -> Scores:
        import numpy as np

        mask = np.zeros(len(self._scores), bool)
        wanted = set(clauses)
        speaking = [f for f in self._features if wanted & set(f.clauses) and len(f.clauses) <= max(1, len(wanted))]
        if not any_of:
            # A compound stands for all of it beside one another; its parts are only hints.
            speaking = [f for f in speaking if f.kind != "term"] or speaking
        for feature in speaking:
            mask[feature.postings.ids] = True
        return mask

    # ---- evidence --------------------------------------------------------------------------------------------------

    def _held(self, ids: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Numbers of the features that each text holds."""
        import numpy as np

        wanted = np.array(sorted(ids), np.int64)
        held: list[list[int]] = [[] for _ in wanted]
        for number, feature in enumerate(self._features):
            for at in np.flatnonzero(np.isin(wanted, feature.postings.ids, assume_unique=True)).tolist():
                held[at].append(number)
        return {int(text_id): tuple(numbers) for text_id, numbers in zip(wanted, held, strict=True)}

    def _share(self, numbers: Iterable[int]) -> float:
        if not self._weight:
            return 1.0
        return sum(self._features[n].idf for n in numbers if self._features[n].counted) / self._weight

    def _tier(self, numbers: tuple[int, ...]) -> Tier:
        if any(self._features[n].exact for n in numbers):
            return "exact"
        wanted = sum(feature.counted for feature in self._features)
        return "all" if sum(self._features[n].counted for n in numbers) == wanted else "some"

    # ---- order -----------------------------------------------------------------------------------------------------

    def _rank(
        self, places: dict[int, Place], held: dict[int, tuple[int, ...]], coverage: dict[int, float]
    ) -> list[Ranked]:
        config = self._config
        own = {text_id: float(self._scores[text_id]) for text_id in places}
        beside = self._beside(places)
        sessions = self._sessions(places, own, held)
        around_held = self._held({i for near in beside.values() for i, _ in near})
        ranked = []
        for text_id, place in places.items():
            context = sum(weight * self._score(i) for i, weight in beside[text_id])
            prior, session_score = sessions[place.session_id]
            context += config.session * prior
            factor = self.recency(place.timestamp)
            mine = held[text_id]
            around = sorted({n for i, _ in beside[text_id] for n in around_held[i]} - set(mine))
            ranked.append(
                Ranked(
                    place, self._tier(mine), mine, tuple(around), coverage[text_id], own[text_id], context, factor,
                    (own[text_id] + context) * factor, session_score,
                )
            )  # fmt: skip
        if config.tiers:
            ranked.sort(key=lambda r: (_RANK[r.tier], -r.score, -r.place.text_id))
        else:
            ranked.sort(key=lambda r: (-r.score, -r.place.text_id))
        return ranked

    def _score(self, text_id: int) -> float:
        return float(self._scores[text_id]) if text_id < len(self._scores) else 0.0

    def _beside(self, places: dict[int, Place]) -> dict[int, list[tuple[int, float]]]:
        """The texts one and two places before and after each, with their weights."""
        weights = (self._config.near, self._config.far)
        if not any(weights):
            return {text_id: [] for text_id in places}
        found: dict[int, list[tuple[int, float]]] = {}
        for text_id, place in places.items():
            before, after = self._index.neighbors(place, 2)
            found[text_id] = [*zip(before, weights, strict=False), *zip(after, weights, strict=False)]
        return found

    def _sessions(
        self, places: dict[int, Place], own: dict[int, float], held: dict[int, tuple[int, ...]]
    ) -> dict[int, tuple[float, float]]:
        """Each session's prior, and its score when sessions are ranked."""
        best: dict[int, list[float]] = {}
        terms: dict[int, set[int]] = {}
        for text_id, place in places.items():
            best.setdefault(place.session_id, []).append(own[text_id])
            terms.setdefault(place.session_id, set()).update(held[text_id])
        result = {}
        for session, scores in best.items():
            scores.sort(reverse=True)
            prior = sum(score * weight for score, weight in zip(scores, (1.0, 0.5, 0.25), strict=False))
            covered = sum(self._features[n].idf for n in terms[session] if self._features[n].counted)
            result[session] = (prior, prior + self._config.session_coverage * covered)
        return result

    def recency(self, timestamp: str | None) -> float:
        """1 for now, falling to ``1 - config.recency`` with age; texts without a time count as old."""
        config = self._config
        if not config.half_life_days or not config.recency:
            return 1.0
        age = _days(timestamp, self._now)
        fresh = 0.0 if age is None else 0.5 ** (max(age, 0.0) / config.half_life_days)
        return 1 - config.recency + config.recency * fresh


def _days(timestamp: str | None, now: datetime) -> float | None:
    if not timestamp:
        return None
    try:
        then = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=now.tzinfo)
    return (now - then).total_seconds() / 86400


def _top(scores: Scores, count: int) -> list[int]:
    """The ``count`` best text_ids, best first; the newest first among equals."""
    import numpy as np

    if count <= 0:
        return []
    ids = np.flatnonzero(scores)
    if len(ids) > count:
        ids = ids[np.argpartition(-scores[ids], count - 1)[:count]]
    order = np.lexsort((-ids, -scores[ids]))
    found: list[int] = ids[order].tolist()
    return found
