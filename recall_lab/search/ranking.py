"""Which texts come first: tiers of evidence, then BM25 with its surroundings, then age."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from recall_lab.search.asked import Asked, Wanted
from recall_lab.search.candidates import MOST_LOOKED_AT, candidates
from recall_lab.search.config import SearchConfig
from recall_lab.search.context import Sessions, answers, dated, kinds, neighbors, recency, titled
from recall_lab.search.exact import holds, typed
from recall_lab.search.features import Features
from recall_lab.search.fusing import Fusion, Lexical
from recall_lab.search.scoring import Mask, Scores
from recall_lab.store.fulltext import Fulltext
from recall_lab.store.postings import Ids, distinct

Tier = Literal["exact", "all", "some"]
TIERS: Final[tuple[Tier, ...]] = ("exact", "all", "some")


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
        kind: The factor for its role and kind, and for being a question.
        date: The factor for standing in a day or month that the query names.
        score: (own + near + prior) * recency * kind * date, or what a fusion made of it.
        session_score: For ranking sessions.
        parts: What a fusion says of it.
        passage: What a fusion shows of it where it holds no word of the query; (start, end) in code points.
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
    date: float
    score: float
    session_score: float
    parts: dict[str, float] = {}
    passage: tuple[int, int] | None = None


class Ranking(msgspec.Struct, frozen=True):
    """Texts in order, how many the gate held back, how well the best one covers the query, hits outside the scope."""

    ranked: tuple[Ranked, ...]
    gated: int
    best_coverage: float
    outside: int


def rank(
    index: Fulltext,
    features: Features,
    config: SearchConfig,
    wanted: Wanted,
    *,
    query: str = "",
    fusion: Fusion | None = None,
) -> Ranking:
    """Rank the texts that hold something of the query and pass the filters."""
    asked = Asked(index, features, config, wanted)
    ids = candidates(asked)
    if fusion is not None:
        return _fused(asked, ids, query, fusion)
    if not len(ids):
        return Ranking((), 0, 0.0, _outside(asked))
    looked = _Looked(asked, ids)
    until = wanted.offset + wanted.limit
    order = looked.order(until)
    if looked.best < config.refuse:
        return Ranking((), _matched(asked), looked.best, _outside(asked))
    return Ranking(looked.ranked(order[wanted.offset : until]), looked.gated(), looked.best, _outside(asked))


class _Looked:
    """Texts that were looked at closely; arrays in the order of ``ids``."""

    def __init__(self, asked: Asked, ids: Ids) -> None:
        import numpy as np

        scorer, config = asked.scorer, asked.config
        self._asked = asked
        self.ids = ids
        around, self._near = neighbors(asked, ids)
        self._own, self._held = scorer.looked_up(ids)
        self._title = titled(asked, ids)
        self._around = around
        self._sessions = Sessions(asked, ids, self._own, self._held)
        self._prior = config.session * self._sessions.priors + config.title * asked.weigh(self._title)
        self._recency = recency(asked, ids)
        self._kind = kinds(asked, ids)
        self._date = dated(asked, ids)
        questions, after = answers(asked, ids, self._own + self._near + self._prior)
        self._near[after[after >= 0]] += config.answer * self._own[questions[after >= 0]]
        self._kind[questions] *= 1 - config.asking
        whole = self._own + self._near + self._prior
        self.score: Scores = whole * self._recency * self._kind * self._date
        self._checked = np.zeros(len(ids), bool)
        self.tier: Any = None
        self.best = 0.0
        self._share: Any = None
        self._keep: Mask = None

    def order(self, until: int) -> Any:
        """Places among the ids, the best first, without what the gate holds back; the first ``until`` are verified."""
        import numpy as np

        asked, reach, changed = self._asked, until, True
        order: Any = None
        while True:
            if changed:
                self._weigh()
                keep = np.flatnonzero(self._keep)
                tier = self.tier[keep] if asked.config.tiers else np.zeros(len(keep), np.int8)
                # All that was typed says more than an identifier in it.
                part = (self._held[keep] & asked.whole) == 0 if asked.whole and asked.config.tiers else tier
                order = keep[np.lexsort((-self.ids[keep], -self.score[keep], part, tier))]
            if not self._unchecked(order[:until]):
                return order
            changed = self.check(self._unchecked(order[:reach]))
            # Where many only seem to be exact, each round looks at more of them.
            reach *= 2

    def _unchecked(self, order: Any) -> list[int]:
        tier, checked = self.tier[order], self._checked[order]
        unchecked: list[int] = order[(tier == 0) & ~checked].tolist()
        return unchecked

    def check(self, places: list[int]) -> bool:
        """Look whether texts hold phrases and identifiers as typed; take from what they hold what they do not.

        Returns:
            Whether anything was taken.
        """
        import numpy as np

        looked_for = [(1 << bit, typed(one)) for bit, one in enumerate(self._asked.features) if one.exact]
        ids, held = self.ids[places].tolist(), self._held[places].tolist()
        texts = self._asked.index.texts(ids)
        taken = [
            sum(bit for bit, one in looked_for if bits & bit and not holds(texts[text_id], one))
            for text_id, bits in zip(ids, held, strict=True)
        ]
        self._held[places] &= ~np.array(taken, np.uint64)
        self._checked[places] = True
        return any(taken)

    def _weigh(self) -> None:
        """Tiers, shares of the query, and what passes the gate."""
        import numpy as np

        asked, held = self._asked, self._held
        every = ((held & asked.counted) == asked.counted) & (held > 0)
        if asked.timed:
            every &= self._date > 1
        self.tier = np.where((held & asked.exact) > 0, np.int8(0), np.where(every, np.int8(1), np.int8(2)))
        mine = held | self._title
        self._share = asked.share(mine | self._around)
        self.best = float(asked.share(mine).max())
        # What holds nothing itself has to stand beside more than a word of the query.
        self._keep = self._share >= np.where(mine > 0, asked.config.common, asked.config.weak)

    def gated(self) -> int:
        """How many texts hold something and were held back."""
        import numpy as np

        return int(np.count_nonzero(~self._keep & (self._held > 0)))

    def ranked(self, places: Any) -> tuple[Ranked, ...]:
        """The records of the texts at these places."""
        bits = self._held[places], self._around[places] & ~self._held[places], self._title[places]
        held, around, title = (self._asked.scorer.unpacked(one).tolist() for one in bits)
        columns = (self._share, self._own, self._near, self._prior, self._recency, self._kind, self._date, self.score)
        values = zip(*(column[places].tolist() for column in columns), strict=True)
        sessions = self._sessions.scores(places).tolist()
        texts, tiers = self.ids[places].tolist(), self.tier[places].tolist()
        return tuple(
            Ranked(
                text_id=texts[n],
                tier=TIERS[tiers[n]],
                held=_numbers(held[n]),
                around=_numbers(around[n]),
                title=_numbers(title[n]),
                coverage=share,
                own=own,
                near=near,
                prior=prior,
                recency=age,
                kind=kind,
                date=date,
                score=score,
                session_score=sessions[n],
            )
            for n, (share, own, near, prior, age, kind, date, score) in enumerate(values)
        )


def _numbers(held: list[bool]) -> tuple[int, ...]:
    return tuple([number for number, one in enumerate(held) if one])


def _fused(asked: Asked, ids: Ids, query: str, fusion: Fusion) -> Ranking:
    """Ask for the second opinion, and look closely at what it brings."""
    import numpy as np

    wanted, config = asked.wanted, asked.config
    looked = _Looked(asked, ids) if len(ids) else None
    order = looked.order(max(wanted.offset + wanted.limit, config.pool)) if looked else np.empty(0, np.int64)
    best = looked.best if looked else 0.0
    found = fusion(
        Lexical(
            query=query,
            texts=ids[order],
            scores=looked.score[order] if looked else np.empty(0, np.float32),
            tiers=looked.tier[order] if looked else np.empty(0, np.int8),
            coverage=best,
            refused=best < config.refuse,
            eligible=asked.may,
            passing=asked.passing,
        )
    )
    shown = range(wanted.offset, min(wanted.offset + wanted.limit, len(found.texts)))
    wanted_ids = np.array([found.texts[n] for n in shown], np.int32)
    if not len(wanted_ids):
        return Ranking((), _matched(asked), best, _outside(asked))
    closer = _Looked(asked, distinct(np.concatenate([ids, wanted_ids])))
    places = closer.ids.searchsorted(wanted_ids)
    closer.check(places.tolist())
    closer.order(0)
    ranked = tuple(
        msgspec.structs.replace(
            one,
            score=float(found.scores[n]),
            parts=found.parts.get(one.text_id, {}),
            passage=None if one.held else found.spans.get(one.text_id),
        )
        for n, one in zip(shown, closer.ranked(places), strict=True)
    )
    return Ranking(ranked, looked.gated() if looked else 0, best, _outside(asked))


def _matched(asked: Asked) -> int:
    """How many texts hold anything of the query."""
    import numpy as np

    return int(np.count_nonzero(asked.scorer.matching() & asked.may))


def _outside(asked: Asked) -> int:
    """How many texts the same query finds outside the scope."""
    import numpy as np

    if asked.wanted.beyond is None:
        return 0
    beyond = asked.satisfying(asked.wanted.beyond) & ~asked.wanted.reach.texts
    ids = asked.passing(np.flatnonzero(beyond & asked.scorer.matching()).astype(np.int32)[:MOST_LOOKED_AT])
    return int(np.count_nonzero(asked.share(asked.scorer.holding(ids)) >= asked.config.common))
