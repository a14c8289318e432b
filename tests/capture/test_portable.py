"""A store exported and imported is the same store."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence

import pytest

from recall_lab.errors import SourceError
from recall_lab.store import Writer, open_reader, open_writer
from recall_lab.store.backup import check
from recall_lab.store.importing import Cleaned, Imported, import_lines
from recall_lab.store.pinning import pin
from recall_lab.store.portable import export_lines

from .conftest import FakeRedactor, Home, lines, record
from .test_index import assert_same, tool_result


def clean(texts: Sequence[str]) -> list[Cleaned]:
    return [Cleaned(item.text, item.findings) for item in FakeRedactor().redact(texts)]


def take_in(writer: Writer, lines: Iterable[bytes], machine: str | None = None) -> Imported:
    return import_lines(writer, lines, clean, rules=FakeRedactor.version, machine=machine)


def export(home: Home) -> list[bytes]:
    with open_reader(home.settings.store) as reader:
        return list(export_lines(reader))


def fill(home: Home) -> None:
    usage = {"input_tokens": 5, "output_tokens": 7}
    call = {"role": "assistant", "id": "m1", "model": "claude-x", "usage": usage, "stop_reason": "end_turn"}
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat src/a.py"}}
    home.write(
        record(0, "why batching? 用户 naïve"),
        record(1, "", "assistant", message={**call, "content": [use]}, requestId="r1"),
        tool_result(2, "x" * 9000),
        record(3, "first wording", "assistant"),
    )
    home.index()
    home.file.write_bytes(home.file.read_bytes().replace(b"first wording", b"second wording"))
    home.index(home.file, rebuild=True)
    other = "6" + home.file.name[1:]
    home.write(*lines(["one", "two", "three"]), b"{torn", path=home.project / other)
    home.index()
    with open_writer(home.settings.store) as writer:
        [(block_id, content_hash)] = writer.connection.execute(
            "SELECT lower(hex(block_id)), lower(hex(content_hash)) FROM blocks WHERE text = 'first wording'"
        )
        pin(writer, block_id, content_hash, "cited")


def test_round_trip(home: Home, make_home: Callable[[str], Home]) -> None:
    fill(home)
    exported = export(home)
    other = make_home("other")
    with open_writer(other.settings.store) as writer:
        done = take_in(writer, exported)
    assert (done.sources, done.skipped) == (2, 0)
    assert_same(home, other)
    tables = (
        "SELECT hex(block_id), hex(content_hash), role, kind, length, original_length, text FROM blocks ORDER BY 1, 2",
        "SELECT hex(block_id), hex(content_hash), at, note FROM pins",
        "SELECT hex(block_id), hex(content_hash), hex(entities) FROM blocks ORDER BY 1, 2",
        "SELECT path, cursor, head_hash, content_hash, parser_state, state FROM sources ORDER BY path",
        "SELECT path, offset, length, reason FROM problems JOIN sources USING (source_id)",
    )
    for sql in tables:
        assert home.ask(sql) == other.ask(sql), sql
    check(other.settings.store)
    assert export(other) == exported


def test_capture_goes_on_where_the_other_store_stopped(home: Home, make_home: Callable[[str], Home]) -> None:
    fill(home)
    other = make_home("other")
    other.with_settings(user_home=home.settings.user_home)
    with open_writer(other.settings.store) as writer:
        take_in(writer, export(home))
    assert other.index().sources_changed == 0
    home.append(record(4, "appended"))
    report = other.index()
    assert (report.sources_changed, report.records) == (1, 1)


def test_importing_twice_changes_nothing(home: Home, make_home: Callable[[str], Home]) -> None:
    fill(home)
    other = make_home("other")
    with open_writer(other.settings.store) as writer:
        take_in(writer, export(home))
        before = other.content()
        again = take_in(writer, export(home))
    assert (again.sources, again.skipped, again.blocks) == (0, 2, 0)
    assert other.content() == before


def test_another_machine_stands_beside_this_one(home: Home, make_home: Callable[[str], Home]) -> None:
    fill(home)
    exported = export(home)
    with open_writer(home.settings.store) as writer:
        take_in(writer, exported, machine="laptop")
    assert home.ask("SELECT machine, count(*) FROM sources GROUP BY machine ORDER BY machine") == [
        ("laptop", 2),
        ("local", 2),
    ]
    assert home.index().problems == ()
    assert home.ask("SELECT DISTINCT state FROM sources WHERE machine = 'laptop' ORDER BY 1") == home.ask(
        "SELECT DISTINCT state FROM sources WHERE machine = 'local' ORDER BY 1"
    )


def test_what_another_machine_holds_is_not_missing_here(home: Home, make_home: Callable[[str], Home]) -> None:
    fill(home)
    other = make_home("other")
    with open_writer(other.settings.store) as writer:
        take_in(writer, export(home), machine="laptop")
    before = other.ask("SELECT path, state FROM sources ORDER BY path")
    shutil.rmtree(home.root)
    other.index()
    assert other.ask("SELECT path, state FROM sources ORDER BY path") == before
    assert "source_missing" not in {state for _, state in before}


def test_an_imported_text_is_redacted_like_any_other(home: Home, make_home: Callable[[str], Home]) -> None:
    home.write(*lines(["a plain text"]))
    home.index()
    tampered = [line.replace(b"a plain text", b"is hunter2 ok") for line in export(home)]
    other = make_home("other")
    with open_writer(other.settings.store) as writer:
        take_in(writer, tampered)
    assert other.texts() == ["is [REDACTED:password] ok"]
    assert b"hunter2" not in other.settings.store.read_bytes()


@pytest.mark.parametrize(
    "data",
    [[b"{}"], [b"nonsense"], [b'{"header": {"format": "x", "version": 1, "hash_key": ""}}'], [b"[" * 100_000]],
)
def test_what_is_no_export_is_refused_with_its_line(home: Home, data: list[bytes]) -> None:
    with open_writer(home.settings.store) as writer, pytest.raises(SourceError, match="line 1") as caught:
        take_in(writer, data)
    assert "\n" not in str(caught.value)


def test_an_export_of_a_newer_program_is_refused(home: Home) -> None:
    header = json.dumps({"header": {"format": "recall-lab.store", "version": 99, "hash_key": "00"}}).encode()
    with open_writer(home.settings.store) as writer, pytest.raises(SourceError, match="upgrade"):
        take_in(writer, [header])
