"""What an answer says besides its hits: what was searched, what stands nowhere, what was not understood, what next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recall_lab.model import Filters, Searched
from recall_lab.search.config import SearchConfig
from recall_lab.search.features import Features
from recall_lab.search.query import Query
from recall_lab.search.ranking import Ranking
from recall_lab.store.fulltext import Fulltext

_NAMED, _SIMILAR = 5, 3  # words that stand nowhere, and those that are looked up for what is like them
_SHORTEST: Final = 4  # letters; shorter words are like too many
_TYPED: Final = 8  # clauses; what has more was pasted
_FILTER: Final = re.compile(
    "(since|until|host|role|kind|tool|branch|session|model|cwd|project|scope|after|before|repo|agent):([^:/]+)"
)
_MEANT: Final = {"after": "since", "before": "until", "repo": "project", "agent": "host"}


def notice(
    index: Fulltext,
    query: Query,
    features: Features,
    ranking: Ranking,
    searched: Searched,
    config: SearchConfig,
    *,
    filters: Filters,
    scope: str,
) -> str | None:
    """What the answer to a query says besides its hits.

    Args:
        index: The full-text index, within the snapshot that was searched.
        query: The parsed query.
        features: What was looked for.
        ranking: What was found.
        searched: What was looked through.
        config: Weights and switches.
        filters: What narrowed the search, without the scope.
        scope: The scope as the answer names it.

    Returns:
        One line; None when the hits speak for themselves.
    """
    looked = f"searched {searched.blocks:,} blocks of {searched.sessions:,} sessions ({scope})"
    if not query.clauses:
        return f'nothing in the query can be searched; {looked}; type a word, an identifier or a "phrase"'
    parts: list[str] = []
    if not ranking.ranked:
        parts.append(f"nothing found: {looked}")
        if ranking.gated:
            parts.append(f"{ranking.gated:,} blocks held only common words of the query")
    elif ranking.best_coverage < config.weak:
        parts.append("weak evidence: the best hit holds few of the query's words; check it before relying on it")
    if parts:
        parts += _unseen(index, features)
    parts += _taken_for_words(query)
    if not ranking.ranked:
        unknown = [_unknown(*one) for one in index.unknown(filters)]
        if ranking.outside:
            parts.append(f"{ranking.outside:,} hits lie outside the scope, try scope all")
        elif not unknown:
            parts.append("try other words, fewer filters, or `recall-lab index` if the work is newer than the index")
        parts += unknown
    return "; ".join(parts) or None


def _unseen(index: Fulltext, features: Features) -> Iterator[str]:
    """The words that stand nowhere, and what is like them."""
    unseen = {one.label: one for one in features.positive if one.weight and not one.blocks}
    if unseen:
        yield "not in the index: " + ", ".join([*unseen][:_NAMED])
    words = [one.terms[0] for one in unseen.values() if one.kind == "term" and len(one.label) >= _SHORTEST]
    similar = dict.fromkeys(found for term in words[:_SIMILAR] if (found := _like(index, term)))
    if similar:
        yield "similar words: " + ", ".join(f"{term}*" for term in similar)


def _like(index: Fulltext, term: str) -> str | None:
    """The term of the index that is most like one that it does not hold; both begin with the same two letters."""
    from difflib import get_close_matches

    terms: dict[str, None] = {}
    for letters in range(min(len(term), _SHORTEST), 1, -1):
        terms.update(dict.fromkeys(index.expand(term[:letters])))
    return next(iter(get_close_matches(term, terms, n=1, cutoff=0.75)), None)


def _taken_for_words(query: Query) -> Iterator[str]:
    """Filters as other programs write them inside a query."""
    if len(query.clauses) > _TYPED or "\n" in query.text:
        return
    for clause in query.clauses:
        if found := _FILTER.fullmatch(clause.text):
            name = _MEANT.get(found[1], found[1])
            yield f"{clause.text} was looked for as words; a filter is an option, --{name} {found[2]}"


def _unknown(name: str, value: str, similar: tuple[str, ...]) -> str:
    said = f"no {name} is named {value!r}"
    return f"{said}; nearest: {', '.join(similar)}" if similar else f"{said}; leave it out, or try another name"
