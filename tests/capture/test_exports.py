"""Account exports: each conversation a source of its own, from a file or an archive, with nothing lost between them."""

from __future__ import annotations

import json
import os
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_lab.capture import preview_export
from recall_lab.capture.exports import held_in
from recall_lab.errors import NotFoundError, SourceError, UsageError
from recall_lab.settings import load_settings
from recall_lab.store import open_reader
from recall_lab.store.status import status

from .conftest import FakeRedactor, Home

IDS = [f"{number:08x}-1111-4222-8333-944455556666" for number in range(1, 4)]


def conversation(number: int, *texts: str, **more: Any) -> dict[str, Any]:
    """A conversation of claude.ai's, user and assistant in turn."""
    messages = [
        {
            "uuid": f"{number:08x}-{nth:04x}-4222-8333-944455556666",
            "sender": "assistant" if nth % 2 else "human",
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": f"2026-05-0{number}T10:00:0{nth}.000Z",
        }
        for nth, text in enumerate(texts)
    ]
    return {
        "uuid": IDS[number - 1],
        "name": f"Talk {number}",
        "created_at": f"2026-05-0{number}T10:00:00.000Z",
        "chat_messages": messages,
    } | more


TALKS = [conversation(1, "why batching?", "for latency"), conversation(2, "and caching?"), conversation(3, "thanks")]


def export(
    home: Home, talks: list[dict[str, Any]], indent: int | None = None, name: str = "conversations.json"
) -> Path:
    return home.write(json.dumps(talks, indent=indent).encode(), path=home.root / "Downloads" / name)


def archive(home: Home, talks: list[dict[str, Any]], name: str = "data.zip", **entries: str) -> Path:
    path = home.root / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("users.json", "[]")
        made.writestr("export/conversations.json", json.dumps(talks))
        for entry, content in entries.items():
            made.writestr(entry, content)
    return path


def paths(home: Home) -> list[str]:
    return [Path(path).name for (path,) in home.ask("SELECT path FROM sources ORDER BY path")]


def ledger_bytes(home: Home) -> int:
    with open_reader(home.settings.store) as reader:
        return status(reader).bytes.total


@pytest.fixture(autouse=True)
def _quick_titles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_lab.redaction.open_redactor", lambda *_, **__: FakeRedactor())


@pytest.mark.parametrize("indent", [None, 2])
def test_each_conversation_is_a_source_and_together_they_are_the_file(home: Home, indent: int | None) -> None:
    file = export(home, TALKS, indent)
    report = home.index(file)
    assert report.sources_seen == report.sources_changed == 3
    assert report.problems == ()
    assert paths(home) == [f"conversations.json#{own}" for own in IDS]
    assert home.texts() == ["why batching?", "for latency", "and caching?", "thanks"]
    assert home.ask("SELECT native_id, title FROM sessions ORDER BY 1") == [
        (own, f"Talk {number}") for number, own in enumerate(IDS, 1)
    ]
    assert report.bytes == ledger_bytes(home) == file.stat().st_size
    assert home.index(file).sources_changed == 0


def test_an_archive_gives_what_its_file_gives(home: Home) -> None:
    home.index(archive(home, TALKS))
    assert paths(home) == [f"data.zip#{own}" for own in IDS]
    assert home.texts() == ["why batching?", "for latency", "and caching?", "thanks"]
    assert ledger_bytes(home) == len(json.dumps(TALKS))
    assert not list(home.root.rglob("conversations.json"))


def test_a_new_export_reads_what_changed_and_keeps_ids(home: Home) -> None:
    file = export(home, TALKS)
    home.index(file)
    before = home.ask("SELECT hex(block_id) FROM blocks ORDER BY text_id")
    longer = conversation(1, "why batching?", "for latency", "since when?")
    export(home, [conversation(2, "and caching, then?"), longer, TALKS[2]])
    report = home.index(file)
    assert report.problems == ()
    assert report.blocks_changed == 1
    assert home.texts() == ["why batching?", "for latency", "since when?", "and caching, then?", "thanks"]
    assert set(before) < set(home.ask("SELECT hex(block_id) FROM blocks"))
    assert ledger_bytes(home) == file.stat().st_size
    assert home.ask("SELECT text FROM blocks WHERE text_id NOT IN (SELECT text_id FROM placements)") == [
        ("and caching?",)
    ]


def test_one_conversation_alone(home: Home) -> None:
    file = export(home, TALKS)
    report = home.index(file, conversations=[IDS[1]])
    assert (report.sources_seen, home.texts()) == (1, ["and caching?"])
    with pytest.raises(NotFoundError, match="--preview"):
        home.index(file, conversations=["nowhere"])
    with pytest.raises(UsageError, match="name the export"):
        home.index(conversations=[IDS[1]])
    alone = home.write(json.dumps(TALKS[2]).encode(), path=home.root / "alone.json")
    home.index(alone, conversations=[IDS[2]])
    assert home.texts() == ["and caching?", "thanks"]


def test_a_conversation_may_be_named_as_its_source_is(home: Home) -> None:
    file = export(home, TALKS)
    named = file.with_name(f"{file.name}#{IDS[1]}")
    home.index(named)
    assert (home.texts(), paths(home)) == (["and caching?"], [named.name])
    assert home.index(named, rebuild=True).sources_changed == 1
    with pytest.raises(SourceError, match="--preview"):
        home.index(file.with_name(f"{file.name}#nobody"))
    with pytest.raises(SourceError, match="no such file"):
        home.index(file.with_name(f"gone.json#{IDS[1]}"))


def test_a_folder_gives_conversations_a_repository_and_stays(home: Home) -> None:
    repo = home.root / "beta"
    (repo / ".git").mkdir(parents=True)
    (repo / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.com:team/beta.git\n')
    file = export(home, TALKS)
    home.index(file)
    home.index(file, cwd=repo)
    assert home.ask("SELECT DISTINCT cwd, repo FROM sessions") == [(str(repo), "example.com/team/beta")]
    export(home, [conversation(1, "why batching?", "for latency", "since when?"), *TALKS[1:]])
    home.index(file)
    assert home.ask("SELECT DISTINCT cwd, repo FROM sessions") == [(str(repo), "example.com/team/beta")]
    assert home.ask("SELECT DISTINCT name FROM placements JOIN names ON cwd = name_id") == [(str(repo),)]


def test_a_preview_lists_the_conversations_with_their_secrets_taken_out(home: Home) -> None:
    told = [*TALKS[:2], conversation(3, "thanks", name="about hunter2")]
    for file in (export(home, told), archive(home, told)):
        seen = preview_export(home.settings, file)
        assert [(one.id, one.title, one.created, one.messages) for one in seen] == [
            (IDS[0], "Talk 1", "2026-05-01T10:00:00.000Z", 2),
            (IDS[1], "Talk 2", "2026-05-02T10:00:00.000Z", 1),
            (IDS[2], "about [REDACTED:password]", "2026-05-03T10:00:00.000Z", 1),
        ]
        assert sum(one.bytes for one in seen) == len(json.dumps(told))
    assert not home.settings.store.exists()
    with pytest.raises(SourceError, match=r"conversations\.json"):
        preview_export(home.settings, home.write(b"{}", path=home.root / "other.json"))


def test_a_file_that_is_gone_is_missing_with_all_its_conversations(home: Home) -> None:
    home.write(b"")
    file = export(home, TALKS)
    home.index(file)
    home.index()
    assert home.ask("SELECT DISTINCT state FROM sources WHERE host = 'claudeai-export'") == [("complete",)]
    file.unlink()
    home.index()
    assert home.ask("SELECT DISTINCT state FROM sources WHERE host = 'claudeai-export'") == [("source_missing",)]
    assert len(home.texts()) == 4


def test_an_archive_that_was_moved_keeps_its_sources(home: Home) -> None:
    home.index(archive(home, TALKS))
    before = home.ask("SELECT source_id FROM sources ORDER BY 1")
    (home.root / "data.zip").rename(home.root / "kept.zip")
    home.index(home.root / "kept.zip")
    assert paths(home) == [f"kept.zip#{own}" for own in IDS]
    assert home.ask("SELECT source_id FROM sources ORDER BY 1") == before
    assert home.ask("SELECT count(*) FROM blocks") == [(4,)]


def test_an_export_that_is_cut_off_keeps_what_is_whole(home: Home) -> None:
    file = export(home, TALKS)
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(b"and caching") + 4])
    home.index(file)
    assert home.texts() == ["why batching?", "for latency"]
    assert home.ask("SELECT state FROM sources ORDER BY path") == [("complete",), ("partial_record",)]
    assert ledger_bytes(home) == file.stat().st_size
    file.write_bytes(whole)
    home.index(file)
    assert home.texts() == ["why batching?", "for latency", "and caching?", "thanks"]


@pytest.mark.parametrize(
    "strange",
    [
        [None, TALKS[0]],
        [TALKS[0], 7, "x", TALKS[1]],
        [TALKS[0], TALKS[0]],
        [{**TALKS[0], "uuid": "../../etc/passwd\n"}, {**TALKS[1], "uuid": None}],
        [TALKS[0], {}, []],
    ],
)
def test_strange_lists_lose_no_byte(home: Home, strange: list[Any]) -> None:
    file = export(home, strange)
    home.index(file, host="claudeai-export")
    assert ledger_bytes(home) == file.stat().st_size
    assert "why batching?" in home.texts()
    assert all("/" not in name and "\n" not in name for name in paths(home))


def test_archives_that_are_not_fit_to_be_read(home: Home) -> None:
    def refused(path: Path, says: str) -> None:
        with pytest.raises(SourceError, match=says) as caught:
            home.index(path)
        assert "\n" not in str(caught.value)
        home.write(b"")
        folder = home.root / "folder"
        folder.mkdir(exist_ok=True)
        path.rename(folder / path.name)
        assert [Path(problem.source).name for problem in home.index(folder).problems] == [path.name]
        (folder / path.name).unlink()

    bomb = home.root / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", b"[" + b" " * 60_000_000 + b"]")
    refused(bomb, "times its packed size")
    plain = archive(home, TALKS, "cut.zip")
    plain.write_bytes(plain.read_bytes()[:-30])
    refused(plain, "damaged|not a transcript")
    torn = archive(home, [conversation(1, *("x" * 500 for _ in range(9)))], "torn.zip")
    data = torn.read_bytes()
    at = data.index(b"export/conversations.json") + 40
    torn.write_bytes(data[:at] + bytes(20) + data[at + 20 :])
    refused(torn, "damaged")
    empty = home.root / "empty.zip"
    with zipfile.ZipFile(empty, "w") as made:
        made.writestr("readme.txt", "nothing here")
    refused(empty, "not a transcript")


def test_names_in_an_archive_lead_nowhere(home: Home) -> None:
    path = home.root / "hostile.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("../../../tmp/conversations.json", json.dumps(TALKS[:1]))
        link = zipfile.ZipInfo("conversations.json")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("a/conversations-001.json", json.dumps(TALKS[1:2]))
    home.index(path)
    assert home.texts() == ["why batching?", "for latency", "and caching?"]
    assert paths(home) == [f"hostile.zip#{own}" for own in IDS[:2]]


def test_deep_nesting_costs_its_message(home: Home) -> None:
    deep = json.dumps(TALKS[0])[:-1] + ', "extra": ' + "[" * 100_000 + "]" * 100_000 + "}"
    message = json.dumps(conversation(2, "shallow", "buried")).replace(
        '"sender": "assistant"', '"sender": "assistant", "x": ' + '{"a":' * 50_000 + "1" + "}" * 50_000
    )
    file = home.write(f"[{deep}, {message}]".encode(), path=home.root / "conversations.json")
    home.index(file)
    assert home.texts() == ["why batching?", "for latency", "shallow"]
    assert ledger_bytes(home) == file.stat().st_size


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(st.text(max_size=30), max_size=3), min_size=1, max_size=3),
    indent=st.sampled_from([None, 0, 2]),
    chunk=st.sampled_from([7, 50, 1 << 20]),
)
def test_the_parts_of_a_list_cover_it(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], indent: int | None, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("list") / "conversations.json"
    path.write_bytes(json.dumps([conversation(n, *told) for n, told in enumerate(texts, 1)], indent=indent).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recall_lab.capture.exports._CHUNK", chunk)
        held = held_in(path)
    assert held is not None
    edges = [(one.part.start, one.part.end) for one in held]
    assert edges[0][0] == 0
    assert edges[-1][1] == path.stat().st_size
    assert all(before[1] == after[0] for before, after in pairwise(edges))
    assert [one.told.messages for one in held if one.told] == [len(told) for told in texts]


def test_a_preview_waits_for_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(SourceError, match="not a regular file"):
            preview_export(load_settings(tmp_path / "home"), path)
