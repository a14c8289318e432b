"""The commands around the main walk: outcomes, exports, upkeep, measures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def own_copy(recall_lab: Command, captured_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command on a copy of the sample's store that may be changed."""
    home = tmp_path / "copy"
    shutil.copytree(captured_sample, home)
    monkeypatch.setenv("RECALL_LAB_HOME", str(home))
    return recall_lab


@pytest.fixture
def session(recall_lab: Command, captured_sample: Path) -> str:
    # Named by --home: a fixture that set RECALL_LAB_HOME here would undo what ``own_copy`` set.
    return recall_lab("--home", str(captured_sample), "sessions", "--json").json["sessions"][0]["native_id"]


def test_an_empty_list_of_sessions_says_so(on_sample: Command) -> None:
    assert "no session fits" in on_sample("sessions", "--project", "zzz").out
    assert "no session fits" not in on_sample("sessions").out
    assert "no session shares anything" in on_sample("related", "--repo", "zzz").out


def test_outcomes_show_and_run_nothing(on_sample: Command, session: str, tmp_path: Path) -> None:
    assert on_sample("continue", session, "--json").json["session"]["native_id"] == session
    assert "# Where it was left" in on_sample("continue", session).out
    assert on_sample("repeat", session, "--json").json["prompts"]
    assert "# Prompts of" in on_sample("repeat", session).out
    file = tmp_path / "SKILL.md"
    assert on_sample("skillify", session, "-o", str(file)).code == 0
    assert file.read_text() == on_sample("skillify", session, "--json").json["text"]
    assert file.stat().st_mode & 0o777 == 0o600
    for name in ("continue", "repeat", "skillify"):
        assert "no session is called" in on_sample(name, "zyzzyva").line


def test_a_session_goes_to_other_programs_in_pages(on_sample: Command, session: str) -> None:
    page = on_sample("session-export", "--target", session, "--limit", "3").json
    assert page["schema_version"] == "recall.session-export.v1"
    assert [item["sequence"] for item in page["items"]] == [1, 2, 3]
    following = on_sample("session-export", "--cursor", page["next_cursor"]).json
    assert following["items"][0]["sequence"] == 4
    assert following["boundary"] == page["boundary"]
    assert on_sample("session-export", "--current").code == 2
    assert on_sample("session-export").code == 2
    graph = on_sample("session-relations", "--target", session, "--include-children").json
    assert graph["schema_version"] == "recall.session-relations.v1"


def test_a_session_as_markdown_verifies(on_sample: Command, session: str, tmp_path: Path) -> None:
    file = tmp_path / "session.md"
    exported = on_sample("export", "--session", session, "-o", str(file), "--json").json
    verified = on_sample("verify", str(file), "--json").json
    assert verified["valid"] == verified["checked"] == exported["blocks"]
    on_sample("export", "--session", session, "-o", str(tmp_path / "session.json"))
    assert json.loads((tmp_path / "session.json").read_text())["session"]["native_id"] == session
    assert ".md, .json" in on_sample("export", "--session", session, "-o", str(tmp_path / "x.pdf")).line


def test_a_store_that_is_exported_comes_back_whole(
    on_sample: Command, recall_lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "store.jsonl"
    assert on_sample("export", "-o", str(file)).code == 0
    assert "is there already" in on_sample("export", "-o", str(file)).line
    before = on_sample("status", "--json").json
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "other"))
    assert recall_lab("import", str(file), "--json").json["blocks"] == before["blocks"]
    after = recall_lab("status", "--json").json
    assert {key: after[key] for key in ("sessions", "turns", "blocks", "bytes")} == {
        key: before[key] for key in ("sessions", "turns", "blocks", "bytes")
    }
    assert recall_lab("mirror", "--check").code == 0
    assert "no such file" in recall_lab("import", str(tmp_path / "missing.jsonl")).line


def test_backup_and_restore(own_copy: Command, session: str, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    assert own_copy("backup", str(file)).code == 0
    assert own_copy("backup", str(file)).code == 2
    before = own_copy("status", "--json").json
    own_copy("forget", "--session", session, "--yes")
    restored = own_copy("restore", str(file), "--json").json
    assert Path(restored["replaced"]).exists()
    assert own_copy("status", "--json").json["blocks"] == before["blocks"]
    assert own_copy("restore", str(tmp_path / "missing.db")).code == 2


def test_forget_shows_first_and_then_leaves_nothing(own_copy: Command, session: str, tmp_path: Path) -> None:
    before = own_copy("status", "--json").json
    preview = own_copy("forget", "--session", session)
    assert "This would take out 1 session" in preview.out
    assert own_copy("status", "--json").json["sessions"] == before["sessions"]
    assert own_copy("forget", "--session", session, "--json").json["done"] is False
    gone = own_copy("forget", "--session", session, "--yes", "--json").json
    assert (gone["done"], gone["purge"]["sessions"]) == (True, 1)
    assert own_copy("status", "--json").json["sessions"] == before["sessions"] - 1
    assert own_copy("mirror", "--check").code == 0
    assert own_copy("forget", "--session", session).code == 2
    assert own_copy("forget").code == 2


def test_prune_without_anything_old_takes_nothing(own_copy: Command) -> None:
    assert own_copy("prune", "--json").json["purge"]["texts"] == 0
    assert own_copy("prune", "--yes").code == 0


def test_revisions_of_a_block(on_sample: Command) -> None:
    block = on_sample("search", "batching", "--json").json["hits"][0]["block_id"]
    (one,) = on_sample("revisions", block, "--json").json["revisions"]
    assert one["current"] is True
    assert one["content_hash"] in on_sample("revisions", block).out
    assert on_sample("revisions", "--search", "batching", "--json").json == {"revisions": []}
    assert "0 earlier texts" in on_sample("revisions", "--search", "batching").out
    assert on_sample("revisions").code == on_sample("revisions", block, "--search", "x").code == 2


def test_doctor_grades_and_exits_1_when_something_is_bad(own_copy: Command, tmp_path: Path) -> None:
    checks = own_copy("doctor", "--json").json["checks"]
    assert all(check.keys() >= {"check", "grade", "detail", "next"} for check in checks)
    (tmp_path / "copy" / "recall.db").chmod(0o644)
    assert own_copy("doctor").code in {0, 1}
    repaired = own_copy("doctor", "--repair")
    assert "made private" in repaired.out
    store = tmp_path / "copy" / "recall.db"
    content = bytearray(store.read_bytes())
    content[8192:12288] = b"\x55" * 4096
    store.write_bytes(content)
    damaged = own_copy("doctor")
    assert damaged.code == 1
    assert "next:" in damaged.out


def test_eval_retrieval_measures_a_folder(recall_lab: Command, tmp_path: Path) -> None:
    folder = tmp_path / "benchmark"
    folder.mkdir()
    rows = [
        {"id": f"d{n}", "text": text, "session": "s", "turn": n} for n, text in enumerate(("red fox", "blue whale"))
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text('{"id": "q", "text": "whale", "stratum": "easy"}\n')
    (folder / "qrels.tsv").write_text("q\td1\t1\n")
    report = recall_lab("eval", "retrieval", str(folder), "--json").json
    assert report.keys() >= {"queries", "config", "metrics", "by_stratum", "latency_ms"}
    assert report["metrics"]["hit@1"] == 1.0
    assert report["metrics"].keys() >= {
        "recall@5", "recall@10", "mrr@10", "ndcg@10", "hit@1", "session_hit@1", "session_hit@5", "session_mrr", "abstention",
    }  # fmt: skip
    assert "easy" in recall_lab("eval", "retrieval", str(folder)).out
    assert recall_lab("eval", "retrieval", str(folder), "--set", "near=0.1", "--json").json["config"]["near"] == 0.1
    assert recall_lab("eval", "retrieval", str(folder), "--against", "near=0").code == 0
    assert "no part of a configuration" in recall_lab("eval", "retrieval", str(folder), "--set", "frob=1").line
    assert "not there" in recall_lab("eval", "retrieval", str(tmp_path)).line
    assert "Missing command" in recall_lab("eval").line


def test_eval_redaction_measures_a_file(recall_lab: Command, tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    secret = "password=" + "Zq7" * 5 + "xK29"
    rows = [
        {"text": secret, "spans": [[9, len(secret)]], "kind": "password", "label": "secret"},
        {"text": "nothing to see", "spans": [], "kind": "prose", "label": "benign"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = recall_lab("eval", "redaction", str(file), "--json").json
    assert report.keys() >= {
        "rows", "secrets", "recall", "precision", "f1", "over_redaction", "benign_hit_rate", "mb_per_s", "by_kind",
    }  # fmt: skip
    assert (report["rows"], report["secrets"]) == (2, 1)
    shown = recall_lab("eval", "redaction", str(file)).out
    assert "Zq7" not in shown
    assert recall_lab("eval", "redaction", str(tmp_path / "missing.jsonl")).code == 2


def test_an_audit_names_places_and_kinds_and_no_value(recall_lab: Command, tmp_path: Path) -> None:
    value = "Zq7" * 5 + "xK29"
    file = tmp_path / "notes.env"
    file.write_text(f"NAME=x\nDATABASE_PASSWORD={value}\n")
    (finding,) = recall_lab("redact", "--audit", str(file), "--json").json["findings"]
    assert finding.keys() >= {"kind", "host", "repo", "month", "file", "line", "count"}
    assert (finding["file"], finding["line"], finding["count"]) == (str(file), 2, 1)
    ran = recall_lab("redact", "--audit", str(tmp_path))
    assert value not in ran.out + ran.err
    assert "notes.env:2" in ran.out
    assert recall_lab("redact", "--audit", str(tmp_path / "missing")).code == 2
    assert "--audit" in recall_lab("redact").line
    assert recall_lab("redact", "--audit", "--json").json["findings"] == []


def test_a_benchmark_is_of_one_thing(recall_lab: Command, tmp_path: Path) -> None:
    for given in ((str(tmp_path), "--transcripts", "1"), ("--generate", "5", "--transcripts", "1")):
        ran = recall_lab("bench", *given)
        assert (ran.code, "choose one" in ran.line) == (2, True)
    assert recall_lab("bench").code == 2
