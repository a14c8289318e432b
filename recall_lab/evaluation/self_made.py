"""A benchmark that a history makes of itself: queries from parts of its passages, each with the way back to find."""

from __future__ import annotations

import random
from pathlib import Path

from recall_lab.errors import NotFoundError
from recall_lab.evaluation.benchmark import Question, Row
from recall_lab.evaluation.judged import write_benchmark
from recall_lab.evaluation.known_items import LEAST, queries_from
from recall_lab.store import Reader
from recall_lab.store.fulltext import fulltext_of
from recall_lab.store.judging import texts_around
from recall_lab.store.sampling import sample_blocks


def write_known_items(reader: Reader, folder: Path, *, passages: int = 40, seed: int = 1) -> int:
    """Draw passages and write them as a benchmark folder (0700, files 0600); strata are the kinds of query.

    Args:
        reader: The store, opened for reading.
        folder: Where to.
        passages: How many to draw.
        seed: The same seed draws the same passages from the same store.

    Returns:
        How many queries there are.

    Raises:
        NotFoundError: the history holds no passage to ask for.
        StoreError: the folder cannot be written.
    """
    dice = random.Random(seed)  # noqa: S311 (a sample, not a secret)
    drawn = sample_blocks(reader, passages, least=LEAST, seed=seed)
    questions: list[Question] = []
    grades: list[tuple[str, str, int]] = []
    for block in drawn:
        for kind, text in queries_from(fulltext_of(reader), block, dice):
            questions.append(Question(id=f"q{len(questions) + 1}", text=text, stratum=kind))
            grades.append((questions[-1].id, block.block_id, 1))
    if not questions:
        raise NotFoundError("the history holds no passage to ask for; run `recall-lab index` first")
    texts = texts_around(reader, [block.block_id for block in drawn])
    rows = [
        Row(id=one.block_id, text=one.text, session=one.session, timestamp=one.timestamp, turn=one.turn)
        for one in texts
    ]
    write_benchmark(folder, rows, questions, grades)
    return len(questions)
