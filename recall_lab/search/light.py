"""Ranking without numpy, for a command that answers once from a small store.

It ranks as ``ranking.rank`` does, text by text instead of column by column; tests hold the two against each other.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from heapq import nlargest

from recall_lab.search.asked import Wanted, whole_of
from recall_lab.search.candidates import MOST_LOOKED_AT, MOSTLY, STRONGEST, TITLES
from recall_lab.search.config import SearchConfig
from recall_lab.search.context import DAY_MS, LIKELY, PROSE, RARE_ENOUGH, STEPS, factors
from recall_lab.search.exact import holds, typed
from recall_lab.search.features import Features
from recall_lab.search.ranking import TIERS, Ranked, Ranking
from recall_lab.store.light import Light
from recall_lab.store.reaching import Reach


def rank(index: Light, features: Features, config: SearchConfig, wanted: Wanted) -> Ranking:
    """Rank the texts that hold something of the query and pass the filters."""
    asked = _Asked(index, features, config, wanted)
    ids = sorted({*(pool := asked.pool()), *asked.found_by_neighbors(pool), *asked.found_by_title()})
    if not ids:
        return Ranking((), 0, 0.0, asked.outside())
    looked = _Looked(asked, ids)
    until = wanted.offset + wanted.limit
    order = looked.order(until)
    if looked.best < config.refuse:
        return Ranking((), asked.matched(), looked.best, asked.outside())
    ranked = tuple(map(looked.ranked, order[wanted.offset : until]))
    return Ranking(ranked, looked.gated(), looked.best, asked.outside())


class _Asked:
    """A query, looked up: as ``asked.Asked``, ``scoring.Scorer`` and ``candidates`` together."""

    def __init__(self, index: Light, features: Features, config: SearchConfig, wanted: Wanted) -> None:
        self.index, self.config, self.wanted = index, config, wanted
        self.features = features.positive
        self.columns = index.columns
        self._excluded = features.excluded
        self.held = [dict(zip(f.postings.ids, f.postings.counts, strict=True)) for f in self.features]
        self.weights = [feature.weight for feature in self.features]
        self.weight = sum(self.weights)
        self.counted = sum(1 << bit for bit, weight in enumerate(self.weights) if weight > 0)
        self.exact = sum(1 << bit for bit, feature in enumerate(self.features) if feature.exact)
        self.whole = whole_of(self.features)
        self.open = not (self.counted.bit_count() < config.least_terms or self.exact & self.counted or wanted.required)
        self.timed = features.timed
        self.may = self._satisfying(wanted.reach)
        self.scores = self._added_up()

    def _added_up(self) -> dict[int, float]:
        """The score of every text that has one."""
        config, length = self.config, self.columns.length
        least, share = config.k1 * (1 - config.b), config.k1 * config.b / config.average_length
        scores: dict[int, float] = defaultdict(float)
        for feature, held in zip(self.features, self.held, strict=True):
            if not feature.exact:
                weight = feature.idf * (config.k1 + 1)
                for text_id, count in held.items():
                    scores[text_id] += weight * count / (count + least + share * length[text_id])
        return dict(scores)

    def bits(self, text_id: int) -> int:
        """What a text holds: bit k for feature k."""
        return sum(1 << bit for bit, held in enumerate(self.held) if text_id in held)

    def weigh(self, bits: int) -> float:
        """The weights of what is held, added up."""
        return sum(weight for bit, weight in enumerate(self.weights) if bits >> bit & 1)

    def share(self, bits: int) -> float:
        """idf-weighted share of the query's terms."""
        return self.weigh(bits) / self.weight if self.weight else float(bits > 0)

    def _satisfying(self, reach: Reach) -> bytearray:
        """Which texts of a reach satisfy AND, OR and NOT."""
        wanted = self.wanted
        mask = bytearray(reach.texts)
        if wanted.required:
            holding: set[int] = set()
            for side in wanted.alternatives:
                must = [clause for clause in side if clause in wanted.required]
                mine = self._speaking_for(must[:1] or side)
                for clause in must[1:]:
                    mine &= self._speaking_for([clause])
                holding |= mine
            mask = bytearray(len(mask))
            for text_id in holding:
                mask[text_id] = reach.texts[text_id]
        for feature in self._excluded:
            for text_id in feature.postings.ids:
                mask[text_id] = 0
        return mask

    def _speaking_for(self, clauses: Sequence[int]) -> set[int]:
        found: set[int] = set()
        for clause in clauses:
            speaking = [bit for bit, feature in enumerate(self.features) if clause in feature.clauses]
            loose = [bit for bit in speaking if self.features[bit].kind == "loose"]
            for bit in loose or speaking:
                found.update(self.held[bit])
        return found

    def passing(self, ids: Collection[int]) -> Collection[int]:
        """Those of the texts that pass what the filters say of tools, models, branches, folders and errors."""
        found = self.index.passing(ids, self.wanted.filters) if ids else None
        return ids if found is None else found

    def pool(self) -> Collection[int]:
        """The best scores, and the strongest evidence whatever its score."""
        look_at = max(self.wanted.offset + self.wanted.limit, self.config.pool)
        matched = [(score, text_id) for text_id, score in self.scores.items() if self.may[text_id]]
        while True:
            best = [text_id for _, text_id in nlargest(look_at, matched)]
            ids = {*self._strongest(), *best}
            passing = self.passing(ids)
            if passing is ids or len(passing) >= look_at or len(best) < look_at or look_at >= MOST_LOOKED_AT:
                return passing
            look_at *= 4

    def _strongest(self) -> set[int]:
        """Texts that may be exact evidence, and texts that hold every term, whatever their score."""
        groups = [feature.postings.ids for feature in self.features if feature.exact]
        counted = sorted((held for held, weight in zip(self.held, self.weights, strict=True) if weight), key=len)
        if len(counted) > 1 and counted[0]:
            groups.append(sorted(set(counted[0]).intersection(*counted[1:])))
        found: set[int] = set()
        for ids in groups:
            good = [text_id for text_id in ids if self.may[text_id]]
            if len(good) > STRONGEST:
                good = sorted(good[-MOST_LOOKED_AT:], key=lambda text_id: -self.scores.get(text_id, 0.0))[:STRONGEST]
            found.update(good)
        return found

    def beside(self, text_id: int) -> Iterable[tuple[int, int]]:
        """What stands around a text: how far, and which text."""
        columns, row = self.columns, self.columns.where[text_id]
        for step in STEPS if row >= 0 else ():
            place = row + step
            if 0 <= place < len(columns.text) and columns.source[place] == columns.source[row]:
                yield step, columns.text[place]

    def found_by_neighbors(self, pool: Collection[int]) -> Collection[int]:
        """Texts beside the best ones; see ``candidates``."""
        if not self.open or not (self.config.near or self.config.far):
            return ()
        return self.passing({text for one in pool for _, text in self.beside(one) if self.may[text]})

    def found_by_title(self) -> Collection[int]:
        """Where the sessions begin whose title holds most of what is asked."""
        if not self.config.title or self.wanted.required or not self.weight:
            return ()
        shares: dict[int, float] = {}
        for feature in self.features:
            if feature.weight and not feature.exact:
                for session in {session for term in feature.words for session in self.index.titled(term)}:
                    shares[session] = shares.get(session, 0.0) + feature.weight / self.weight
        best = sorted((session for session, share in shares.items() if share >= MOSTLY), key=lambda s: -shares[s])
        first: dict[int, int] = {}
        if best:
            for text_id, session in zip(self.columns.text, self.columns.session, strict=True):
                if self.may[text_id]:
                    first.setdefault(session, text_id)
        return self.passing([first[session] for session in best[:TITLES] if session in first])

    def matched(self) -> int:
        """How many texts hold anything of the query."""
        return sum(self.may[text_id] for text_id in self.scores)

    def outside(self) -> int:
        """How many texts the same query finds outside the scope."""
        if self.wanted.beyond is None:
            return 0
        beyond, within = self._satisfying(self.wanted.beyond), self.wanted.reach.texts
        ids = sorted(text_id for text_id in self.scores if beyond[text_id] and not within[text_id])[:MOST_LOOKED_AT]
        return sum(self.share(self.bits(text_id)) >= self.config.common for text_id in self.passing(ids))


class _Looked:
    """Texts that were looked at closely: as ``ranking._Looked`` and ``context``."""

    def __init__(self, asked: _Asked, ids: Sequence[int]) -> None:
        config, columns, index = asked.config, asked.columns, asked.index
        self._asked = asked
        self.ids = ids
        self._own = [asked.scores.get(text_id, 0.0) for text_id in ids]
        self._held = [asked.bits(text_id) for text_id in ids]
        self._near: list[float] = []
        self._around: list[int] = []
        shares = {step: config.near if abs(step) == 1 else config.far for step in STEPS}
        for text_id in ids:
            others = [(shares[step], text) for step, text in asked.beside(text_id) if shares[step] > 0]
            self._near.append(sum(share * asked.scores.get(text, 0.0) for share, text in others))
            around = 0
            for _, text in others:
                around |= asked.bits(text)
            self._around.append(around & ~asked.exact)
        self._session = [index.session_of(text_id) for text_id in ids]
        self._title = self._titled()
        self._sums: dict[int, float] = defaultdict(float)
        self._bits: dict[int, int] = defaultdict(int)
        seen: dict[int, int] = defaultdict(int)
        for n in sorted(range(len(ids)), key=lambda n: -self._own[n]):
            session = self._session[n]
            if seen[session] < 3:
                self._sums[session] += self._own[n] * 0.5 ** seen[session]
            seen[session] += 1
            self._bits[session] |= self._held[n]
        prior = [self._sums[session] for session in self._session]
        self._prior = [
            config.session * one + config.title * asked.weigh(title)
            for one, title in zip(prior, self._title, strict=True)
        ]
        self._recency = [self._fresh(columns.moment[columns.where[text_id]]) for text_id in ids]
        kinds = factors(config.tools, config.prefer, asked.wanted.prefer)
        self._kind = [kinds[columns.nature[text_id] & 63] for text_id in ids]
        self._date = [self._dated(columns.moment[columns.where[text_id]]) for text_id in ids]
        self._prefer_answers()
        parts = zip(self._own, self._near, self._prior, self._recency, self._kind, self._date, strict=True)
        # What numpy counts with: scores that differ by less are the same.
        self.score = array(
            "f", [(own + near + more) * fresh * kind * date for own, near, more, fresh, kind, date in parts]
        )
        self._checked: set[int] = set()
        self._tier: list[int] = []
        self._share: list[float] = []
        self._keep: list[bool] = []
        self.best = 0.0

    def _prefer_answers(self) -> None:
        """Give of the score of questions to what follows them."""
        asked, config, ids = self._asked, self._asked.config, self.ids
        if not asked.open or not (config.answer or config.asking):
            return
        scores = array("f", map(sum, zip(self._own, self._near, self._prior, strict=True)))
        likely = sorted(range(len(ids)), key=lambda n: (-scores[n], n))[:LIKELY]
        asking = asked.index.asking([ids[n] for n in likely if asked.columns.nature[ids[n]] & 7 == PROSE])
        places = {text_id: n for n, text_id in enumerate(ids)}
        for n in likely:
            if ids[n] in asking:
                self._kind[n] *= 1 - config.asking
                for step, text in asked.beside(ids[n]):
                    if step == 1 and text in places and asked.columns.nature[text] & 7 == PROSE:
                        self._near[places[text]] += config.answer * self._own[n]

    def _dated(self, moment: int) -> float:
        spans = self._asked.wanted.spans
        inside = moment >= 0 and any(start <= moment < end for start, end in spans)
        return 1 + self._asked.config.date if inside else 1.0

    def _titled(self) -> list[int]:
        """What the title of each text's session holds."""
        asked = self._asked
        titles: dict[int, int] = defaultdict(int)
        for bit, feature in enumerate(asked.features):
            if asked.config.title and feature.weight and not feature.exact:
                for term in feature.words:
                    for session in asked.index.titled(term):
                        titles[session] |= 1 << bit
        return [titles.get(session, 0) for session in self._session]

    def _fresh(self, moment: int) -> float:
        config = self._asked.config
        if not config.half_life_days or not config.recency:
            return 1.0
        age = max(self._asked.wanted.now.timestamp() * 1000 - moment, 0) / DAY_MS
        fresh = 0.5 ** min(age / config.half_life_days, 1000) if moment >= 0 else 0.0
        return 1 - config.recency + config.recency * fresh

    def order(self, until: int) -> list[int]:
        """Places among the ids, the best first, without what the gate holds back; the first ``until`` are verified."""
        reach = until
        while True:
            self._weigh()
            tiers = self._tier if self._asked.config.tiers else [0] * len(self.ids)
            keep = [n for n in range(len(self.ids)) if self._keep[n]]
            whole = self._asked.whole if self._asked.config.tiers else 0
            order = sorted(keep, key=lambda n: (tiers[n], not self._held[n] & whole, -self.score[n], -self.ids[n]))
            if not self._unchecked(order[:until]):
                return order
            self._check(self._unchecked(order[:reach]))
            reach *= 2

    def _unchecked(self, order: Sequence[int]) -> list[int]:
        return [n for n in order if not self._tier[n] and n not in self._checked]

    def _check(self, places: Sequence[int]) -> None:
        """Take from what texts hold the phrases and identifiers that do not stand in them as typed."""
        looked_for = [(bit, typed(feature)) for bit, feature in enumerate(self._asked.features) if feature.exact]
        texts = self._asked.index.texts([self.ids[n] for n in places])
        for n in places:
            for bit, one in looked_for:
                if self._held[n] >> bit & 1 and not holds(texts[self.ids[n]], one):
                    self._held[n] &= ~(1 << bit)
        self._checked.update(places)

    def _weigh(self) -> None:
        """Tiers, shares of the query, and what passes the gate."""
        asked = self._asked
        self._tier, self._share, self._keep, self.best = [], [], [], 0.0
        for held, title, around, date in zip(self._held, self._title, self._around, self._date, strict=True):
            every = held and held & asked.counted == asked.counted and (date > 1 or not asked.timed)
            self._tier.append(0 if held & asked.exact else 1 if every else 2)
            share = asked.share(held | title | around)
            self._share.append(share)
            self.best = max(self.best, asked.share(held | title))
            self._keep.append(share >= (asked.config.common if held or title else asked.config.weak))

    def gated(self) -> int:
        """How many texts hold something and were held back."""
        return sum(bool(held) and not keep for held, keep in zip(self._held, self._keep, strict=True))

    def ranked(self, n: int) -> Ranked:
        """The record of the text at a place."""
        held = self._held[n]
        return Ranked(
            text_id=self.ids[n],
            tier=TIERS[self._tier[n]],
            held=_numbers(held),
            around=_numbers(self._around[n] & ~held),
            title=_numbers(self._title[n]),
            coverage=self._share[n],
            own=self._own[n],
            near=self._near[n],
            prior=self._prior[n],
            recency=self._recency[n],
            kind=self._kind[n],
            date=self._date[n],
            score=self.score[n],
            session_score=self._session_score(self._session[n]),
        )

    def _session_score(self, session: int) -> float:
        """The prior, and what of the query stands anywhere in the session."""
        asked = self._asked
        bits = self._bits[session]
        if asked.config.session_coverage:
            for bit, feature in enumerate(asked.features):
                if asked.counted >> bit & 1 and not bits >> bit & 1 and feature.blocks <= RARE_ENOUGH:
                    bits |= any(asked.index.session_of(text) == session for text in feature.postings.ids) << bit
        return self._sums[session] + asked.config.session_coverage * asked.weigh(bits)


def _numbers(bits: int) -> tuple[int, ...]:
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)
