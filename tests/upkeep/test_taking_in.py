"""Nothing of an imported file is trusted: not its texts, not its small strings, not its states."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from recall_lab.capture import import_store
from recall_lab.errors import SourceError
from recall_lab.lab import Lab
from recall_lab.store import open_writer
from recall_lab.store.backup import check
from recall_lab.store.pinning import pin
from recall_lab.store.purging import Selection, forget

from .conftest import WORD, Home, bytes_below, lines, record
from .test_refresh import told


@pytest.fixture
def exported(home: Home) -> Home:
    """A home with its export beside it; the word is no secret there."""
    home.write(*told(home))
    home.index()
    home.write(*lines(["first wording"]), path=home.project / ("6" + home.file.name[1:]))
    home.index()
    with open_writer(home.settings.store) as writer:
        [(block_id, content_hash)] = writer.connection.execute(
            "SELECT lower(hex(block_id)), lower(hex(content_hash)) FROM blocks WHERE text LIKE '%twice%'"
        )
        pin(writer, block_id, content_hash, f"about {WORD}")
        writer.add_activity([("2026-05-01T00:00:00Z", "search", f"/repo/{WORD}", 0.1, 0)])
    with Lab(home.settings) as lab:
        lab.export_store(home.root / "store.jsonl", progress=False)
    return home


def test_an_import_takes_out_what_the_rules_here_know(
    exported: Home, make_home: Callable[[str], Home], stricter: Callable[[], None]
) -> None:
    stricter()
    other = make_home("other")
    done = import_store(other.settings, exported.root / "store.jsonl")
    assert (done.sources, done.skipped, done.left_out) == (2, 0, 0)
    assert WORD.encode() not in bytes_below(other.settings.home)
    assert other.ask("SELECT DISTINCT name FROM blocks JOIN names ON name_id = rules") == [("stricter",)]
    assert other.ask("SELECT sum(spans) FROM redactions WHERE kind = 'token'") == [(5,)]
    [(found,)] = other.ask("SELECT count(*) FROM pins JOIN blocks USING (block_id, content_hash)")
    assert found == 1
    check(other.settings.store)
    other.with_settings(user_home=exported.settings.user_home)
    exported.append(record(9, "appended"))
    assert other.index().problems == ()
    assert other.index().sources_changed == 0
    assert "appended" in other.texts()


def test_what_was_forgotten_here_does_not_come_back(exported: Home, make_home: Callable[[str], Home]) -> None:
    other = make_home("other")
    file = exported.root / "store.jsonl"
    import_store(other.settings, file)
    [(block_id,)] = other.ask("SELECT lower(hex(block_id)) FROM blocks WHERE text LIKE '%twice%'")
    with open_writer(other.settings.store) as writer:
        forget(writer, Selection(block=block_id), writer=writer)
        writer.connection.execute("UPDATE sources SET cursor = 0")
    import_store(other.settings, file)
    assert other.ask("SELECT count(*) FROM blocks WHERE text LIKE '%twice%'") == [(0,)]


def edited(home: Home, change: Callable[[dict[str, Any]], object]) -> list[bytes]:
    found = []
    for line in (home.root / "store.jsonl").read_bytes().splitlines():
        told = json.loads(line)
        change(told)
        found.append(json.dumps(told).encode() + b"\n")
    return found


def with_(kind: str, change: Callable[[Any], object]) -> Callable[[dict[str, Any]], object]:
    return lambda line: change(line[kind]) if kind in line else None


@pytest.mark.parametrize(
    "change",
    [
        with_("blocks", lambda blocks: blocks[0].update(block_id="zz")),
        with_("blocks", lambda blocks: blocks[0].update(block_id="ab")),
        with_("blocks", lambda blocks: blocks[0].update(role="king")),
        with_("blocks", lambda blocks: blocks[0].update(ord="x")),
        with_("blocks", lambda blocks: blocks[0].update(agent="nobody")),
        with_("blocks", lambda blocks: blocks[0].update(ord=2**63)),
        with_("source", lambda source: source["model_calls"][0].update(key="xyz") if source["model_calls"] else None),
        with_("table", lambda table: table.update(name="sqlite_schema")),
        with_("table", lambda table: table.update(columns=["a; drop table blocks"])),
        with_("table", lambda table: table["rows"].append(["short"])),
        with_("header", lambda header: header.update(hash_key="no hex")),
    ],
)
def test_a_damaged_export_is_refused_in_one_line_and_the_store_is_whole(
    exported: Home, make_home: Callable[[str], Home], change: Callable[[dict[str, Any]], object]
) -> None:
    file = exported.root / "damaged.jsonl"
    file.write_bytes(b"".join(edited(exported, change)))
    other = make_home("other")
    with pytest.raises(SourceError) as caught:
        import_store(other.settings, file)
    told = str(caught.value)
    assert "\n" not in told
    assert told.startswith(f"{file}: line ")
    if "nothing was taken in" not in told:
        assert "came in before it" in told
        check(other.settings.store)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
def test_of_an_export_that_was_cut_off_nothing_comes_in(
    exported: Home, make_home: Callable[[str], Home], keep: float
) -> None:
    whole = (exported.root / "store.jsonl").read_bytes()
    file = exported.root / "half.jsonl"
    file.write_bytes(whole[: int(len(whole) * keep)])
    other = make_home("other")
    with pytest.raises(SourceError, match="nothing was taken in") as caught:
        import_store(other.settings, file)
    assert str(caught.value).startswith(f"{file}: line ")
    assert not other.settings.store.exists()


def test_of_an_export_without_its_last_lines_nothing_comes_in(exported: Home, make_home: Callable[[str], Home]) -> None:
    lines = (exported.root / "store.jsonl").read_bytes().splitlines(keepends=True)
    file, other = exported.root / "short.jsonl", make_home("other")
    for kept in range(1, len(lines)):
        file.write_bytes(b"".join(lines[:kept]))
        with pytest.raises(SourceError, match=f"line {kept}: the export ends too early; nothing was taken in"):
            import_store(other.settings, file)
    assert not other.settings.store.exists()


def test_an_empty_file_is_no_export(exported: Home, make_home: Callable[[str], Home]) -> None:
    file, other = exported.root / "empty.jsonl", make_home("other")
    file.touch()
    with pytest.raises(SourceError, match=r"empty\.jsonl: the file is empty; name one"):
        import_store(other.settings, file)
    assert not other.settings.store.exists()


def test_a_value_that_does_not_fit_tells_what_came_in_before_it(
    exported: Home, make_home: Callable[[str], Home]
) -> None:
    sources = 0

    def change(line: dict[str, Any]) -> None:
        nonlocal sources
        sources += "source" in line
        if sources == 2 and "blocks" in line:
            line["blocks"][-1]["block_id"] = "zz"

    file, other = exported.root / "odd.jsonl", make_home("other")
    file.write_bytes(b"".join(edited(exported, change)))
    with pytest.raises(SourceError, match=r"1 source and [0-9]+ blocks? came in before it; write the export again"):
        import_store(other.settings, file)
    assert other.ask("SELECT count(*) FROM sources") == [(1,)]


def test_a_state_that_nothing_can_go_on_from_is_left_behind(exported: Home, make_home: Callable[[str], Home]) -> None:
    file = exported.root / "odd.jsonl"
    file.write_bytes(b"".join(edited(exported, with_("source", lambda s: s["source"].update(parser_state="AAAA")))))
    other = make_home("other")
    import_store(other.settings, file)
    assert other.ask("SELECT DISTINCT parser_state, resume_offset FROM sources") == [(b"", 0)]
    other.with_settings(user_home=exported.settings.user_home)
    exported.append(record(9, "appended"))
    assert other.index().problems == ()
    assert len(other.texts()) == 6


def test_entities_and_hashes_of_the_file_are_not_believed(exported: Home, make_home: Callable[[str], Home]) -> None:
    def lie(blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            block.update(entities="/////w==", content_hash="0" * 64)

    file = exported.root / "lying.jsonl"
    file.write_bytes(b"".join(edited(exported, with_("blocks", lie))))
    other = make_home("other")
    import_store(other.settings, file)
    same = "SELECT hex(block_id), hex(content_hash), hex(entities), text FROM blocks ORDER BY 1"
    assert other.ask(same) == exported.ask(same)
