"""Which texts come first: tiers of evidence, neighbours, the session's prior, age."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from recall_lab.model import KINDS, ROLES, Filters
from recall_lab.search.config import SearchConfig
from recall_lab.search.exact import pattern_of
from recall_lab.search.features import Features
from recall_lab.search.scoring import Mask, Scorer, Scores
from recall_lab.store.fulltext import Fulltext, Ids, Reach, among
from recall_lab.text import fold

Tier = Literal["exact", "all", "some"]
TIERS: Final[tuple[Tier, ...]] = ("exact", "all", "some")
_MOST_LOOKED_AT: Final = 6400
_STRONGEST: Final = 200
_MOSTLY: Final = 0.5  # share of the query that a title has to hold to bring its session in
_TITLES: Final = 5
_RARE_ENOUGH: Final = 16_384
_STEPS: Final = (-2, -1, 1, 2)
_DAY_MS: Final = 86_400_000


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


class Ranked(msgspec.Struct, frozen=True):
    """A text in its rank.

    Attributes:
        text_id: The text.
        tier: Its evidence.
        held: Numbers of the features that it holds.
        around: Numbers of the features that only its neighbours hold.
        title: Numbers of the features that its session's title holds.
        coverage: idf-weighted share of the query's terms that it, its neighbours or its session's title hold.
        own: Its own BM25.
        near: What its neighbours added.
        prior: What its session and its title added.
        recency: The factor for its age.
        kind: The factor for its role and kind.
        score: (own + near + prior) * recency * kind.
        session_score: For ranking sessions.
    """

    text_id: int
    tier: Tier
    held: tuple[int, ...]
    around: tuple[int, ...]
    title: tuple[int, ...]
    coverage: float
    own: float
    near: float
    prior: float
    recency: float
    kind: float
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
        self._columns = index.columns
        self._features = features.positive
        self._config = config
        self._wanted = wanted
        self._scorer = Scorer(index, features.positive, config)
        self._weights = np.array([feature.weight for feature in self._features], np.float32)
        self._weight = float(self._weights.sum())
        self._counted = self._weights > 0
        self._exact = np.array([f.exact for f in self._features], bool)
        self._all = features
        self._may = self._satisfying(features, wanted.reach)

    def run(self) -> Ranking:
        import numpy as np

        pool = self._candidates()
        ids = np.unique(np.concatenate([pool, self._found_by_neighbors(pool), self._found_by_title()]))
        if not len(ids):
            return Ranking((), 0, 0.0, self._outside())
        held = self._held(ids)
        around, near = self._neighbors(ids, held)
        own = self._scorer.of(ids)
        prior, session_score = self._sessions(ids, own, held)
        title = self._titled(ids)
        prior = self._config.session * prior + self._config.title * self._weigh(title)
        recency = self._recency(ids)
        kind = self._kinds(ids)
        score = (own + near + prior) * recency * kind
        until = self._wanted.offset + self._wanted.limit
        checked = np.zeros(len(ids), bool)
        while True:
            tier = self._tiers(held)
            share = self._share(held | around | title)
            best = float(self._share(held | title).max())
            # What holds nothing itself has to stand beside more than a word of the query.
            least = np.where((held | title).any(axis=1), self._config.common, self._config.weak)
            keep = np.flatnonzero(share >= least)
            order = keep[np.lexsort((-ids[keep], -score[keep], tier[keep] * self._config.tiers))]
            unchecked = [i for i in order[:until].tolist() if tier[i] == 0 and not checked[i]]
            if not unchecked:
                break
            self._check(ids, held, unchecked)
            checked[unchecked] = True
        if best < self._config.refuse:
            return Ranking((), self._matched(), best, self._outside())
        shown = order[self._wanted.offset : self._wanted.offset + self._wanted.limit]
        ranked = tuple(
            Ranked(
                text_id=int(ids[i]),
                tier=TIERS[int(tier[i])],
                held=tuple(held[i].nonzero()[0].tolist()),
                around=tuple((around[i] & ~held[i]).nonzero()[0].tolist()),
                title=tuple(title[i].nonzero()[0].tolist()),
                coverage=float(share[i]),
                own=float(own[i]),
                near=float(near[i]),
                prior=float(prior[i]),
                recency=float(recency[i]),
                kind=float(kind[i]),
                score=float(score[i]),
                session_score=float(session_score[i]),
            )
            for i in shown.tolist()
        )
        gated = int(np.count_nonzero((share < least) & held.any(axis=1)))
        return Ranking(ranked, gated, best, self._outside())

    # ---- candidates ------------------------------------------------------------------------------------------------

    def _candidates(self) -> Ids:
        """The texts to look at closely, ascending."""
        import numpy as np

        look_at = max(self._wanted.offset + self._wanted.limit, self._config.pool)
        while True:
            best = self._scorer.best(look_at, self._may)
            ids = np.union1d(self._strongest(), best).astype(np.int32)
            passing = self._index.passing(ids, self._wanted.filters)
            if passing is None:
                return ids
            if len(passing) >= look_at or len(best) < look_at or look_at >= _MOST_LOOKED_AT:
                return np.array(sorted(passing), np.int32)
            look_at *= 4

    def _matched(self) -> int:
        """How many texts hold anything of the query."""
        import numpy as np

        return int(np.count_nonzero(self._scorer.matching() & self._may))

    def _strongest(self) -> Ids:
        """Texts that may be exact evidence, and texts that hold every term, whatever their score."""
        import numpy as np

        groups = [feature.postings.ids for feature in self._features if feature.exact]
        counted = sorted((f.postings.ids for f in self._features if f.weight), key=len)
        if len(counted) > 1 and len(counted[0]):
            every = counted[0]
            for ids in counted[1:]:
                every = every[among(ids, every)]
            groups.append(every)
        found = [np.empty(0, np.int32)]
        for ids in groups:
            good = ids[self._may[ids]]
            if len(good) > _STRONGEST:
                scores = self._scorer.of(good[-_MOST_LOOKED_AT:])
                good = good[-_MOST_LOOKED_AT:][np.argsort(-scores, kind="stable")[:_STRONGEST]]
            found.append(good)
        return np.concatenate(found)

    def _found_by_neighbors(self, pool: Ids) -> Ids:
        """Texts beside the best ones, which may be the answer to what was asked there.

        Only for questions: an identifier, a word or two, or a required word must stand in the text itself.
        """
        import numpy as np

        config = self._config
        if (
            not (config.near or config.far)
            or int(self._counted.sum()) < config.least_terms
            or (self._exact & self._counted).any()
            or self._wanted.required
        ):
            return np.empty(0, np.int32)
        beside, there = self._beside(pool)
        ids = np.unique(beside[there])
        ids = ids[self._may[ids]]
        passing = self._index.passing(ids, self._wanted.filters)
        return ids if passing is None else np.array(sorted(passing), np.int32)

    def _found_by_title(self) -> Ids:
        """Where the sessions begin whose title holds most of what is asked: the title stands in no text."""
        import numpy as np

        none = np.empty(0, np.int32)
        if not self._config.title or self._wanted.required or not self._weight:
            return none
        shares: dict[int, float] = {}
        for feature in self._features:
            if feature.weight and not feature.exact and len(feature.terms) == 1:
                for session in self._index.titled(feature.terms[0]).tolist():
                    shares[session] = shares.get(session, 0.0) + feature.weight / self._weight
        best = sorted((session for session, share in shares.items() if share >= _MOSTLY), key=lambda s: -shares[s])
        found = []
        for session in best[:_TITLES]:
            texts = self._columns.text[self._columns.session == session]
            texts = texts[self._may[texts]]
            found.extend(texts[:1].tolist())
        passing = self._index.passing(found, self._wanted.filters) if found else None
        return np.array(sorted(found if passing is None else passing), np.int32) if found else none

    def _satisfying(self, features: Features, reach: Reach) -> Mask:
        """Which texts pass the filters and satisfy AND, OR and NOT."""
        import numpy as np

        wanted = self._wanted
        mask = reach.texts.copy() if wanted.required or features.excluded else reach.texts
        if wanted.required:
            holding = np.zeros(len(mask), bool)
            for side in wanted.alternatives:
                must = [clause for clause in side if clause in wanted.required]
                mine = self._holding(must[:1] or side)
                for clause in must[1:]:
                    mine &= self._holding([clause])
                holding |= mine
            mask &= holding
        for feature in features.excluded:
            mask[feature.postings.ids] = False
        return mask

    def _holding(self, clauses: Sequence[int]) -> Mask:
        """Which texts hold any of these clauses."""
        import numpy as np

        mask = np.zeros(self._columns.size, bool)
        for clause in clauses:
            speaking = [feature for feature in self._features if clause in feature.clauses]
            # A compound stands for all of it side by side; its parts are only hints.
            for feature in [f for f in speaking if f.kind == "loose"] or speaking:
                mask[feature.postings.ids] = True
        return mask

    def _outside(self) -> int:
        """How many texts the same query finds outside the scope."""
        import numpy as np

        if self._wanted.beyond is None:
            return 0
        beyond = self._satisfying(self._all, self._wanted.beyond) & ~self._wanted.reach.texts
        ids = np.flatnonzero(beyond & self._scorer.matching()).astype(np.int32)
        passing = self._index.passing(ids[:_MOST_LOOKED_AT], self._wanted.filters) if len(ids) else None
        if passing is not None:
            ids = np.array(sorted(passing), np.int32)
        return int(np.count_nonzero(self._share(self._held(ids)) >= self._config.common))

    def _check(self, ids: Ids, held: Mask, unchecked: Sequence[int]) -> None:
        """Look whether texts hold phrases and identifiers as typed; take from ``held`` what they do not."""
        patterns = {n: pattern_of(f) for n, f in enumerate(self._features) if f.exact}
        texts = self._index.texts([int(ids[i]) for i in unchecked])
        for i in unchecked:
            folded = fold(texts[int(ids[i])])
            for number, pattern in patterns.items():
                held[i, number] = held[i, number] and pattern.search(folded) is not None

    # ---- evidence --------------------------------------------------------------------------------------------------

    def _held(self, ids: Ids) -> Mask:
        """Which features each text holds: bool, shape (len(ids), features); ids ascending."""
        import numpy as np

        held = np.zeros((len(ids), len(self._features)), bool)
        for number, feature in enumerate(self._features):
            held[:, number] = among(feature.postings.ids, ids)
        return held

    def _weigh(self, held: Mask) -> Scores:
        """The weights of what is held, added up; float32, shape (len(held),)."""
        import numpy as np

        found: Scores = held.astype(np.float32) @ self._weights
        return found

    def _share(self, held: Mask) -> Any:
        """idf-weighted share of the query's terms."""
        return self._weigh(held) / self._weight if self._weight else held.any(axis=1).astype("f4")

    def _tiers(self, held: Mask) -> Any:
        import numpy as np

        every = held[:, self._counted].all(axis=1) & held.any(axis=1)
        return np.where((held & self._exact).any(axis=1), 0, np.where(every, 1, 2))

    def _beside(self, ids: Ids) -> tuple[Any, Mask]:
        """What stands two and one places before and after each text, and whether anything does: shape (len(ids), 4)."""
        import numpy as np

        columns = self._columns
        at = columns.where[ids].astype(np.int64)[:, None]
        beside = at + np.array(_STEPS)
        there = (at >= 0) & (beside >= 0) & (beside < len(columns.text))
        beside = np.where(there, beside, 0)
        there &= columns.source[beside] == columns.source[at]
        return columns.text[beside], there

    def _neighbors(self, ids: Ids, held: Mask) -> tuple[Mask, Scores]:
        """Which features stand beside each text, and what the neighbours add to its score."""
        import numpy as np

        config = self._config
        beside, there = self._beside(ids)
        weights = np.array((config.far, config.near, config.near, config.far), np.float32)
        others = np.unique(beside[there])
        if not len(others):
            return np.zeros_like(held), np.zeros(len(ids), np.float32)
        place = np.searchsorted(others, np.where(there, beside, others[0]))
        scores = np.where(there, self._scorer.of(others)[place], np.float32(0)) @ weights
        around = np.zeros_like(held)
        if scores.any():
            theirs = self._held(others)
            for step in range(len(_STEPS)):
                if weights[step]:
                    rows = np.flatnonzero(there[:, step])
                    around[rows] |= theirs[place[rows, step]]
        return around, scores

    def _titled(self, ids: Ids) -> Mask:
        """Which features the title of each text's session holds."""
        import numpy as np

        held = np.zeros((len(ids), len(self._features)), bool)
        if self._config.title:
            sessions = self._columns.session[self._columns.where[ids]]
            for number, feature in enumerate(self._features):
                if feature.weight and not feature.exact:
                    for term in feature.terms[:1] if len(feature.terms) == 1 else ():
                        held[:, number] = np.isin(sessions, self._index.titled(term))
        return held

    def _sessions(self, ids: Ids, own: Scores, held: Mask) -> tuple[Scores, Scores]:
        """For each text its session's prior (best three scores, weighted 1, 1/2, 1/4) and its session's score."""
        import numpy as np

        sessions = self._columns.session[self._columns.where[ids]]
        order = np.lexsort((-own, sessions))
        starts = np.flatnonzero(np.diff(sessions[order], prepend=-1))
        group = np.zeros(len(ids), np.int64)
        group[starts[1:]] = 1
        group = np.cumsum(group)
        place = np.arange(len(ids)) - starts[group]
        weights = np.where(place < 3, 0.5 ** np.minimum(place, 3), 0)
        priors = np.bincount(group, own[order] * weights)
        covered = self._covered(sessions[order][starts], np.logical_or.reduceat(held[order], starts, axis=0))
        of_text = np.empty(len(ids), np.int64)
        of_text[order] = group
        return priors[of_text].astype(np.float32), (priors + self._config.session_coverage * covered)[of_text]

    def _covered(self, sessions: Any, seen: Mask) -> Scores:
        """Idf of the query's terms found anywhere in each session; ``seen`` are those in the texts looked at."""
        import numpy as np

        columns = self._columns
        highest = int(columns.session.max()) + 1
        for number, feature in enumerate(self._features):
            # What most sessions hold does not tell them apart.
            if self._counted[number] and feature.blocks <= _RARE_ENOUGH:
                holds = np.zeros(highest, bool)
                rows = columns.where[feature.postings.ids]
                holds[columns.session[rows[rows >= 0]]] = True
                seen[:, number] |= holds[sessions]
        return self._weigh(seen)

    def _kinds(self, ids: Ids) -> Scores:
        """What prose is preferred by to what tools were asked and said, and what the caller prefers."""
        import numpy as np

        factors = np.ones(64, np.float32)
        for at in range(64):
            role, kind = ROLES[at >> 3 & 3], KINDS[at & 3]
            if kind in {"tool_use", "tool_result"}:
                factors[at] -= self._config.tools
            factors[at] *= (1 + self._config.prefer) ** len({role, kind} & set(self._wanted.prefer))
        found: Scores = factors[self._columns.nature[ids] & 63]
        return found

    def _recency(self, ids: Ids) -> Scores:
        """1 for now, falling to ``1 - config.recency`` with age; texts without a time count as old."""
        import numpy as np

        config = self._config
        if not config.half_life_days or not config.recency:
            return np.ones(len(ids), np.float32)
        moment = self._columns.moment[self._columns.where[ids]]
        age = np.maximum(self._wanted.now.timestamp() * 1000 - moment, 0) / _DAY_MS
        fresh = np.where(moment >= 0, np.exp2(-np.minimum(age / config.half_life_days, 1000)), 0)
        return (1 - config.recency + config.recency * fresh).astype(np.float32)
