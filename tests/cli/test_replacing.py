"""What a command writes takes the place of what recall_lab wrote before, and of nothing else that a person has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

WRITERS = [
    ["brief", "why did we reject batching", "-o", "made.md"],
    ["brief", "why did we reject batching", "-o", "made.html"],
    ["brief", "why did we reject batching", "-o", "made.json"],
    ["brief", "why did we reject batching", "-o", "made.ipynb"],
    ["skillify", "019dfc48", "-o", "made.md"],
    ["export", "--session", "019dfc48", "-o", "made.md"],
    ["export", "--session", "019dfc48", "-o", "made.json"],
    ["report", "-o", "made.html"],
]


@pytest.mark.parametrize("argv", WRITERS, ids=lambda argv: f"{argv[0]}-{argv[-1]}")
def test_it_replaces_its_own_file_and_leaves_anothers(on_sample: Command, argv: list[str]) -> None:
    made = Path(argv[-1])
    made.write_text("my own words; recall-lab://36a803bd165f47e4baf1f548b50d4548@bde19b19243c#0-573\n")
    refused = on_sample(*argv)
    assert refused.code == 2
    assert "is there already and not from recall-lab; name another file" in refused.line
    assert made.read_text().startswith("my own words")
    made.write_text("")
    assert on_sample(*argv).code == 0
    before = made.read_bytes()
    assert before
    assert on_sample(*argv).code == 0
    assert made.is_file()


def test_a_stream_is_no_file_of_anothers(on_sample: Command, process: Command) -> None:
    assert on_sample("brief", "batching", "-o", "kept.md").code == 0
    ran = process("skillify", "019dfc48", "-o", "/dev/stdout")
    assert ran.code == 0
    assert ran.out.startswith("---\nname:")


def test_a_brief_that_quotes_nothing_says_so(on_sample: Command) -> None:
    ran = on_sample("brief", "zzzqqq", "-o", "made.md")
    assert (ran.code, ran.out) == (
        0,
        "made.md: nothing was found, so it quotes nothing and there is nothing to verify\n",
    )
