"""What a batch writes: texts once, placements in order, roles and indexes in step, all or nothing."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.errors import NoStoreError, StoreBusyError, StoreVersionError
from recall_lab.model import Batch, LedgerRow, ModelCall, PlacedBlock, Redacted, Session, Source, ToolCall
from recall_lab.store import Writer, open_reader, open_writer
from recall_lab.store.status import known_sources, status


def block(number: int, text: str, *, ord_: int | None = None, **more: object) -> PlacedBlock:
    fields = {
        "block_id": f"{number:032x}",
        "content_hash": sha256(text.encode()).hexdigest(),
        "role": "user",
        "kind": "text",
        "text": Redacted(text),
        "original_length": len(text),
        "ord": number if ord_ is None else ord_,
        "turn": 1,
        "timestamp": "2026-05-01T10:00:00.000Z",
    }
    return PlacedBlock(**{**fields, **more})  # type: ignore[arg-type]


def batch(*blocks: PlacedBlock, path: str = "/t/a.jsonl", session: str = "s1", **more: object) -> Batch:
    fields = {
        "source": Source(host="claude-code", path=Redacted(path), state="complete", size=10, cursor=10),
        "session": Session(host="claude-code", native_id=session),
        "from_ord": 0,
        "blocks": blocks,
        "ledger": (LedgerRow(record_type="user", disposition="indexed", records=1, bytes=10),),
        "rules_version": "r1",
    }
    return Batch(**{**fields, **more})  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "recall.db"


def ask(writer: Writer, sql: str, *bindings: object) -> list[tuple[object, ...]]:
    return list(writer.connection.execute(sql, bindings))


def found(writer: Writer, word: str) -> list[int]:
    return [row[0] for row in ask(writer, "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid", word)]


def test_a_text_in_two_sources_is_kept_once_and_placed_twice(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "batching")))
        applied = writer.apply(batch(block(1, "batching"), path="/t/b.jsonl", session="s2"))
        assert applied.blocks_added == 0
        assert ask(writer, "SELECT count(*) FROM blocks") == [(1,)]
        assert ask(writer, "SELECT count(*) FROM placements") == [(2,)]
        assert found(writer, "batching") == [1]


def test_applying_a_batch_again_changes_nothing_but_the_change_number(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "one"), block(2, "two")))
        before = [ask(writer, f"SELECT * FROM {name}") for name in ("blocks", "placements", "ledger", "fulltext")]
        applied = writer.apply(batch(block(1, "one"), block(2, "two")))
        assert (applied.blocks_added, applied.blocks_changed) == (0, 0)
        assert before == [
            ask(writer, f"SELECT * FROM {name}") for name in ("blocks", "placements", "ledger", "fulltext")
        ]


def test_a_replaced_text_becomes_a_revision_and_leaves_the_index(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "first wording")))
        applied = writer.apply(batch(block(1, "second wording")))
        assert (applied.blocks_added, applied.blocks_changed) == (1, 1)
        assert ask(writer, "SELECT text FROM blocks ORDER BY text_id") == [("first wording",), ("second wording",)]
        assert found(writer, "first") == []
        assert found(writer, "second") == [2]
        writer.apply(batch(block(1, "first wording")))
        assert found(writer, "first") == [1]
        assert found(writer, "second") == []


def test_a_session_that_only_a_textless_source_told_of_goes_when_that_tells_of_another(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(session="s1"))
        writer.apply(batch(session="s2", anew=True))
        assert ask(writer, "SELECT native_id FROM sessions") == [("s2",)]
        assert ask(writer, "SELECT native_id FROM tombstones") == [("s1",)]


def test_the_session_that_a_source_leaves_gets_a_new_change_number(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "one")))
        writer.apply(batch(path="/t/b.jsonl"))
        before = ask(writer, "SELECT change FROM sessions WHERE native_id = 's1'")
        writer.apply(batch(path="/t/b.jsonl", session="s2"))
        assert ask(writer, "SELECT change FROM sessions WHERE native_id = 's1'") > before


def test_what_was_captured_before_a_source_told_its_session_is_of_that_session(path: Path) -> None:
    early, late = "2026-05-01T09:00:00.000Z", "2026-05-01T11:00:00.000Z"
    call = ModelCall(key="ab" * 16, model="m", timestamp=None, turn=0)
    tool = ToolCall(call_id="t1", turn=0)
    with open_writer(path) as writer:
        first = batch(block(1, "queued", timestamp=early), session="file-name", model_calls=(call,), tool_calls=(tool,))
        writer.apply(first)
        writer.apply(batch(block(2, "prompt", timestamp=late), session="s1", from_ord=2))
        assert ask(writer, "SELECT native_id, started, ended FROM sessions") == [("s1", early, late)]
        assert ask(writer, "SELECT native_id FROM tombstones") == [("file-name",)]
        for table in ("placements", "model_calls", "tool_calls", "source_sessions"):
            assert ask(writer, f"SELECT count(DISTINCT session_id) FROM {table}") == [(1,)]
        assert ask(writer, "PRAGMA foreign_key_check") == []


MINUTES = st.one_of(st.none(), st.integers(0, 5))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["/t/a", "/t/b"]),
            st.sampled_from(["s1", "s2"]),
            st.integers(0, 3),
            st.lists(MINUTES, max_size=4),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_a_session_begins_and_ends_with_its_placements(
    history: list[tuple[str, str, int, list[int | None], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_writer(Path(folder) / "recall.db") as writer:
        for source, session, start, minutes, anew in history:
            blocks = [
                block(
                    7 * start + place,
                    f"text {start + place}",
                    ord_=start + place,
                    timestamp=None if minute is None else f"2026-05-01T10:0{minute}:00.000Z",
                )
                for place, minute in enumerate(minutes)
            ]
            writer.apply(batch(*blocks, path=source, session=session, from_ord=0 if anew else start, anew=anew))
        told = ask(writer, "SELECT session_id, started, ended FROM sessions ORDER BY 1")
        held = ask(
            writer,
            "SELECT s.session_id, min(timestamp), max(timestamp) FROM sessions s LEFT JOIN placements p "
            "USING (session_id) GROUP BY 1 ORDER BY 1",
        )
        assert told == held


def test_branches_stay_as_they_are_while_nothing_is_told_of_them(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "one"), block(2, "two"), dead=((1, 2),)))
        writer.apply(batch(block(3, "three"), from_ord=3, dead=None))
        assert ask(writer, "SELECT ord FROM placements WHERE live = 0") == [(1,)]


def test_a_parser_s_state_that_is_not_told_stays(path: Path) -> None:
    source = Source(host="claude-code", path=Redacted("/t/a.jsonl"), parser_state=b"known")
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "one"), source=source))
        writer.apply(batch(block(2, "two"), from_ord=2, source=msgspec.structs.replace(source, parser_state=None)))
        assert ask(writer, "SELECT parser_state FROM sources") == [(b"known",)]


@pytest.mark.parametrize("order", [("host", "user"), ("user", "host")])
def test_user_wins_where_copies_disagree_in_any_order(path: Path, order: tuple[str, str]) -> None:
    with open_writer(path) as writer:
        for number, role in enumerate(order):
            writer.apply(batch(block(1, "same", role=role), path=f"/t/{number}", session=f"s{number}"))
        assert ask(writer, "SELECT role FROM blocks") == [("user",)]


def test_two_roles_within_one_batch(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "same", role="host"), block(1, "same", ord_=2, role="user")))
        assert ask(writer, "SELECT role FROM blocks") == [("user",)]


def test_a_tail_is_replaced_and_the_rest_stays(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "keep"), block(2, "provisional")))
        writer.apply(batch(block(2, "settled"), block(3, "new"), from_ord=2))
        placed = ask(writer, "SELECT text FROM placements JOIN blocks USING (text_id) ORDER BY ord")
        assert placed == [("keep",), ("settled",), ("new",)]


def test_a_conflict_keeps_both_texts_and_marks_both_sources(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "this"), block(2, "tail")))
        applied = writer.apply(batch(block(1, "that"), path="/t/b.jsonl", session="s2"))
        assert applied.conflicts == 1
        assert found(writer, "this") == [1]
        assert found(writer, "that") == [3]
        with open_reader(path) as reader:
            assert status(reader).states == {"conflict": 2}
            assert status(reader).blocks == 2
        writer.apply(batch(block(3, "appended"), from_ord=3))
        assert ask(writer, "SELECT state FROM sources ORDER BY path") == [("conflict",), ("conflict",)]
        writer.apply(batch(block(1, "that"), block(2, "tail")))
        assert ask(writer, "SELECT state FROM sources ORDER BY path") == [("complete",), ("complete",)]


def test_every_source_that_holds_a_record_in_conflict_is_marked_in_any_order(path: Path) -> None:
    sources = [("a", "this"), ("b", "that"), ("c", "this"), ("d", "that")]
    with open_writer(path) as writer:
        for number, order in enumerate(permutations(sources)):
            writer.apply_all(batch(block(number, text), path=f"{file}{number}", session=file) for file, text in order)
        assert ask(writer, "SELECT state, count(*) FROM sources GROUP BY 1") == [("conflict", 24 * len(sources))]


@pytest.mark.parametrize("meanwhile", ["backlog", "partial_record", "source_missing"])
def test_a_source_is_in_conflict_at_its_end_whatever_its_state_when_that_was_found(path: Path, meanwhile: str) -> None:
    def told(file: str, text: str, state: str, **more: object) -> Batch:
        source = Source(host="claude-code", path=Redacted(file), state=state, size=10, cursor=10)  # type: ignore[arg-type]
        return batch(block(1, text), path=file, session=file, source=source, **more)

    with open_writer(path) as writer:
        writer.apply(told("/t/a.jsonl", "this", "complete" if meanwhile == "source_missing" else meanwhile))
        if meanwhile == "source_missing":
            writer.set_source_state("/t/a.jsonl", "source_missing", "gone")
        writer.apply(told("/t/b.jsonl", "that", "complete"))
        writer.apply(batch(block(2, "end"), path="/t/a.jsonl", session="/t/a.jsonl", from_ord=2))
        assert ask(writer, "SELECT state FROM sources ORDER BY path") == [("conflict",), ("conflict",)]


def test_a_summary_that_each_file_words_anew_is_no_conflict(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "this", kind="summary", role="host")))
        applied = writer.apply(batch(block(1, "that", kind="summary", role="host"), path="/t/b.jsonl", session="s2"))
        assert applied.conflicts == 0


def test_a_dropped_queued_prompt_leaves_its_place(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "do it", queued=True), block(2, "other")))
        writer.apply(batch(block(3, "do it", ord_=3), from_ord=3, dropped=(1,)))
        assert ask(writer, "SELECT ord FROM placements ORDER BY ord") == [(2,), (3,)]


def test_dead_branches_are_marked_and_come_back_to_life(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a"), block(2, "b"), block(3, "c"), dead=((2, 4),)))
        assert ask(writer, "SELECT live FROM placements ORDER BY ord") == [(1,), (0,), (0,)]
        writer.apply(batch(from_ord=4, dead=((3, 4),)))
        assert ask(writer, "SELECT live FROM placements ORDER BY ord") == [(1,), (1,), (0,)]


def test_of_several_rows_of_one_call_the_final_and_largest_is_kept(path: Path) -> None:
    def call(tokens: int, *, final: bool) -> ModelCall:
        return ModelCall(key="ab" * 16, model="m", timestamp=None, turn=1, output_tokens=tokens, final=final)

    with open_writer(path) as writer:
        calls = (call(5, final=False), call(9, final=True), call(7, final=True), call(50, final=False))
        writer.apply(batch(block(1, "a"), model_calls=calls))
        assert ask(writer, "SELECT output_tokens FROM model_calls") == [(9,)]


def test_every_session_that_shares_a_text_gets_a_new_change_number(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "shared")))
        writer.apply(batch(block(9, "alone"), path="/t/c", session="s3"))
        writer.apply(batch(block(1, "shared"), path="/t/b", session="s2"))
        changes = dict(ask(writer, "SELECT native_id, change FROM sessions"))
        assert changes == {"s1": 3, "s2": 3, "s3": 2}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_longest_source_names_the_session_in_any_order(path: Path, order: tuple[int, int]) -> None:
    batches = []
    for number, title in enumerate(("short", "long")):
        made = batch(block(number, title), path=f"/t/{number}")
        made = msgspec.structs.replace(
            made,
            source=msgspec.structs.replace(made.source, lines=number + 1),
            session=Session(host="claude-code", native_id="s1", title=Redacted(title)),
        )
        batches.append(made)
    with open_writer(path) as writer:
        for number in order:
            writer.apply(batches[number])
        assert ask(writer, "SELECT title FROM sessions") == [("long",)]


def test_a_batch_that_fails_leaves_nothing(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        with pytest.raises(Exception, match="CHECK"):
            writer.apply(batch(block(2, "fine"), block(3, "bad", kind="no such kind"), from_ord=2))
        assert ask(writer, "SELECT count(*) FROM blocks") == [(1,)]
        assert ask(writer, "SELECT value FROM meta WHERE key = 'change'") == [(1,)]
        writer.apply(batch(block(2, "fine", tool=Redacted("Bash")), from_ord=2))
        assert found(writer, "fine") == [2]


def test_the_ledger_is_counted_by_status(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        known = known_sources(writer)
    with open_reader(path) as reader:
        seen = status(reader)
    assert seen.bytes.total == seen.bytes.by_disposition["indexed"] == 10
    assert known["local", "/t/a.jsonl"].cursor == 10


def test_the_store_is_private(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        assert path.parent.stat().st_mode & 0o777 == 0o700
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_second_writer_is_told_who_holds_the_store(path: Path) -> None:
    with open_writer(path), pytest.raises(StoreBusyError, match=r"held by process \d+"):
        open_writer(path, wait=0)


def test_no_store_says_what_to_do(path: Path) -> None:
    with pytest.raises(NoStoreError, match="recall-lab index"):
        open_reader(path)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 40, b"x"])
def test_a_file_of_another_program_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreVersionError, match="not a recall_lab store"):
        open_writer(path)
    assert path.read_bytes() == content


def test_a_newer_store_is_refused(path: Path) -> None:
    with open_writer(path) as writer:
        writer.connection.execute("PRAGMA user_version = 99")
    for door in (open_writer, open_reader):
        with pytest.raises(StoreVersionError, match="newer recall_lab"):
            door(path)


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    with open_writer(path) as writer:
        writer.connection.execute("PRAGMA application_id = 7")
    for door in (open_writer, open_reader):
        with pytest.raises(StoreVersionError, match="another program"):
            door(path)


def test_reading_changes_no_byte(path: Path) -> None:
    with open_writer(path) as writer:
        writer.apply(batch(block(1, "a")))
        writer.checkpoint()
    before = path.read_bytes()
    with open_reader(path) as reader:
        status(reader)
        with pytest.raises(Exception, match=r"readonly|read-only"):
            reader.connection.execute("DELETE FROM blocks")
    assert path.read_bytes() == before


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_a_remote_that_one_session_logged_names_the_repository_of_its_folder(
    path: Path, order: tuple[int, ...]
) -> None:
    told = [
        Session(host="claude-code", native_id="s1", cwd=Redacted("/w/a"), repo=Redacted("/w/a")),
        Session(host="codex", native_id="s2", cwd=Redacted("/w/a"), repo=Redacted("x.org/me/a")),
        Session(host="claude-code", native_id="s3", cwd=Redacted("/w/b"), repo=Redacted("/w/b")),
    ]
    with open_writer(path) as writer:
        for number in order:
            made = batch(block(number, f"text {number}"), path=f"/t/{number}")
            writer.apply(msgspec.structs.replace(made, session=told[number]))
        assert ask(writer, "SELECT native_id, repo FROM sessions ORDER BY native_id") == [
            ("s1", "x.org/me/a"),
            ("s2", "x.org/me/a"),
            ("s3", "/w/b"),
        ]


def told(number: int, folder: str, repo: str, host: str = "claude-code") -> Batch:
    """A session of one block, of which its folder and its repository are told."""
    made = batch(block(number, f"text {number}"), path=f"/t/{number}")
    session = Session(host=host, native_id=f"s{number}", cwd=Redacted(folder), repo=Redacted(repo))
    return msgspec.structs.replace(made, session=session)


def repos(writer: Writer) -> dict[str, str]:
    return dict(ask(writer, "SELECT native_id, repo FROM sessions"))


def test_a_folder_is_named_by_the_least_remote_and_again_by_none_when_the_remote_goes(path: Path) -> None:
    with open_writer(path) as writer:
        for number, repo in enumerate(["/w/a", "x.org/me/b", "x.org/me/a", "x.org/me/c"]):
            writer.apply(told(number, "/w/a", repo))
        assert repos(writer)["s0"] == "x.org/me/a"
        changes = [change for (change,) in ask(writer, "SELECT change FROM sessions ORDER BY native_id")]
        assert changes[0] == changes[2], "the least remote renames, the later one does not"
        for number, left in ((2, "x.org/me/b"), (1, "x.org/me/c"), (3, "/w/a")):
            writer.apply(msgspec.structs.replace(told(number, "/w/other", f"x.org/{number}"), anew=True))
            assert repos(writer)["s0"] == left


def test_the_row_of_a_session_costs_the_same_however_many_sessions_its_folder_has(path: Path) -> None:
    def steps(writer: Writer, made: Batch) -> int:
        count = 0

        def step() -> bool:
            nonlocal count
            count += 1
            return False

        writer.connection.set_progress_handler(step, 10)
        writer.apply(made)
        writer.connection.set_progress_handler(None)
        return count

    with open_writer(path) as writer:
        taken: list[list[int]] = []
        for number in range(0, 600, 3):
            batches = (
                told(number, "/w/a", "/w/a"),
                told(number + 1, "/w/a", "x.org/me/a"),
                told(number + 2, "/w/a", "/w/a", host="codex"),
            )
            taken.append([steps(writer, made) for made in batches])
    early, late = (sorted(sum(three) for three in part)[len(part) // 2] for part in (taken[5:25], taken[-20:]))
    assert late < early * 1.5
