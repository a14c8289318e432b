"""The judgment panel without a browser: blind until revealed, each grade kept at once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.lab import Lab, open_lab
from recall_lab.widgets.judgment_panel import JudgmentPanel
from recall_lab.widgets.views import JudgeView

QUESTION = "why did we reject batching"


@pytest.fixture
def lab(captured_sample: Path, tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    home = tmp_path / "home"
    shutil.copytree(captured_sample, home)
    with open_lab(home) as opened:
        yield opened


@pytest.fixture
def panel(lab: Lab) -> JudgmentPanel:
    return lab.panels.judge(QUESTION, b="plain")


def press(panel: JudgmentPanel, index: int, grade: int) -> None:
    panel.passages._handle_custom_msg({"type": "grade", "index": index, "grade": grade}, [])


def test_passages_are_shown_without_who_found_them(panel: JudgmentPanel) -> None:
    assert panel.error == ""
    assert len(panel.passages.passages) == len(panel.contest.passages) > 1
    for shown, one in zip(panel.passages.passages, panel.contest.passages, strict=True):
        assert set(shown) == {"place", "code", "pieces"}
        assert shown["pieces"] == [[one.hit.text, ""]]
    assert "to grade" in panel.passages.status


def test_a_grade_is_kept_at_once(panel: JudgmentPanel, lab: Lab) -> None:
    press(panel, 1, 2)
    assert panel.passages.grades[1] == 2
    (row,) = panel.data().to_dict("records")
    assert (row["question"], row["grade"]) == (QUESTION, 2)
    assert row["block_id"] == panel.contest.passages[1].hit.block_id
    press(panel, 99, 2)
    assert len(lab.judgments()) == 1


def test_a_grade_that_there_is_none_of_changes_nothing(panel: JudgmentPanel, lab: Lab) -> None:
    press(panel, 0, 7)
    assert "no grade" in panel.error
    assert panel.passages.grades[0] == -1
    assert lab.judgments().empty


def test_reveal_tells_who_found_what_and_credits_it(panel: JudgmentPanel) -> None:
    for index, one in enumerate(panel.contest.passages):
        press(panel, index, 3 if one.team == "a" else 0)
    assert panel.passages.status.startswith("all graded")
    panel.reveal.click()
    teams = [one.team for one in panel.contest.passages]
    assert panel.passages.status == f"passages that answer: {teams.count('a')} brought by default, 0 by plain"
    assert [shown["brought"] for shown in panel.passages.passages] == [
        f"brought by {'default' if team == 'a' else 'plain'}" for team in teams
    ]


def test_save_names_the_command_that_reads_it(panel: JudgmentPanel, lab: Lab) -> None:
    panel.save.click()
    assert "nothing is judged" in panel.error
    press(panel, 0, 2)
    panel.save.click()
    assert panel.error == ""
    assert f"recall-lab eval retrieval {lab.home / 'judgments'}" in panel.passages.status


def test_the_code_repeats_the_contest(panel: JudgmentPanel, lab: Lab) -> None:
    assert panel.code == f"lab.contest({QUESTION!r}, b='plain')"
    assert eval(panel.code, {"lab": lab}) == panel.contest
    panel.question.set_state({"value": ""})
    assert panel.passages.passages == []
    assert panel.footer.code == ""
    panel.reveal.click()
    assert "ask a question first" in panel.error


def test_a_configuration_that_there_is_none_of_is_one_line(panel: JudgmentPanel) -> None:
    panel.a.value = "magic"
    assert "'magic' is no" in panel.error
    assert panel.passages.passages == []


def test_the_view_hides_nothing_that_every_widget_has() -> None:
    import ipywidgets

    assert not {name for name in vars(JudgeView) if not name.startswith("_")} & set(dir(ipywidgets.DOMWidget))
    assert not {name for name in vars(JudgmentPanel) if not name.startswith("_")} & set(dir(ipywidgets.VBox))
