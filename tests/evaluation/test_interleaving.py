"""Two rankings become one list that favours neither."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall_lab.evaluation.interleaving import credited, team_draft

ranking = st.lists(st.integers(0, 30), unique=True, max_size=15)


@given(ranking, ranking, st.integers(), st.integers(1, 20))
def test_each_passage_once_and_each_team_brings_its_best(a: list[int], b: list[int], seed: int, limit: int) -> None:
    drafted = team_draft(a, b, seed=seed, limit=limit)
    items = [item for item, _ in drafted]
    assert len(items) == len(set(items)) == min(limit, len({*a, *b}))
    for at, (item, team) in enumerate(drafted):
        mine = a if team == "a" else b
        # Nothing better of its own was left behind.
        assert set(mine[: mine.index(item)]) <= set(items[:at])


@given(ranking, ranking, st.integers())
def test_teams_bring_alike_while_both_have_something(a: list[int], b: list[int], seed: int) -> None:
    drafted = team_draft(a, b, seed=seed, limit=30)
    both = len({*a} | {*b}) - max(len({*a} - {*b}), len({*b} - {*a}))
    teams = [team for _, team in drafted[:both]]
    assert abs(teams.count("a") - teams.count("b")) <= 1


def test_coins_fall_by_the_seed() -> None:
    assert team_draft([1, 2], [3, 4], seed=5) == team_draft([1, 2], [3, 4], seed=5)
    assert {team_draft([1], [2], seed=seed)[0][1] for seed in range(20)} == {"a", "b"}


def test_what_answers_is_credited_to_who_brought_it() -> None:
    assert credited([("a", 2), ("b", 0), ("a", -1), ("b", 1), ("a", 3)]) == {"a": 2, "b": 1}
