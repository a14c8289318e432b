"""What each part of search is worth: every part switched off in turn, on any number of benchmark folders.

``python -m recall_lab.evaluation.ablations DIR…`` prints the tables of docs/search-quality.md, with ``--meaning`` those
of search by meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recall_lab.evaluation.retrieval import Ablation, ablate

PARTS: Final = {
    "default": "everything, as shipped",
    "plain": "stemmed BM25 over words alone",
    "near=0,far=0": "without the neighbours",
    "least_terms=1000": "no hit by its neighbours alone, no answer before its question",
    "answer=0,asking=0": "questions and answers alike",
    "forms=false": "without forms that the stemmer does not know",
    "date=0": "without the time that a query names",
    "session=0": "without the session's prior",
    "title=0": "without titles",
    "tiers=false": "score alone decides, no tiers",
    "recency=0": "without recency",
    "recency=0.5": "recency at its most",
    "refuse=0,common=0": "without the gate",
    "question_words=false": "question words count",
    "identifiers=false": "no phrases, no identifiers as typed",
    "split_identifiers=false": "camelCase in one piece",
    "session_coverage=0": "sessions ranked by their best hits alone",
    "k1=0.9,b=0.4": "other constants of BM25",
}
"""Configuration, as ``search.parse_config`` reads it -> what is different."""

MEANING: Final = {
    "default": "by words, as shipped",
    "mode=hybrid": "by words and meaning, as shipped",
    "mode=semantic": "by meaning alone",
    "mode=hybrid,meaning=0.25": "meaning counts half as much",
    "mode=hybrid,meaning=1": "meaning counts twice as much",
    "mode=hybrid,least_meaning=0.2": "meaning alone finds what is less near",
    "mode=hybrid,least_meaning=0.4": "meaning alone finds only what is nearer",
}
"""The same for search by meaning; wants the extra."""

MEASURES: Final = ("recall@5", "recall@10", "ndcg@10", "mrr@10", "session_hit@1", "abstention")


def table(found: Sequence[Ablation]) -> str:
    """A Markdown table: measures of each configuration; * where it differs from the first (Holm-corrected p < .05)."""
    lines = ["| configuration | " + " | ".join(MEASURES) + " |", "|---|" + "---|" * len(MEASURES)]
    for one in found:
        cells = []
        for measure in MEASURES:
            value = one.report.metrics.get(measure)
            compared = one.report.comparison.get(measure)
            star = "*" if compared and compared.p_holm < 0.05 else ""
            cells.append("-" if value is None else f"{value:.3f}{star}")
        lines.append(f"| {(MEANING | PARTS).get(one.name, one.name)} (`{one.name}`) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    """Print a table for each folder; ``--meaning`` before them asks for the other parts."""
    from recall_lab.redaction import open_redactor
    from recall_lab.settings import load_settings

    settings = load_settings()
    redactor = open_redactor(settings.cache / "rules")
    names = list(MEANING if "--meaning" in words else PARTS)
    for folder in (Path(word) for word in words if word != "--meaning"):
        found = ablate(folder, names, redactor=redactor, model=settings.semantic_model)
        print(f"### {folder.name}, {found[0].report.queries:,} queries\n\n{table(found)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
