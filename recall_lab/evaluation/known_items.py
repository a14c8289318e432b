"""How findable a history is, without anybody's judgments: known items.

Passages are drawn from the store, queries are made from parts of each, and a query is answered when it leads back to
its passage (or to one with the same text). The parts are such as tell the passage from others: the rarer of some words
that were drawn, an identifier that few passages hold. What is measured is whether search loses what is there, not
whether it understands a question (Azzopardi and de Rijke, "Automatic Construction of Known-Item Finding Test Beds").
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from recall_lab.model import Block
from recall_lab.search import SearchConfig, search
from recall_lab.search.query import QUESTION_WORDS
from recall_lab.store import Reader
from recall_lab.store.fulltext import Fulltext, fulltext_of
from recall_lab.store.sampling import sample_blocks
from recall_lab.text import index_form
from recall_lab.text_entities import entities

QueryKind = Literal["words", "piece", "identifier"]
LEAST: Final = 60  # code points; shorter texts are not worth looking for
_WORD: Final = re.compile(r"[^\W_]{3,}")
_AT: Final = (1, 10)
_DRAWN, _WORDS, _FEW = 12, 5, 10


class Findable(msgspec.Struct, frozen=True):
    """How often queries of a group led back to their passage.

    Attributes:
        queries: How many there were.
        found_1: Share whose passage came first.
        found_10: Share whose passage was among the first ten.
        mrr: Mean of 1 / rank, 0 beyond ten.
    """

    queries: int
    found_1: float
    found_10: float
    mrr: float


class KnownItemReport(msgspec.Struct, frozen=True):
    """How findable the history is; no text of it is in here.

    Attributes:
        passages: How many were drawn.
        all: Over every query.
        by_query: ``words`` (the five rarest of twelve of its words), ``piece`` (six words in a row), ``identifier``
            (one that stands in it and in at most nine other passages).
        by_host: By host.
        by_kind: By kind of block.
        by_role: By role of block.
        since_last: By measure, how much it differs from the last kept run; empty for the first.
    """

    passages: int
    all: Findable
    by_query: dict[str, Findable]
    by_host: dict[str, Findable]
    by_kind: dict[str, Findable]
    by_role: dict[str, Findable]
    since_last: dict[str, float] = {}


class _Asked(msgspec.Struct, frozen=True):
    query: QueryKind
    host: str
    kind: str
    role: str
    rank: int  # 0: not among the first ten


def known_items(
    reader: Reader,
    *,
    passages: int = 100,
    seed: int = 1,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] | None = None,
) -> KnownItemReport:
    """Draw passages, make queries from parts of them, and see whether search finds the way back.

    Args:
        reader: The store, opened for reading.
        passages: How many to draw.
        seed: The same seed draws the same passages from the same store.
        config: The configuration to measure.
        progress: Told how many passages are done, and of how many.

    Raises:
        StoreError: the store cannot be read.
    """
    dice = random.Random(seed)  # noqa: S311 (a sample, not a secret)
    drawn = sample_blocks(reader, passages, least=LEAST, seed=seed)
    index = fulltext_of(reader)
    asked: list[_Asked] = []
    for number, block in enumerate(drawn, 1):
        for kind, text in queries_from(index, block, dice):
            rank = _rank(reader, text, block, config)
            asked.append(_Asked(kind, block.host, block.kind, block.role, rank))
        if progress:
            progress(number, len(drawn))
    return KnownItemReport(
        passages=len(drawn),
        all=_findable(asked),
        by_query=_grouped(asked, lambda one: one.query),
        by_host=_grouped(asked, lambda one: one.host),
        by_kind=_grouped(asked, lambda one: one.kind),
        by_role=_grouped(asked, lambda one: one.role),
    )


def queries_from(index: Fulltext, block: Block, dice: random.Random) -> Iterator[tuple[QueryKind, str]]:
    """Make queries from parts of a passage.

    Args:
        index: Knows how many passages hold a part.
        block: The passage.
        dice: Decides which parts.

    Yields:
        The kind of query, and its text.
    """
    text = block.text
    start = dice.randrange(max(1, len(text) - 400))
    words = {word for word in _WORD.findall(text[start : start + 400]) if word.lower() not in QUESTION_WORDS}
    if len(words) >= _WORDS:
        drawn = dice.sample(sorted(words), min(_DRAWN, len(words)))
        with index.snapshot():
            rarest = set(sorted(drawn, key=lambda word: _holding(index, word))[:_WORDS])
        yield "words", " ".join(word for word in drawn if word in rarest)
    row = text.split()
    if len(row) >= 8:
        first = dice.randrange(len(row) - 6)
        yield "piece", " ".join(row[first : first + 6])
    named = {value for kind, value in entities(text) if kind in {"path", "uuid", "sha", "url", "error", "issue"}}
    if telling := [value for value in sorted(named) if 0 < len(index.phrase(index_form(value), _FEW + 1)) <= _FEW]:
        yield "identifier", dice.choice(telling)


def _holding(index: Fulltext, word: str) -> int:
    """How many passages hold a word."""
    return min((len(index.postings(term).ids) for term in index.terms(index_form(word))), default=0)


def _rank(reader: Reader, query: str, block: Block, config: SearchConfig) -> int:
    hits = search(reader, query, config=config, limit=max(_AT)).hits
    for rank, hit in enumerate(hits, 1):
        if hit.block_id == block.block_id or hit.content_hash == block.content_hash:
            return rank
    return 0


def _findable(asked: Sequence[_Asked]) -> Findable:
    count = len(asked)
    if not count:
        return Findable(0, 0.0, 0.0, 0.0)
    return Findable(
        queries=count,
        found_1=sum(one.rank == 1 for one in asked) / count,
        found_10=sum(one.rank > 0 for one in asked) / count,
        mrr=sum(1 / one.rank for one in asked if one.rank) / count,
    )


def _grouped(asked: Sequence[_Asked], name: Callable[[_Asked], str]) -> dict[str, Findable]:
    return {group: _findable([one for one in asked if name(one) == group]) for group in sorted(set(map(name, asked)))}
