"""Two rankings shown as one, so that neither is favoured; pure.

Team draft (Radlinski, Kurup and Joachims 2008, "How does clickthrough data reflect retrieval quality?"): the rankings
take turns, by a coin where they are even, and each brings the best that is not there yet. Who brought what is known, so
a grade is credited to one of them.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeVar

Team = Literal["a", "b"]
Item = TypeVar("Item", bound=Hashable)


def team_draft(a: Sequence[Item], b: Sequence[Item], *, seed: int, limit: int = 10) -> tuple[tuple[Item, Team], ...]:
    """Interleave two rankings.

    Args:
        a: One ranking, best first.
        b: The other.
        seed: The same seed tosses the same coins.
        limit: At most so many.

    Returns:
        Each item once, with the ranking that brought it.
    """
    dice = random.Random(seed)  # noqa: S311 (a coin, not a secret)
    waiting: dict[Team, list[Item]] = {"a": list(reversed(a)), "b": list(reversed(b))}
    brought: dict[Team, int] = {"a": 0, "b": 0}
    seen: set[Item] = set()
    drafted: list[tuple[Item, Team]] = []
    while len(drafted) < limit:
        for left in waiting.values():
            while left and left[-1] in seen:
                left.pop()
        able: list[Team] = [team for team in brought if waiting[team]]
        if not able:
            break
        fewest = min(brought[team] for team in able)
        team = dice.choice([team for team in able if brought[team] == fewest])
        item = waiting[team].pop()
        seen.add(item)
        brought[team] += 1
        drafted.append((item, team))
    return tuple(drafted)


def credited(grades: Iterable[tuple[Team, int]]) -> dict[Team, int]:
    """How many passages with a grade above 0 each ranking brought."""
    counts: dict[Team, int] = {"a": 0, "b": 0}
    for team, grade in grades:
        counts[team] += grade > 0
    return counts
