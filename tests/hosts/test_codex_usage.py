"""Tokens of Codex, counted once each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.hosts import HOSTS
from recall_lab.hosts.base import RawModelCall
from tests.hosts.count_codex_tokens import NAMES, count
from tests.hosts.reading import read
from tests.hosts.rollouts import (
    AT,
    PARENT,
    PATH,
    SESSION,
    TURNS,
    event,
    header,
    item,
    line,
    meta,
    prompt,
    tokens,
    turn,
)

CODEX = HOSTS["codex"]


def calls(*sources: bytes) -> list[RawModelCall]:
    """Return the calls of all sources, each key once."""
    found: dict[str, RawModelCall] = {}
    for source in sources:
        for (_, key), call in read(CODEX, source, PATH).model_calls.items():
            found.setdefault(key, call)
    return list(found.values())


def inputs(*sources: bytes) -> list[int]:
    return [call.input_tokens for call in calls(*sources)]


def sums(found: Iterable[RawModelCall]) -> dict[str, dict[str, int]]:
    totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("calls", *NAMES), 0))
    for call in found:
        row = totals[call.model or ""]
        row["calls"] += 1
        row["input"] += call.input_tokens
        row["cache_read"] += call.cache_read_tokens
        row["cache_write"] += call.cache_write_5m_tokens + call.cache_write_1h_tokens
        row["output"] += call.output_tokens
        row["reasoning"] += call.reasoning_tokens
    return dict(totals)


def usage(input_: int, cached: int = 0, written: int = 0, output: int = 0, reasoning: int = 0) -> dict[str, int]:
    return {
        "input_tokens": input_,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": written,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input_ + output,
    }


def test_input_excludes_what_the_cache_read_and_wrote() -> None:
    spent = usage(1000, 600, 100, 50, 20)
    (call,) = calls(
        meta() + turn() + event("token_count", info={"total_token_usage": spent, "last_token_usage": spent})
    )
    assert (call.input_tokens, call.cache_read_tokens, call.cache_write_5m_tokens) == (300, 600, 100)
    assert (call.output_tokens, call.reasoning_tokens, call.cache_write_1h_tokens) == (50, 20, 0)
    assert (call.model, call.timestamp, call.final) == ("gpt-5", AT, True)


def test_the_model_is_that_of_the_latest_turn_context() -> None:
    source = meta(model="gpt-4") + tokens(1, 1) + turn(TURNS[0], "gpt-5") + tokens(3, 2) + turn(TURNS[1], "gpt-6")
    assert [call.model for call in calls(source + tokens(6, 3))] == ["gpt-4", "gpt-5", "gpt-6"]


def test_totals_that_do_not_change_are_told_again() -> None:
    assert inputs(meta() + turn() + tokens(10, 10) + tokens(10, 10) + turn(TURNS[1]) + tokens(10, 10)) == [10]


def test_a_response_may_use_as_much_as_the_one_before() -> None:
    assert inputs(meta() + turn() + tokens(10, 10) + tokens(20, 10) + tokens(30, 10)) == [10, 10, 10]


def test_totals_alone_are_counted_by_their_difference() -> None:
    assert inputs(meta() + turn() + tokens(10, None) + tokens(25, None) + tokens(25, None)) == [10, 15]


def test_totals_that_fall_have_begun_anew() -> None:
    assert inputs(meta() + turn() + tokens(100, None) + tokens(30, None) + tokens(50, None)) == [100, 30, 20]


def test_an_event_without_numbers_counts_nothing() -> None:
    source = meta() + turn() + event("token_count", info=None) + event("token_count") + event("token_count", info={})
    assert (
        calls(source + event("token_count", info={"total_token_usage": usage(0), "last_token_usage": usage(0)})) == []
    )


@pytest.mark.parametrize("wrong", [-5, 2**60, "ten", None, 1.5, [1]])
def test_what_is_no_count_is_none(wrong: object) -> None:
    info = {"last_token_usage": {"input_tokens": wrong, "output_tokens": 7}}
    assert [(call.input_tokens, call.output_tokens) for call in calls(turn() + event("token_count", info=info))] == [
        (0, 7)
    ]


def replayed(source: bytes) -> bytes:
    """Return records as a fork repeats them: with other times."""
    return source.replace(AT.encode(), b"2026-06-01T00:00:00.000Z")


PARENTS = turn(TURNS[0]) + prompt("a") + tokens(10, 10) + tokens(30, 20) + turn(TURNS[1]) + prompt("b") + tokens(60, 30)


@pytest.mark.parametrize("relation", ["forked_from_id", "parent_thread_id"])
@pytest.mark.parametrize("with_meta", [True, False])
def test_a_fork_or_child_does_not_count_its_parents_calls_again(relation: str, with_meta: bool) -> None:
    parent = meta(PARENT) + PARENTS
    again = replayed(parent if with_meta else PARENTS)
    child = meta(SESSION, **{relation: PARENT}) + again + turn(TURNS[2]) + tokens(65, 5)
    assert sorted(inputs(parent, child)) == sorted(inputs(child, parent)) == [5, 10, 20, 30]


def test_a_fork_of_a_fork_counts_nothing_twice() -> None:
    first = meta(PARENT) + PARENTS
    second = meta(SESSION, forked_from_id=PARENT) + replayed(first) + turn(TURNS[2]) + tokens(65, 5)
    third = meta(TURNS[8], forked_from_id=SESSION) + replayed(second) + turn(TURNS[3]) + tokens(71, 6)
    assert sorted(inputs(third, second, first)) == [5, 6, 10, 20, 30]


def test_parent_and_fork_that_go_on_are_two() -> None:
    start = meta(PARENT) + turn(TURNS[0]) + tokens(10, 10)
    parent = start + turn(TURNS[1]) + tokens(20, 10)
    fork = meta(SESSION, forked_from_id=PARENT) + replayed(start) + turn(TURNS[2]) + tokens(20, 10)
    assert inputs(parent, fork) == [10, 10, 10]


def test_a_fork_without_turn_ids_counts_its_parents_calls_once() -> None:
    parent = meta(PARENT) + turn(None) + tokens(10, 10) + tokens(30, 20)
    fork = meta(SESSION, forked_from_id=PARENT) + replayed(parent) + turn(None) + tokens(35, 5)
    assert sorted(inputs(parent, fork)) == [5, 10, 20]


def test_short_turn_ids_are_of_their_thread() -> None:
    one, two = (meta(id_) + turn("1") + tokens(10, 10) for id_ in (SESSION, PARENT))
    assert inputs(one, two) == [10, 10]
    fork = meta(SESSION, forked_from_id=PARENT) + replayed(turn("1") + tokens(10, 10)) + turn("2") + tokens(17, 7)
    assert inputs(two, fork) == [10, 7]


def record(spent: int, id_: str = "r") -> bytes:
    return line("token_usage_record", response_id=id_, usage={"input_tokens": spent})


def test_a_usage_record_and_a_token_count_tell_of_one_response() -> None:
    before = meta() + turn() + record(10) + tokens(10, 10) + record(10) + tokens(20, 10)
    after = meta() + turn() + tokens(10, 10) + record(10) + tokens(20, 10) + record(10)
    assert inputs(before) == inputs(after) == [10, 10]


def test_a_usage_record_that_no_token_count_repeats_counts() -> None:
    assert inputs(meta() + turn() + record(10) + record(7) + record(10)) == [10, 7, 10]
    assert inputs(meta() + turn() + tokens(10, 10) + record(10) + record(99) + tokens(25, 15) + record(15)) == [
        10,
        99,
        15,
    ]


def test_web_searches_belong_to_the_response_that_follows() -> None:
    search = item("web_search_call", status="completed", action={"type": "search", "query": "x"})
    source = meta() + turn() + search + search + tokens(10, 10) + tokens(20, 10)
    assert [call.web_searches for call in calls(source)] == [2, 0]


def test_files_of_2025_tell_no_usage() -> None:
    assert calls(header()) == []


NUMBERS = st.integers(0, 3)
EVENTS = st.one_of(
    st.builds(tokens, st.one_of(st.none(), NUMBERS), st.one_of(st.none(), NUMBERS)),
    st.sampled_from(TURNS[:3]).map(turn),
    st.sampled_from(TURNS[:3]).map(lambda turn_id: event("task_started", turn_id=turn_id)),
)


@given(st.lists(EVENTS, max_size=12))
def test_the_plain_count_agrees(tmp_path_factory: pytest.TempPathFactory, events: list[bytes]) -> None:
    source = meta() + b"".join(events)
    path = tmp_path_factory.getbasetemp() / PATH
    path.write_bytes(source)
    plain = {model: row for model, row in count([path]).items() if any(row[name] for name in NAMES)}
    for row in plain.values():
        del row["calls"]  # the plain count has calls that used nothing
    counted = sums(calls(source))
    for row in counted.values():
        del row["calls"]
    assert counted == plain


@pytest.mark.corpus
def test_real_rollouts_agree_with_the_plain_count(corpus: Path) -> None:
    paths = sorted((corpus / "transcripts/home/.codex").rglob("*.jsonl"))
    assert paths
    for path in paths:
        assert sums(calls(path.read_bytes())) == count([path]), path.name
    assert sums(calls(*(path.read_bytes() for path in paths))) == count(paths)
