"""Reading a block in its place, and a session in the ways people look at one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import NotFoundError, TimeError, UnknownBlockError, UsageError
from recall_lab.evidence import read, session_markdown, session_view, verify_text
from recall_lab.evidence.records import SessionView
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.times import to_utc

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


def texts(view: SessionView) -> list[str]:
    return [block.text for block in view.blocks]


def day(tiny: TinyStore, turns: int = 10) -> None:
    """A session with a prompt and an answer a turn, a turn every ten minutes from 10:00."""
    blocks = []
    for turn in range(1, turns + 1):
        at = {"turn": turn, "timestamp": f"2026-05-01T{10 + turn // 6}:{turn % 6}0:00.000Z"}
        blocks += [said(f"p{turn}", f"prompt {turn}", 2 * turn, role="user", **at)]
        blocks += [said(f"a{turn}", f"answer {turn}", 2 * turn + 1, **at)]
    tiny.tell(*blocks)


# ---- one block ------------------------------------------------------------------------------------------------------


def test_a_block_is_read_whole_in_pages_and_with_its_neighbors(tiny: TinyStore) -> None:
    tiny.tell(*(said(f"b{n}", f"text {n}", n) for n in range(5)), title="A title", cwd="/w", branch="main")
    reader = tiny.reader()
    whole = read(reader, block_id("b2"), neighbors=3)
    assert (whole.text, whole.start, whole.end, whole.length) == ("text 2", 0, 6, 6)
    assert (whole.title, whole.cwd, whole.branch, whole.turn) == ("A title", "/w", "main", 1)
    assert [(n.offset, n.text) for n in whole.neighbors] == [
        (-2, "text 0"), (-1, "text 1"), (1, "text 3"), (2, "text 4")
    ]  # fmt: skip
    page = read(reader, block_id("b2"), start=2, length=3)
    assert (page.text, page.start, page.end, page.length) == ("xt ", 2, 5, 6)
    past = read(reader, block_id("b2"), start=99)
    assert (past.text, past.start, past.end) == ("", 6, 6)
    for bad in ({"start": -1}, {"length": -1}, {"neighbors": -1}):
        with pytest.raises(UsageError, match="from 0 upward"):
            read(reader, block_id("b2"), **bad)


def test_neighbors_of_a_live_block_are_live(tiny: TinyStore) -> None:
    tiny.tell(*(said(f"b{n}", f"text {n}", n) for n in range(4)), dead=((1, 3),))
    reader = tiny.reader()
    assert [n.text for n in read(reader, block_id("b0"), neighbors=2).neighbors] == ["text 3"]
    assert [n.text for n in read(reader, block_id("b1"), neighbors=1).neighbors] == ["text 0", "text 2"]


def test_an_earlier_text_is_read_by_its_hash_in_the_place_of_the_block(tiny: TinyStore) -> None:
    tiny.tell(said("a", "old", 0), title="T")
    old = read(tiny.reader(), block_id("a"))
    tiny.tell(said("a", "new", 0), title="T")
    reader = tiny.reader()
    again = read(reader, block_id("a"), revision=old.content_hash[:12])
    assert (again.text, again.content_hash, again.session) == ("old", old.content_hash, old.session)
    with pytest.raises(UnknownBlockError):
        read(reader, block_id("a"), revision="0" * 12)


# ---- the root placement ---------------------------------------------------------------------------------------------


def test_a_copied_block_is_read_at_its_root_whatever_the_order_of_capture(tiny: TinyStore) -> None:
    told = [
        {"session": "fork-a", "relation": "fork", "parent_id": "main-b", "hour": 8},
        {"session": "main-b", "hour": 10},
        {"session": "main-a", "hour": 11},
        {"session": "main-b/agent", "relation": "subagent", "parent_id": "main-b", "hour": 7},
    ]
    for order in (told, told[::-1]):
        for session in order:
            facts = dict(session)
            stamp = f"2026-05-01T{facts.pop('hour'):02d}:00:00.000Z"
            tiny.tell(said("copy", "the same text", 0, timestamp=stamp), **facts)
        assert read(tiny.reader(), block_id("copy")).session == "main-b"
        places = store.placements(tiny.reader(), block_id("copy"))
        assert [place.session for place in places] == ["main-b", "main-a", "main-b/agent", "fork-a"]


def test_of_equal_sessions_the_smallest_id_is_the_root(tiny: TinyStore) -> None:
    for session in ("s-c", "s-a", "s-b"):
        tiny.tell(said("copy", "the same text", 0), session=session)
    assert read(tiny.reader(), block_id("copy")).session == "s-a"


# ---- one session ----------------------------------------------------------------------------------------------------


def test_a_session_is_seen_whole_or_in_the_part_asked_for(tiny: TinyStore) -> None:
    day(tiny)
    reader = tiny.reader()
    assert len(session_view(reader, "11111111-aaaa").blocks) == 20
    assert texts(session_view(reader, "1111", prompts=True))[:2] == ["prompt 1", "prompt 2"]
    assert texts(session_view(reader, "1111", tail=2)) == ["prompt 10", "answer 10"]
    assert [line.turn for line in session_view(reader, "1111", last_turns=2).turns] == [9, 10]
    assert texts(session_view(reader, "1111", turn=3)) == ["prompt 3", "answer 3"]
    with pytest.raises(NotFoundError, match="has no turn 11; its turns run to 10"):
        session_view(reader, "1111", turn=11)
    with pytest.raises(UsageError, match="choose one"):
        session_view(reader, "1111", tail=2, prompts=True)
    with pytest.raises(UsageError, match="from 1 upward"):
        session_view(reader, "1111", tail=0)


@pytest.mark.parametrize(
    ("around", "zone", "turns"),
    [
        ("10:50", "UTC", [2, 3, 4, 5, 6, 7, 8]),
        ("12:50", "Europe/Berlin", [2, 3, 4, 5, 6, 7, 8]),
        ("may 1 11am", "UTC", [3, 4, 5, 6, 7, 8, 9]),
        ("5/1 11am", "UTC", [3, 4, 5, 6, 7, 8, 9]),
        ("2026-05-01T10:10:00Z", "UTC", [1, 2, 3, 4]),
        ("6am", "UTC", [1, 2, 3, 4]),
        ("yesterday 3pm", "UTC", [7, 8, 9, 10]),
    ],
)
def test_the_turns_around_a_time(tiny: TinyStore, around: str, zone: str, turns: list[int]) -> None:
    day(tiny)
    view = session_view(tiny.reader(), "1111", around=around, zone=zone, now=NOW)
    assert [line.turn for line in view.turns] == turns


SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)  # days of 23 and of 25 hours


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize(
    ("around", "wall"),
    [
        ("2pm", (0, 14, 0)),
        ("14:30", (0, 14, 30)),
        ("1:30", (0, 1, 30)),
        ("3:30", (0, 3, 30)),
        ("{month} {day} 2pm", (0, 14, 0)),
        ("{number}/{day} 2pm", (0, 14, 0)),
        ("{month} {day} 3:30", (0, 3, 30)),
        ("yesterday 3pm", (0, 15, 0)),
        ("last tuesday", (-5, 0, 0)),
    ],
)
@pytest.mark.parametrize("day", [SPRING, AUTUMN])
def test_times_as_people_type_them_are_of_their_zone_also_when_clocks_change(
    tiny: TinyStore, day: datetime, around: str, wall: tuple[int, int, int], zone: str
) -> None:
    begin, span = day - timedelta(days=7), timedelta(minutes=30)
    end = datetime(day.year, day.month, day.day, 23, 45, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    times = [begin + span * turn for turn in range(int((end - begin) / span) + 1)]
    tiny.tell(*(said(f"b{n}", f"text {n}", n, turn=n + 1, timestamp=to_utc(at)) for n, at in enumerate(times)))
    words = around.format(month=f"{day:%b}".lower(), day=day.day, number=day.month)
    days, hour, minute = wall
    local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(zone)) + timedelta(days=days)
    wanted = max(number for number, at in enumerate(times, 1) if at <= local.astimezone(UTC))
    now = datetime(day.year, day.month, day.day, 9, tzinfo=ZoneInfo(zone)) + timedelta(days=1)
    view = session_view(tiny.reader(), "1111", around=words, turns=0, zone=zone, now=now)
    assert [line.turn for line in view.turns] == [wanted]


def test_a_time_that_is_none_is_said(tiny: TinyStore) -> None:
    day(tiny)
    with pytest.raises(TimeError, match="not a time"):
        session_view(tiny.reader(), "1111", around="when the cows come home", zone="UTC")


def test_the_turn_index_has_pages(tiny: TinyStore) -> None:
    day(tiny)
    reader = tiny.reader()
    second = session_view(reader, "1111", page=2, per_page=4)
    assert (second.page, second.pages, second.blocks) == (2, 3, ())
    assert [(line.turn, line.preview, line.blocks) for line in second.turns] == [
        (5, "prompt 5", 2), (6, "prompt 6", 2), (7, "prompt 7", 2), (8, "prompt 8", 2)
    ]  # fmt: skip
    assert second.turns[0].timestamp == "2026-05-01T10:50:00.000Z"
    with pytest.raises(NotFoundError, match="3 pages"):
        session_view(reader, "1111", page=4, per_page=4)


def test_dead_branches_are_shown_on_request(tiny: TinyStore) -> None:
    tiny.tell(*(said(f"b{n}", f"text {n}", n) for n in range(3)), dead=((1, 2),))
    reader = tiny.reader()
    assert texts(session_view(reader, "1111")) == ["text 0", "text 2"]
    assert [(b.text, b.live) for b in session_view(reader, "1111", dead=True).blocks] == [
        ("text 0", True), ("text 1", False), ("text 2", True)
    ]  # fmt: skip


def test_a_session_told_by_several_files_reads_once_and_whole(tiny: TinyStore) -> None:
    first = [said(name, name, at) for at, name in enumerate("abcd")]
    second = [said(name, name, at) for at, name in enumerate("abxcy")]
    for order in ((("1.jsonl", first), ("2.jsonl", second)), (("2.jsonl", second), ("1.jsonl", first))):
        for path, blocks in order:
            tiny.tell(*blocks, source=path)
        assert texts(session_view(tiny.reader(), "1111")) == ["a", "b", "x", "c", "d", "y"]


def test_a_block_that_one_file_has_alive_is_alive(tiny: TinyStore) -> None:
    tiny.tell(said("a", "a", 0), said("b", "b", 1), dead=((1, 2),), source="1.jsonl")
    tiny.tell(said("a", "a", 0), said("b", "b", 1), source="2.jsonl")
    assert texts(session_view(tiny.reader(), "1111")) == ["a", "b"]


def test_a_subagent_stands_where_its_result_names_it(tiny: TinyStore) -> None:
    tiny.tell(
        said("p", "do it", 0, role="user"),
        said("r", "done. agentId: agent-77", 1, role="tool", kind="tool_result"),
        said("e", "thanks", 2),
    )
    for agent in ("agent-77", "agent-88"):
        tiny.tell(
            said(agent, "inside", 0),
            session=f"11111111-aaaa/{agent}",
            parent_id="11111111-aaaa",
            relation="subagent",
            agent_id=agent,
        )
    reader = tiny.reader()
    view = session_view(reader, "11111111")
    assert [(call.session.agent_id, call.after) for call in view.called] == [("agent-77", 1), ("agent-88", None)]
    written = session_markdown(view)
    places = [written.index(words) for words in ("agentId: agent-77", "`11111111-aaaa/agent-77`", "thanks")]
    assert places == sorted(places)
    assert "`11111111-aaaa/agent-88` was called at a place that is not shown" in written
    assert verify_text(reader, written, ".md").failed == ()
    assert texts(session_view(reader, "agent-77")) == ["inside"]
    assert texts(session_view(reader, "11111111-aaaa/agent-8")) == ["inside"]


# ---- finding sessions -----------------------------------------------------------------------------------------------


def test_sessions_are_listed_newest_first_and_narrowed(tiny: TinyStore) -> None:
    tiny.tell(said("a", "a", 0, timestamp="2026-05-01T10:00:00.000Z"), session="old", repo="host/r1", cwd="/x/Alpha")
    tiny.tell(said("b", "b", 0, timestamp="2026-05-03T10:00:00.000Z"), session="new", host="codex", branch="dev")
    tiny.tell(said("c", "c", 0), session="kid", relation="subagent", parent_id="old")
    reader = tiny.reader()

    def ids(**filters: object) -> list[str]:
        return [info.native_id for info in sessions.sessions(reader, **filters)]  # type: ignore[arg-type]

    assert ids() == ["new", "kid", "old"]
    assert ids(children=False) == ["new", "old"]
    assert ids(limit=1, offset=1) == ["kid"]
    assert ids(hosts=["codex"]) == ["new"]
    assert ids(repos=["host/r1"]) == ["old"]
    assert ids(project="alpha") == ["old"]
    assert ids(branches=["dev"]) == ["new"]
    assert ids(since="2026-05-02T00:00:00.000Z") == ["new"]
    assert ids(until="2026-05-01T10:00:00.000Z") == []
    assert ids(project="'; DROP TABLE sessions; --") == []


def test_a_session_is_found_by_an_unambiguous_head(tiny: TinyStore) -> None:
    for session in ("aaaa-1", "aaaa-2", "bbbb"):
        tiny.tell(said(session, session, 0), session=session)
    tiny.tell(said("other", "other", 0), session="bbbb", host="codex", source="/t/codex.jsonl")
    reader = tiny.reader()
    assert sessions.find_session(reader, "aaaa-1").native_id == "aaaa-1"
    assert sessions.find_session(reader, "bbbb", host="codex").host == "codex"
    with pytest.raises(UsageError, match=r"2 sessions: aaaa-1 .*, aaaa-2"):
        sessions.find_session(reader, "aaaa")
    with pytest.raises(UsageError, match="2 sessions"):
        sessions.find_session(reader, "bbbb")
    for missing in ("cccc", "", "%"):
        with pytest.raises(NotFoundError, match="no session"):
            sessions.find_session(reader, missing)
