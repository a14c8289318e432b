"""The commands that look after the store, each as a person or a program meets it."""

from __future__ import annotations

import contextlib
import json
import random
import re
import resource
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from recall_lab.lab import Lab
from recall_lab.settings import load_settings
from recall_lab.store import open_reader
from tests.cli.conftest import Command, _own_place, on_sample, recall_lab
from tests.redaction import fakes
from tests.upkeep.conftest import bytes_below

__all__ = ["_own_place", "on_sample", "recall_lab"]

QUESTION = "why did we reject batching"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "copy"


@pytest.fixture
def own_copy(recall_lab: Command, captured_sample: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command on a copy of the packaged sample's store that may be changed."""
    shutil.copytree(captured_sample, place)
    monkeypatch.setenv("RECALL_LAB_HOME", str(place))
    monkeypatch.setenv("RECALL_LAB_ACTIVITY", "off")
    return recall_lab


@pytest.fixture
def hit(own_copy: Command) -> dict:
    return own_copy("search", QUESTION, "--json").json["hits"][0]


def session_with_words_of_its_own(place: Path) -> tuple[str, bytes]:
    """A session, and a long word that stands in no other."""
    found: dict[str, set[str]] = {}
    with open_reader(place / "recall.db") as reader:
        for native_id, text in reader.connection.execute(
            "SELECT native_id, text FROM placements JOIN blocks USING (text_id) JOIN sessions USING (session_id)"
        ):
            found.setdefault(native_id.split("/")[0], set()).update(re.findall("[A-Za-z_]{6,}", text))
    own = {
        session: words - set().union(*(others for name, others in found.items() if name != session))
        for session, words in found.items()
    }
    session = max(own, key=lambda name: (len(own[name]), name))
    return session, max(own[session], key=lambda word: (len(word), word)).encode()


# ---- forget --------------------------------------------------------------------------------------------------------


def test_a_forgotten_session_is_in_no_byte_of_the_home(own_copy: Command, place: Path) -> None:
    session, word = session_with_words_of_its_own(place)
    assert word in bytes_below(place)
    own_copy("mirror")
    generation = json.loads((place / "mirror" / "current.json").read_text())["file"]
    done = own_copy("forget", "--session", session[:18], "--yes", "--json").json
    assert (done["done"], done["scrubbed"], done["held"], done["copies"]) == (True, True, 0, [])
    assert word not in bytes_below(place)
    assert not (place / "mirror" / generation).exists()
    assert own_copy("mirror", "--check").code == 0
    assert own_copy("index", "--json").code == 0
    assert word not in bytes_below(place)


def test_a_block_a_repository_and_a_time_can_be_forgotten(own_copy: Command, place: Path, hit: dict) -> None:
    block = own_copy("forget", "--block", hit["receipt"], "--json").json["purge"]
    assert (block["sessions"], block["blocks"]) == (0, 1)
    repo = own_copy("forget", "--repo", hit["repo"], "--json").json["purge"]
    assert repo["sessions"] > 1
    day = own_copy("forget", "--since", hit["timestamp"], "--until", hit["timestamp"][:10], "--json").json["purge"]
    assert day["blocks"] >= 1
    assert own_copy("forget", "--since", hit["timestamp"], "--until", hit["timestamp"][:10], "--yes").code == 0
    assert own_copy("read", hit["block_id"]).code == 2
    assert own_copy("mirror", "--check").code == 0


def test_a_failure_is_forgotten_with_the_result_that_tells_of_it(own_copy: Command, place: Path) -> None:
    with open_reader(place / "recall.db") as reader:
        [(error, block)] = reader.connection.execute(
            "SELECT error, lower(hex(result_block)) FROM tool_calls WHERE length(error) > 20 LIMIT 1"
        )
    assert own_copy("forget", "--block", block, "--yes").code == 0
    with open_reader(place / "recall.db") as reader:
        assert not reader.connection.execute("SELECT count(*) FROM tool_calls WHERE error = ?", (error,)).get


def test_nobody_is_asked_without_a_terminal_and_nothing_goes(own_copy: Command, place: Path, hit: dict) -> None:
    before = bytes_below(place)
    ran = own_copy("forget", "--session", hit["session"])
    assert (ran.code, "Nothing was taken out; --yes does it." in ran.out) == (0, True)
    assert own_copy("prune").code == own_copy("gc").code == own_copy("uninstall").code == 0
    assert bytes_below(place) == before
    assert own_copy("forget").code == 2
    assert own_copy("forget", "--session", hit["session"], "--repo", hit["repo"]).code == 2


def test_what_other_sessions_hold_too_is_told_with_how_to_forget_it(own_copy: Command, place: Path) -> None:
    with open_reader(place / "recall.db") as reader:
        [(one, other)] = reader.connection.execute(
            "SELECT a.native_id, b.native_id FROM placements p JOIN placements q USING (text_id) "
            "JOIN sessions a ON a.session_id = p.session_id JOIN sessions b ON b.session_id = q.session_id "
            "WHERE a.session_id <> b.session_id LIMIT 1"
        )
    shown = own_copy("forget", "--session", one)
    assert "because another session holds them" in shown.out
    assert f"recall-lab forget --session {other}" in shown.err
    gone = own_copy("forget", "--session", one, "--yes", "--json")
    assert other in gone.json["purge"]["held_by"]
    assert f"recall-lab forget --session {other}" in gone.err
    for name in gone.json["purge"]["held_by"]:
        own_copy("forget", "--session", name, "--yes")
    with open_reader(place / "recall.db") as reader:
        held = "SELECT count(*) FROM blocks WHERE text_id NOT IN (SELECT text_id FROM placements)"
        assert reader.connection.execute(held).get == 0
    assert own_copy("session", other).code == 2


# ---- keeping -------------------------------------------------------------------------------------------------------


def test_a_pinned_text_outlives_a_gc(own_copy: Command, place: Path, hit: dict) -> None:
    pinned = own_copy("pin", hit["receipt"], "--note", "cited in the report", "--json").json
    assert pinned["content_hashes"] == [hit["content_hash"]]
    (one,) = own_copy("revisions", hit["block_id"], "--json").json["revisions"]
    assert one["pinned"] is True
    assert own_copy("stats", "--json").json["revisions"]["pinned"] == 1
    assert own_copy("gc", "--keep", "0", "--yes", "--json").json["done"] is True
    assert own_copy("unpin", hit["block_id"], "--json").json["content_hashes"] == [hit["content_hash"]]
    assert own_copy("unpin", hit["block_id"]).code == 1
    assert own_copy("pin", "0" * 32).code == 2
    assert own_copy("mirror", "--check").code == 0


def test_vacuum_gives_room_back(own_copy: Command, hit: dict) -> None:
    done = own_copy("vacuum", "--json").json
    assert done["scrubbed"] is True
    assert 0 < done["after"] <= done["before"]


# ---- copies --------------------------------------------------------------------------------------------------------


def test_a_restored_store_is_another_one_to_its_mirror(
    own_copy: Command, place: Path, tmp_path: Path, hit: dict
) -> None:
    file = tmp_path / "kept.db"
    own_copy("backup", str(file))
    own_copy("forget", "--session", hit["session"], "--yes")
    done = own_copy("restore", str(file), "--json")
    assert done.json["returned"] == 1
    assert "1 of the sessions and blocks that were forgotten" in done.err
    assert own_copy("mirror", "--check").code == 0
    assert own_copy("sql", "select count(*) as n from sessions", "--json").json["rows"] == [
        {"n": own_copy("status", "--json").json["sessions"]}
    ]
    older = place / "recall.db.v1.bak"
    older.write_bytes(b"a store of the first version")
    gone = own_copy("forget", "--session", hit["session"], "--yes", "--json")
    assert gone.json["copies"] == [done.json["replaced"], str(older)]
    assert done.json["replaced"] in gone.err


def test_the_mirror_notices_a_restore_that_nobody_told_it_of(own_copy: Command, place: Path, tmp_path: Path) -> None:
    """As after a kill between the two."""
    from recall_lab.store.backup import restore

    own_copy("mirror")
    own_copy("backup", str(tmp_path / "kept.db"))
    restore(tmp_path / "kept.db", place / "recall.db")
    assert own_copy("mirror", "--json").json["full"] is True


def test_a_damaged_store_is_set_aside_whole(own_copy: Command, place: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    own_copy("backup", str(file))
    store = place / "recall.db"
    damaged = b"\x55" * store.stat().st_size
    store.write_bytes(damaged)
    done = own_copy("restore", str(file), "--json")
    assert done.code == 0
    assert Path(done.json["replaced"]).read_bytes() == damaged
    assert own_copy("status").code == 0
    assert own_copy("restore", str(store)).code == 2


@pytest.mark.parametrize("name", ["store.jsonl", "store.db"])
def test_another_store_comes_in_from_either_form(
    own_copy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / name
    assert own_copy("export", "-o", str(file), "--json").json["files"] == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = own_copy("status", "--json").json
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "other"))
    done = own_copy("import", str(file), "--machine", "laptop", "--json").json
    assert (done["blocks"], done["skipped"], done["left_out"]) == (before["blocks"], 0, 0)
    after = own_copy("status", "--json").json
    assert {key: after[key] for key in ("sessions", "turns", "blocks", "bytes", "states")} == {
        key: before[key] for key in ("sessions", "turns", "blocks", "bytes", "states")
    }
    assert {one["machine"] for one in own_copy("sources", "--json").json["sources"]} == {"laptop"}
    assert own_copy("mirror", "--check").code == 0
    assert own_copy("import", str(file), "--machine", "laptop", "--json").json["skipped"] == before["sources"]
    assert own_copy("import", str(tmp_path / "other" / "recall.db")).code == 2


@pytest.mark.parametrize("name", ["store.jsonl", "store.db"])
def test_an_export_that_may_not_grow_leaves_nothing_and_says_what_next(
    own_copy: Command, tmp_path: Path, name: str
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        ran = own_copy("export", "-o", str(tmp_path / name))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert ran.code == 2
    assert ran.line.startswith(f"recall-lab: {tmp_path / name}: ")
    assert "is left" in ran.line
    assert "raise the limit" in ran.line
    assert not list(tmp_path.glob("store.*"))


def test_what_is_private_here_does_not_come_in(
    own_copy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hit: dict
) -> None:
    file = tmp_path / "store.jsonl"
    own_copy("export", "-o", str(file))
    other = tmp_path / "other"
    other.mkdir()
    (other / "settings.toml").write_text(f'private = ["{hit["session"]}"]\n')
    monkeypatch.setenv("RECALL_LAB_HOME", str(other))
    assert own_copy("import", str(file), "--json").json["left_out"] >= 1
    assert own_copy("session", hit["session"]).code == 2


def test_every_session_becomes_a_file_that_verifies(own_copy: Command, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    done = own_copy("export", "--markdown", str(folder), "--json").json
    files = sorted(folder.iterdir())
    assert len(files) == done["files"] == own_copy("status", "--json").json["sessions"]
    for file in files[:3]:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert own_copy("verify", str(file)).code == 0
    assert own_copy("export", "--markdown", str(folder), "--sqlite").code == 2


def test_a_session_without_a_file_is_printed(own_copy: Command, hit: dict) -> None:
    assert hit["receipt"].split("#")[0] in own_copy("export", "--session", hit["session"]).out
    assert own_copy("export", "--session", hit["session"], "--json").json["session"]["native_id"] == hit["session"]
    assert "-o FILE" in own_copy("export").line


# ---- which repository ----------------------------------------------------------------------------------------------


def test_rescope_pins_lists_and_unpins(own_copy: Command, tmp_path: Path, hit: dict) -> None:
    repo = tmp_path / "other-repo"
    (repo / ".git").mkdir(parents=True)
    (repo / ".git" / "config").write_text('[remote "origin"]\n\turl = git@git.example.org:harbour/lighthouse.git\n')
    pinned = own_copy("rescope", hit["source"], "--cwd", str(repo), "--json").json
    assert pinned["pins"][0]["repo"] == "git.example.org/harbour/lighthouse"
    assert own_copy("search", QUESTION, "--scope", "all", "--json").json["hits"][0]["repo"] == pinned["pins"][0]["repo"]
    assert own_copy("rescope", "--json").json["pins"] == pinned["pins"]
    assert own_copy("mirror", "--check").code == 0
    own_copy("rescope", hit["session"], "--auto")
    assert own_copy("search", QUESTION, "--scope", "all", "--json").json["hits"][0]["repo"] == hit["repo"]
    assert own_copy("rescope", "--json").json["pins"] == []
    assert own_copy("rescope", hit["source"]).code == 2
    assert own_copy("rescope", "/no/such.jsonl", "--auto").code == 2
    assert own_copy("rescope", hit["source"], "--cwd", str(tmp_path / "nowhere")).code == 2


# ---- how much ------------------------------------------------------------------------------------------------------


def test_stats_add_up(own_copy: Command, place: Path) -> None:
    found = own_copy("stats", "--json").json
    status = own_copy("status", "--json").json
    for name in ("sources", "sessions", "turns", "blocks"):
        assert sum(host[name] for host in found["hosts"]) == status[name]
    assert sum(one["bytes"] for one in found["texts"]) == sum(host["text_bytes"] for host in found["hosts"])
    assert sum(one["bytes"] for one in found["tables"]) <= (place / "recall.db").stat().st_size
    assert {"blocks", "placements", "fulltext"} <= {one["table"] for one in found["tables"]}
    assert found["files"]["store"] == (place / "recall.db").stat().st_size
    assert "fulltext" in own_copy("stats").out


def test_activity_counts_what_was_used_and_never_what_was_asked(
    own_copy: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_LAB_ACTIVITY", "on")
    before = {one["key"]: one for one in own_copy("activity", "--json").json["rows"]}
    own_copy("search", "zebraquark")
    own_copy("search", "zebraquark")
    own_copy("frobnicate")
    own_copy("read", "0" * 32)
    after = {one["key"]: one for one in own_copy("activity", "--json").json["rows"]}
    found, read = before.get("search", {"uses": 0, "failed": 0}), before.get("read", {"failed": 0})
    assert (after["search"]["uses"], after["search"]["failed"]) == (found["uses"] + 2, found["failed"])
    assert after["read"]["failed"] == read["failed"] + 1
    (month,) = own_copy("activity", "--by", "month", "--since", "last 2 days", "--json").json["rows"]
    assert month["uses"] >= 4
    assert own_copy("activity", "--by", "repo").code == 0
    assert b"zebraquark" not in bytes_below(place)


# ---- uninstall -----------------------------------------------------------------------------------------------------


def test_uninstall_removes_what_was_made_and_nothing_else(
    own_copy: Command, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    (cache / "rules").mkdir(parents=True)
    (cache / "rules" / ("0" * 32 + ".vscdb")).write_bytes(b"x")
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(cache))
    shutil.copytree(place, cache / "sample-0.1.0-01234567")
    own_copy("backup", str(tmp_path / "kept.db"))
    own_copy("restore", str(tmp_path / "kept.db"))
    (place / "recall.db.v1.bak").write_bytes(b"a store of the first version")
    own_copy(
        "session-export", "--target", own_copy("sessions", "--json").json["sessions"][0]["native_id"], "--limit", "1"
    )
    (place / "settings.toml").write_text('zone = "UTC"\n')
    (place / "queries").mkdir()
    (place / "queries" / "mine.sql").write_text("select 1")
    (place / "mirror" / "notes.txt").write_text("mine")
    (place / "elsewhere").symlink_to(tmp_path / "user")
    planned = own_copy("uninstall", "--json").json
    assert planned["done"] is False
    assert (place / "recall.db").exists()
    assert {Path(name).name for name in planned["kept"]} == {"queries", "notes.txt", "elsewhere"}
    monkeypatch.setenv("RECALL_LAB_ACTIVITY", "on")
    done = own_copy("uninstall", "--yes", "--json").json
    assert done["done"] is True
    left = sorted(str(path.relative_to(tmp_path)) for path in place.rglob("*"))
    assert left == ["copy/elsewhere", "copy/mirror", "copy/mirror/notes.txt", "copy/queries", "copy/queries/mine.sql"]
    assert not cache.exists()
    assert (tmp_path / "user").is_dir()


def test_uninstall_leaves_the_database_of_another_program_that_has_the_stores_name(
    own_copy: Command, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(tmp_path / "cache"))  # that of the tests is for all of them
    for path in place.glob("recall.db*"):
        path.unlink()
    shutil.rmtree(place / "mirror")
    with contextlib.closing(sqlite3.connect(place / "recall.db")) as other:
        other.execute("CREATE TABLE theirs (a)")
        other.commit()
    (place / "made-by-recall-lab-demo").touch()
    assert [Path(name).name for name in own_copy("uninstall", "--json").json["kept"]] == ["recall.db"]
    assert own_copy("uninstall", "--yes").code == 0
    assert [path.name for path in place.iterdir()] == ["recall.db"]


def test_uninstall_leaves_no_folder_where_nothing_else_lies(
    own_copy: Command, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "benchmark"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"id": "d1", "text": "red fox", "session": "s", "turn": 1}\n')
    (folder / "queries.jsonl").write_text('{"id": "q1", "text": "fox"}\n')
    (folder / "qrels.tsv").write_text("q1\td1\t1\n")
    assert own_copy("eval", "retrieval", str(folder)).code == 0
    own_copy("index")
    own_copy("mirror", "--full")
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(tmp_path / "cache"))
    assert own_copy("uninstall", "--json").json["kept"] == []
    assert own_copy("uninstall", "--yes").code == 0
    assert not place.exists()
    assert own_copy("uninstall", "--yes").code == 0


def test_changed_notebooks_stay(
    own_copy: Command, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recall_lab.workbench import copy_notebooks

    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(tmp_path / "cache"))
    copies = copy_notebooks(place / "work", sample=True)
    copies.first.write_text("{}")
    planned = own_copy("uninstall", "--json").json
    assert [Path(name).name for name in planned["kept"]] == [copies.first.name]
    own_copy("uninstall", "--yes")
    assert [path.name for path in place.rglob("*") if path.is_file()] == [copies.first.name]


# ---- redact --------------------------------------------------------------------------------------------------------


def test_redact_refresh_on_a_current_store_has_nothing_to_do(own_copy: Command, place: Path) -> None:
    assert own_copy("redact", "--refresh", "--json").json["changed"] == 0
    again = own_copy("redact", "--refresh", "--json").json
    assert (again["texts"], again["changed"], again["scrubbed"]) == (0, 0, None)
    assert own_copy("redact", "--refresh", "--dry-run").code == 0
    assert own_copy("redact").code == own_copy("redact", "--refresh", "--audit").code == 2
    assert own_copy("redact", "--refresh", str(place)).code == 2


def test_a_secret_of_older_rules_goes(own_copy: Command, place: Path, hit: dict) -> None:
    """A real secret's shape, put into the store as if rules of before had let it through."""
    from recall_lab.store import open_writer

    secret = fakes.TOKENS["github"][1](random.Random(3))
    with open_writer(place / "recall.db") as writer, writer.transaction() as db:
        db.execute("INSERT INTO names (name) VALUES ('old')")
        db.execute(
            "UPDATE blocks SET text = text || ?, length = length + ?, rules = (SELECT name_id FROM names "
            "WHERE name = 'old') WHERE block_id = ?",
            (f" token {secret}", len(secret) + 7, bytes.fromhex(hit["block_id"])),
        )
    assert secret.encode() in bytes_below(place)
    done = own_copy("redact", "--refresh", "--json").json
    assert (done["changed"], done["scrubbed"]) == (1, True)
    assert secret.encode() not in bytes_below(place)
    assert own_copy("mirror", "--check").code == 0
    found = own_copy("check", hit["block_id"], "--quote", hit["text"], "--expected-hash", hit["content_hash"], "--json")
    assert (found.code, found.json["verdict"]) == (1, "changed")


# ---- briefs and citations ------------------------------------------------------------------------------------------


def test_a_brief_observes_the_repository_of_the_folder(
    own_copy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = tmp_path / "repo"
    (repo / ".git" / "refs" / "heads").mkdir(parents=True)
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/try-batching\n")
    (repo / ".git" / "refs" / "heads" / "try-batching").write_text("a" * 40 + "\n")
    monkeypatch.chdir(repo)
    assert own_copy("brief", *QUESTION.split(), "-o", str(tmp_path / "why.md"), "--observe").code == 0
    text = (tmp_path / "why.md").read_text()
    assert "try" in text
    assert "a" * 40 in text
    assert own_copy("verify", str(tmp_path / "why.md")).code == 0


def test_a_brief_of_one_session(own_copy: Command, tmp_path: Path, hit: dict) -> None:
    done = own_copy("brief", "-o", str(tmp_path / "end.md"), "--session", hit["session"], "--json").json
    assert done["sessions"] == 1
    assert own_copy("brief", "-o", str(tmp_path / "none.md")).code == 2


def test_a_span_is_cited_without_its_words(own_copy: Command, place: Path, hit: dict) -> None:
    with Lab(load_settings(place)) as lab:
        whole = lab.read(hit["block_id"]).text
        assert lab.cite(hit["block_id"], start=4).quote == whole[4:]
        assert lab.cite(hit["block_id"], start=4, end=9).quote == whole[4:9]
        assert lab.cite(hit["block_id"], end=9).quote == whole[:9]
        assert lab.cite(hit["block_id"]).quote == whole
        word = whole.split()[0]
        assert lab.cite(hit["block_id"], word, start=0).start == 0


def test_config_shows_every_setting_with_its_origin(recall_lab: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_LAB_TOOL_RESULTS", "off")
    found = recall_lab("config", "--json").json
    settings = load_settings()
    assert found.keys() == set(settings.__struct_fields__) - {"origins"}
    by = ["settings.toml", "RECALL_LAB_TOOL_RESULTS"]
    assert found["tool_results"] == {"value": "off", "origin": "RECALL_LAB_TOOL_RESULTS", "set_by": by}
    assert found["claude_home"]["set_by"] == ["CLAUDE_CONFIG_DIR"]
    assert "CLAUDE_CONFIG_DIR" in recall_lab("config").out
    assert all(one["origin"] and one["set_by"] for one in found.values())


def test_related_sessions_say_what_they_share(
    own_copy: Command, hit: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = own_copy("related", hit["session"][:12], "--json").json["related"]
    assert found
    assert all(one["session"] != hit["session"] for one in found)
    assert all(one["same_repo"] == (one["repo"] == hit["repo"]) for one in found)
    named = own_copy("related", "--repo", hit["repo"], "--limit", "2", "--json").json["related"]
    assert [one["same_repo"] for one in named] == [True, True]
    assert "no session belongs" in own_copy("related").line
    repo = tmp_path / "here"
    (repo / ".git").mkdir(parents=True)
    (repo / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{hit["repo"]}.git\n')
    monkeypatch.chdir(repo)
    assert own_copy("related", "--limit", "2", "--json").json["related"] == named
    assert "repository" in own_copy("related").out
