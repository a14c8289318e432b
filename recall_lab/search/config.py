"""What can be switched and weighed in search; the defaults are one configuration for every kind of history."""

from __future__ import annotations

from typing import Literal

import msgspec

from recall_lab.errors import UsageError


class SearchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How hits are found and ranked; docs/search-quality.md says what each part is worth.

    Attributes:
        k1: BM25's saturation of repeated terms (Robertson and Zaragoza, "The Probabilistic Relevance Framework").
        b: BM25's share of length normalisation.
        average_length: Tokens that count as an average text; held fixed so that scores do not move with the store.
        near: Share of the score of the blocks one place before and after that a block takes over.
        far: The same for two places.
        answer: Share of the score of a question that the block after it takes over besides.
        asking: Share of its score that a question gives away, as an answer is wanted and not the question.
        session: Share of its session's prior (its three best scores, weighted 1, 1/2, 1/4).
        title: Weight of the terms in its session's title.
        session_coverage: Weight of the terms found anywhere in a session when sessions are ranked.
        tiers: Exact evidence above all terms above some terms; off, the score alone decides.
        date: Share of its score that a block gains from a day or month that the query names.
        half_life_days: After how many days the recency part has halved; 0 turns it off.
        recency: Largest share of a score that age can take away, at most .5.
        tools: Share of a score that tool requests and results give away to prose.
        prefer: Share of a score that preferred roles and kinds gain.
        refuse: Least idf-weighted share of the query's terms in the best hit; below it nothing is returned.
        common: Least share in any other hit: what holds less matched only common words.
        weak: Below this share in the best hit an answer is called weak evidence.
        pool: How many of the best texts are looked at closely.
        least_terms: From how many terms on a text may be found by its neighbours alone, and answers come before
            questions.
        question_words: Drop the words that only make a question.
        identifiers: Look for identifiers and phrases as such.
        split_identifiers: Search the parts of camelCase identifiers.
        forms: Search the forms of a word that no stemmer knows: ``went`` for ``go``, ``color`` for ``colour``.
        mode: ``lexical`` (by words), ``semantic`` (by meaning) or ``hybrid`` (both); ``semantic.find`` carries it out.
        meaning: What a cosine of 1 counts beside the best score by words, in a hybrid search.
        least_meaning: Cosine from which a text is found by its meaning alone.
    """

    k1: float = 1.2
    b: float = 0.75
    average_length: float = 60.0
    near: float = 0.3
    far: float = 0.15
    answer: float = 0.4
    asking: float = 0.2
    session: float = 0.3
    title: float = 0.3
    session_coverage: float = 0.5
    tiers: bool = True
    date: float = 0.6
    half_life_days: float = 30.0
    recency: float = 0.25
    tools: float = 0.15
    prefer: float = 0.5
    refuse: float = 0.15
    common: float = 0.1
    weak: float = 0.30
    pool: int = 100
    least_terms: int = 3
    question_words: bool = True
    identifiers: bool = True
    split_identifiers: bool = True
    forms: bool = True
    mode: Literal["lexical", "semantic", "hybrid"] = "lexical"
    meaning: float = 0.5
    least_meaning: float = 0.3


PLAIN = SearchConfig(
    near=0,
    far=0,
    answer=0,
    asking=0,
    session=0,
    title=0,
    session_coverage=0,
    tiers=False,
    recency=0,
    date=0,
    tools=0,
    refuse=0,
    common=0,
    question_words=False,
    identifiers=False,
    split_identifiers=False,
    forms=False,
)
"""Stemmed BM25 over words and nothing else: what every other configuration is measured against."""

NAMED: dict[str, SearchConfig] = {
    "default": SearchConfig(),
    "plain": PLAIN,
    "semantic": SearchConfig(mode="semantic"),
    "hybrid": SearchConfig(mode="hybrid"),
}


def parse_config(text: str) -> SearchConfig:
    """Read a configuration as a person types it.

    Args:
        text: ``default``, ``plain``, ``semantic`` or ``hybrid``, then changes, separated by commas:
            ``default,near=0,tiers=false``. Changes alone are changes of the default.

    Raises:
        UsageError: a name or value that there is none of.
    """
    config = SearchConfig()
    fields = SearchConfig.__struct_fields__
    for number, part in enumerate(filter(None, (part.strip() for part in text.split(",")))):
        name, equals, value = part.partition("=")
        if not equals:
            if number or name not in NAMED:
                raise UsageError(f"{name!r} is no configuration; use {', '.join(NAMED)}, then changes such as near=0")
            config = NAMED[name]
            continue
        if name not in fields:
            raise UsageError(
                f"{name!r} is no part of a configuration; parts: {', '.join(SearchConfig.__struct_fields__)}"
            )
        try:
            config = msgspec.convert(msgspec.structs.asdict(config) | {name: value.lower()}, SearchConfig, strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"{part}: not a value of {name}; write a number, or true or false") from error
    if not 0 <= config.recency <= 0.5:
        raise UsageError("recency takes away at most half of a score; write a number from 0 to 0.5")
    return config
