"""Drawing blocks from the store by chance."""

from __future__ import annotations

import random

from recall_lab.model import Block
from recall_lab.store.connection import Reader, explained
from recall_lab.store.reading import root_blocks

_DRAWS = 40  # times the wanted number that are tried before the store is taken to have no more


def sample_blocks(reader: Reader, count: int, *, least: int = 1, seed: int = 1) -> tuple[Block, ...]:
    """Draw blocks that stand in a session, each once; what hosts wrote is left out.

    Args:
        reader: The store, opened for reading.
        count: How many; fewer when there are not so many.
        least: Code points that a text has at least.
        seed: The same seed draws the same blocks from the same store.
    """
    dice = random.Random(seed)  # noqa: S311 (a sample, not a secret)
    db = reader.connection
    with explained(reader.path):
        last: int = db.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get
        wanted = dice.sample(range(1, last + 1), min(last, count * _DRAWS))
        found: list[int] = []
        for text_id in wanted:
            if len(found) == count:
                break
            fits = db.execute(
                "SELECT 1 FROM blocks b WHERE text_id = ? AND length >= ? AND role <> 'host' "
                "AND EXISTS (SELECT 1 FROM placements p WHERE p.text_id = b.text_id)",
                (text_id, least),
            ).get
            if fits:
                found.append(text_id)
    return tuple(root_blocks(reader, found).values())
