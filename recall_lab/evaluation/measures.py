"""Retrieval measures, by ir-measures (MacAvaney, Macdonald and Ounis, "Streamlining Evaluation with ir-measures")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MEASURES = {"recall@5": "R@5", "recall@10": "R@10", "mrr@10": "RR@10", "ndcg@10": "nDCG@10", "hit@1": "Success@1"}
SESSION_MEASURES = {"session_hit@1": "Success@1", "session_hit@5": "Success@5", "session_mrr": "RR"}


def by_query(
    measures: Mapping[str, str], rankings: Mapping[str, Sequence[str]], grades: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, float]]:
    """Measure each ranking.

    Args:
        measures: Our name of each measure -> its name in ir-measures.
        rankings: By query, documents, best first.
        grades: By query, the grade of each judged document, with at least one above 0.

    Returns:
        By measure, by query of ``grades``, the value; a query without a ranking counts 0.
    """
    import ir_measures

    parsed: dict[Any, str] = {ir_measures.parse_measure(theirs): ours for ours, theirs in measures.items()}
    # The order is what was ranked: scores that fall from place to place leave no ties to break.
    run = {
        query: {document: float(-place) for place, document in enumerate(documents)}
        for query, documents in rankings.items()
        if documents
    }
    values = {name: dict.fromkeys(grades, 0.0) for name in measures}
    judged = {query: {doc: max(grade, 0) for doc, grade in docs.items()} for query, docs in grades.items()}
    for found in ir_measures.iter_calc(list(parsed), judged, run):
        if found.query_id in grades:
            values[parsed[found.measure]][found.query_id] = float(found.value)
    return values


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None
