"""Statistics against values worked out by hand, and promises that hold for any values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.evaluation.statistics import bootstrap_interval, compare, holm, permutation_test

VALUES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=30)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_all_signs_of_few_differences_are_tried() -> None:
    # Of the eight assignments of signs to three equal differences two are as far from 0.
    assert permutation_test([0.5, 0.5, 0.5]) == pytest.approx(2 / 8)
    assert permutation_test([0.0, 0.0]) == 1.0


def test_a_clear_difference_is_clear_and_none_is_none() -> None:
    better = {"m": {str(n): 0.9 for n in range(40)}}
    worse = {"m": {str(n): 0.4 + n / 400 for n in range(40)}}
    found = compare(better, worse)["m"]
    assert found.difference == pytest.approx(found.mean - found.against)
    assert 0 < found.low <= found.difference <= found.high
    assert found.p < 0.001
    same = compare(better, better)["m"]
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)


def test_only_queries_of_both_are_compared() -> None:
    assert compare({"m": {"a": 1.0, "b": 0.0}}, {"m": {"b": 1.0}})["m"].queries == 1
    assert compare({"m": {"a": 1.0}}, {"m": {}}) == {}


@given(VALUES)
def test_the_interval_holds_the_same_for_the_same_values_and_lies_among_them(values: list[float]) -> None:
    low, high = bootstrap_interval(values, samples=200)
    assert (low, high) == bootstrap_interval(values, samples=200)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


@given(VALUES)
def test_p_is_a_probability_and_knows_no_direction(values: list[float]) -> None:
    p = permutation_test(values, samples=200)
    assert 0 < p <= 1
    assert p == permutation_test([-value for value in values], samples=200)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_makes_a_p_smaller(values: list[float]) -> None:
    corrected = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, corrected, strict=True))
