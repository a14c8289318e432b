"""Each command on the packaged sample: the keys that programs rely on, and what a person sees."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"


@pytest.fixture
def hit(on_sample: Command) -> dict:
    return on_sample("search", QUESTION, "--json").json["hits"][0]


def test_search_gives_the_keys_of_the_contract(on_sample: Command) -> None:
    answer = on_sample("search", QUESTION, "--limit", "3", "--json").json
    assert answer.keys() >= {"query", "searched", "hits", "scope", "outside_scope", "gated", "notice"}
    assert answer["searched"].keys() >= {"blocks", "sessions"}
    assert answer["query"] == QUESTION
    assert len(answer["hits"]) == 3
    for hit in answer["hits"]:
        assert hit.keys() >= {
            "block_id", "content_hash", "receipt", "text", "start", "end", "spans", "role", "kind", "host", "session",
            "turn", "repo", "branch", "timestamp", "score", "why", "source", "cwd", "title",
        }  # fmt: skip
        assert hit["why"].keys() >= {"tier", "terms", "phrases", "identifiers", "recency"}
        assert hit["receipt"] == (
            f"recall-lab://{hit['block_id']}@{hit['content_hash'][:12]}#{hit['start']}-{hit['end']}"
        )
        assert all(hit["start"] <= start < end <= hit["end"] for start, end in hit["spans"])


def test_a_hit_reads_back_as_its_slice(on_sample: Command, hit: dict) -> None:
    reading = on_sample("read", hit["block_id"], "--neighbors", "1", "--json").json
    assert reading.keys() >= {
        "block_id", "content_hash", "text", "start", "end", "length", "role", "kind", "session", "turn", "neighbors",
    }  # fmt: skip
    assert reading["text"][hit["start"] : hit["end"]] == hit["text"]
    span = on_sample("read", hit["block_id"], "--start", "3", "--length", "5", "--json").json
    assert (span["text"], span["start"], span["end"]) == (reading["text"][3:8], 3, 8)


def test_search_shows_a_person_passage_why_and_receipt(on_sample: Command, hit: dict) -> None:
    ran = on_sample("search", *QUESTION.split())
    assert hit["receipt"] in ran.out
    assert "why: " in ran.out
    assert "Times are UTC." in ran.out


def test_filters_narrow_and_wrong_ones_are_explained(on_sample: Command) -> None:
    hits = on_sample("search", "batching", "--role", "user", "--host", "codex", "--json").json["hits"]
    assert all((hit["role"], hit["host"]) == ("user", "codex") for hit in hits)
    assert "there is no role 'robot'" in on_sample("search", "x", "--role", "robot").line
    assert "is not a time" in on_sample("search", "x", "--since", "soon").line
    assert "1000" in on_sample("search", "x", "--limit", "5000").line
    assert "needs one session" in on_sample("search", "x", "--scope", "session").line


def test_no_hits_is_0(on_sample: Command) -> None:
    ran = on_sample("search", "zyzzyva", "--json")
    assert (ran.code, ran.json["hits"]) == (0, [])


@pytest.mark.parametrize("query", ["", '"', "(((", "-", "*", "a" * 5000, "NEAR(x y)", "';--", "\x00", "\udcff", "🙂"])
def test_any_query_is_an_answer(on_sample: Command, query: str) -> None:
    ran = on_sample("search", "--json", "--", query)
    assert ran.code == 0
    assert ran.json["hits"] is not None


def test_check_gives_offsets_whose_slice_is_the_quotation(on_sample: Command, hit: dict) -> None:
    ran = on_sample("check", hit["block_id"], "--quote", QUOTE, "--json")
    found = ran.json
    assert found.keys() >= {"verdict", "valid", "start", "end", "occurrences", "near", "content_hash", "hash_matches"}
    assert (ran.code, found["verdict"], found["valid"], found["hash_matches"]) == (0, "valid", True, None)
    text = on_sample("read", hit["block_id"], "--json").json["text"]
    assert text[found["start"] : found["end"]] == QUOTE
    expected = on_sample("check", hit["block_id"], "--quote", QUOTE, "--expected-hash", found["content_hash"], "--json")
    assert expected.json["hash_matches"] is True


def test_check_of_words_that_are_not_there_is_1(on_sample: Command, hit: dict) -> None:
    ran = on_sample("check", hit["block_id"], "--quote", QUOTE.upper(), "--json")
    assert (ran.code, ran.json["verdict"], ran.json["valid"]) == (1, "absent", False)
    assert ran.json["near"][0].keys() >= {"start", "end", "why"}
    assert on_sample("check", hit["block_id"], "--quote", "zyzzyva").out.startswith("absent: ")


def test_an_unknown_block_is_one_line_and_2(on_sample: Command) -> None:
    for argv in (["read", "0" * 32], ["check", "0" * 32, "--quote", "x"]):
        ran = on_sample(*argv)
        assert ran.code == 2
        assert "no block has the id" in ran.line


def test_a_brief_verifies_and_a_changed_one_does_not(on_sample: Command, tmp_path: Path) -> None:
    file = tmp_path / "brief.md"
    saved = on_sample("brief", QUESTION, "-o", str(file), "--json").json
    assert saved.keys() >= {"file", "citations", "sessions"}
    assert file.stat().st_mode & 0o777 == 0o600
    verified = on_sample("verify", str(file), "--json")
    assert verified.json.keys() >= {"checked", "valid", "failed"}
    assert (verified.code, verified.json["valid"]) == (0, saved["citations"])
    file.write_text(file.read_text().replace("crash", "crush"))
    broken = on_sample("verify", str(file), "--json")
    assert broken.code == 1
    assert broken.json["failed"][0].keys() >= {"receipt", "verdict", "detail"}
    said = on_sample("verify", str(file)).out
    assert "edited: the file: it was changed since it was saved" in said
    assert ": :" not in said


def test_a_brief_that_its_writer_edits_verifies_when_that_is_asked_for(on_sample: Command, tmp_path: Path) -> None:
    file = tmp_path / "brief.md"
    on_sample("brief", QUESTION, "-o", str(file))
    assert on_sample("verify", str(file), "--strict").code == 0
    file.write_text(file.read_text() + "\nWords of my own.\n")
    assert on_sample("verify", str(file)).code == 1
    assert on_sample("verify", str(file), "--edits").code == 0


def test_verify_of_nothing_is_1_and_of_no_file_2(on_sample: Command, tmp_path: Path) -> None:
    empty = tmp_path / "empty.md"
    empty.write_text("no receipts here")
    nothing = on_sample("verify", str(empty))
    assert (nothing.code, nothing.out.strip()) == (1, "no receipt in it, so nothing is verified")
    assert on_sample("verify", str(tmp_path / "missing.md")).code == 2
    assert on_sample("brief", "x", "-o", str(tmp_path / "no" / "x.md")).code == 2
    assert ".md" in on_sample("brief", "x", "-o", str(tmp_path / "x.pdf")).line


def test_status_adds_up(on_sample: Command) -> None:
    status = on_sample("status", "--json").json
    assert status.keys() >= {
        "sources", "sessions", "turns", "blocks", "records", "bytes", "states", "store_bytes", "kept_text_bytes",
        "last_capture", "unknown_types",
    }  # fmt: skip
    dispositions = {"indexed", "excluded", "metadata", "duplicate", "unknown", "malformed", "pending"}
    for tally in (status["records"], status["bytes"]):
        assert tally["by_disposition"].keys() == dispositions
        assert sum(tally["by_disposition"].values()) == tally["total"] > 0
    shown = on_sample("status").out
    assert "disposition" in shown
    assert f"{status['blocks']} blocks" in shown


def test_usage_rows_add_up_to_the_total(on_sample: Command) -> None:
    keys = {
        "calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens",
        "cache_write_1h_tokens", "reasoning_tokens", "web_searches", "unpriced_calls",
    }  # fmt: skip
    for by in ("day", "model", "repo", "host", "branch", "session"):
        report = on_sample("usage", "--by", by, "--json").json
        assert report.keys() >= {"rows", "total", "unpriced_models", "price_catalogue", "zone"}
        assert report["price_catalogue"].keys() >= {"name", "version", "date"}
        for key in keys:
            assert sum(row[key] for row in report["rows"]) == report["total"][key]
        assert report["rows"][0].keys() >= {"key", "cost_usd", *keys}
    assert "total" in on_sample("usage").out
    assert on_sample("usage", "--by", "mood").code == 2
    assert "not a time zone" in on_sample("usage", "--zone", "Nowhere/At").line


def test_usage_of_a_span_without_calls_says_where_there_are_some(on_sample: Command) -> None:
    days = [row["key"] for row in on_sample("usage", "--json").json["rows"]]
    ran = on_sample("usage", "--by", "model", "--since", "2001-01-01", "--until", "2001-01-02", "--json")
    assert ran.json["total"]["calls"] == 0
    assert f"the first is of {min(days)}, the last of {max(days)} (UTC)" in ran.line
    assert "leave --host, --repo or --model out" in on_sample("usage", "--model", "none").line
    assert on_sample("usage", "--since", min(days)).err == ""


def test_queries_are_listed_and_run_with_parameters(on_sample: Command) -> None:
    listed = on_sample("query", "--json").json["queries"]
    assert len(listed) >= 8
    assert all(one.keys() >= {"name", "title", "description", "parameters"} for one in listed)
    answer = on_sample("query", "sessions", "--host", "codex", "--limit=2", "--json").json
    assert answer["name"] == "sessions"
    assert [row["host"] for row in answer["rows"]] == ["codex", "codex"]
    assert on_sample("query", "sessions", "--param", "host", "codex", "--json").json["rows"]
    assert "did you mean" in on_sample("query", "session").line
    assert "has no parameter 'frob'" in on_sample("query", "sessions", "--frob", "1").line
    assert "no value" in on_sample("query", "sessions", "--host").line
    assert "is no parameter" in on_sample("query", "sessions", "codex").line


def test_a_query_of_one_s_own_that_cannot_be_used_leaves_the_others_alone(
    on_sample: Command, captured_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(captured_sample, tmp_path / "home")
    (tmp_path / "home" / "queries").mkdir()
    (tmp_path / "home" / "queries" / "broken.sql").write_text("SELECT 1")
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "home"))
    assert on_sample("query", "sessions", "--json").json["rows"]
    listed = on_sample("query", "--json")
    assert (listed.code, "broken" in {one["name"] for one in listed.json["queries"]}) == (0, False)
    assert "left out" in listed.line
    assert "broken.sql: the head lacks" in on_sample("query", "broken").line


def test_every_query_runs(on_sample: Command) -> None:
    for one in on_sample("query", "--json").json["queries"]:
        assert on_sample("query", one["name"]).code == 0


def test_sql_answers_and_reaches_nothing_else(on_sample: Command, tmp_path: Path) -> None:
    assert on_sample("sql", "select 1 as a, 2 as a, null as b", "--json").json == {
        "rows": [{"a": 1, "a_2": 2, "b": None}]
    }
    file = tmp_path / "q.sql"
    file.write_text("select count(*) as n from sessions")
    assert on_sample("sql", "--file", str(file), "--json").json["rows"][0]["n"] > 0
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for text in (
        f"select * from read_csv('{secret}')",
        f"copy (select 1) to '{tmp_path / 'out.csv'}'",
        "install httpfs",
        "set enable_external_access = true",
        "drop table sessions",
        "selec",
    ):
        ran = on_sample("sql", text)
        assert ran.code == 2
        assert ran.line
    assert not (tmp_path / "out.csv").exists()
    assert "give the SQL" in on_sample("sql").line
    endless = "select count(*) from range(1000000000) a, range(1000000) b where a.range * b.range % 7 = 3"
    ran = on_sample("sql", endless, "--time-limit", "0.2")
    assert (ran.code, "stopped after 0.2 s" in ran.line) == (2, True)


def test_the_mirror_equals_the_store(on_sample: Command) -> None:
    ran = on_sample("mirror", "--check", "--json")
    assert ran.json["equal"] is True
    assert all(table.keys() >= {"store", "mirror", "equal"} for table in ran.json["tables"].values())
    assert ran.code == 0


def test_words_that_stand_in_many_places_do_not_flood_the_terminal(on_sample: Command) -> None:
    hits = on_sample("search", "why did we reject batching", "--json").json["hits"]
    block = max(hits, key=lambda hit: len(hit["text"]))["block_id"]
    places = len(on_sample("check", block, "--quote", "e", "--json").json["occurrences"])
    assert places > 40
    out = on_sample("check", block, "--quote", "e").out
    assert out.count("  characters ") == 40
    assert f"… and {places - 40} more; --json has all" in out


def test_a_subagent_is_shown_where_it_was_called(on_sample: Command) -> None:
    sessions = on_sample("sessions", "--json", "--limit", "100").json["sessions"]
    child = next(one for one in sessions if one["relation"] == "subagent" and one["title"])
    whole = on_sample("session", child["parent_id"], "--json").json
    after = whole["blocks"][whole["called"][0]["after"]]
    following = whole["blocks"][whole["called"][0]["after"] + 1]
    out = on_sample("session", child["parent_id"]).out
    assert out.index(after["block_id"]) < out.index(f"subagent {child['native_id']}") < out.index(following["block_id"])
    part = on_sample("session", child["parent_id"], "--tail", "1").out
    assert f"subagent {child['native_id']}" in part
    assert "called elsewhere" in part
    zone = on_sample("sessions", "--json").json["zone"]
    assert f"{zone}" in part.splitlines()[1], "times say their zone"


def test_sessions_sources_and_one_session(on_sample: Command) -> None:
    sessions = on_sample("sessions", "--json").json["sessions"]
    session = sessions[0]["native_id"]
    assert session in on_sample("sessions").out
    view = on_sample("session", session, "--json").json
    assert view["session"]["native_id"] == session
    assert view["blocks"]
    assert on_sample("session", session, "--prompts").code == 0
    assert "page 1 of" in on_sample("session", session, "--page", "1").out
    assert "no session is called" in on_sample("session", "zyzzyva").line
    sources = on_sample("sources", "--limit", "1", "--json").json
    assert len(sources["sources"]) == 1 < sources["total"]


def test_config_says_where_each_value_comes_from(on_sample: Command) -> None:
    settings = on_sample("config", "--json").json
    assert settings["home"]["origin"] == "RECALL_LAB_HOME"
    assert (settings["activity"]["value"], settings["activity"]["origin"]) == (False, "RECALL_LAB_ACTIVITY")
    assert "RECALL_LAB_ZONE" in on_sample("config").out


def test_a_read_changes_no_byte_of_the_store(on_sample: Command, captured_sample: Path, hit: dict) -> None:
    store = captured_sample / "recall.db"
    before = store.read_bytes()
    for argv in (["search", "x"], ["read", hit["block_id"]], ["status"], ["usage"], ["sessions"]):
        on_sample(*argv)
    assert store.read_bytes() == before


def test_inside_a_repository_with_sessions_its_own_come_first(
    on_sample: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repos = {one["repo"] for one in on_sample("sessions", "--json").json["sessions"]}
    repo = next(repo for repo in repos if repo.startswith("git.example.org/"))
    git = tmp_path / "clone" / ".git"
    git.mkdir(parents=True)
    (git / "config").write_text(f'[remote "origin"]\n\turl = https://{repo}.git\n')
    monkeypatch.chdir(git.parent)
    answer = on_sample("search", "the", "tests", "--json").json
    assert answer["scope"] == f"repo {repo}"
    assert {hit["repo"] for hit in answer["hits"]} <= {repo}
    assert on_sample("search", "the", "tests", "--scope", "all", "--json").json["scope"] == "all"


def test_the_workbench_takes_no_port_that_there_is_not(recall_lab: Command, tmp_path: Path) -> None:
    ran = recall_lab("lab", "--port", "65536")
    assert (ran.code, "65535" in ran.line) == (2, True)
    assert not (tmp_path / "home").exists()


def test_demo_takes_no_home_that_it_would_not_use(recall_lab: Command, tmp_path: Path) -> None:
    for argv in (["demo", "--home", str(tmp_path / "x")], ["--home", str(tmp_path / "x"), "demo"]):
        assert recall_lab(*argv).code == 2
    assert "--home" in recall_lab("--home", str(tmp_path / "x"), "demo").line
    assert not (tmp_path / "x").exists()


def test_demo_is_listed_with_what_it_wrote(process: Command, tmp_path: Path) -> None:
    ran = process("demo", "--output", str(tmp_path / "demo"))
    assert ran.code == 0, ran.err
    again = process(
        "verify", str(tmp_path / "demo" / "brief.md"), "--json", RECALL_LAB_HOME=str(tmp_path / "demo" / "home")
    )
    assert json.loads(again.out)["failed"] == []
    assert (tmp_path / "demo" / "brief.md").stat().st_mode & 0o777 == 0o600
