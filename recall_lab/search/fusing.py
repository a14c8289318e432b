"""The seam for another way of finding: what words found goes in, one order comes out.

``search(..., fusion=...)`` calls a fusion once a query, inside the read transaction. It sees every text that the words
found, in order, may bring texts of its own, and returns the order that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from recall_lab.store.postings import Ids


class Lexical(msgspec.Struct, frozen=True):
    """What words found for one query.

    Attributes:
        query: As typed.
        texts: text_ids that pass the gate, best first.
        scores: Their scores; float32, never negative.
        tiers: 0 where an identifier or phrase stands as typed, 1 where every term does, 2 elsewhere; int8. A fusion
            keeps tier 0 on top.
        coverage: How much of the query the best text covers, 0 to 1.
        refused: Whether the gate would answer with nothing.
        eligible: Which texts the filters and the scope let through; bool by text_id.
        passing: Of text_ids, those that pass the filters that ``eligible`` does not know (tools, models, branches,
            folders, failures), ascending.
    """

    query: str
    texts: Ids
    scores: Any
    tiers: Any
    coverage: float
    refused: bool
    eligible: Any
    passing: Callable[[Ids], Ids]


class Fused(msgspec.Struct, frozen=True):
    """One order made of several.

    Attributes:
        texts: text_ids, best first; empty to answer with nothing.
        scores: A score for each, falling.
        parts: By text_id, what WHY says of the other way of finding, by name (``meaning``: a cosine).
        spans: By text_id, the passage to show of a text that holds no word of the query; (start, end) in code points.
    """

    texts: Sequence[int]
    scores: Sequence[float]
    parts: dict[int, dict[str, float]] = {}
    spans: dict[int, tuple[int, int]] = {}


Fusion = Callable[[Lexical], Fused]


class LexicalHit(msgspec.Struct, frozen=True):
    """A block that words found.

    Attributes:
        block_id: 32 hex digits.
        text_id: Its text in this store.
        score: Its score.
        tier: ``exact``, ``all`` or ``some``.
    """

    block_id: str
    text_id: int
    score: float
    tier: str
