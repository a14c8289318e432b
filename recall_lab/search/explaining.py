"""How a query was read, and what its parts weigh."""

from __future__ import annotations

import msgspec

from recall_lab.model import Filters
from recall_lab.search.config import SearchConfig
from recall_lab.search.features import FeatureKind, extract
from recall_lab.search.query import Clause, parse
from recall_lab.store import Reader
from recall_lab.store.fulltext import fulltext_of


class Part(msgspec.Struct, frozen=True):
    """One thing that is looked for.

    Attributes:
        kind: ``term`` (a stemmed word), ``phrase`` or ``identifier`` (as typed), ``loose`` (words beside one another).
        label: What WHY calls it.
        terms: Its stemmed terms in the index.
        blocks: How many blocks may hold it.
        idf: Its inverse document frequency.
        share: Its share of what the query asks for.
    """

    kind: FeatureKind
    label: str
    terms: tuple[str, ...]
    blocks: int
    idf: float
    share: float


class Explanation(msgspec.Struct, frozen=True):
    """How a query was read.

    Attributes:
        query: As typed.
        clauses: What was looked for, with the signs of the query language taken off.
        alternatives: Numbers of the clauses on each side of an OR.
        dropped: Words that only make a question.
        parts: What counts, the weightiest first.
        excluded: What a hit must not hold.
        blocks: How many blocks were searched.
        config: The configuration.
    """

    query: str
    clauses: tuple[Clause, ...]
    alternatives: tuple[tuple[int, ...], ...]
    dropped: tuple[str, ...]
    parts: tuple[Part, ...]
    excluded: tuple[str, ...]
    blocks: int
    config: SearchConfig


def explain(
    reader: Reader,
    query: str,
    *,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    filters: Filters = Filters(),  # noqa: B008 (frozen)
) -> Explanation:
    """Say how a query is read; the parts of each hit's score are in its ``why.parts``.

    Args:
        reader: The store, opened for reading.
        query: Anything that a person types.
        config: Weights and switches.
        filters: What narrows the search.

    Raises:
        StoreError: the store cannot be read.
    """
    index = fulltext_of(reader)
    parsed = parse(query)
    with index.snapshot():
        reach = index.reach(filters)
        features = extract(index, parsed, config, reach)
    total = sum(feature.weight for feature in features.positive)
    parts = [
        Part(
            kind=feature.kind,
            label=feature.label,
            terms=feature.terms[:8],
            blocks=feature.blocks,
            idf=round(feature.idf, 4),
            share=round(feature.weight / total, 4) if total else 0.0,
        )
        for feature in features.positive
    ]
    return Explanation(
        query=query,
        clauses=parsed.clauses,
        alternatives=parsed.alternatives,
        dropped=features.dropped,
        parts=tuple(sorted(parts, key=lambda part: (-part.share, -part.idf))),
        excluded=tuple(feature.label for feature in features.excluded),
        blocks=reach.blocks,
        config=config,
    )
