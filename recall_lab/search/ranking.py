"""Which texts come first: tiers of evidence, neighbours, the session's prior, age."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from recall_lab.model import Filters
from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Features, Scores, bm25
from recall_lab.store.fulltext import Fulltext, Ids, Place

Tier = Literal["exact", "all", "some"]
_RANK: dict[str, int] = {"exact": 0, "all": 1, "some": 2}
_MOST_LOOKED_AT = 6400
_EXACT_LOOKED_AT = 200
_OUTSIDE_LOOKED_AT = 1000


class Wanted(msgspec.Struct, frozen=True):
    """What a search looks through, and how much of it.

    Attributes:
        filters: What narrows the search, scope included.
        within: All texts of the sessions that the filters name; None when they name none or too many.
        beyond: The filters without the scope, to count what lies outside it; None when there is no scope.
        now: The moment that ages are counted from.
        need: How many results are asked for.
        alternatives: Clauses of each side of an OR.
        required: Clauses that a hit must hold.
    """

    filters: Filters
    within: Ids | None
    beyond: Filters | None
    now: datetime
    need: int
    alternatives: tuple[tuple[int, ...], ...] = ()
    required: tuple[int, ...] = ()


class Ranked(msgspec.Struct, frozen=True):
    """A text in its rank.

    Attributes:
        place: Where it stands.
        tier: Its evidence.
        held: Numbers of the features that it holds.
        around: Numbers of the features that only its neighbours hold.
        coverage: idf-weighted share of the query's terms that it or its neighbours hold.
        own: Its own BM25.
        near: What its neighbours added.
        prior: What its session added.
        recency: The factor for its age.
        score: (own + near + prior) * recency.
        session_score: For ranking sessions.
    """

    place: Place
    tier: Tier
    held: tuple[int, ...]
    around: tuple[int, ...]
    coverage: float
    own: float
    near: float
    prior: float
    recency: float
    score: float
    session_score: float


class Ranking(msgspec.Struct, frozen=True):
    """Texts in order, how many the gate held back, how well the best one covers the query, hits outside the scope."""

    ranked: tuple[Ranked, ...]
    gated: int
    best_coverage: float
    outside: int


def rank(index: Fulltext, features: Features, config: SearchConfig, wanted: Wanted) -> Ranking:
    """Rank the texts that hold something of the query and pass the filters."""
    return _Ranker(index, features, config, wanted).run()


class _Ranker:
    def __init__(self, index: Fulltext, features: Features, config: SearchConfig, wanted: Wanted) -> None:
        import numpy as np

        self._index = index
        self._features = features.positive
        self._excluded = features.excluded
        self._config = config
        self._wanted = wanted
        self._scores: Scores = bm25(index, features.positive, config)
        self._idf = np.array([f.idf if f.counted else 0.0 for f in self._features], np.float32)
        self._counted = np.array([f.counted for f in self._features], bool)
        self._exact = np.array([f.exact for f in self._features], bool)
        self._must = self._mask()

    def run(self) -> Ranking:
        wanted = self._wanted
        places = self._candidates(wanted.filters, wanted.within, max(wanted.need, self._config.pool))
        lines = self._lines(places)
        if self._neighbors_count():
            fresh = {i for line, _ in lines.values() for i in line} - places.keys()
            fresh = {i for i in fresh if self._must is None or i < len(self._must) and self._must[i]}
            # A neighbour that holds nothing itself may still be the answer to what was asked beside it.
            fresh &= {i for text_id, (line, at) in lines.items() for i in line[max(0, at - 2) : at + 3]}
            places.update(self._index.places(sorted(fresh), wanted.filters))
        table = _Table(self, places, lines)
        ranked = self._order(table)
        outside = 0
        if wanted.beyond is not None:
            beyond = self._candidates(wanted.beyond, None, max(wanted.need, _OUTSIDE_LOOKED_AT))
            others = sorted(beyond.keys() - places.keys())
            shares = self.held(others) @ self._idf / (self.weight or 1.0)
            outside = int((shares >= self._config.refuse).sum())
        return Ranking(tuple(ranked), table.gated, table.best, outside)

    @property
    def weight(self) -> float:
        """The idf of all that the query asks for."""
        return float(self._idf.sum())

    def _neighbors_count(self) -> bool:
        """Whether a text may be found by its neighbours alone: in questions, not for an identifier or a word or two."""
        config = self._config
        return (
            bool(config.near or config.far)
            and int(self._counted.sum()) >= config.least_terms
            and not self._exact.any()
            and not self._wanted.required
        )

    # ---- candidates ------------------------------------------------------------------------------------------------

    def _candidates(self, filters: Filters, within: Ids | None, need: int) -> dict[int, Place]:
        """The best texts that pass the filters."""
        import numpy as np

        scores = self._scores
        if self._must is not None:
            scores = np.where(self._must, scores, np.float32(0))
        if within is not None:
            inside = np.zeros_like(scores)
            inside[within] = scores[within]
            scores = inside
        matched = int(np.count_nonzero(scores))
        strongest = list(self._strongest(scores))
        look_at = need
        while True:
            ids = dict.fromkeys([*strongest, *_top(scores, min(look_at, matched))])
            places = self._index.places(ids, filters)
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
                every = every[_among(ids, every)]
            groups.append(every)
        for ids in groups:
            good = ids[scores[ids] > 0]
            if len(good) > _EXACT_LOOKED_AT:
                good = good[np.argsort(-scores[good], kind="stable")[:_EXACT_LOOKED_AT]]
            yield from good.tolist()

    def _mask(self) -> Any:
        """Which texts satisfy AND, OR and NOT; None when the query asks for nothing of the kind."""
        import numpy as np

        wanted = self._wanted
        mask = None
        if wanted.required:
            mask = np.zeros(len(self._scores), bool)
            for side in wanted.alternatives:
                must = [clause for clause in side if clause in wanted.required]
                mine = self._holding(must[:1] or side)
                for clause in must[1:]:
                    mine &= self._holding([clause])
                mask |= mine
        for feature in self._excluded:
            if mask is None:
                mask = np.ones(len(self._scores), bool)
            mask[feature.postings.ids] = False
        return mask

    def _holding(self, clauses: Sequence[int]) -> Any:
        """Which texts hold any of these clauses."""
        import numpy as np

        mask = np.zeros(len(self._scores), bool)
        for clause in clauses:
            speaking = [feature for feature in self._features if feature.clauses == (clause,) or clause in feature.clauses]
            speaking = [feature for feature in speaking if len(feature.clauses) == 1 or feature.kind == "term"]
            # A compound stands for all of it side by side; its parts are only hints.
            for feature in [f for f in speaking if f.kind != "term"] or speaking:
                mask[feature.postings.ids] = True
        return mask

    # ---- evidence --------------------------------------------------------------------------------------------------

    def held(self, ids: Sequence[int]) -> Any:
        """Which features each text holds: bool, shape (len(ids), features); ids ascending."""
        import numpy as np

        wanted = np.array(ids, np.int64)
        held = np.zeros((len(wanted), len(self._features)), bool)
        for number, feature in enumerate(self._features):
            held[:, number] = _among(feature.postings.ids, wanted)
        return held

    def score(self, text_id: int) -> float:
        """A text's own BM25."""
        return float(self._scores[text_id]) if text_id < len(self._scores) else 0.0

    def _lines(self, places: dict[int, Place]) -> dict[int, tuple[list[int], int]]:
        """What stands around each text: up to four texts before and after it, and where it is among them."""
        if not (self._config.near or self._config.far):
            return {text_id: ([text_id], 0) for text_id in places}
        reach = 4 if self._neighbors_count() else 2
        lines = {}
        for text_id, place in places.items():
            before, after = self._index.around(place, reach)
            lines[text_id] = ([*reversed(before), text_id, *after], len(before))
        return lines

    # ---- order -----------------------------------------------------------------------------------------------------

    def _order(self, table: _Table) -> list[Ranked]:
        ranked = [table.ranked(text_id) for text_id in table.kept]
        tiers = self._config.tiers
        ranked.sort(key=lambda r: (_RANK[r.tier] if tiers else 0, -r.score, -r.place.text_id))
        return ranked

    def tier(self, held: Any) -> Tier:
        """The evidence of a text that holds these features (bool, shape (features,))."""
        if (held & self._exact).any():
            return "exact"
        return "all" if held[self._counted].all() and held.any() else "some"

    def recency(self, timestamp: str | None) -> float:
        """1 for now, falling to ``1 - config.recency`` with age; texts without a time count as old."""
        config = self._config
        if not config.half_life_days or not config.recency:
            return 1.0
        age = _days(timestamp, self._wanted.now)
        fresh = 0.0 if age is None else 0.5 ** (max(age, 0.0) / config.half_life_days)
        return 1 - config.recency + config.recency * fresh

    def share(self, held: Any) -> Any:
        """idf-weighted share of the query's terms."""
        return held @ self._idf / self.weight if self.weight else held.any(axis=-1).astype("f4")

    @property
    def config(self) -> SearchConfig:
        """Weights and switches."""
        return self._config


class _Table:
    """What is known of the texts looked at closely and of their neighbours."""

    def __init__(self, ranker: _Ranker, places: dict[int, Place], lines: dict[int, tuple[list[int], int]]) -> None:
        import numpy as np

        self._ranker = ranker
        self._places = places
        config = ranker.config
        ids = sorted(places.keys() | {i for line, _ in lines.values() for i in line})
        self._row = {text_id: row for row, text_id in enumerate(ids)}
        self._held = ranker.held(ids)
        self._own = {text_id: ranker.score(text_id) for text_id in ids}
        self._beside = _beside(places, lines, (config.near, config.far))
        around = np.array(self._held)
        for text_id, near in self._beside.items():
            for other, _ in near:
                around[self._row[text_id]] |= self._held[self._row[other]]
        self._around = around
        self._share = ranker.share(around)
        own_share = ranker.share(self._held)
        rows = [self._row[text_id] for text_id in places]
        self.best = float(max((own_share[row] for row in rows), default=0.0))
        self.kept = [
            text_id
            for text_id, row in zip(places, rows, strict=True)
            if self.best >= config.refuse and self._share[row] >= (config.refuse if self._held[row].any() else config.weak)
        ]
        self.gated = sum(bool(self._held[row].any()) for row in rows) - sum(
            bool(self._held[self._row[text_id]].any()) for text_id in self.kept
        )
        self._sessions = self._priors()

    def _priors(self) -> dict[int, tuple[float, float]]:
        """Each session's prior (best three scores, weighted 1, 1/2, 1/4), and its score when sessions are ranked."""
        best: dict[int, list[float]] = {}
        rows: dict[int, list[int]] = {}
        for text_id, place in self._places.items():
            best.setdefault(place.session_id, []).append(self._own[text_id])
            rows.setdefault(place.session_id, []).append(self._row[text_id])
        result = {}
        for session, scores in best.items():
            scores.sort(reverse=True)
            prior = sum(score * weight for score, weight in zip(scores, (1.0, 0.5, 0.25), strict=False))
            covered = float(self._ranker.share(self._held[rows[session]].any(axis=0))) * self._ranker.weight
            result[session] = (prior, prior + self._ranker.config.session_coverage * covered)
        return result

    def ranked(self, text_id: int) -> Ranked:
        """Put together what is known of one text."""
        place, row, own = self._places[text_id], self._row[text_id], self._own[text_id]
        near = sum(weight * self._own[other] for other, weight in self._beside.get(text_id, ()))
        prior, session_score = self._sessions[place.session_id]
        prior *= self._ranker.config.session
        factor = self._ranker.recency(place.timestamp)
        held = self._held[row]
        return Ranked(
            place=place,
            tier=self._ranker.tier(held),
            held=tuple(held.nonzero()[0].tolist()),
            around=tuple((self._around[row] & ~held).nonzero()[0].tolist()),
            coverage=float(self._share[row]),
            own=own,
            near=near,
            prior=prior,
            recency=factor,
            score=(own + near + prior) * factor,
            session_score=session_score,
        )


def _beside(
    places: dict[int, Place], lines: dict[int, tuple[list[int], int]], weights: tuple[float, float]
) -> dict[int, list[tuple[int, float]]]:
    """What stands one and two places before and after each text, with its weight."""
    near, far = weights
    steps = ((-2, far), (-1, near), (1, near), (2, far))
    found: dict[int, list[tuple[int, float]]] = {}
    for line, middle in lines.values():
        for at in range(max(0, middle - 2), min(len(line), middle + 3)):
            if line[at] in places and (at == middle or line[at] not in lines):
                found[line[at]] = [(line[at + s], w) for s, w in steps if w and 0 <= at + s < len(line)]
    return found


def _among(ids: Ids, wanted: Ids) -> Any:
    """Which of ``wanted`` are in ``ids``; both ascending. bool, shape (len(wanted),)."""
    import numpy as np

    if not len(ids):
        return np.zeros(len(wanted), bool)
    at = np.searchsorted(ids, wanted)
    at[at == len(ids)] = 0
    found: Any = ids[at] == wanted
    return found


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
