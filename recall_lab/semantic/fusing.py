"""One order from words and meaning; pure.

Texts that hold an identifier or a phrase as typed stay on top, in the order of words. Below them a text scores
``words / best words + config.meaning * (cosine + context)``, where the context is the cosines of the texts beside it,
with the weights that the words of neighbours have. A text that no word found joins when its cosine reaches
``config.least_meaning``, and only where nothing was meant exactly: nothing stands in for an identifier.
"""

from __future__ import annotations

from collections.abc import Mapping

from recall_lab.search import Fused, Lexical, SearchConfig, parse
from recall_lab.semantic.vectors import Found

PART = "meaning"


def fuse(
    lexical: Lexical, found: Mapping[int, Found], config: SearchConfig, context: Mapping[int, float] | None = None
) -> Fused:
    """Make one order of what words and meaning found.

    Args:
        lexical: What words found.
        found: By text_id, the nearest passage of every text that came near or that words found; current texts only.
        config: ``mode``, ``meaning`` and ``least_meaning``.
        context: By text_id, what the texts beside it add to its cosine; nothing where it is left out.
    """
    near = {text: one for text, one in found.items() if one.cosine >= config.least_meaning}
    if config.mode == "semantic":
        order = sorted(near, key=lambda text: (-near[text].cosine, -text))
        return Fused(order, [near[text].cosine for text in order], _parts(order, near), _spans(order, near))
    words = [] if lexical.refused else list(zip(lexical.texts.tolist(), lexical.scores.tolist(), strict=True))
    tiers = dict(zip(lexical.texts.tolist(), lexical.tiers.tolist(), strict=True))
    exact = [(text, score) for text, score in words if tiers[text] == 0]
    others = {text: score for text, score in words if tiers[text] != 0}
    if asks_exactly(lexical.query):
        near = {text: one for text, one in near.items() if text in others}
    best = max(others.values(), default=0.0) or 1.0
    known = [found[text].cosine for text in others if text in found]
    # Of a text without a vector nothing is known: it counts as the others do on average.
    usual = sum(known) / len(known) if known else 0.0
    beside = context or {}
    scores = {
        text: others.get(text, 0.0) / best
        + config.meaning * ((found[text].cosine if text in found else usual) + beside.get(text, 0.0))
        for text in {*others, *near} - {text for text, _ in exact}
    }
    order = sorted(scores, key=lambda text: (-scores[text], -text))
    texts = [*(text for text, _ in exact), *order]
    brought = [text for text in order if text not in others]
    return Fused(
        texts,
        [*(score for _, score in exact), *(scores[text] * best for text in order)],
        _parts(texts, found),
        _spans(brought, found),
    )


def asks_exactly(query: str) -> bool:
    """Whether a query names an identifier or quotes a phrase that a hit is wanted for."""
    return any(clause.kind in {"identifier", "phrase"} and not clause.excluded for clause in parse(query).clauses)


def _parts(texts: list[int], found: Mapping[int, Found]) -> dict[int, dict[str, float]]:
    return {text: {PART: round(found[text].cosine, 4)} for text in texts if text in found}


def _spans(texts: list[int], found: Mapping[int, Found]) -> dict[int, tuple[int, int]]:
    return {text: (found[text].start, found[text].end) for text in texts}
