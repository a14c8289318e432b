"""What is taken out is gone from text, index, revisions and free pages, and does not come back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.model import Batch, ModelCall, Redacted, Session, ToolCall
from recall_lab.store import open_writer
from recall_lab.store.pinning import pin, unpin
from recall_lab.store.purging import Selection, forget, prune

from .test_batches import ask, batch, block, found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "recall.db"


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_forgotten_session_leaves_no_byte_and_is_not_captured_again(path: Path) -> None:
    with open_writer(path) as writer:
        secret = batch(block(1, "the zebraquark plan"), block(2, "nothing special"))
        writer.apply(secret)
        writer.apply(batch(block(1, "the zebraquark plan, second wording"), block(2, "nothing special")))
        writer.apply(batch(block(9, "another session stays"), path="/t/b", session="s2"))
        preview = forget(writer, Selection(session="s1"))
        assert (preview.sessions, preview.blocks, preview.texts, preview.sources) == (1, 2, 3, 1)
        assert found(writer, "zebraquark") != []
        assert forget(writer, Selection(session="s1"), writer=writer) == preview
        assert ask(writer, "SELECT text FROM blocks") == [("another session stays",)]
        writer.apply(secret)
        assert ask(writer, "SELECT text FROM blocks") == [("another session stays",)]
        assert ask(writer, "SELECT state FROM sources ORDER BY path") == [("off",), ("complete",)]
        assert ask(writer, "SELECT native_id FROM tombstones") == [("s1",)]
        assert ask(writer, "PRAGMA foreign_key_check") == []
    assert b"zebraquark" not in bytes_of(path)


def test_a_block_that_another_session_holds_stays_there(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "shared words"), block(2, "own words")))
        writer.apply(batch(block(1, "shared words"), path="/t/b", session="s2"))
        purge = forget(writer, Selection(session="s1"), writer=writer)
        assert (purge.blocks, purge.kept_elsewhere, purge.held_by) == (1, 1, ("s2",))
        assert ask(
            writer,
            "SELECT text, native_id FROM placements JOIN blocks USING (text_id) JOIN sessions USING (session_id)",
        ) == [("shared words", "s2")]
        assert found(writer, "shared") == [1]


def test_a_forgotten_block_stays_out_of_its_session(path: Path) -> None:
    with open_writer(path) as writer:
        whole = batch(block(1, "keep"), block(2, "drop the zebraquark"))
        writer.apply(whole)
        purge = forget(writer, Selection(block=f"{2:032x}"), writer=writer)
        assert (purge.sessions, purge.blocks) == (0, 1)
        writer.apply(whole)
        assert ask(writer, "SELECT text FROM blocks") == [("keep",)]
    assert b"zebraquark" not in bytes_of(path)


def test_a_subagent_is_forgotten_with_its_parent(path: Path) -> None:
    child = Session(host="claude-code", native_id="s1/a1", parent_id="s1", relation="subagent", agent_id="a1")
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "parent")))
        writer.apply(
            batch(block(2, "child"), path="/t/c").__class__(
                **{**as_dict(batch(block(2, "child"), path="/t/c")), "session": child}
            )
        )
        assert forget(writer, Selection(session="s1"), writer=writer).sessions == 2
        assert ask(writer, "SELECT count(*) FROM blocks") == [(0,)]


def test_a_forgotten_subagent_that_its_caller_tells_of_does_not_come_back(path: Path) -> None:
    child = Session(host="claude-code", native_id="s1/a1", parent_id="s1", relation="subagent", agent_id="a1")
    call = ModelCall(key="ab" * 16, model="m", timestamp=None, turn=1, agent="a1")
    tool = ToolCall(call_id="t1", turn=1, agent="a1", error="zebraquark")
    told = batch(
        *(block(1, "parent"), block(2, "the zebraquark plan", agent="a1")),
        children=(child,),
        model_calls=(call,),
        tool_calls=(tool,),
    )
    with open_writer(path) as writer:
        writer.apply(told)
        assert forget(writer, Selection(session="s1/a1"), writer=writer).blocks == 1
        writer.apply(told)
        assert ask(writer, "SELECT text FROM blocks") == [("parent",)]
        assert ask(writer, "SELECT native_id FROM sessions") == [("s1",)]
        assert ask(writer, "SELECT count(*) FROM model_calls") == [(0,)]
        assert ask(writer, "SELECT count(*) FROM tool_calls") == [(0,)]
    assert b"zebraquark" not in bytes_of(path)


def as_dict(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__struct_fields__}  # type: ignore[attr-defined]


def test_forgetting_a_time_range(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(
            batch(
                block(1, "before", timestamp="2026-05-01T00:00:00.000Z"),
                block(2, "inside", timestamp="2026-05-02T00:00:00.000Z"),
            )
        )
        forget(writer, Selection(since="2026-05-02T00:00:00.000Z", until="2026-05-03T00:00:00.000Z"), writer=writer)
        assert ask(writer, "SELECT text FROM blocks") == [("before",)]


@pytest.mark.parametrize("selection", [Selection(), Selection(session="s1", repo="r"), Selection(block="nonsense")])
def test_a_selection_that_says_nothing_clear_is_refused(path: Path, selection: Selection) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        with pytest.raises(UsageError):
            forget(writer, selection, writer=writer)
        assert ask(writer, "SELECT count(*) FROM blocks") == [(1,)]


def test_nothing_matches(path: Path) -> None:
    with open_writer(path) as writer, pytest.raises(NotFoundError, match="sessions"):
        forget(writer, Selection(session="nobody"))


def test_the_last_three_revisions_and_the_pinned_stay(path: Path) -> None:
    with open_writer(path) as writer:
        made = [block(1, f"wording {number}") for number in range(7)]
        for version in made:
            writer.apply(batch(version))
        pin(writer, made[0].block_id, made[0].content_hash, "cited in a report")
        preview = prune(writer)
        assert preview.texts == 2
        assert ask(writer, "SELECT count(*) FROM blocks") == [(7,)]
        prune(writer, writer=writer)
        left = [text for (text,) in ask(writer, "SELECT text FROM blocks ORDER BY text_id")]
        assert left == [f"wording {number}" for number in (0, 3, 4, 5, 6)]
        assert unpin(writer, made[0].block_id, made[0].content_hash)
        assert not unpin(writer, made[0].block_id, made[0].content_hash)
        assert prune(writer, writer=writer).texts == 1


def test_pruning_a_missing_source_keeps_what_others_hold(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "shared"), block(2, "alone")))
        writer.apply(batch(block(1, "shared"), path="/t/b", session="s2"))
        writer.set_source_state("/t/a.jsonl", "source_missing", "gone")
        purge = prune(writer, writer=writer)
        assert (purge.sources, purge.sessions, purge.texts) == (1, 1, 1)
        assert ask(writer, "SELECT text FROM blocks") == [("shared",)]
        assert ask(writer, "SELECT native_id FROM sessions") == [("s2",)]
        assert ask(writer, "PRAGMA foreign_key_check") == []


def test_only_what_exists_can_be_pinned(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        with pytest.raises(NotFoundError, match="revisions"):
            pin(writer, f"{1:032x}", "0" * 64)


def test_a_folder_whose_remote_goes_is_named_by_its_path_again(path: Path) -> None:
    def told(number: int, repo: str) -> Batch:
        session = Session(host="claude-code", native_id=f"s{number}", cwd=Redacted("/w/a"), repo=Redacted(repo))
        made = batch(block(number, f"text {number}"), path=f"/t/{number}")
        return msgspec.structs.replace(made, session=session)

    repo = "SELECT repo, change FROM sessions WHERE native_id = 's0'"
    with open_writer(path) as writer:
        for number, name in enumerate(["/w/a", "x.org/me/a", "x.org/me/b"]):
            writer.apply(told(number, name))
        [(first, before)] = ask(writer, repo)
        forget(writer, Selection(session="s1"), writer=writer)
        [(second, between)] = ask(writer, repo)
        writer.set_source_state("/t/2", "source_missing", "")
        prune(writer, writer=writer)
        [(third, after)] = ask(writer, repo)
    assert (first, second, third) == ("x.org/me/a", "x.org/me/b", "/w/a")
    assert before < between < after  # type: ignore[operator]
