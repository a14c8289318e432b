"""A call counts once, at its root, by the row that tells most; costs follow the catalogue."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from recall_lab.mirror.prices import price_catalogue, prices_of
from recall_lab.model import ModelCall, ToolCall
from tests.mirror.telling import Telling, called, hex_id, moment, said


def calls(telling: Telling, columns: str) -> list[tuple[Any, ...]]:
    return telling.rows(f"SELECT {columns} FROM model_calls ORDER BY key")


# ---- one call, however many rows ----


def test_copies_in_forks_and_subagents_count_once_at_the_main_session(telling: Telling) -> None:
    call = called("c", output_tokens=7)
    telling.tell("fork", said("a"), model_calls=[call], relation="fork", parent_id="main")
    telling.tell("agent", said("b", minute=1), model_calls=[call], relation="subagent", parent_id="main")
    telling.tell("main", said("c", minute=30), model_calls=[call])
    assert calls(telling, "session, output_tokens, copies") == [("main", 7, 3)]


def test_of_two_main_sessions_the_earlier_one_has_the_call_whatever_the_order_of_capture(telling: Telling) -> None:
    call = called("c")
    telling.tell("b-later", said("x", minute=9), model_calls=[call])
    telling.tell("a-latest", said("y", minute=20), model_calls=[call])
    telling.tell("z-first", said("z", minute=1), model_calls=[call])
    assert calls(telling, "session, copies") == [("z-first", 3)]


def test_with_equal_starts_the_smaller_native_id_has_it(telling: Telling) -> None:
    call = called("c")
    telling.tell("b", said("x"), model_calls=[call])
    telling.tell("a", said("y"), model_calls=[call])
    assert calls(telling, "session") == [("a",)]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([(5, False), (3, True)], 3),  # a stop reason goes before more output
        ([(5, True), (9, True)], 9),
        ([(5, False), (9, False), (7, False)], 9),
        ([(0, False), (0, False)], 0),
    ],
)
def test_the_row_with_a_stop_reason_and_the_most_output_tells_the_tokens(
    telling: Telling, rows: list[tuple[int, bool]], kept: int
) -> None:
    for place, (output, final) in enumerate(rows):
        call = called("c", output_tokens=output, final=final, input_tokens=100 + output)
        telling.tell(f"s{place}", said(f"b{place}", minute=place), model_calls=[call])
    assert calls(telling, "output_tokens, input_tokens, session") == [(kept, 100 + kept, "s0")]


def test_synthetic_messages_are_kept_and_not_counted(telling: Telling) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", model="<synthetic>", output_tokens=9), called("d")])
    assert sorted(calls(telling, "model, counted")) == [("<synthetic>", False), ("claude-opus-4-5-20251101", True)]


def test_a_call_belongs_to_the_branch_that_was_checked_out(telling: Telling) -> None:
    telling.tell(
        "main",
        said("a", at=0, role="user", branch="main", cwd="/w"),
        said("b", at=5, branch="topic", cwd="/w"),
        model_calls=[
            called("before", timestamp=moment(3)),
            called("after", timestamp=moment(6)),
            called("timeless", timestamp=None),
            called("elsewhere", turn=9),
        ],
        branch="last",
    )
    found = dict(telling.rows("SELECT key, branch FROM model_calls"))
    assert {name: found[hex_id(name)] for name in ("before", "after", "timeless", "elsewhere")} == {
        "before": "main",
        "after": "topic",
        "timeless": "main",  # the turn began there
        "elsewhere": "last",  # nothing is known of the turn, so the session speaks
    }


def test_a_tool_call_that_several_files_tell_is_one(telling: Telling) -> None:
    request = ToolCall(call_id="t", turn=2, tool="Bash", started=moment(1), request_block=hex_id("r"))
    outcome = ToolCall(call_id="t", turn=2, ended=moment(3), failed=True, error="exit 1", result_block=hex_id("o"))
    asked = said("r", "Bash\ncommand: make test", at=0, kind="tool_use")
    telling.tell("fork", said("x", minute=5), tool_calls=[request], relation="fork", parent_id="main")
    telling.tell("main", asked, tool_calls=[request, outcome])
    columns = "session, turn, tool, request, failed, error, duration_ms, request_block, result_block"
    assert telling.rows(f"SELECT {columns} FROM tool_calls") == [
        ("main", 2, "Bash", "command: make test", True, "exit 1", 120_000, hex_id("r"), hex_id("o"))
    ]


def test_what_the_host_logged_as_duration_goes_before_the_clock(telling: Telling) -> None:
    logged = ToolCall(call_id="a", turn=1, tool="Bash", started=moment(0), ended=moment(9), duration_ms=250)
    backwards = ToolCall(call_id="b", turn=1, tool="Bash", started=moment(9), ended=moment(0))
    telling.tell("main", said("a"), tool_calls=[logged, backwards])
    assert telling.rows("SELECT call_id, duration_ms FROM tool_calls ORDER BY call_id") == [("a", 250), ("b", None)]


# ---- roots of blocks ----


def test_a_block_in_several_sessions_is_one_row_at_its_root(telling: Telling) -> None:
    telling.tell("fork", said("p", minute=0), relation="fork", parent_id="main")
    telling.tell("kid", said("p", minute=0), relation="subagent", parent_id="main")
    telling.tell("late", said("p", minute=40))
    telling.tell("early", said("p", minute=20), said("q", at=1, minute=21))
    assert telling.rows("SELECT session, placements FROM blocks WHERE placements > 1") == [("early", 4)]
    assert telling.rows("SELECT session, blocks, root_blocks FROM sessions ORDER BY session") == [
        ("early", 2, 2),
        ("fork", 1, 0),
        ("kid", 1, 0),
        ("late", 1, 0),
    ]


def test_two_texts_of_one_id_are_two_rows(telling: Telling) -> None:
    telling.tell("one", said("p", "first"))
    telling.tell("two", said("p", "second"))
    assert telling.rows("SELECT block_id, text FROM blocks ORDER BY text") == [
        (hex_id("p"), "first"),
        (hex_id("p"), "second"),
    ]


# ---- prices ----

MODELS = [
    "claude-opus-4-5-20251101",
    "claude-opus-4-6",
    "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5-20251001",
    "claude-3-5-haiku-20241022",
    "gpt-5.5",
    "gpt-5-codex",
    "gpt-5.1-codex",
    "gemini-2.5-pro",
]
DAYS = ["2025-03-01", "2026-03-12", "2026-03-13", "2026-11-01"]


def from_the_library(call: ModelCall) -> float:
    """The library's own way of pricing one request."""
    from genai_prices import Usage, calc_price

    assert call.model is not None
    assert call.timestamp is not None
    written = call.cache_write_5m_tokens + call.cache_write_1h_tokens
    price = calc_price(
        Usage(
            input_tokens=call.input_tokens + call.cache_read_tokens + written,
            output_tokens=call.output_tokens,
            cache_read_tokens=call.cache_read_tokens,
            cache_write_tokens=written,
            cache_write_1h_tokens=call.cache_write_1h_tokens,
            web_searches=call.web_searches,
        ),
        call.model,
        genai_request_timestamp=datetime.fromisoformat(call.timestamp),
    )
    return float(price.total_price)


def test_costs_equal_those_of_the_catalogue_s_own_library(telling: Telling) -> None:
    dice = random.Random(7)
    made = []
    for number in range(300):
        model = dice.choice(MODELS)
        hour = dice.randrange(20_000) if model.startswith("claude") else 0  # others have no price for it
        made.append(
            called(
                f"c{number}",
                model=model,
                timestamp=f"{dice.choice(DAYS)}T{dice.randrange(24):02d}:00:00.000Z",
                input_tokens=dice.choice([0, 10, 5_000, 150_000, 199_999, 250_000, 400_000]),
                output_tokens=dice.randrange(5_000),
                cache_read_tokens=dice.choice([0, 1, 60_000, 900_000]),
                cache_write_5m_tokens=dice.randrange(20_000),
                cache_write_1h_tokens=hour,
                web_searches=dice.choice([0, 0, 3]),
            )
        )
    telling.tell("main", said("a"), model_calls=made)
    found = dict(telling.rows("SELECT key, cost_usd FROM model_calls"))
    for call in made:
        assert found[call.key] == pytest.approx(from_the_library(call), rel=1e-9), call


def test_an_hour_s_cache_write_costs_twice_the_input(telling: Telling) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", cache_write_1h_tokens=1_000_000)])
    [(cost, rate)] = telling.rows("SELECT cost_usd, p.input FROM model_calls JOIN prices p USING (model)")
    assert cost == pytest.approx(2 * rate)


@pytest.mark.parametrize("model", ["glm-4.7-flash", "sonnet", "a-model-of-tomorrow", "", None])
def test_a_model_without_a_price_has_no_cost_never_zero(telling: Telling, model: str | None) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", model=model, output_tokens=1_000)])
    assert calls(telling, "cost_usd, price_catalogue, counted") == [(None, None, True)]


def test_models_under_a_cloud_s_name_have_a_price() -> None:
    names = ["us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5@20251101", "claude-sonnet-4-5-20250929[1m]"]
    found = {price.model for price in prices_of([("claude-code", name) for name in names])}
    assert found == set(names)


def test_every_cost_names_its_catalogue(telling: Telling) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", output_tokens=5)])
    [(name, version, day)] = calls(telling, "price_catalogue, price_version, price_date")
    catalogue = price_catalogue()
    assert (name, version, day.isoformat()) == (catalogue.name, catalogue.version, catalogue.date)
    assert day <= datetime.now(UTC).date()


def test_each_moment_and_size_of_a_request_has_one_price() -> None:
    for model in MODELS:
        rows = prices_of([("h", model)])
        assert rows
        for row in rows:
            same = [r for r in rows if (r.from_date, r.from_time) == (row.from_date, row.from_time)]
            bounds = sorted((r.above_tokens, r.upto_tokens or 10**12) for r in same)
            assert bounds[0][0] == -1
            assert bounds[-1][1] == 10**12
            assert all(before[1] == after[0] for before, after in pairwise(bounds))


def test_what_the_host_logged_as_cost_has_a_column_of_its_own(telling: Telling) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", model="a-model-of-tomorrow", logged_cost_usd=0.25)])
    assert calls(telling, "cost_usd, logged_cost_usd") == [(None, 0.25)]


def test_a_call_without_a_time_is_priced_by_its_session_s(telling: Telling) -> None:
    telling.tell("main", said("a"), model_calls=[called("c", timestamp=None, output_tokens=1_000_000)])
    [(cost,)] = calls(telling, "cost_usd")
    assert cost > 0


def test_prices_are_the_same_beside_the_build_and_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_lab.mirror import prices

    models = [("claude-code", name) for name in MODELS]
    here = (price_catalogue(), prices_of(sorted(models)))
    beside = prices.Lookup(models)
    beside._process = beside._start()
    assert beside._process is not None
    monkeypatch.delattr(prices, "prices_of")  # so that the process itself has to answer
    assert beside.result() == here
    beside.close()


def test_a_lookup_whose_process_dies_is_done_here() -> None:
    from recall_lab.mirror.prices import Lookup

    lookup = Lookup([("claude-code", MODELS[0])])
    lookup._process = lookup._start()
    assert lookup._process is not None
    lookup._process.kill()
    assert lookup.result()[1] == prices_of([("claude-code", MODELS[0])])


def test_what_the_generation_before_looked_up_is_not_looked_up_again(telling: Telling) -> None:
    from recall_lab.mirror.prices import LookedUp, Lookup

    asked = ("claude-code", MODELS[0])
    known = LookedUp(price_catalogue(), frozenset({asked}), tuple(prices_of([asked])))
    taken = Lookup([asked], known)
    assert taken.result() == (known.catalogue, list(known.prices))
    more = Lookup([asked, ("codex", MODELS[0])], known)
    assert {price.host for price in more.result()[1]} == {"claude-code", "codex"}
    stale = msgspec.structs.replace(known, catalogue=msgspec.structs.replace(known.catalogue, version="0"), prices=())
    assert Lookup([asked], stale).result()[1] == list(known.prices)
    telling.tell("main", said("a"), model_calls=[called("c", output_tokens=5)])
    first = telling.rows("SELECT * FROM prices ORDER BY ALL")
    with telling.mirror(full=True) as again:
        assert again.rows("SELECT * FROM prices ORDER BY ALL") == first
        assert again.rows("SELECT count(cost_usd) FROM model_calls") == [(1,)]
