"""A session's export for other programs: what a careful consumer checks."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from consumer import whole
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import NotFoundError, RecallLabError, UsageError
from recall_lab.evidence import cite, export_page, session_relations
from recall_lab.model import LedgerRow, Redacted
from recall_lab.settings import Settings
from recall_lab.store import open_reader, session_reading


@pytest.fixture
def told(tiny: TinyStore) -> TinyStore:
    tiny.tell(*(said(f"b{n}", f"text {n}", n, role="user" if n % 3 == 0 else "assistant") for n in range(7)))
    return tiny


def pages(tiny: TinyStore, folder: Path, limit: int, **first: Any) -> list[dict[str, Any]]:
    """Everything that a consumer reads, with the checks that it makes."""
    page = export_page(tiny.reader(), folder, limit=limit, **(first or {"target": "11111111-aaaa"}))
    return whole(page, lambda cursor: export_page(tiny.reader(), folder, cursor=cursor), limit)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
def test_the_pages_are_the_whole_session_in_order(told: TinyStore, tmp_path: Path, limit: int) -> None:
    got = pages(told, tmp_path / "cursors", limit)
    items = [item for page in got for item in page["items"]]
    assert [item["text"] for item in items] == [f"text {n}" for n in range(7)]
    assert len(got) == -(-7 // limit)
    assert got[-1]["next_cursor"] is None
    assert items[0] == {
        "sequence": 1, "evidence_id": block_id("b0"), "role": "user", "surface": "prose", "text": "text 0",
        "sha256": sha256(b"text 0").hexdigest(), "receipt": cite(told.reader(), block_id("b0")).receipt,
        "entities": [], "tool": None, "turn": 1, "timestamp": "2026-05-01T10:00:00.000Z", "live": True,
    }  # fmt: skip


def test_a_cursor_gives_the_same_page_every_time(told: TinyStore, tmp_path: Path) -> None:
    first = export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=3)
    again = [export_page(told.reader(), tmp_path, cursor=first["next_cursor"]) for _ in range(3)]
    assert again[0] == again[1] == again[2]


def test_what_a_live_session_gains_lies_past_the_boundary(told: TinyStore, tmp_path: Path) -> None:
    first = export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=3)
    assert first["source_snapshot_stable"]
    told.tell(*(said(f"b{n}", f"text {n}", n, role="user" if n % 3 == 0 else "assistant") for n in range(9)))
    second = export_page(told.reader(), tmp_path, cursor=first["next_cursor"])
    assert second["boundary"] == first["boundary"]
    assert not second["source_snapshot_stable"]
    third = export_page(told.reader(), tmp_path, cursor=second["next_cursor"])
    assert (third["complete"], len(third["items"])) == (True, 1)


def test_a_session_rewritten_inside_the_boundary_ends_the_export(told: TinyStore, tmp_path: Path) -> None:
    first = export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=3)
    told.tell(*(said(f"b{n}", f"other {n}", n) for n in range(7)))
    with pytest.raises(RecallLabError, match="rewritten"):
        export_page(told.reader(), tmp_path, cursor=first["next_cursor"])


def test_a_session_is_named_by_id_path_or_receipt(
    told: TinyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = cite(told.reader(), block_id("b3")).receipt
    monkeypatch.chdir("/")
    for target in ("11111111-aaaa", "/t/11111111-aaaa.jsonl", "t/11111111-aaaa.jsonl", receipt):
        assert export_page(told.reader(), tmp_path, target=target)["session"]["native_id"] == "11111111-aaaa"
    for missing in ("11111111", "/t/other.jsonl"):
        with pytest.raises(NotFoundError, match="whole id"):
            export_page(told.reader(), tmp_path, target=missing)


@pytest.mark.parametrize("name", ["CODEX_THREAD_ID", "CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"])
def test_the_current_session_is_told_by_its_exact_id(told: TinyStore, tmp_path: Path, name: str) -> None:
    page = export_page(told.reader(), tmp_path, current=True, environ={name: "11111111-aaaa"})
    assert page["session"]["native_id"] == "11111111-aaaa"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"CLAUDE_SESSION_ID": ""},
        {"CLAUDE_SESSION_ID": "11111111"},
        {"CLAUDE_SESSION_ID": "unknown"},
        {"CLAUDE_SESSION_ID": "11111111-aaaa", "CODEX_THREAD_ID": "another"},
    ],
)
def test_a_current_session_that_cannot_be_told_fails_closed_without_content(
    told: TinyStore, tmp_path: Path, environ: dict[str, str]
) -> None:
    told.tell(said("s", "a secret plan", 0), session="22222222", title="a secret title", cwd="/secret/folder")
    with pytest.raises(NotFoundError, match="cannot be told") as failed:
        export_page(told.reader(), tmp_path, current=True, environ=environ)
    assert "22222222" in str(failed.value)
    assert "secret" not in str(failed.value)


def test_cursors_are_private_files_of_the_owner(told: TinyStore, tmp_path: Path) -> None:
    folder = tmp_path / "cursors"
    token = export_page(told.reader(), folder, target="11111111-aaaa", limit=3)["next_cursor"]
    path = folder / f"{token}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    path.chmod(0o644)
    with pytest.raises(UsageError, match="not private"):
        export_page(told.reader(), folder, cursor=token)
    path.chmod(0o600)
    elsewhere = tmp_path / "elsewhere.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is not used"):
        export_page(told.reader(), folder, cursor=token)
    path.unlink()
    path.write_bytes(elsewhere.read_bytes().replace(b'"offset":3', b'"offset":5'))
    path.chmod(0o600)
    with pytest.raises(UsageError, match="was changed"):
        export_page(told.reader(), folder, cursor=token)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(UsageError, match="not private"):
        export_page(told.reader(), folder, cursor=token)
    path.unlink()
    with pytest.raises(NotFoundError, match="no such cursor"):
        export_page(told.reader(), folder, cursor=token)
    for bad in ("", "../../etc/passwd", "A" * 32):
        with pytest.raises(UsageError, match="not a cursor"):
            export_page(told.reader(), folder, cursor=bad)


def test_records_that_could_not_be_used_are_counted(tiny: TinyStore, tmp_path: Path) -> None:
    rows = (
        LedgerRow(record_type="user", disposition="indexed", records=1, bytes=10),
        LedgerRow(record_type="?", disposition="malformed", records=2, bytes=20),
        LedgerRow(record_type="new-thing", disposition="unknown", records=3, bytes=30),
    )
    tiny.tell(said("a", "a", 0), ledger=rows)
    (source,) = export_page(tiny.reader(), tmp_path, target="11111111-aaaa")["sources"]
    assert (source["malformed"], source["unknown"], source["pending"]) == (2, 3, 0)


def test_a_page_is_asked_for_in_one_way(told: TinyStore, tmp_path: Path) -> None:
    for bad in ({}, {"target": "x", "current": True}, {"target": "x", "cursor": "y"}):
        with pytest.raises(UsageError, match="name one of"):
            export_page(told.reader(), tmp_path, **bad)
    for limit in (0, 1001):
        with pytest.raises(UsageError, match="1 to 1000"):
            export_page(told.reader(), tmp_path, target="x", limit=limit)


@pytest.mark.corpus
def test_every_real_session_is_read_whole_by_a_careful_consumer(home: Settings, tmp_path: Path) -> None:
    with open_reader(home.store) as reader:
        sessions = session_reading.sessions(reader, limit=None)
        captured, long = {info.native_id for info in sessions}, 0
        for info in sessions:
            first = export_page(reader, tmp_path, target=info.native_id, host=info.host, limit=50)
            got = whole(first, lambda cursor: export_page(reader, tmp_path, cursor=cursor), 50)
            again = [export_page(reader, tmp_path, cursor=page["next_cursor"]) for page in got[:-1]]
            assert again == got[1:], "a cursor gives the same page every time"
            assert all(page["source_snapshot_stable"] for page in got)
            chain = info.parent_id is None or info.parent_id in captured
            graph = session_relations(reader, info.native_id, host=info.host, include_children=True, chain=chain)
            nodes = {node["native_id"] for node in graph["nodes"]}
            assert {end for edge in graph["edges"] for end in (edge["child"], edge["parent"])} <= nodes
            long += len(got) > 2
    assert long > 1


# ---- relations ------------------------------------------------------------------------------------------------------


def test_relations_are_the_hosts_own_links(tiny: TinyStore) -> None:
    tiny.tell(said("m", "m", 0), session="main", title=Redacted("same title"))
    tiny.tell(said("s", "s", 1), session="main/a1", parent_id="main", relation="subagent", agent_id="a1")
    tiny.tell(said("f", "f", 2), session="fork", parent_id="main", relation="fork")
    tiny.tell(said("g", "g", 3), session="fork/b", parent_id="fork", relation="subagent", agent_id="b")
    tiny.tell(said("o", "o", 0), session="other", title=Redacted("same title"))
    reader = tiny.reader()

    def ids(target: str, **wanted: bool) -> list[str]:
        return sorted(node["native_id"] for node in session_relations(reader, target, **wanted)["nodes"])

    assert ids("main") == ["main"]
    assert ids("main", include_children=True) == ["fork", "fork/b", "main", "main/a1"]
    assert ids("fork/b", chain=True) == ["fork", "fork/b", "main"]
    assert ids("fork", chain=True, include_children=True) == ["fork", "fork/b", "main"]
    (alone,) = session_relations(reader, "fork/b")["nodes"]
    assert (alone["parent_id"], alone["relation"]) == ("fork", "subagent")
    graph = session_relations(reader, "fork/b", chain=True)
    assert graph["schema_version"] == "recall.session-relations.v1"
    assert {(edge["child"], edge["parent"], edge["relation"]) for edge in graph["edges"]} == {
        ("fork/b", "fork", "subagent"),
        ("fork", "main", "fork"),
    }


def test_a_link_to_a_session_that_is_not_captured_fails(tiny: TinyStore) -> None:
    tiny.tell(said("f", "f", 0), session="fork", parent_id="nowhere", relation="fork")
    reader = tiny.reader()
    assert len(session_relations(reader, "fork")["nodes"]) == 1
    with pytest.raises(NotFoundError, match="not captured"):
        session_relations(reader, "fork", chain=True)
    with pytest.raises(NotFoundError, match="whole id"):
        session_relations(reader, "fo")


def test_links_in_a_circle_come_to_an_end(tiny: TinyStore) -> None:
    tiny.tell(said("a", "a", 0), session="a", parent_id="b", relation="fork")
    tiny.tell(said("b", "b", 0), session="b", parent_id="a", relation="fork")
    graph = session_relations(tiny.reader(), "a", chain=True, include_children=True)
    assert len(graph["nodes"]) == 2


def test_cursors_of_long_ago_go_and_others_stay(told: TinyStore, tmp_path: Path) -> None:
    old = export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=2)["next_cursor"]
    mine = tmp_path / "notes.json"
    mine.write_text("{}", encoding="utf-8")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    young = export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=3)["next_cursor"]
    export_page(told.reader(), tmp_path, target="11111111-aaaa", limit=4)
    with pytest.raises(NotFoundError, match="start the export again"):
        export_page(told.reader(), tmp_path, cursor=old)
    assert export_page(told.reader(), tmp_path, cursor=young)["schema_version"] == "recall.session-export.v1"
    assert mine.exists()
