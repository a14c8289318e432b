"""After the rules changed, what they know now is taken out of everything that was stored before."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_lab.capture import index
from recall_lab.capture.refreshing import refresh_redaction
from recall_lab.evidence import check_citation, cite
from recall_lab.lab import Lab
from recall_lab.model import Citation
from recall_lab.store import open_reader, open_writer
from recall_lab.store.backup import check
from recall_lab.store.pinning import pin

from .conftest import WORD, Home, bytes_below, lines, record

Change = Callable[[], None]


def told(home: Home) -> list[bytes]:
    """A session that says the word in every field that a host writes."""
    call = {"role": "assistant", "id": "m1", "model": f"model-{WORD}", "usage": {"input_tokens": 1, "output_tokens": 1}}
    use = {"type": "tool_use", "id": f"t-{WORD}", "name": f"Tool_{WORD}", "input": {"command": f"echo {WORD}"}}
    result = {"type": "tool_result", "tool_use_id": f"t-{WORD}", "content": f"Error: {WORD} failed", "is_error": True}
    place = {"cwd": f"/repo/{WORD}", "gitBranch": f"try-{WORD}"}
    return [
        record(0, f"say {WORD} twice, {WORD}", **place),
        record(1, "", "assistant", message={**call, "content": [use]}, requestId="r1", **place),
        record(2, "", message={"role": "user", "content": [result]}, **place),
        record(3, "nothing to hide", "assistant", **place),
        b'{"type": "custom-title", "customTitle": "the ' + WORD.encode() + b' plan", "sessionId": "'
        + home.file.stem.encode() + b'"}\n',
    ]  # fmt: skip


def test_nothing_of_a_secret_that_is_known_now_stays(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.write(*lines(["another session"]), path=home.project / ("6" + home.file.name[1:]))
    home.index()
    with Lab(home.settings) as lab:
        lab.refresh(progress=False)
    assert WORD.encode() in bytes_below(home.settings.home)
    stricter()
    done = refresh_redaction(home.settings)
    assert (done.texts, done.changed, done.merged, done.scrubbed) == (5, 3, 0, True)
    assert done.findings == {"token": 5}
    assert done.strings > 5
    with Lab(home.settings) as lab:
        lab.refresh(progress=False)
        assert lab.check_mirror().equal
        [session] = [one for one in lab.sessions() if one.native_id == home.file.stem]
        assert session.title == "the [REDACTED:token] plan"
    assert WORD.encode() not in bytes_below(home.settings.home)
    check(home.settings.store)
    assert home.ask("SELECT DISTINCT name FROM blocks JOIN names ON name_id = rules") == [("stricter",)]
    assert home.ask("SELECT sum(spans) FROM redactions WHERE kind = 'token'") == [(5,)]


def test_a_refreshed_store_equals_one_that_was_captured_so(
    home: Home, make_home: Callable[[str], Home], stricter: Change
) -> None:
    home.write(*told(home))
    home.index()
    stricter()
    refresh_redaction(home.settings)
    fresh = make_home("fresh")
    fresh.write(*told(home))
    fresh.index()
    known, made = home.content(), fresh.content()
    for name in ("placements", "ledger", "sources", "calls", "tools"):
        known[name] = [row[1:] for row in known[name]]
        made[name] = [row[1:] for row in made[name]]
    assert known == made
    found = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY 1"
    for store in (home, fresh):
        with open_reader(store.settings.store) as reader:
            assert list(reader.connection.execute(found, (WORD,))) == []
            assert len(list(reader.connection.execute(found, ("token",)))) == 3


def test_a_repeat_finds_nothing_to_do_and_capture_goes_on(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.index()
    stricter()
    refresh_redaction(home.settings)
    again = refresh_redaction(home.settings)
    assert (again.texts, again.changed, again.strings, again.scrubbed) == (0, 0, 0, None)
    home.append(record(9, f"appended {WORD}"))
    report = home.index()
    assert (report.problems, report.blocks_added) == ((), 1)
    assert WORD.encode() not in bytes_below(home.settings.home)
    assert refresh_redaction(home.settings).texts == 0


def test_a_preview_changes_nothing(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.index()
    stricter()
    before = bytes_below(home.settings.home)
    preview = refresh_redaction(home.settings, dry_run=True)
    assert bytes_below(home.settings.home) == before
    done = refresh_redaction(home.settings)
    assert (preview.texts, preview.changed, preview.findings, preview.strings) == (
        done.texts,
        done.changed,
        done.findings,
        done.strings,
    )
    assert preview.versions == {"test": 4}


def citation(home: Home, words: str) -> Citation:
    with open_reader(home.settings.store) as reader:
        [(block_id,)] = reader.connection.execute(
            "SELECT DISTINCT lower(hex(block_id)) FROM blocks WHERE instr(text, ?)", (words,)
        )
        return cite(reader, block_id, quote=words)


def test_a_citation_made_before_says_changed(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.index()
    near, same = citation(home, " twice"), citation(home, "nothing to hide")
    stricter()
    refresh_redaction(home.settings)
    with open_reader(home.settings.store) as reader:
        moved = check_citation(reader, near)
        assert (moved.verdict, moved.valid) == ("changed", False)
        assert moved.start == near.start + len("[REDACTED:token]") - len(WORD)
        assert check_citation(reader, same).verdict == "valid"


def test_wordings_that_become_equal_become_one_and_pins_follow(home: Home, stricter: Change) -> None:
    home.write(record(0, f"the key is {WORD}"))
    home.index()
    with open_writer(home.settings.store) as writer:
        [(block_id, first)] = writer.connection.execute(
            "SELECT lower(hex(block_id)), lower(hex(content_hash)) FROM blocks"
        )
        pin(writer, block_id, first, "cited")
    home.write(record(0, "the key is [REDACTED:token]"))
    home.index(home.file, rebuild=True)
    assert home.ask("SELECT count(*) FROM blocks") == [(2,)]
    stricter()
    done = refresh_redaction(home.settings)
    assert (done.changed, done.merged) == (1, 1)
    [(text, placed, pinned, note)] = home.ask(
        "SELECT text, (SELECT count(*) FROM placements p WHERE p.text_id = b.text_id), hex(p.content_hash) = "
        "hex(b.content_hash), note FROM blocks b LEFT JOIN pins p USING (block_id)"
    )
    assert (text, placed, pinned, note) == ("the key is [REDACTED:token]", 1, 1, "cited")
    check(home.settings.store)


def test_a_revision_that_takes_the_place_of_the_current_text_is_found(home: Home, stricter: Change) -> None:
    """The other way round: the wording with the secret is the one that a session holds."""
    home.write(record(0, "the key is [REDACTED:token]"))
    home.index()
    home.write(record(0, f"the key is {WORD}"))
    home.index(home.file, rebuild=True)
    stricter()
    assert refresh_redaction(home.settings).merged == 1
    assert home.texts() == ["the key is [REDACTED:token]"]
    with open_reader(home.settings.store) as reader:
        assert len(list(reader.connection.execute("SELECT rowid FROM fulltext WHERE fulltext MATCH 'key'"))) == 1
    check(home.settings.store)


def test_a_conflict_that_is_none_any_more_is_over(home: Home, stricter: Change) -> None:
    home.write(record(0, f"the key is {WORD}"))
    home.write(record(0, "the key is [REDACTED:token]"), path=home.project / "copy" / home.file.name)
    home.index()
    assert home.ask("SELECT DISTINCT state FROM sources") == [("conflict",)]
    stricter()
    refresh_redaction(home.settings)
    assert home.ask("SELECT DISTINCT state FROM sources") == [("complete",)]
    assert home.ask("SELECT count(*) FROM placements") == [(2,)]


def test_two_folders_that_differ_in_the_secret_become_one_name(home: Home, stricter: Change) -> None:
    home.write(record(0, "a", cwd=f"/repo/{WORD}"), record(1, "b", cwd="/repo/[REDACTED:token]"))
    home.index()
    stricter()
    refresh_redaction(home.settings)
    assert home.ask("SELECT DISTINCT name FROM placements JOIN names ON name_id = cwd") == [("/repo/[REDACTED:token]",)]
    check(home.settings.store)


def test_a_rebuild_under_way_starts_again(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.index()
    with open_writer(home.settings.store) as writer:
        writer.connection.execute("INSERT INTO staged SELECT source_id, 1, ? FROM sources", (WORD.encode(),))
    stricter()
    refresh_redaction(home.settings)
    assert WORD.encode() not in home.settings.store.read_bytes()


CHILD = """
import sys
from pathlib import Path
from recall_lab import redaction
from recall_lab.capture import refreshing
from recall_lab.settings import load_settings
from tests.upkeep.conftest import Stricter
redaction.open_redactor = lambda *_, **__: Stricter()
refreshing.BATCH_CHARS = 2000
root = Path(sys.argv[1])
print("go", flush=True)
refreshing.refresh_redaction(load_settings(root / "lab", {"HOME": str(root), "TZ": "UTC"}))
"""


def killed(root: Path, after: float) -> bool:
    """Start a refresh and kill it; say whether it was still running."""
    with subprocess.Popen([sys.executable, "-c", CHILD, str(root)], stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        time.sleep(after)
        running = child.poll() is None
        child.send_signal(signal.SIGKILL)
    return running


@pytest.mark.parametrize("times", [3, pytest.param(40, marks=pytest.mark.deep)])
def test_killed_at_any_point_the_store_is_whole_and_a_repeat_finishes(
    home: Home, make_home: Callable[[str], Home], stricter: Change, times: int
) -> None:
    texts = [f"text {number} {'says ' + WORD if number % 3 else 'is plain'} " + "word " * 40 for number in range(900)]
    home.write(*lines(texts))
    home.index()
    for number in range(times):
        killed(home.root, 0.4 * number / times)
        check(home.settings.store)
    stricter()
    refresh_redaction(home.settings)
    other = make_home("undisturbed")
    other.write(*lines(texts))
    index(other.settings)
    assert [text for (text,) in home.ask("SELECT text FROM blocks ORDER BY text_id")] == [
        text for (text,) in other.ask("SELECT text FROM blocks ORDER BY text_id")
    ]
    assert home.content()["index"] == other.content()["index"]
    assert WORD.encode() not in bytes_below(home.settings.home)
    check(home.settings.store)


def test_older_stores_beside_it_that_still_hold_a_secret_are_named(home: Home, stricter: Change) -> None:
    home.write(*told(home))
    home.index()
    older = home.settings.store.with_name("recall.db.v1.bak")
    shutil.copyfile(home.settings.store, older)
    stricter()
    with Lab(home.settings) as lab:
        assert lab.refresh_redaction(progress=False).copies == (str(older),)
        assert lab.refresh_redaction(progress=False).copies == ()
