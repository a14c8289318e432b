"""Each named query answers its question: by hand on a store of a few sessions, and whole on the packaged sample.

``RECALL_LAB_WRITE_EXPECTED=1`` writes the sample's expected answers anew, to be looked at before they are committed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from recall_lab.analytics import Catalogue, coverage, run
from recall_lab.mirror import Mirror, connect
from recall_lab.model import LedgerRow, Problem, ToolCall
from recall_lab.store import open_writer
from tests.mirror.telling import Telling, called, hex_id, moment, said

EXPECTED = Path(__file__).parent / "expected"
ZONE = "Europe/Berlin"
NAMES = [query.name for query in Catalogue.load()]
# What follows the price catalogue, the clock of the machine or the place of the sample's files is no part of an answer.
LOOSE = {"cost_usd", "share_of_cost", "unpriced_calls", "modified", "captured_at", "last_capture", "last_change"}
LOOSE |= {"days_old", "version"}
PRICED = {"cost_by_branch", "cost_by_repo", "cost_by_session"}  # dearest first: their order is the catalogue's


@pytest.fixture(scope="module")
def sample(captured_sample: Path) -> Iterator[Mirror]:
    with connect(captured_sample / "mirror") as mirror:
        yield mirror


@pytest.mark.parametrize("name", [name for name in NAMES if name != "prices"])
def test_the_sample_gives_the_expected_answer(sample: Mirror, name: str) -> None:
    answer = settled(run(sample, name, zone=ZONE))
    if name in PRICED:
        answer["rows"].sort(key=json.dumps)
    file = EXPECTED / f"{name}.json"
    if os.environ.get("RECALL_LAB_WRITE_EXPECTED"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(answer, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert answer == json.loads(file.read_text(encoding="utf-8"))


def settled(frame: pd.DataFrame) -> dict[str, Any]:
    """The frame as columns and rows of plain values, without what is loose; files go by their names."""
    kept = [column for column in frame.columns if column not in LOOSE]
    rows = json.loads(frame[kept].to_json(orient="values", date_format="iso", double_precision=6))
    if "source" in kept:
        place = kept.index("source")
        for row in rows:
            row[place] = Path(row[place]).name
    return {"columns": kept, "rows": rows}


@pytest.mark.parametrize("name", NAMES)
def test_what_it_shows_of_a_time_is_shown_in_the_zone(sample: Mirror, mirror: Mirror, name: str) -> None:
    for place in (sample, mirror):
        utc, east = (run(place, name, zone=zone).select_dtypes("datetime") for zone in ("UTC", "Pacific/Kiritimati"))
        for column in utc:
            times = utc[column].dropna()
            if (times != times.dt.normalize()).any():  # else they are days
                assert {*(east[column].dropna() - times)} == {timedelta(hours=14)}, column


# ---- by hand ----


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    telling = Telling(tmp_path_factory.mktemp("told"))
    tell(telling)
    with telling.mirror() as opened:
        yield opened


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    """The mirror of a store that knows one source and nothing of it."""
    telling = Telling(tmp_path_factory.mktemp("empty"))
    telling.tell(None, source="/t/empty.jsonl")
    with telling.mirror() as opened:
        yield opened


def tell(telling: Telling) -> None:
    """Two repositories, a subagent, a copy, failures, a compaction, redactions, problems and some use of recall_lab."""
    telling.tell(
        "first",
        said("ask", "why?", at=0, role="user", turn=1),
        said("edit", "Edit\nfile_path: /w/a.py", at=4, kind="tool_use", tool="Edit"),
        said("out", "ValueError: x", at=5, role="tool", kind="tool_result"),
        said("read", "Read\nfile_path: /w/a.py", at=6, kind="tool_use", tool="Read"),
        said("again", "and now?", at=60, role="user", turn=2, findings=(("key", 2),)),
        said("sum", "what was said before", at=61, role="host", kind="summary", turn=2),
        model_calls=[
            called("c1", input_tokens=100, cache_read_tokens=300, output_tokens=10, timestamp=moment(1)),
            called("c2", input_tokens=0, cache_read_tokens=400, output_tokens=30, timestamp=moment(61), turn=2),
            called("c3", model="unheard-of", output_tokens=5, timestamp=moment(62), turn=2),
        ],
        tool_calls=[
            ToolCall(
                call_id="t1",
                turn=1,
                tool="Edit",
                started=moment(4),
                duration_ms=9_000,
                failed=True,
                error="line 12: no 'x'",
            ),
            ToolCall(call_id="t2", turn=1, tool="Read", started=moment(6), duration_ms=1_000, failed=False),
            ToolCall(call_id="t3", turn=2, tool="Edit", started=moment(61), failed=True, error="line 99: no 'y'"),
        ],
        ledger=[
            LedgerRow(record_type="user", disposition="indexed", records=5, bytes=700),
            LedgerRow(record_type="novelty", disposition="unknown", records=2, bytes=200),
        ],
        problems=[Problem(offset=700, length=100, disposition="malformed", reason="not JSON")],
        repo="example.org/harbour",
        title="First",
        branch="main",
    )
    telling.tell(
        "first/kid",
        said("task", "look", at=0, role="host", minute=2),
        said("found", "seen", at=1, minute=3),
        model_calls=[called("c4", input_tokens=50, output_tokens=60, timestamp=moment(3))],
        relation="subagent",
        parent_id="first",
        agent_id="kid",
        agent_type="Explore",
        repo="example.org/harbour",
    )
    telling.tell(
        "second",
        said("ask", "why?", at=0, role="user", minute=90),  # a copy of the first session's prompt
        said("own", "other", at=1, minute=91),
        ledger=[LedgerRow(record_type="user", disposition="indexed", records=1, bytes=100)],
        repo="example.org/quay",
        state="source_missing",
    )
    with open_writer(telling.store) as writer:
        writer.add_activity(
            [
                (moment(5), "check", None, 0.1, 0),
                (moment(6), "check", None, 0.3, 1),
                (moment(7), "search", None, 0.2, 0),
            ]
        )


def rows(mirror: Mirror, name: str, columns: str, **params: Any) -> list[tuple[Any, ...]]:
    frame = run(mirror, name, zone=ZONE, now=datetime(2026, 5, 10, tzinfo=UTC), **params)
    found = frame[columns.split()].astype(object)
    return [tuple(None if pd.isna(value) else value for value in row) for row in found.itertuples(index=False)]


DAY = date(2026, 5, 1)


def test_usage_by_day_and_model(mirror: Mirror) -> None:
    assert [
        (day.date(), *rest)
        for day, *rest in rows(mirror, "usage_by_day", "day calls input_tokens output_tokens unpriced_calls")
    ] == [(DAY, 4, 150, 105, 1)]
    assert rows(mirror, "tokens_by_model", "model calls output_tokens cache_read_tokens")[:1] == [
        ("claude-opus-4-5-20251101", 3, 100, 700)
    ]
    assert rows(mirror, "unpriced_models", "model calls output_tokens") == [("unheard-of", 1, 5)]
    assert rows(mirror, "cache_hit_rate", "host calls whole_input_tokens hit_rate") == [
        ("claude-code", 4, 850, 700 / 850)
    ]


def test_cost_by_repository_branch_and_session(mirror: Mirror) -> None:
    assert rows(mirror, "cost_by_repo", "repo sessions calls unpriced_calls") == [("example.org/harbour", 2, 4, 1)]
    assert rows(mirror, "cost_by_branch", "repo branch calls") == [
        ("example.org/harbour", "main", 3),
        ("example.org/harbour", None, 1),
    ]
    assert rows(mirror, "cost_by_session", "name session calls") == [
        ("First", "first", 3),
        ("first/kid", "first/kid", 1),
    ]
    assert rows(mirror, "subagent_share", "relation calls share_of_calls share_of_output") == [
        ("main", 3, 3 / 4, 45 / 105),
        ("subagent", 1, 1 / 4, 60 / 105),
    ]
    assert rows(mirror, "agent_types", "agent_type sessions blocks calls output_tokens") == [("Explore", 1, 2, 1, 60)]


def test_sessions_and_their_length(mirror: Mirror) -> None:
    assert rows(mirror, "sessions", "session turns prompts blocks tool_calls failures model_calls") == [
        ("second", 1, 1, 2, 0, 0, 0),
        ("first/kid", 1, 0, 2, 0, 0, 1),
        ("first", 2, 2, 6, 3, 2, 3),
    ]
    # 0 to 4, 4 to 5, 5 to 6, a break that counts ten minutes, 60 to 61.
    assert rows(mirror, "longest_sessions", "session active_minutes minutes")[0] == ("first", 4 + 1 + 1 + 10 + 1, 61)
    assert rows(mirror, "prompts_per_session", "prompts sessions") == [("1", 1), ("2 to 3", 1)]
    assert rows(mirror, "shared_blocks", "session blocks root_blocks elsewhere") == [("second", 2, 1, 1)]


def test_tools_their_time_and_failures(mirror: Mirror) -> None:
    assert rows(mirror, "tools_and_failures", "tool calls failures unknown failure_rate median_seconds") == [
        ("Edit", 2, 2, 0, 1.0, 9.0),
        ("Read", 1, 0, 0, 0.0, 1.0),
    ]
    assert rows(mirror, "commands_by_time", "tool calls total_seconds") == [("Edit", 1, 9.0), ("Read", 1, 1.0)]
    assert rows(mirror, "slowest_commands", "tool seconds failed") == [("Edit", 9.0, True), ("Read", 1.0, False)]
    assert rows(mirror, "failures_by_message", "message failures sessions") == [("line N: no …", 2, 1)]
    assert rows(mirror, "files_touched", "path requests writes sessions") == [("/w/a.py", 2, 1, 1)]
    assert rows(mirror, "errors_by_week", "error blocks sessions") == [("ValueError", 1, 1)]


def test_time(mirror: Mirror) -> None:
    # The first of May 2026 is a Friday; 10:00 UTC is noon in Berlin. A copied prompt counts once.
    assert rows(mirror, "active_hours", "weekday hour prompts") == [(5, 12, 1), (5, 13, 1)]
    assert rows(mirror, "activity_by_day", "sessions turns prompts blocks active_hours") == [(3, 4, 2, 9, 2)]
    assert rows(mirror, "compactions", "session turn summary_length") == [("first", 2, 20)]
    assert rows(mirror, "models_over_time", "model calls") == [("claude-opus-4-5-20251101", 3), ("unheard-of", 1)]


def test_coverage(mirror: Mirror) -> None:
    assert rows(mirror, "coverage_by_source", "session state records bytes indexed unknown unread")[0] == (
        "first",
        "complete",
        7,
        900,
        700,
        200,
        100,
    )
    assert rows(mirror, "coverage_by_host", "host sources sessions complete state bytes indexed unknown") == [
        ("claude-code", 3, 3, 2, "incomplete", 1_000, 800, 200)
    ]
    assert rows(mirror, "coverage_by_repo", "repo sources incomplete bytes indexed_bytes blocks") == [
        ("example.org/harbour", 2, 0, 900, 700, 8),
        ("example.org/quay", 1, 1, 100, 100, 1),
    ]
    assert rows(mirror, "ledger_by_type", "record_type disposition records bytes") == [
        ("user", "indexed", 6, 800),
        ("novelty", "unknown", 2, 200),
    ]
    assert rows(mirror, "unknown_types", "record_type records bytes sources") == [("novelty", 2, 200, 1)]
    assert rows(mirror, "problems", "byte_offset bytes disposition reason") == [(700, 100, "malformed", "not JSON")]
    assert rows(mirror, "backlog", "source state unread") == [("/t/second.jsonl", "source_missing", 0)]
    assert rows(mirror, "sources_at_risk", "source state risk") == [
        ("/t/second.jsonl", "source_missing", "gone from the disk; the store is its only copy")
    ]


def test_coverage_at_a_glance(mirror: Mirror) -> None:
    whole = coverage(mirror)
    assert (whole.sources, whole.sessions, whole.states) == (3, 3, {"complete": 2, "source_missing": 1})
    assert (whole.records.total, whole.bytes.total) == (8, 1_000)
    assert (whole.bytes.by_disposition["indexed"], whole.bytes.by_disposition["unknown"]) == (800, 200)
    assert whole.unknown_types == {"novelty": 2}
    assert whole.oldest_missing is not None
    frame = whole.frame()
    assert frame["bytes"].sum() == 1_000
    assert frame["share_of_bytes"].sum() == pytest.approx(1)
    assert coverage(mirror, repo="example.org/quay").sources == 1
    assert coverage(mirror, host="nobody").frame()["share_of_bytes"].sum() == 0


def test_redactions_citations_and_own_use(mirror: Mirror) -> None:
    assert rows(mirror, "redactions_by_kind", "kind spans blocks sessions") == [("key", 2, 1, 1)]
    assert rows(mirror, "redactions_by_month", "kind repo spans") == [("key", "example.org/harbour", 2)]
    assert rows(mirror, "own_activity", "command uses failures") == [("check", 2, 1), ("search", 1, 0)]
    assert rows(mirror, "citations_made", "command uses") == [("check", 2)]


def test_prices_and_roles(mirror: Mirror) -> None:
    assert rows(mirror, "prices", "model host")[0] == ("claude-opus-4-5-20251101", "claude-code")
    assert ("tool_use", 2) in rows(mirror, "blocks_by_role", "kind blocks")


def test_judgments(telling: Telling) -> None:
    tell(telling)
    with open_writer(telling.store) as writer, writer.transaction() as db:
        db.execute(
            'INSERT INTO judgments (at, question, block_id, start, "end", grade, config) VALUES (?, ?, ?, 0, 4, 2, NULL)',
            (moment(1), "why?", bytes.fromhex(hex_id("ask"))),
        )
    with telling.mirror() as judged:
        assert rows(judged, "judgments", "question grade session") == [("why?", 2, "first")]


@pytest.mark.parametrize("name", NAMES)
def test_every_filter_of_every_query_can_be_used(mirror: Mirror, name: str) -> None:
    query = Catalogue.load().get(name)
    values = {"text": "nobody", "integer": 1, "number": 1, "flag": "no", "time": "2020-01-01", "end": "2020-01-02"}
    wanted = {parameter.name: values.get(parameter.type, "Asia/Kathmandu") for parameter in query.parameters}
    frame = run(mirror, name, **wanted)
    if any(parameter.type == "text" for parameter in query.parameters):
        assert frame.empty


@pytest.mark.parametrize("name", NAMES)
def test_every_query_answers_an_empty_store(empty: Mirror, name: str) -> None:
    assert len(run(empty, name, zone=ZONE).columns) > 0
