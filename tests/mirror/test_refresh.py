"""A refresh brings the mirror to what the store holds: whole, or only what changed; both give the same."""

from __future__ import annotations

import itertools
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from recall_lab.mirror import check, connect, refresh
from recall_lab.model import LedgerRow, Problem, Session, ToolCall
from recall_lab.store import open_reader, open_writer
from recall_lab.text_entities import KINDS, entities
from tests.mirror.telling import Telling, called, hex_id, moment, said


def ledger(records: int = 3) -> tuple[LedgerRow, ...]:
    return (
        LedgerRow(record_type="user", disposition="indexed", records=records, bytes=900),
        LedgerRow(record_type="progress", disposition="metadata", records=1, bytes=100),
    )


def test_every_table_holds_what_the_store_holds(telling: Telling) -> None:
    telling.tell(
        "main",
        said("ask", "why?", at=0, role="user", cwd="/w", branch="main"),
        said("try", "ls /w/a.py", at=1, kind="tool_use", tool="Bash"),
        said("out", "[REDACTED:key]", at=2, role="tool", kind="tool_result", findings=(("key", 2),)),
        model_calls=[called("c", output_tokens=5)],
        tool_calls=[
            ToolCall(
                call_id="t1", turn=1, tool="Bash", request_block=hex_id("try"), result_block=hex_id("out"), failed=True
            )
        ],
        ledger=ledger(),
        problems=[Problem(offset=5, length=9, disposition="malformed", reason="not JSON")],
        repo="example.org/harbour",
        title="A title",
    )
    with telling.mirror() as mirror:
        assert mirror.rows("SELECT session, host, title, repo, turns, prompts, blocks, root_blocks FROM sessions") == [
            ("main", "claude-code", "A title", "example.org/harbour", 1, 1, 3, 3)
        ]
        assert mirror.rows("SELECT turn, prompt, blocks, live, cwd, branch FROM turns") == [
            (1, "why?", 3, True, "/w", "main")
        ]
        assert mirror.rows("SELECT block_id, role, kind, text, tool, turn, ord, rules FROM blocks ORDER BY ord") == [
            (hex_id("ask"), "user", "text", "why?", None, 1, 0, "rules-1"),
            (hex_id("try"), "assistant", "tool_use", "ls /w/a.py", "Bash", 1, 1, "rules-1"),
            (hex_id("out"), "tool", "tool_result", "[REDACTED:key]", None, 1, 2, "rules-1"),
        ]
        assert mirror.rows("SELECT e.kind, e.value, b.ord FROM entities e JOIN blocks b USING (text_id)") == [
            ("path", "/w/a.py", 1)
        ]
        assert mirror.rows("SELECT path, is_file, writes, session_id FROM touches") == [("/w/a.py", True, False, 1)]
        assert mirror.rows("SELECT seconds, pauses FROM pauses") == [(60, 2)]
        assert mirror.rows("SELECT kind, spans FROM redactions") == [("key", 2)]
        assert mirror.rows("SELECT call_id, tool, request_block, result_block, failed FROM tool_calls") == [
            ("t1", "Bash", hex_id("try"), hex_id("out"), True)
        ]
        assert mirror.rows("SELECT path, state, size, session FROM sources") == [
            ("/t/main.jsonl", "complete", 1_000, "main")
        ]
        assert mirror.rows("SELECT sum(records), sum(bytes) FROM ledger") == [(4, 1_000)]
        assert mirror.rows('SELECT "offset", length, disposition, reason FROM problems') == [
            (5, 9, "malformed", "not JSON")
        ]
    assert check(telling.store, telling.folder).equal


@pytest.mark.parametrize("text", ["", "nul \x00 in it", "😀 👩‍👩‍👧 e\u0301 用户 \u2028", "words and more " * 10_000])
def test_texts_arrive_as_they_are(telling: Telling, text: str) -> None:
    telling.tell("main", said("a", text, at=0))
    assert telling.rows("SELECT text, length FROM blocks") == [(text, len(text))]


def test_nothing_new_builds_nothing(telling: Telling) -> None:
    telling.tell("main", said("a"))
    first = refresh(telling.store, telling.folder)
    second = refresh(telling.store, telling.folder)
    assert (first.built, first.full, first.sessions) == (True, True, 1)
    assert (second.built, second.generation, second.path) == (False, first.generation, first.path)


def test_only_what_changed_is_mirrored_again(telling: Telling) -> None:
    for name in ("one", "two", "three", "four"):
        telling.tell(name, said(name))
    refresh(telling.store, telling.folder)
    telling.tell("two", said("two"), said("more", at=1))
    done = refresh(telling.store, telling.folder)
    assert (done.full, done.sessions, done.generation) == (False, 1, 2)
    assert telling.rows("SELECT count(*) FROM blocks WHERE session = 'two'") == [(2,)]
    assert check(telling.store, telling.folder).equal


def test_a_source_without_a_session_is_mirrored(telling: Telling) -> None:
    telling.tell("main", said("a"), ledger=ledger())
    telling.tell(None, source="/t/empty.jsonl", ledger=ledger(2))
    telling.mirror().close()
    telling.tell(None, source="/t/empty.jsonl", ledger=ledger(7))
    assert telling.rows("SELECT sum(records) FROM ledger JOIN sources USING (source_id) WHERE session IS NULL") == [
        (8,)
    ]
    assert check(telling.store, telling.folder).equal


def test_a_changed_state_of_a_source_is_seen_though_no_session_changed(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    with open_writer(telling.store) as writer:
        writer.set_source_state("/t/main.jsonl", "source_missing", "gone")
    assert telling.rows("SELECT state, detail FROM sources") == [("source_missing", "gone")]


def test_activity_is_seen(telling: Telling) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    with open_writer(telling.store) as writer:
        writer.add_activity([(moment(1), "search", "example.org/harbour", 0.2, 0)])
    assert telling.rows("SELECT command, seconds, exit_code FROM activity") == [("search", 0.2, 0)]


def test_another_store_of_the_same_folder_is_mirrored_from_nothing(telling: Telling, tmp_path: Path) -> None:
    telling.tell("main", said("a"))
    telling.mirror().close()
    other = Telling(tmp_path / "other")
    other.tell("main", said("b"))
    done = refresh(other.store, telling.folder)
    assert done.full
    with connect(telling.folder) as mirror:
        assert mirror.rows("SELECT text FROM blocks") == [("text of b",)]


def test_a_purged_text_is_nowhere_in_the_mirror_s_bytes(telling: Telling) -> None:
    for name in ("keep1", "keep2", "keep3"):
        telling.tell(name, said(name))
    telling.tell("gone", said("gone", "mandrake-" * 50))
    telling.mirror().close()
    with open_writer(telling.store) as writer, writer.transaction() as db:
        db.execute(
            "DELETE FROM placements WHERE session_id = (SELECT session_id FROM sessions WHERE native_id = 'gone')"
        )
        db.execute("DELETE FROM sources WHERE path = '/t/gone.jsonl'")
        db.execute("DELETE FROM fulltext WHERE rowid = (SELECT text_id FROM blocks WHERE text LIKE 'mandrake%')")
        db.execute("DELETE FROM blocks WHERE text LIKE 'mandrake%'")
        db.execute("DELETE FROM sessions WHERE native_id = 'gone'")
    done = refresh(telling.store, telling.folder)
    assert (done.full, done.removed) == (True, 1)
    assert not any(b"mandrake" in path.read_bytes() for path in telling.folder.iterdir())
    assert check(telling.store, telling.folder).equal


def test_behind_counts_the_sessions_that_moved(telling: Telling) -> None:
    telling.tell("one", said("a"))
    telling.tell("two", said("b"))
    with telling.mirror() as mirror:
        telling.tell("two", said("b"), said("c", at=1))
        telling.tell("three", said("d"))
        with open_reader(telling.store) as reader:
            assert mirror.behind(reader) == 2
    with telling.mirror() as mirror, open_reader(telling.store) as reader:
        assert mirror.behind(reader) == 0


def test_check_says_which_table_differs(telling: Telling) -> None:
    telling.tell("one", said("a"))
    telling.mirror().close()
    assert check(telling.store, telling.folder).equal
    telling.tell("one", said("a", "another text"), ledger=ledger())
    found = check(telling.store, telling.folder)
    assert not found.equal
    assert not found.tables["ledger"].equal
    assert (found.tables["ledger"].store, found.tables["ledger"].mirror) == (2, 0)
    assert not found.tables["blocks"].equal, "the same number of blocks, but another text"
    assert found.tables["activity"].equal


def test_progress_reaches_its_end(telling: Telling) -> None:
    telling.tell("one", said("a"))
    for full in (True, False):
        steps: list[tuple[int, int]] = []
        telling.tell("two", said("b", at=len(steps)), said(f"c{full}", at=9))
        refresh(
            telling.store, telling.folder, full=full, progress=lambda done, total, to=steps: to.append((done, total))
        )
        assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
        assert steps[-1][0] == steps[-1][1]


# ---- any history of changes: incremental and full refreshes agree ----

MOVES = itertools.count()
NAMES = ["a", "b", "c", "d"]
RELATIONS = [None, None, "subagent", "fork", "continuation"]


@st.composite
def told(draw: st.DrawFn) -> dict[str, object]:
    """One telling of one source: which session, which of a few shared blocks and calls, in which order."""
    names = draw(st.lists(st.sampled_from("pqrstuvw"), max_size=5))
    return {
        "session": draw(st.sampled_from(NAMES)),
        "source": draw(st.sampled_from(["/t/1", "/t/2", "/t/3", "/t/4", "/t/5"])),
        "relation": draw(st.sampled_from(RELATIONS)),
        "names": names,
        "edited": draw(st.booleans()),
        "minute": draw(st.integers(0, 5)),
        "calls": draw(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 9), st.booleans()), max_size=3)),
        "child": draw(st.booleans()),
        "dead": draw(st.booleans()),
        "moved": draw(st.booleans()),
    }


def apply(telling: Telling, step: dict[str, object]) -> None:
    session, minute = str(step["session"]), int(step["minute"])  # type: ignore[call-overload]
    names: list[str] = step["names"]  # type: ignore[assignment]
    edited = " edited" if step["edited"] else ""
    child = Session(
        host="claude-code", native_id=f"{session}/kid", parent_id=session, relation="subagent", agent_id="kid"
    )
    blocks = [
        said(
            name,
            f"text of /w/{name}.py{edited}",
            at=place,
            minute=minute + place,
            turn=1 + place // 2,
            role="user" if place % 2 == 0 else "assistant",
            branch=f"b{minute % 2}",
            cwd="/w",
            findings=(("key", 1),) if name == "p" else (),
            agent="kid" if step["child"] and place == 1 else None,
        )
        for place, name in enumerate(names)
    ]
    calls = {
        key: called(key, output_tokens=size, final=final, timestamp=moment(minute), turn=1)
        for key, size, final in step["calls"]  # type: ignore[attr-defined]
    }
    telling.tell(
        session,
        *blocks,
        source=str(step["source"]),
        relation=step["relation"],
        parent_id="root" if step["relation"] else None,
        children=[child] if step["child"] else (),
        model_calls=calls.values(),
        tool_calls=[
            ToolCall(call_id=f"t{key}", turn=1, tool="Bash", started=moment(minute), failed=None) for key in calls
        ],
        ledger=ledger(len(blocks) + 1),
        dead=((0, 1),) if step["dead"] else (),
    )
    if step["moved"]:
        with open_writer(telling.store) as writer:
            writer.move_source(str(step["source"]), f"/t/0-moved-{next(MOVES)}")


def agrees(steps: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        telling = Telling(Path(folder))
        for number in range(12):  # so that a single change is never half of the sessions
            telling.tell(f"quiet{number}", said(f"quiet{number}"))
        refresh(telling.store, telling.folder)
        incremental = 0
        for step in steps:
            apply(telling, step)
            incremental += not refresh(telling.store, telling.folder).full
        found = check(telling.store, telling.folder)
        assert found.equal, [name for name, table in found.tables.items() if not table.equal]
        assert incremental > 0 or not steps


A = {"relation": None, "edited": False, "minute": 0, "calls": [], "child": False, "dead": False, "moved": False}


@settings(
    max_examples=3, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=[HealthCheck.too_slow]
)
@given(st.lists(told(), min_size=1, max_size=3))
@example(  # a fork captured first, then its root: block and call move there
    [
        {**A, "session": "a", "source": "/t/1", "relation": "fork", "names": ["p", "q"], "calls": [("x", 3, False)]},
        {**A, "session": "b", "source": "/t/2", "minute": 3, "names": ["p"], "calls": [("x", 2, True)]},
    ]
)
@example(  # the root goes, the copy stays
    [
        {**A, "session": "a", "source": "/t/1", "names": ["p", "q"], "calls": [("x", 3, True)]},
        {**A, "session": "b", "source": "/t/2", "minute": 2, "names": ["p"], "calls": [("x", 3, True)]},
        {**A, "session": "a", "source": "/t/1", "names": ["r"], "calls": []},
    ]
)
@example(  # a call moves to a session that did not change, where the branch changes within the turn
    [
        {**A, "session": "a", "source": "/t/1", "names": ["p", "q"], "calls": [("x", 0, True)]},
        {**A, "session": "c", "source": "/t/4", "names": ["r", "s"], "minute": 1, "calls": [("x", 0, False)]},
        {**A, "session": "c", "source": "/t/2", "names": ["t"]},
        {**A, "session": "a", "source": "/t/1", "names": []},
    ]
)
@example(  # a source without a text tells of another session
    [
        {**A, "session": "a", "source": "/t/1", "names": ["p"]},
        {**A, "session": "a", "source": "/t/4", "names": []},
        {**A, "session": "b", "source": "/t/4", "names": []},
    ]
)
@example(  # two files of one session; the first in order of path moves away
    [
        {**A, "session": "a", "source": "/t/1", "names": ["p", "q"], "moved": False},
        {**A, "session": "a", "source": "/t/2", "names": ["q", "p"], "moved": False},
        {**A, "session": "a", "source": "/t/1", "names": ["p", "q"], "moved": True},
    ]
)
def test_any_history_of_changes_gives_the_mirror_that_a_full_build_gives(steps: list[dict[str, object]]) -> None:
    agrees(steps)


@pytest.mark.deep
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(told(), min_size=1, max_size=10))
def test_any_history_of_changes_at_length(steps: list[dict[str, object]]) -> None:
    agrees(steps)


def test_the_mirror_names_entities_as_the_text_does(telling: Telling) -> None:
    text = (
        "naïve 用户 😀 src/a.py 5F0C7A3E-1111-4222-8333-944455556666 https://x.org/pull/7 ValueError #12 "
        "`git  commit` getName --flag deadbeef1"
    )
    telling.tell("main", said("all kinds", text))
    with telling.mirror() as mirror:
        assert sorted(mirror.rows("SELECT kind, value FROM entities")) == sorted(entities(text))
    assert {kind for kind, _ in entities(text)} == set(KINDS)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root; run as another user")
def test_a_mirror_that_can_only_be_read_is_checked(telling: Telling, tmp_path: Path) -> None:
    telling.tell("main", said("a"))
    refresh(telling.store, telling.folder)
    telling.folder.chmod(0o500)
    tmp_path.chmod(0o500)
    try:
        before = sorted(telling.folder.iterdir())
        assert check(telling.store, telling.folder).equal
        assert sorted(telling.folder.iterdir()) == before
    finally:
        tmp_path.chmod(0o700)
        telling.folder.chmod(0o700)
