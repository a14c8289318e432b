"""What the store makes of the sample is what its stories tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.lab import Lab, open_lab
from recall_lab.sample import sample_home
from recall_lab.sample.generate import names
from recall_lab.sample.story import Story, load_stories

STORIES = load_stories()
NAMES = {native: name for name, native in names(STORIES).items()}


@pytest.fixture(scope="module")
def lab(captured_sample: Path) -> Iterator[Lab]:
    with open_lab(captured_sample) as found:
        yield found


@pytest.fixture(scope="module")
def sessions(lab: Lab) -> dict[str, dict]:
    rows = lab.query("sessions").to_dict("records")
    return {NAMES[row["session"]]: row for row in rows}


def told(story: Story) -> list:
    return [call for step in story.step for call in step.call]


def test_every_story_is_a_session(sessions: dict[str, dict]) -> None:
    assert set(sessions) == set(STORIES)


def test_repositories_of_both_hosts(sessions: dict[str, dict]) -> None:
    for name, story in STORIES.items():
        assert sessions[name]["repo"].rpartition("/")[2] == story.repo
        assert sessions[name]["branch"] == story.branch or story.host == "codex-legacy"
    assert {s["repo"] for s in sessions.values() if s["host"] == "codex"} == {
        f"git.example.org/harbour/{repo}" for repo in ("ferryline", "glyphmill", "tidewatch")
    }


def test_subagents_and_forks_are_related(sessions: dict[str, dict]) -> None:
    related = {name: s["relation"] for name, s in sessions.items() if isinstance(s["relation"], str)}
    assert related["tidewatch-explore-writes"] == related["ferryline-zone-reader"] == "subagent"
    assert related["tidewatch-durable-batches"] == related["tidewatch-pipeline-resumed"] == "fork"
    assert len(related) == 4


def test_titles(sessions: dict[str, dict]) -> None:
    assert sessions["ferryline-night-ferry"]["title"] == "The ferry at 02:30"
    assert sessions["glyphmill-speed"]["title"] == "Skip ASCII runs before segmenting"
    assert sessions["tidewatch-explore-writes"]["title"] == "Find every write path"


def test_tool_calls_and_failures_are_counted_once_each(lab: Lab) -> None:
    tools = lab.query("tools_and_failures").set_index("tool")
    calls = [(call.tool, call.exit != 0) for story in STORIES.values() for call in told(story)]
    assert tools["calls"].to_dict() == Counter(tool for tool, _ in calls)
    assert tools["failures"].to_dict() == {tool: sum(f for t, f in calls if t == tool) for tool, _ in calls}


def test_model_calls_are_counted_once_each_and_an_unknown_model_has_no_price(lab: Lab) -> None:
    models = lab.query("tokens_by_model").set_index("model")
    expected: Counter[str] = Counter()
    for story in STORIES.values():
        model = story.model
        for step in story.step:
            model = step.model or model
            if story.host != "codex-legacy" and not step.command:
                expected[model] += bool(step.say or step.call)
    assert models["calls"].to_dict() == expected
    assert models.loc["harbour-coder-7b", "unpriced_calls"] == expected["harbour-coder-7b"]
    assert models["cost_usd"].isna().sum() == 1


def test_every_byte_is_accounted_for_and_the_strange_records_are_shown(lab: Lab) -> None:
    status = lab.status()
    assert status.bytes.total == sum(status.bytes.by_disposition.values())
    assert status.bytes.total == sum(path.stat().st_size for path in sample_home().rglob("*.jsonl"))
    assert status.records.by_disposition["malformed"] == 1
    assert status.unknown_types == {"harbour-note": 1, "event_msg/sonar_ping": 1}


def test_the_branch_that_a_rewind_left_is_dead(lab: Lab) -> None:
    live = lab.sql(
        "select placements.live from placements join blocks using (text_id) where text like 'Put an asyncio queue%'"
    )
    assert live["live"].tolist() == [False] * len(live)
    assert len(live)


def test_a_queued_prompt_that_was_never_delivered_is_the_users(lab: Lab) -> None:
    (hit, *_) = lab.search("backup signs on Skerry", role="user")
    assert hit.text == "also check whether the backup signs on Skerry came up"


def test_what_the_host_wrote_is_not_the_users(lab: Lab) -> None:
    assert not lab.search('"ran out of context"', role="user")
    assert any(hit.kind == "summary" for hit in lab.search("conversation that ran out of context", role="host"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("why did we reject batching", "We reject batching because a crash"),
        ("RangeError: Invalid code point -1", "Invalid code point -1"),
        ("繁体字", "繁体字「龘」"),
        ("4be19d2", "4be19d2"),
        ("what happens to a departure in the missing hour", "departures that fall into the missing hour"),
        ("readings a second with pipelining", "Pipelining reaches 396 readings a second"),
    ],
)
def test_a_question_finds_its_answer_on_the_first_screen(lab: Lab, query: str, words: str) -> None:
    hits = lab.search(query, limit=3)
    assert any(words in hit.text for hit in hits)


def test_a_record_that_two_sessions_share_is_found_once_at_its_root(lab: Lab) -> None:
    hits = [hit for hit in lab.search('"22 tests pass, and 20 kills lost"') if "22 tests pass" in hit.text]
    assert [NAMES[hit.session] for hit in hits] == ["tidewatch-pipeline"]
