"""Whether two configurations differ: paired bootstrap intervals, permutation tests, Holm's correction; pure.

Efron and Tibshirani, "An Introduction to the Bootstrap" (percentile interval); Smucker, Allan and Carterette, "A
Comparison of Statistical Significance Tests for Information Retrieval Evaluation" (paired randomisation test); Holm, "A
Simple Sequentially Rejective Multiple Test Procedure".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

SAMPLES: Final = 10_000
SEED: Final = 20_250_101  # the same data give the same interval


class Comparison(msgspec.Struct, frozen=True):
    """A measure under two configurations, over the queries that both have.

    Attributes:
        queries: How many queries.
        mean: Under the first configuration.
        against: Under the second.
        difference: ``mean - against``.
        low: Lower end of the 95% bootstrap interval of the difference.
        high: Upper end.
        p: Two-sided p of the permutation test.
        p_holm: The same, corrected for the number of measures.
    """

    queries: int
    mean: float
    against: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


def compare(
    values: Mapping[str, Mapping[str, float]], against: Mapping[str, Mapping[str, float]]
) -> dict[str, Comparison]:
    """Compare two configurations, measure by measure, paired by query.

    Args:
        values: By measure, by query, the value under the first configuration.
        against: The same under the second.

    Returns:
        By measure, those that have at least one query under both.
    """
    found: dict[str, Comparison] = {}
    for name in values:
        queries = sorted(values[name].keys() & against.get(name, {}).keys())
        if not queries:
            continue
        first = [values[name][query] for query in queries]
        second = [against[name][query] for query in queries]
        differences = [a - b for a, b in zip(first, second, strict=True)]
        low, high = bootstrap_interval(differences)
        mean, other = sum(first) / len(first), sum(second) / len(second)
        p = permutation_test(differences)
        found[name] = Comparison(len(queries), mean, other, mean - other, low, high, p, p)
    corrected = holm([comparison.p for comparison in found.values()])
    return {
        name: msgspec.structs.replace(comparison, p_holm=p)
        for (name, comparison), p in zip(found.items(), corrected, strict=True)
    }


def bootstrap_interval(values: Sequence[float], *, level: float = 0.95, samples: int = SAMPLES) -> tuple[float, float]:
    """Percentile interval of the mean, from means of samples drawn with replacement.

    Args:
        values: One value a query, at least one.
        level: Share of the means inside the interval.
        samples: How many means.
    """
    import numpy as np

    data = np.asarray(values, np.float64)
    random = np.random.default_rng(SEED)
    means = np.empty(samples)
    # A few hundred samples at a time keep memory small for many queries.
    for start in range(0, samples, 200):
        count = min(200, samples - start)
        means[start : start + count] = data[random.integers(0, len(data), (count, len(data)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def permutation_test(differences: Sequence[float], *, samples: int = SAMPLES) -> float:
    """Two-sided p of a mean difference this far from 0 if the sign of each query's difference were chance.

    Every assignment of signs is tried when there are no more of them than ``samples``; else that many are drawn, and
    the observed one is counted in, so that p is never 0.

    Args:
        differences: One difference a query.
        samples: How many assignments to draw.
    """
    import numpy as np

    data = np.asarray([value for value in differences if value], np.float64)
    if not len(data):
        return 1.0
    observed = abs(data.sum()) - 1e-12
    if 2 ** len(data) <= samples:
        signs = (np.arange(2 ** len(data))[:, None] >> np.arange(len(data)) & 1) * 2 - 1
        return float((np.abs(signs @ data) >= observed).mean())
    random = np.random.default_rng(SEED)
    extreme = 0
    for start in range(0, samples, 200):
        count = min(200, samples - start)
        signs = random.integers(0, 2, (count, len(data)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ data) >= observed).sum())
    return (extreme + 1) / (samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction; returns the corrected values in the given order."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [1.0] * len(p_values)
    least = 0.0
    for rank, number in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[number]))
        corrected[number] = least
    return corrected
