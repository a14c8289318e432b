"""The README is true: its commands are run after a demo and answer what it shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.cli._main import run
from recall_lab.cli._overview import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def shown() -> list[tuple[str, list[str]]]:
    """Every command of the README with the lines that it answers."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ recall-lab "), []))
            elif line.strip():
                found[-1][1].append(line)
    return found


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def after_a_demo(tmp_path_factory: pytest.TempPathFactory, rules_cache: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("readme"))
        patch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
        patch.setenv("RECALL_LAB_ZONE", "Europe/Helsinki")
        assert run(["demo"]) == 0
        patch.setenv("RECALL_LAB_HOME", "demo/home")
        yield


def test_every_command_answers_what_the_readme_shows(after_a_demo: None, capsys: pytest.CaptureFixture[str]) -> None:
    commands = shown()
    assert len(commands) >= 8
    for command, expected in commands:
        code = run(shlex.split(command))
        printed = [squeezed(line) for line in capsys.readouterr().out.splitlines()]
        assert code == (1 if any(line.startswith("absent") for line in expected) else 0), command
        for line in expected:
            pattern = ".*".join(re.escape(part) for part in squeezed(line).split("…"))
            assert any(re.fullmatch(pattern, answer) for answer in printed), f"{command}: {line}"


def test_its_python_runs_and_leaves_its_file_in_the_folder_of_the_demo(after_a_demo: None) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    before = set(Path().iterdir())
    names: dict[str, object] = {}
    exec(block, names)
    assert set(Path().iterdir()) == before
    assert Path("demo/why.md").is_file()
    assert names["lab"].verify("demo/why.md").failed == ()


def test_the_table_has_every_command_and_no_other() -> None:
    section = README.split("## The command", 1)[1].split("## Development", 1)[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == set(COMMANDS)


def test_every_make_target_and_every_link_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", README)) <= targets
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / link).exists(), link


def test_make_alone_lists_every_target() -> None:
    helped = set(re.findall(r'@echo "make ([a-z-]+)', MAKEFILE))
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert helped == targets - {"help"}
