"""%recall and %%recall_sql: the same answers as the Lab, and errors of one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from recall_lab.hits import Hits
from recall_lab.lab import Lab


@pytest.fixture
def shell(lab: Lab) -> InteractiveShell:
    made = InteractiveShell()
    made.extension_manager.load_extension("recall_lab")
    made.user_ns["lab"] = lab
    return made


def test_recall_searches_with_the_options_of_search(shell: InteractiveShell, lab: Lab) -> None:
    hits = shell.run_line_magic("recall", "why did we reject batching --role assistant --limit 3")
    assert isinstance(hits, Hits)
    assert [hit.receipt for hit in hits] == [
        hit.receipt for hit in lab.search("why did we reject batching", role="assistant", limit=3)
    ]
    assert len(shell.run_line_magic("recall", 'x --since "last 2 days"')) == 0


def test_phrases_and_quotation_marks_of_people_survive(shell: InteractiveShell) -> None:
    assert (
        shell.run_line_magic("recall", '"one transaction per reading"').answer.query == '"one transaction per reading"'
    )
    assert shell.run_line_magic("recall", "why didn't it work #12").answer.query == "why didn't it work #12"
    assert shell.run_line_magic("recall", "batching -flush --limit 2 log").answer.query == "batching -flush log"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "query"),
        ("x --limit many", "many"),
        ("x --frob 1", "--frob"),
        ("x --since soonish", "is not a time"),
        ("x --role robot", "there is no role"),
        ('"open', "quotation mark"),
    ],
)
def test_a_mistake_is_one_line(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    assert shell.run_line_magic("recall", line) is None
    (said,) = capsys.readouterr().err.splitlines()
    assert words in said


def test_help_is_printed_and_nothing_raised(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run_line_magic("recall", "--help") is None
    assert "--since" in capsys.readouterr().out


def test_sql_gives_a_frame_and_binds_it(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    frame = shell.run_cell_magic("recall_sql", "counted", "select count(*) as n from sessions")
    assert frame["n"][0] > 0
    assert shell.user_ns["counted"] is frame
    assert shell.run_cell_magic("recall_sql", "", "select 1 as a")["a"][0] == 1
    assert shell.run_cell_magic("recall_sql", "two words", "select 1") is None
    assert shell.run_cell_magic("recall_sql", "", "selec 1") is None
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "cannot be a variable's name" in said[0]


def test_without_a_store_the_next_step_is_named(
    shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del shell.user_ns["lab"]
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path))
    assert shell.run_line_magic("recall", "x") is None
    assert "recall-lab index" in capsys.readouterr().err


def test_a_named_query_is_run_with_its_parameters(
    shell: InteractiveShell, lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = shell.run_line_magic("recall_query", "cost_by_repo --host codex --limit 2")
    assert frame.equals(lab.query("cost_by_repo", host="codex", limit=2))
    for line in ("", "no_such_query", "cost_by_repo --frob 1", "cost_by_repo --limit", "cost_by_repo limit 2"):
        assert shell.run_line_magic("recall_query", line) is None
        (said,) = capsys.readouterr().err.splitlines()
        assert said.startswith("recall_lab: ")


def test_what_nobody_foresaw_is_one_line_that_does_not_quote(
    shell: InteractiveShell, lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("words of a transcript")

    monkeypatch.setattr(lab, "search", fail)
    assert shell.run_line_magic("recall", "x") is None
    assert capsys.readouterr().err == (
        "recall_lab: unexpected ValueError; the Lab's own methods (lab.search, lab.sql) show where\n"
    )


def completed(shell: InteractiveShell, code: str) -> set[str]:
    """What Tab offers at the end of a cell, as the kernel asks for it."""
    with provisionalcompleter():
        return {one.text for one in shell.Completer.completions(code, len(code))}


def test_tab_completes_queries_parameters_and_columns(shell: InteractiveShell, lab: Lab) -> None:
    assert completed(shell, "%recall_query usage_by") == {"usage_by_day"}
    assert completed(shell, "%recall_query ") >= {query.name for query in lab.queries}
    assert "--since" in completed(shell, "%recall_query usage_by_day --s")
    assert completed(shell, "%recall_query coverage_by_source --state source_m") == {"source_missing"}
    assert completed(shell, "%recall why did --ro") == {"--role"}
    assert completed(shell, "%recall why did --role ass") == {"assistant"}
    assert completed(shell, "%recall why did --host cod") == {"codex"}
    assert completed(shell, "%%recall_sql\nselect count(*) from model_c") == {"model_calls"}
    assert completed(shell, "%%recall_sql found\nselect cost_u") == {"cost_usd"}
    assert "b.block_id" in completed(shell, "%%recall_sql\nselect b.block_i")
    assert "cost_usd" not in completed(shell, "select cost_u")


def test_tab_says_nothing_where_there_is_nothing(shell: InteractiveShell, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALL_LAB_HOME", str(tmp_path))
        del shell.user_ns["lab"]
        assert "usage_by_day" not in completed(shell, "%recall_query usage_by")
    shell.extension_manager.reload_extension("recall_lab")
    assert len([one for one in shell.Completer.custom_matchers if one.matcher_identifier == "recall_lab"]) == 1
