"""The doctor names what is wrong, and repairs only when asked."""

from __future__ import annotations

import os
import time
from pathlib import Path

from recall_lab.capture import examine, repair
from recall_lab.store import open_writer

from .conftest import Home, lines, record


def grades(home: Home, **options: bool) -> dict[str, str]:
    return {diagnosis.check: diagnosis.grade for diagnosis in examine(home.settings, **options)}


def test_a_healthy_home(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    assert set(grades(home, deep=True).values()) == {"good"}
    assert repair(home.settings) == ()


def test_records_that_could_not_be_read_are_named_with_the_way_to_them(home: Home) -> None:
    home.write(*lines(["one"]), b"torn\n")
    home.index()
    [told] = [diagnosis for diagnosis in examine(home.settings) if diagnosis.check == "records"]
    assert (told.grade, told.detail) == ("good", "1 malformed")
    home.append(record(1, "x", type="brand-new"))
    home.index()
    [told] = [diagnosis for diagnosis in examine(home.settings) if diagnosis.check == "records"]
    assert (told.grade, told.detail) == ("warning", "1 malformed and 1 of unknown types (brand-new)")
    assert "query problems" in told.next


def test_before_the_first_capture(home: Home) -> None:
    home.write(*lines(["one"]))
    found = {diagnosis.check: diagnosis for diagnosis in examine(home.settings)}
    assert found["store"].grade == "bad"
    assert "recall-lab index" in found["store"].next
    assert found["coverage"].grade == "warning"
    assert not home.settings.home.exists()


def test_where_no_transcripts_lie_nothing_is_said_of_all_of_them(home: Home, tmp_path: Path) -> None:
    found = {diagnosis.check: diagnosis for diagnosis in examine(home.settings)}
    assert (found["coverage"].grade, "none were looked at" in found["coverage"].detail) == ("warning", True)
    assert "recall-lab index PATH" in found["coverage"].next
    elsewhere = home.write(*lines(["one"]), path=tmp_path / "elsewhere" / home.file.name)
    home.index(elsewhere)
    found = {diagnosis.check: diagnosis for diagnosis in examine(home.settings, deep=True)}
    assert found["coverage"].detail == (
        "no transcripts lie in the folders that hosts use, so none were looked at; 1 were captured from elsewhere or before"
    )
    assert "no captured transcript" in found["content"].detail


def test_transcripts_that_will_be_deleted_before_they_are_captured(home: Home) -> None:
    home.write(*lines(["one"]))
    home.index()
    old = home.write(*lines(["two"]), path=home.project / f"{home.file.stem[::-1]}.jsonl")
    week = time.time() - 25 * 86_400
    os.utime(old, (week, week))
    assert grades(home)["retention"] == "bad"
    (home.root / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 365}', encoding="utf-8")
    assert grades(home)["retention"] == "good"
    (home.root / ".claude" / "settings.json").write_text("[[[", encoding="utf-8")
    home.index()
    assert grades(home)["retention"] == "good"


def test_a_changed_transcript_is_found_by_a_deep_look(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    home.file.write_bytes(home.file.read_bytes().replace(b"two", b"owt"))
    assert grades(home, deep=True)["content"] == "bad"
    home.index()
    found = {diagnosis.check: diagnosis for diagnosis in examine(home.settings)}
    assert found["sources source_changed"].grade == "warning"
    assert str(home.file) in found["sources source_changed"].next


def test_repair_makes_private_and_mends_the_index(home: Home) -> None:
    home.write(*lines(["one", "two"]))
    home.index()
    with open_writer(home.settings.store) as writer, writer.transaction() as db:
        db.execute("DELETE FROM fulltext WHERE rowid = 1")
    home.settings.store.chmod(0o644)
    (home.settings.home / "x.part").write_bytes(b"")
    assert {name: grade for name, grade in grades(home).items() if grade != "good"} == {
        "privacy": "bad",
        "store": "bad",
        "leftovers": "warning",
    }
    privacy = next(diagnosis for diagnosis in examine(home.settings) if diagnosis.check == "privacy")
    assert privacy.detail.startswith(str(home.settings.store))
    assert privacy.detail.endswith("can be read by others")
    done = " ".join(repair(home.settings))
    for said in ("recall.db: made private", "x.part: removed", "1 texts put back"):
        assert said in done
    assert set(grades(home).values()) == {"good"}
