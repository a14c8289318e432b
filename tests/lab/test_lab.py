"""The Lab does what design and README show, and only delegates."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pandas as pd
import pytest

import recall_lab as rl
from recall_lab.errors import CitationError, NoStoreError, QueryError, TimeError, UnknownBlockError, UsageError
from recall_lab.hits import Hits
from recall_lab.lab import Lab
from recall_lab.model import Citation

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"


@pytest.fixture
def hits(lab: Lab) -> Hits:
    return lab.search(QUESTION, limit=5)


def test_without_a_store_the_error_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(NoStoreError, match="recall-lab index"):
        rl.open_lab(tmp_path)
    assert not list(tmp_path.iterdir())
    fresh = rl.open_lab(tmp_path, create=True)
    with pytest.raises(NoStoreError):
        fresh.status()


def test_the_sample_is_captured_once_into_a_private_home_and_used_again(
    tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "rules").symlink_to(rules_cache)
    with rl.open_lab(sample=True) as lab:
        captured = lab.status().last_capture
        assert lab.home.parent == tmp_path / "cache"
        assert lab.home.stat().st_mode & 0o077 == 0
        assert repr(lab) == "<Lab of the packaged sample>"
    monkeypatch.setattr("recall_lab.capture.indexing.index", None)
    with rl.open_lab(sample=True) as again:
        assert again.status().last_capture == captured
    assert not (tmp_path / "home").exists()  # the user's own home is left alone


def test_search_shows_itself_and_becomes_a_frame(hits: Hits) -> None:
    assert len(hits) == 5
    assert [hit.receipt for hit in hits] == list(hits.frame()["receipt"])
    frame = hits.frame()
    assert frame["why_tier"].isin(["exact", "all", "some"]).all()
    assert isinstance(frame["timestamp"].dtype, pd.DatetimeTZDtype)
    assert hits[0].receipt in repr(hits)
    assert isinstance(hits[1:3], Hits)
    assert len(hits[1:3]) == 2
    assert hits[-1] == hits[4]
    assert "5 hits" in hits.heading()
    assert "2 hits" in hits[:2].heading()


def test_no_hits_still_have_their_columns(lab: Lab) -> None:
    nothing = lab.search("zyzzyva")
    assert nothing.heading().startswith("0 hits for “zyzzyva”; nothing found: searched ")
    assert nothing.heading().count("sessions") == 1  # told once
    assert len(nothing) == 0
    assert {"block_id", "why_tier", "timestamp"} <= set(nothing.frame().columns)
    assert "<table" not in nothing._repr_html_()


def test_the_code_of_hits_repeats_them(lab: Lab) -> None:
    asked = lab.search("batching", role="user", since="2020-01-01", limit=3)
    assert asked.code == "lab.search('batching', since='2020-01-01', role='user', limit=3)"
    again = eval(asked.code, {"lab": lab})
    assert [hit.receipt for hit in again] == [hit.receipt for hit in asked]


def test_a_hit_cites_exact_words_and_refuses_others(lab: Lab, hits: Hits) -> None:
    citation = hits[0].cite(QUOTE)
    assert isinstance(citation, Citation)
    assert lab.read(citation.block_id).text[citation.start : citation.end] == QUOTE
    assert hits[0].cite().quote == hits[0].text
    with pytest.raises(CitationError):
        hits[0].cite("words that nobody wrote")


def test_check_takes_a_citation_a_receipt_or_words(lab: Lab, hits: Hits) -> None:
    citation = hits[0].cite(QUOTE)
    assert lab.check(citation).valid
    assert lab.check(citation.receipt).valid
    assert lab.check(citation.block_id, QUOTE).occurrences == ((citation.start, citation.end),)
    assert lab.check(citation.block_id, QUOTE[:-1] + "z").verdict == "absent"
    with pytest.raises(UnknownBlockError):
        lab.check("0" * 32, "x")


def test_read_brings_neighbours(lab: Lab, hits: Hits) -> None:
    reading = hits[0].read(neighbors=2)
    assert {neighbor.offset for neighbor in reading.neighbors} <= {-2, -1, 1, 2}
    assert lab.read(hits[0].receipt).text == hits[0].text


@pytest.mark.parametrize("suffix", [".md", ".html", ".json", ".ipynb"])
def test_a_brief_of_hits_and_citations_verifies_in_every_form(
    lab: Lab, hits: Hits, tmp_path: Path, suffix: str
) -> None:
    brief = lab.brief(QUESTION, [hits[0].cite(QUOTE), *hits[1:3]], notes="A note.")
    saved = brief.save(tmp_path / f"brief{suffix}")
    verification = lab.verify(saved.file)
    assert verification.valid == verification.checked >= 3
    assert brief.title == QUESTION
    assert "citations" in repr(brief)
    assert "<table" in brief._repr_html_()
    assert {item["archive_location"] for item in brief.references} == {one.session for one in brief.excerpts}


def test_a_brief_chooses_its_passages_when_none_are_given(lab: Lab) -> None:
    assert lab.brief(QUESTION).passages
    with pytest.raises(UsageError):
        lab.brief("")


def test_sql_queries_and_charts(lab: Lab) -> None:
    counted = lab.sql("select host, count(*) as n from sessions group by 1")
    assert counted["n"].sum() == lab.status().sessions
    assert lab.sql("select $a + 1 as b", {"a": 1})["b"][0] == 2
    assert len(lab.query("sessions", host="codex")) > 0
    names, rows = lab.query_records("sessions", limit=1)
    assert (len(rows), names[0]) == (1, "session")
    assert lab.chart("usage_by_day", since="2020-01-01").to_dict()["$schema"]
    assert lab.chart("tokens_by_model", theme="dark")
    with pytest.raises(QueryError, match="no query named"):
        lab.query("nothing")
    with pytest.raises(QueryError):
        lab.sql("select * from nowhere")


def test_usage_and_coverage(lab: Lab) -> None:
    report = lab.usage("model")
    assert report.zone == "Europe/Helsinki"
    assert report.frame()["calls"].sum() == report.total.calls
    assert lab.coverage().bytes.total == lab.status().bytes.total
    with pytest.raises(UsageError):
        lab.usage("mood")


def test_filters_that_cannot_be_are_explained(lab: Lab) -> None:
    with pytest.raises(TimeError, match="last 48h"):
        lab.search("x", since="soonish")
    with pytest.raises(UsageError, match="user, assistant, tool, host"):
        lab.search("x", role="robot")
    with pytest.raises(UsageError, match="tool_result"):
        lab.search("x", kind="picture")
    with pytest.raises(UsageError, match="session, repo, all"):
        lab.search("x", scope="world")
    with pytest.raises(UsageError, match="session"):
        lab.search("x", scope="session")


def test_roles_times_and_sessions_narrow(lab: Lab) -> None:
    found = lab.search("tests", role=["user", "assistant"], limit=50)
    assert {hit.role for hit in found} == {"user", "assistant"}
    session = found[0].session
    assert {hit.session for hit in lab.search("tests", session=session[:8])} == {session}
    assert lab.search("tests", session=session, scope="session").answer.scope == f"session {session}"
    assert len(lab.search("tests", until="2000-01-01")) == 0
    assert "host" not in {hit.role for hit in lab.search("agents", limit=100)}


def test_index_refreshes_the_mirror_and_the_next_question_sees_it(
    tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    from recall_lab.sample import sample_home

    transcripts = sorted((sample_home() / ".codex").rglob("*.jsonl"))
    lab = rl.open_lab(tmp_path / "home", create=True)
    assert lab.index(transcripts[0], progress=False).sources_changed == 1
    assert len(lab.sql("select * from sources")) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lab.index(transcripts, progress=False)
        assert len(lab.sql("select * from sources")) == len(transcripts)
    from recall_lab.capture import index

    index(lab.settings, [sample_home()])
    with pytest.warns(UserWarning, match="behind the store"):
        rl.open_lab(tmp_path / "home").sql("select 1")
    lab.close()


def test_what_waits_on_the_disk_is_listed(tmp_path: Path, lab: Lab) -> None:
    assert lab.uncaptured() == ()


def test_records_show_as_html_in_a_notebook(lab: Lab, hits: Hits) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    from recall_lab.display import register

    shell = InteractiveShell()
    register(shell)
    citation = hits[0].cite(QUOTE)
    for record in (citation, lab.check(citation), lab.read(citation.block_id, neighbors=1), lab.status()):
        data, _ = shell.display_formatter.format(record)
        assert data["text/html"].startswith('<div class="recall-lab">')
    register(None)


def test_the_lab_is_closed_and_opens_again(captured_sample: Path) -> None:
    with rl.open_lab(captured_sample) as lab:
        lab.sql("select 1")
    assert lab.status().sessions > 0
    lab.close()
    lab.close()


def test_a_record_is_json_for_programs(hits: Hits) -> None:
    import msgspec

    assert json.loads(msgspec.json.encode(hits.answer))["hits"][0]["receipt"] == hits[0].receipt
