"""Who asks wants what was answered, and what was said at the time that the question names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.search import SearchConfig, search
from recall_lab.search.dates import named_dates, spans_of

from .conftest import History, batch, block

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def said(history: History, *texts: str, kinds: tuple[str, ...] = ()) -> History:
    blocks = tuple(block(text, n, kind=kinds[n] if kinds else "text") for n, text in enumerate(texts))
    return history.write(batch("s", blocks))


def test_the_answer_comes_before_the_question(history: History) -> None:
    said(
        history,
        "let us look at the release plan",
        "which queue library did the worker end up with?",
        "we took the small one, it has no dependencies",
        "the worker starts now",
        "the lunch was good",
    )
    reader = history.read()
    asked = "which queue library does the worker use"
    assert search(reader, asked).hits[0].text.startswith("which queue")  # it holds every word
    answers = [hit.text for hit in search(reader, asked, config=SearchConfig(tiers=False, asking=0.5, answer=0.9)).hits]
    assert answers[0].startswith("we took")
    without = SearchConfig(tiers=False, asking=0, answer=0)
    assert search(reader, asked, config=without).hits[0].text.startswith("which queue")
    first, second = (
        {hit.text[:7]: hit.score for hit in search(reader, asked, config=config).hits}
        for config in (without, SearchConfig())
    )
    assert second["we took"] > first["we took"]
    assert second["which q"] < first["which q"]


def test_a_call_is_no_answer(history: History) -> None:
    said(history, "which queue library did the worker end up with?", "Read worker.py", kinds=("text", "tool_use"))
    reader = history.read()
    asked = "which queue library does the worker use"
    with_, without = (
        next(hit.score for hit in search(reader, asked, config=config).hits if hit.kind == "tool_use")
        for config in (SearchConfig(), SearchConfig(answer=0))
    )
    assert with_ == without


def test_a_day_that_the_query_names_counts(history: History) -> None:
    for number, day in enumerate(("2026-03-02", "2026-06-03", "2026-09-04")):
        history.write(
            batch(f"s{number}", (block(f"the deploy failed again {number}", 0, timestamp=f"{day}T10:00:00.000Z"),))
        )
    reader = history.read()
    for query in ("why did the deploy fail on 3 June?", "deploy failed June 3rd, 2026", "failed deploy in June 2026"):
        hits = search(reader, query, now=NOW).hits
        assert hits[0].text.endswith("1")
        assert hits[0].why.parts["date"] == 1.6
        assert all("date" not in hit.why.parts for hit in hits[1:])
    plain = search(
        reader, "why did the deploy fail on 3 June?", now=NOW, config=SearchConfig(date=0, refuse=0, common=0)
    ).hits
    assert plain[0].text.endswith("2")


def test_what_holds_every_word_at_another_time_holds_not_all_that_is_asked(history: History) -> None:
    for number, (text, day) in enumerate(
        [("the deploy failed", "2026-03-02"), ("the last deploy", "2026-06-03"), ("a walk", "2026-06-03")]
    ):
        history.write(batch(f"s{number}", (block(text, 0, timestamp=f"{day}T10:00:00.000Z"),)))
    hits = search(history.read(), "failed deploy on 3 June", now=NOW).hits
    assert {hit.text: hit.why.tier for hit in hits} == {"the deploy failed": "some", "the last deploy": "some"}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 3 June?", [("2026-06-02", "2026-06-05")]),
        ("June 3rd, 2026 it", [("2026-06-02", "2026-06-05")]),
        ("3rd of June 2026", [("2026-06-02", "2026-06-05")]),
        ("in May 2026", [("2026-05-01", "2026-06-01")]),
        ("2026-06-03 and 3.6.2026", [("2026-06-02", "2026-06-05")] * 2),
        ("25 Dec", [("2025-12-24", "2025-12-27")]),  # the latest that is not to come
        ("31 February 2026", []),
        ("v1.2.2026.3 /2026-06-03/x 2026-06-03T10:00 may it", []),
    ],
)
def test_days_and_months_are_read(text: str, days: list[tuple[str, str]]) -> None:
    found = [
        tuple(f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}" for at in span)
        for span in spans_of(named_dates(text), NOW)
    ]
    assert found == days


@given(st.text(alphabet="0123456789 ./-,junemaydc thofrs", max_size=40))
def test_any_text_names_spans_that_begin_before_they_end(text: str) -> None:
    assert all(start < end for start, end in spans_of(named_dates(text), NOW))
