"""Without an index the raw transcripts answer, redacted, and nothing is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from recall_lab.capture.rules import open_rules
from recall_lab.errors import NotFoundError
from recall_lab.lab import Lab
from recall_lab.search import cold, cold_search, cold_store
from recall_lab.settings import load_settings

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def transcript(home: Path, number: int, text: str) -> None:
    session = f"00000000-0000-4000-8000-{number:012d}"
    folder = home / ".claude" / "projects" / "-w"
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "type": "user",
        "uuid": f"10000000-0000-4000-8000-{number:012d}",
        "parentUuid": None,
        "sessionId": session,
        "timestamp": f"2026-05-0{number}T10:00:00.000Z",
        "cwd": "/w",
        "message": {"role": "user", "content": text},
    }
    path = folder / f"{session}.jsonl"
    path.write_text(json.dumps(record) + "\n")
    os.utime(path, (number * 1000, number * 1000))


def test_a_cold_scan_answers_says_so_and_keeps_nothing(tmp_path: Path, rules_cache: Path) -> None:
    user, home = tmp_path / "user", tmp_path / "home"
    transcript(user, 1, f"the zeppelin token is {SECRET}, we moored it")
    transcript(user, 2, "nothing of the kind")
    settings = load_settings(home, {"HOME": str(user), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    (settings.cache).mkdir(parents=True, exist_ok=True)
    (settings.cache / "rules").symlink_to(rules_cache)
    answer = cold_search(settings, "zeppelin moored")
    assert answer.cold
    assert answer.notice
    assert "cold scan" in answer.notice
    assert "recall-lab index" in answer.notice
    assert [hit.session[-1] for hit in answer.hits] == ["1"]
    assert SECRET not in answer.hits[0].text
    assert not settings.store.exists()
    with cold_store(settings) as (store, scan):
        assert (scan.read, scan.found) == (2, 2)
    assert not store.exists()


def test_what_a_cold_scan_says_is_whole_sentences(tmp_path: Path, rules_cache: Path) -> None:
    transcript(tmp_path / "user", 1, "we moored the zeppelin")
    settings = load_settings(
        tmp_path / "home", {"HOME": str(tmp_path / "user"), "RECALL_LAB_CACHE_DIR": str(rules_cache)}
    )
    with Lab(settings) as lab:
        for query in ("zeppelin moored", "nothing of that"):
            heading = lab.search(query).heading()
            assert heading.endswith(".")
            assert not heading.endswith("..")
            assert "cold scan" in heading


def test_the_scan_stays_within_its_time(tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 7):
        transcript(tmp_path / "user", number, "we moored the zeppelin " + "again " * (4000 if number == 6 else 10))
    settings = load_settings(
        tmp_path / "home", {"HOME": str(tmp_path / "user"), "RECALL_LAB_CACHE_DIR": str(rules_cache)}
    )
    monkeypatch.setattr(cold, "_LEAST_BYTES", 1)
    monkeypatch.setattr(cold, "_FIRST_BYTES", 1000)
    with cold_store(settings, seconds=0) as (_, scan):
        assert 0 < scan.read < 5  # the newest is too large, and is passed over
    with cold_store(settings) as (_, scan):
        assert (scan.read, scan.found) == (6, 6)  # there is time for it after the others
    monkeypatch.setattr(cold, "_FIRST_BYTES", 1)
    monkeypatch.setattr(cold, "_FASTEST", 0)
    answer = cold_search(settings, "zeppelin")
    assert not answer.hits
    assert "0 of 6 transcripts were read" in (answer.notice or "")


def test_a_home_that_a_scan_begins_is_private(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "home", {"HOME": str(tmp_path)})
    open_rules(settings)
    assert settings.home.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in settings.home.iterdir()] == ["cache"]


def test_no_transcripts_is_one_clear_line(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "home", {"HOME": str(tmp_path / "user")})
    with pytest.raises(NotFoundError, match="recall-lab index PATH"):
        cold_search(settings, "anything")
