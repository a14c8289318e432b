"""Which branch of a conversation lives: shared by the hosts whose messages name their parents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K", str, bytes)


def beside(tree: Mapping[K, tuple[K, int, int]], leaf: K) -> tuple[tuple[int, int], ...]:
    """Return the ranges of ord that stand beside the way from a leaf to its root.

    Args:
        tree: For each entry, in the order of the file, (its parent, its first ord, its last ord + 1). A parent that is
            no entry makes it a root; other roots than the leaf's never die.
        leaf: The entry that the live branch ends in.
    """
    if leaf not in tree:
        return ()
    roots: dict[K, K] = {}
    for key, (parent, _, _) in tree.items():
        roots[key] = roots.get(parent, key)
    live: set[K] = set()
    at = leaf
    while at in tree and at not in live:
        live.add(at)
        at = tree[at][0]
    dead: list[tuple[int, int]] = []
    for key, (_, first, end) in tree.items():
        if end > first and key not in live and roots[key] == roots[leaf]:
            joins = bool(dead) and dead[-1][1] == first
            dead.append((dead.pop()[0] if joins else first, end))
    return tuple(dead)
