"""What the documents name is there, and what is there is named."""

from __future__ import annotations

import re
from pathlib import Path

from recall_lab import evidence
from recall_lab.cli._overview import COMMANDS
from recall_lab.lab import Lab

ROOT = Path(__file__).resolve().parents[2]
UPKEEP = (ROOT / "docs" / "upkeep.md").read_text()
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_every_command_is_documented() -> None:
    named = {name for path in DOCUMENTS for name in re.findall(r"`([a-z][a-z-]*)[` ]", path.read_text())}
    assert set(COMMANDS) <= named


def test_the_page_names_commands_and_methods_that_exist() -> None:
    rows = [line.split("|") for line in UPKEEP.splitlines() if line.startswith("| `")]
    assert len(rows) > 8
    for _, command, method, *_ in rows:
        assert {name.split(" ")[0] for name in re.findall(r"`([^`]+)`", command)} <= set(COMMANDS)
        for name in re.findall(r"lab\.(\w+)", method):
            assert hasattr(Lab, name) or name == "settings"


def test_every_heading_command_has_the_options_that_the_page_gives_it() -> None:
    from click import Context

    from recall_lab.cli._main import cli

    for name, words in re.findall(r"`([a-z-]+)((?: \[?--[a-z-]+[^`]*)+)`", UPKEEP):
        command = cli.get_command(Context(cli), name)
        assert command is not None, name
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", words)) <= known, name


def test_the_doors_of_evidence_are_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    doors = {name for name in evidence.__all__ if name.islower()}
    assert doors <= set(re.findall(r"`(\w+)`", text))
