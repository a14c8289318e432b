"""Which texts are looked at closely: the best scores, exact evidence, what stands beside them, titles."""

from __future__ import annotations

from typing import Final

from recall_lab.search.asked import Asked
from recall_lab.search.context import beside
from recall_lab.store.postings import Ids, among, distinct

MOST_LOOKED_AT: Final = 6400
STRONGEST: Final = 200
MOSTLY: Final = 0.5  # share of the query that a title has to hold to bring its session in
TITLES: Final = 5


def candidates(asked: Asked) -> Ids:
    """The texts to look at closely, ascending."""
    import numpy as np

    pool = _pool(asked)
    return distinct(np.concatenate([pool, _found_by_neighbors(asked, pool), _found_by_title(asked)]))


def _pool(asked: Asked) -> Ids:
    """The best scores, and the strongest evidence whatever its score."""
    import numpy as np

    wanted = asked.wanted
    look_at = max(wanted.offset + wanted.limit, asked.config.pool)
    while True:
        best = asked.scorer.best(look_at, asked.may)
        ids = distinct(np.concatenate([_strongest(asked), best]))
        passing = asked.passing(ids)
        if passing is ids or len(passing) >= look_at or len(best) < look_at or look_at >= MOST_LOOKED_AT:
            return passing
        look_at *= 4


def _strongest(asked: Asked) -> Ids:
    """Texts that may be exact evidence, and texts that hold every term, whatever their score."""
    import numpy as np

    groups = [feature.postings.ids for feature in asked.features if feature.exact]
    counted = sorted((f.postings.ids for f in asked.features if f.weight), key=len)
    if len(counted) > 1 and len(counted[0]):
        groups.append(_every(counted))
    found = [np.empty(0, np.int32)]
    for ids in groups:
        good = ids[asked.may[ids]]
        if len(good) > STRONGEST:
            good = good[-MOST_LOOKED_AT:]
            good = good[np.argsort(-asked.scorer.of(good), kind="stable")[:STRONGEST]]
        found.append(good)
    return np.concatenate(found)


def _every(counted: list[Ids]) -> Ids:
    """The texts that hold every feature that counts."""
    every = counted[0]
    for ids in counted[1:]:
        if not len(every):
            break
        every = every[among(ids, every)]
    return every


def _found_by_neighbors(asked: Asked, pool: Ids) -> Ids:
    """Texts beside the best ones, which may be the answer to what was asked there."""
    import numpy as np

    if not asked.open or not (asked.config.near or asked.config.far):
        return np.empty(0, np.int32)
    texts, there = beside(asked.index.columns, pool)
    ids = distinct(texts[there])
    return asked.passing(ids[asked.may[ids]])


def _found_by_title(asked: Asked) -> Ids:
    """Where the sessions begin whose title holds most of what is asked: the title stands in no text."""
    import numpy as np

    none = np.empty(0, np.int32)
    if not asked.config.title or asked.wanted.required or not asked.weight:
        return none
    shares: dict[int, float] = {}
    for feature in asked.features:
        if feature.weight and not feature.exact:
            for session in {session for term in feature.words for session in asked.index.titled(term).tolist()}:
                shares[session] = shares.get(session, 0.0) + feature.weight / asked.weight
    best = sorted((session for session, share in shares.items() if share >= MOSTLY), key=lambda s: -shares[s])
    columns = asked.index.columns
    found = []
    for session in best[:TITLES]:
        texts = columns.text[columns.session == session]
        texts = texts[asked.may[texts]]
        found.extend(texts[:1].tolist())
    return asked.passing(np.array(sorted(found), np.int32)) if found else none
