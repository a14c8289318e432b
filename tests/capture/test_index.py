"""What capture does with files that are new, grow, change, move and go away."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_lab.capture import discover, reading
from recall_lab.capture.indexing import index
from recall_lab.capture.privacy import may_hold_secret
from recall_lab.errors import SourceError, UsageError
from recall_lab.sample import sample_home
from recall_lab.settings import Root
from recall_lab.store import open_reader
from recall_lab.store.batches import BatchWriter
from recall_lab.store.status import status

from .conftest import SESSION, FakeRedactor, Home, lines, record


def states(home: Home) -> dict[str, str]:
    return {Path(path).name: state for path, state in home.ask("SELECT path, state FROM sources")}


def test_a_first_capture_and_a_second_that_finds_nothing_new(home: Home) -> None:
    home.write(*lines(["why batching?", "because of latency"]))
    first = home.index()
    assert (first.sources_seen, first.sources_changed, first.records, first.blocks_added) == (1, 1, 2, 2)
    assert first.bytes == home.file.stat().st_size
    assert home.texts() == ["why batching?", "because of latency"]
    second = home.index()
    assert (second.sources_changed, second.records, second.bytes, second.blocks_added) == (0, 0, 0, 0)


def test_nothing_secret_is_written(home: Home) -> None:
    home.write(record(0, "my password is hunter2", cwd="/repo/hunter2", gitBranch="hunter2", sessionId="hunter2"))
    home.index()
    assert home.texts() == ["my password is [REDACTED:password]"]
    for file in home.settings.home.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes(), file


def test_an_append_adds_what_is_new_and_moves_no_id(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    before = home.content()["placements"]
    home.append(record(2, "three"))
    report = home.index()
    assert (report.records, report.blocks_added, report.blocks_changed) == (1, 1, 0)
    assert home.content()["placements"][:2] == before
    assert home.texts() == ["one", "two", "three"]


def test_a_call_before_the_first_text_stays_when_the_source_grows(home: Home) -> None:
    thought = {
        "id": "msg_1",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "thinking", "thinking": "hm"}],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }
    home.write(record(0, "", "assistant", message=thought, requestId="req_1"))
    home.index()
    counted = home.ask("SELECT key, input_tokens, output_tokens FROM model_calls")
    assert [row[1:] for row in counted] == [(7, 3)]
    home.append(record(1, "go"))
    home.index()
    assert home.ask("SELECT key, input_tokens, output_tokens FROM model_calls") == counted
    home.write(record(1, "go"))
    home.index(rebuild=True)
    assert home.ask("SELECT key FROM model_calls") == []


def test_an_unfinished_last_line_waits(home: Home) -> None:
    whole = record(1, "two", "assistant")
    home.write(record(0, "one"), whole[:40])
    home.index()
    assert home.texts() == ["one"]
    assert states(home) == {home.file.name: "partial_record"}
    with open_reader(home.settings.store) as reader:
        assert status(reader).bytes.by_disposition["pending"] == 40
    home.append(whole[40:])
    home.index()
    assert home.texts() == ["one", "two"]
    assert states(home) == {home.file.name: "complete"}


def test_a_whole_last_object_without_a_newline_counts_at_once(home: Home) -> None:
    home.write(record(0, "one"), record(1, "two", "assistant").rstrip(b"\n"))
    home.index()
    assert home.texts() == ["one", "two"]
    home.append(b"\n", record(2, "three"))
    home.index()
    assert home.texts() == ["one", "two", "three"]
    assert_ledger_covers_files(home)


def assert_ledger_covers_files(home: Home) -> None:
    for path, size in home.ask("SELECT path, sum(bytes) FROM ledger JOIN sources USING (source_id) GROUP BY path"):
        assert size == Path(path).stat().st_size, path


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"latency", b"LATENCY"),
        lambda data: data.replace(b"latency", b"LATENCY") + record(2, "more"),
        lambda _: record(7, "another session altogether, and a longer one than what was there before it came"),
    ],
    ids=["truncated", "edited in the middle", "edited and appended", "replaced"],
)
def test_a_changed_source_is_left_alone_until_it_is_rebuilt(home: Home, change: Callable[[bytes], bytes]) -> None:
    home.write(*lines(["why batching?", "because of latency"]))
    home.index()
    before = home.content()
    home.file.write_bytes(change(home.file.read_bytes()))
    report = home.index()
    assert [problem.state for problem in report.problems] == ["source_changed"]
    assert "--rebuild" in report.problems[0].next
    assert states(home) == {home.file.name: "source_changed"}
    assert {**home.content(), "sources": before["sources"]} == before
    home.index(home.file, rebuild=True)
    assert states(home)[home.file.name] in {"complete", "partial_record"}
    assert_ledger_covers_files(home)
    fresh = Home(home.root / "fresh")
    fresh.settings = index_copy(home, fresh)
    assert_same(home, fresh)


def index_copy(home: Home, fresh: Home) -> Any:
    """Capture the same files into an empty store."""
    fresh.with_settings(user_home=home.settings.user_home)
    fresh.index()
    return fresh.settings


def assert_same(one: Home, other: Home) -> None:
    ours, theirs = one.content(), other.content()
    for name in ours:
        assert ours[name] == theirs[name], name


def test_an_edit_at_equal_size_and_time_is_noticed_at_once(home: Home) -> None:
    home.write(*lines(["aaaa", "bbbb"]))
    home.index()
    stat = home.file.stat()
    home.file.write_bytes(home.file.read_bytes().replace(b"bbbb", b"cccc"))
    os.utime(home.file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert [problem.state for problem in home.index().problems] == ["source_changed"]


def test_a_file_that_was_only_touched_is_not_read_again(home: Home) -> None:
    home.write(*lines(["one"]))
    home.index()
    os.utime(home.file)
    report = home.index()
    assert (report.sources_changed, report.bytes, report.problems) == (0, 0, ())


def test_the_old_text_of_a_rebuilt_source_is_a_revision(home: Home) -> None:
    home.write(*lines(["first wording"]))
    home.index()
    home.write(*lines(["second wording"]))
    report = home.index(home.file, rebuild=True)
    assert report.blocks_changed == 1
    assert home.texts() == ["second wording"]
    assert home.ask("SELECT count(*) FROM blocks") == [(2,)]


def test_a_moved_transcript_keeps_its_blocks_and_goes_on(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    moved = home.project.with_name("-repo-beta") / home.file.name
    moved.parent.mkdir()
    home.file.rename(moved)
    home.file = moved
    home.append(record(2, "three"))
    report = home.index()
    assert report.records == 1
    assert home.texts() == ["one", "two", "three"]
    assert home.ask("SELECT path FROM sources") == [(str(moved),)]


def test_a_deleted_transcript_stays_searchable_and_is_marked(home: Home) -> None:
    home.write(*lines(["one"]))
    home.index()
    home.file.unlink()
    home.index()
    assert states(home) == {home.file.name: "source_missing"}
    assert home.texts() == ["one"]
    assert home.ask("SELECT count(*) FROM fulltext") == [(1,)]
    home.write(*lines(["one"]))
    home.index()
    assert states(home) == {home.file.name: "complete"}


def test_a_transcript_of_another_home_is_one_source_also_when_it_is_named(
    home: Home, make_home: Callable[[str], Home]
) -> None:
    old = make_home("old")
    old.write(*lines(["one", "two"]))
    home.with_settings(roots=(Root(old.root, "old"),))
    home.index()
    old.write(*lines(["one", "TWO"]))
    assert home.index().problems[0].state == "source_changed"
    home.index(old.file, rebuild=True)
    home.index(old.project)
    assert home.ask("SELECT machine, path, state FROM sources") == [("old", str(old.file), "complete")]
    assert home.texts() == ["one", "TWO"]


@pytest.mark.parametrize("copy_first", [False, True])
def test_a_copied_session_is_found_once_and_read_whole_from_both(
    home: Home, make_home: Callable[[str], Home], *, copy_first: bool
) -> None:
    home.write(*lines(["one", "two"]))
    copy = home.write(*lines(["one", "two", "three"]), path=home.project.with_name("-fork") / home.file.name)
    order = [copy, home.file] if copy_first else [home.file, copy]
    for path in order:
        home.index(path)
    assert home.ask("SELECT count(*) FROM blocks") == [(3,)]
    assert home.ask("SELECT count(*) FROM placements") == [(5,)]
    assert home.ask("SELECT count(*) FROM sessions") == [(1,)]
    other = make_home("other")
    other.with_settings(user_home=home.settings.user_home)
    for path in reversed(order):
        other.index(path)
    assert_same(home, other)


def test_a_queued_prompt_gives_way_to_the_delivered_one(home: Home) -> None:
    def queue(number: int, text: str) -> bytes:
        return record(number, "", type="queue-operation", operation="enqueue", content=text, message=None)

    home.write(record(0, "start"), queue(1, "also do this"), queue(2, "never delivered"))
    home.index()
    assert home.texts() == ["start", "also do this", "never delivered"]
    home.append(record(3, "also do this"))
    home.index()
    assert home.texts() == ["start", "never delivered", "also do this"]
    assert_ledger_covers_files(home)
    duplicates = home.ask("SELECT sum(records) FROM ledger WHERE disposition = 'duplicate'")
    assert duplicates == [(1,)]
    fresh = Home(home.root / "fresh")
    index_copy(home, fresh)
    assert_same(home, fresh)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 3000), max_size=5), data=st.data())
def test_capturing_while_a_file_grows_equals_capturing_it_whole(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, 9))
    texts = data.draw(st.lists(st.text(max_size=20), min_size=count, max_size=count))
    whole = b"".join(lines(texts))
    root = tmp_path_factory.mktemp("grow")
    home, fresh = Home(root / "a"), Home(root / "b")
    for cut in sorted(cut for cut in cuts if cut < len(whole)):
        home.write(whole[:cut])
        home.index()
    home.write(whole)
    home.index()
    index_copy(home, fresh)
    assert_same(home, fresh)
    assert_ledger_covers_files(home)


def test_a_line_that_was_captured_in_two_pieces_is_one_line(home: Home) -> None:
    two = record(0, "one").rstrip(b"\n") + record(1, "two", "assistant")
    home.write(two[: two.index(b"}{") + 20])
    home.index()
    home.write(two, record(2, "three"))
    home.index()
    assert home.texts() == ["one", "two", "three"]
    assert home.ask("SELECT lines FROM sources") == [(2,)]


def test_the_end_of_a_line_that_comes_later_is_no_problem_of_its_own(home: Home) -> None:
    line = record(0, "x", type="brand-new-type")
    home.write(line.rstrip(b"\n"))
    home.index()
    home.write(line)
    home.index()
    assert len(home.ask("SELECT * FROM problems")) == 1
    assert_ledger_covers_files(home)


def test_the_first_line_of_an_agent_may_come_in_pieces(home: Home) -> None:
    line = record(0, "the task", isSidechain=True, agentId="a1")
    own = home.write(line[:30], path=home.project / SESSION / "subagents" / "agent-a1.jsonl")
    home.index()
    own.write_bytes(line)
    home.index()
    assert home.ask("SELECT native_id FROM sessions") == [(f"{SESSION}/a1",)]


def test_an_interrupted_capture_goes_on_where_it_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"block number {number} " + "x" * 300 for number in range(60)]
    home.write(*lines(texts))
    monkeypatch.setattr(reading, "BATCH_CHARS", 1000)
    monkeypatch.setattr("recall_lab.capture.files._CHUNK", 2000)
    real = FakeRedactor.redact
    calls = iter(range(100))

    def interrupted(self: FakeRedactor, texts: Any) -> Any:
        if next(calls) == 9:
            raise KeyboardInterrupt
        return real(self, texts)

    monkeypatch.setattr(FakeRedactor, "redact", interrupted)
    with pytest.raises(KeyboardInterrupt):
        home.index()
    assert 0 < len(home.texts()) < 60
    assert states(home) == {home.file.name: "backlog"}
    monkeypatch.setattr(FakeRedactor, "redact", real)
    home.index()
    assert home.texts() == texts
    fresh = Home(home.root / "fresh")
    index_copy(home, fresh)
    assert_same(home, fresh)


@pytest.mark.parametrize("apart", [0, 8, 10**9])
@pytest.mark.parametrize("call", [1, 4, 9, 16, 30])
def test_an_interrupted_capture_ends_the_same_however_old_its_checkpoint(
    home: Home, monkeypatch: pytest.MonkeyPatch, apart: int, call: int
) -> None:
    shutil.copytree(sample_home(), home.root, dirs_exist_ok=True)
    monkeypatch.setattr(reading, "_READ_PER_STATE", apart)
    monkeypatch.setattr(reading, "BATCH_CHARS", 500)
    monkeypatch.setattr("recall_lab.capture.files._CHUNK", 700)
    with monkeypatch.context() as patch:
        real, calls = BatchWriter.apply, iter(range(1000))

        def interrupted(self: BatchWriter, batch: Any) -> Any:
            if next(calls) == call:
                raise KeyboardInterrupt
            return real(self, batch)

        patch.setattr(BatchWriter, "apply", interrupted)
        with pytest.raises(KeyboardInterrupt):
            home.index()
    home.index()
    fresh = Home(home.root / "fresh")
    index_copy(home, fresh)
    assert_same(home, fresh)
    assert_ledger_covers_files(home)


def _capture(settings: Any, barrier: Any) -> None:
    import recall_lab.capture.pipeline as module

    module.open_redactor = lambda *_, **__: FakeRedactor()  # type: ignore[assignment]
    barrier.wait()
    index(settings)


def test_two_captures_at_once_give_what_one_gives(home: Home) -> None:
    for number in range(20):
        name = SESSION.replace("5f0c7a3e", f"{number:08x}")
        home.write(record(number, f"text {number}", sessionId=name), path=home.project / f"{name}.jsonl")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=_capture, args=(home.settings, barrier)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    fresh = Home(home.root / "fresh")
    index_copy(home, fresh)
    assert_same(home, fresh)


def test_private_folders_and_sessions_are_never_captured(home: Home) -> None:
    home.write(record(0, "secret plan", cwd="/repo/private/x"))
    home.with_settings(private=("/repo/private",))
    home.index()
    assert home.texts() == []
    assert states(home) == {home.file.name: "off"}
    assert_ledger_covers_files(home)
    assert home.index().sources_changed == 0


def test_a_session_listed_as_private_later_is_taken_out_at_its_next_capture(home: Home) -> None:
    home.write(record(0, "secret plan"))
    home.index()
    home.with_settings(private=(SESSION,))
    home.append(record(1, "more of it"))
    home.index()
    assert home.texts() == []
    assert home.ask("SELECT count(*) FROM fulltext") == [(0,)]


def tool_result(number: int, text: str) -> bytes:
    content = [{"type": "tool_result", "tool_use_id": "t1", "content": text}]
    return record(number, "", message={"role": "user", "content": content})


def test_tool_results_are_capped_with_the_cut_marked(home: Home) -> None:
    home.write(tool_result(0, "a" * 9000 + "hunter2" + "b" * 9000))
    home.with_settings(tool_result_cap=300)
    home.index()
    [text] = home.texts()
    assert text.startswith("a" * 200 + "\n[… ")
    assert text.endswith(" characters cut …]\n" + "b" * 100)
    assert home.ask("SELECT original_length FROM blocks") == [(18000 + len("[REDACTED:password]"),)]


@pytest.mark.parametrize(("choice", "kept"), [("full", ["x" * 9000]), ("off", [])])
def test_tool_results_whole_or_not_at_all(home: Home, choice: Any, kept: list[str]) -> None:
    home.write(tool_result(0, "x" * 9000))
    home.with_settings(tool_results=choice)
    home.index()
    assert home.texts() == kept
    assert_ledger_covers_files(home)


def test_an_empty_file_and_one_of_noise_are_accounted_for(home: Home) -> None:
    home.write(b"")
    home.write(b"\xff\xfe not json\n\n", path=home.project / f"{SESSION.replace('5', '6')}.jsonl")
    report = home.index()
    assert report.sources_seen == 2
    with open_reader(home.settings.store) as reader:
        seen = status(reader)
    assert seen.bytes.by_disposition["malformed"] == seen.bytes.total == 13
    assert seen.sources == 2


def test_clear_errors_for_what_cannot_be_captured(home: Home) -> None:
    text = home.write(b"just some notes\n", path=home.root / "notes.txt")
    for path, says in (
        (home.root / "missing.jsonl", "no such file"),
        (text, "not a transcript"),
        (home.write(b"", path=home.root / "empty.jsonl"), "is empty"),
    ):
        with pytest.raises(SourceError, match=says) as caught:
            home.index(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="claude-code"):
        home.index(text, host="netscape")
    assert not home.settings.store.exists()


def test_a_folder_lists_what_was_not_recognised(home: Home) -> None:
    folder = home.root / "mixed"
    home.write(*lines(["one"]), path=folder / "a.jsonl")
    home.write(b'{"some": "data"}\n', path=folder / "data.json")
    report = home.index(folder)
    assert report.sources_changed == 1
    assert [Path(problem.source).name for problem in report.problems] == ["data.json"]
    assert "--host" in report.problems[0].next


def test_links_that_lead_out_of_the_folder_are_not_followed(home: Home) -> None:
    outside = home.write(*lines(["outside"]), path=home.root / "outside" / "x.jsonl")
    (home.project / "link.jsonl").symlink_to(outside)
    (home.project / "folder").symlink_to(outside.parent)
    assert discover(home.settings).found == ()


def test_a_reader_sees_whole_transactions_while_a_capture_runs(home: Home) -> None:
    home.write(*lines(["one"]))
    home.index()
    with open_reader(home.settings.store) as reader:

        def count() -> int:
            return reader.connection.execute("SELECT count(*) FROM blocks").get

        reader.connection.execute("BEGIN")
        assert count() == 1
        home.append(record(1, "two", "assistant"))
        home.index()
        assert count() == 1
        reader.connection.execute("COMMIT")
        assert count() == 2


def test_a_source_whose_reading_was_kept_by_another_version_does_not_stop_the_others(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write(*lines(["one"]))
    home.write(record(1, "two", sessionId=SESSION.replace("5f0c", "6f0c")), path=home.project / "other.jsonl")

    def read(reader: reading.SourceReader, job: reading.Job) -> Any:
        if job.path == home.file:
            raise SourceError(f"{job.path}: what is kept of it cannot be read on")
        return iter(list(whole(reader, job)))

    whole = reading.SourceReader.read
    monkeypatch.setattr(reading.SourceReader, "read", read)
    report = home.index()
    assert home.texts() == ["two"]
    assert [(p.source, p.detail.count(str(home.file))) for p in report.problems] == [(str(home.file), 0)]


@pytest.mark.parametrize("name", ["password=hunter2.json", "my-secret-hunter2.json"])
def test_a_problem_shows_no_secret_of_a_name(home: Home, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.capture.indexing.open_rules", lambda _: FakeRedactor())
    home.write(*lines(["one"]))
    (home.project / name).write_text("{}")
    (problem,) = home.index().problems
    assert "hunter2" not in f"{problem.source} {problem.next}"
    assert "[REDACTED:password]" in problem.source


def test_names_that_hosts_give_need_no_rules(home: Home) -> None:
    rollout = ".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-5f0c7a3e-1111-4222-8333-944455556666.jsonl"
    named = (home.file.relative_to(home.root), rollout)
    assert not any(may_hold_secret(str(name)) for name in named)


def test_a_file_that_is_as_it_was_is_not_opened(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    other = home.project / "other.jsonl"
    home.write(*lines(["one"]))
    home.write(record(1, "two", sessionId=SESSION.replace("5f0c", "6f0c")), path=other)
    home.index()
    home.append(record(1, "three", "assistant"))
    opened: list[Path] = []

    def look(path: Path) -> str:
        opened.append(path)
        return "claude-code"

    monkeypatch.setattr("recall_lab.capture.discovery.recognise_file", look)
    report = home.index()
    assert (report.sources_seen, report.sources_changed) == (2, 1)
    assert opened == [home.file]
