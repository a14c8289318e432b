"""The order in which transcripts are captured does not show: sessions, turns, placements, calls and ledgers are the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import SESSION, Home, record

OTHER = "5f0c7a3e-2222-4222-8333-944455556666"
AGENT = "a1b2c3"
ALONE = "d4e5f6"


def agent_record(number: int, agent: str, text: str, role: str = "user") -> bytes:
    made = json.loads(record(number, text, role, isSidechain=True, agentId=agent))
    if role == "assistant":
        made["message"] |= {"id": f"msg_{number}", "model": "m", "usage": {"input_tokens": 3, "output_tokens": number}}
    return json.dumps(made).encode() + b"\n"


def told(number: int, agent: str, line: bytes) -> bytes:
    """A message of an agent as the transcript of its caller repeats it."""
    made: dict[str, Any] = json.loads(line)
    inner = {name: made[name] for name in ("type", "uuid", "timestamp", "message")}
    data = {"type": "agent_progress", "agentId": agent, "message": inner}
    return record(number, "", type="progress", toolUseID="t", data=data, message=None)


ANSWERS = [agent_record(501, AGENT, "the task"), agent_record(502, AGENT, "what it found", "assistant")]
LONELY = agent_record(601, ALONE, "told by its caller alone")
MAIN = [
    record(0, "first"),
    record(1, "answer", "assistant"),
    told(2, AGENT, ANSWERS[0]),
    told(3, AGENT, ANSWERS[1]),
    told(4, ALONE, LONELY),
    record(5, "second", parentUuid=json.loads(record(1, ""))["uuid"]),
]


def write_all(home: Home) -> list[Path]:
    folder = home.project / SESSION / "subagents"
    fork = [json.dumps(json.loads(line) | {"sessionId": OTHER}).encode() + b"\n" for line in MAIN[:2]]
    return [
        home.write(*MAIN),
        home.write(*ANSWERS, agent_record(503, AGENT, "its end", "assistant"), path=folder / f"agent-{AGENT}.jsonl"),
        home.write(*MAIN[:2], agent_record(701, "acompact-7", "sum up"), path=folder / "agent-acompact-7.jsonl"),
        home.write(*fork, record(801, "forked", sessionId=OTHER), path=home.project / f"{OTHER}.jsonl"),
        home.write(*MAIN, record(901, "in a worktree"), path=home.project.with_name("-other") / f"{SESSION}.jsonl"),
        home.write(record(0, "first, told otherwise", isMeta=True), path=home.project / "copy.jsonl"),
    ]


def content_of(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    root = str(home.root)
    return {
        name: sorted((tuple(str(value).replace(root, "") for value in row)) for row in rows)
        for name, rows in home.content().items()
    }


def where(home: Home, text: str) -> list[str]:
    placed = home.ask("SELECT path, text FROM placements JOIN sources USING (source_id) JOIN blocks USING (text_id)")
    return [path for path, found in placed if found == text]


@pytest.mark.parametrize("seed", range(8))
def test_any_order_in_any_number_of_passes_gives_the_same(make_home: Callable[[str], Home], seed: int) -> None:
    at_once, bit_by_bit = make_home("once"), make_home("bits")
    at_once.index(*write_all(at_once))
    files = write_all(bit_by_bit)
    chance = random.Random(seed)
    chance.shuffle(files)
    passes = chance.randint(2, len(files))
    for start in range(passes):
        bit_by_bit.index(*files[start::passes])
    assert content_of(bit_by_bit) == content_of(at_once)


def test_an_agent_is_told_by_its_own_transcript_as_soon_as_there_is_one(home: Home) -> None:
    home.write(*MAIN)
    home.index()
    assert where(home, "the task") == [str(home.file)]
    own = home.write(*ANSWERS, path=home.project / SESSION / "subagents" / f"agent-{AGENT}.jsonl")
    home.index(own)
    assert where(home, "the task") == [str(own)]
    assert where(home, "told by its caller alone") == [str(home.file)]
    assert home.index().sources_changed == 0


def test_an_empty_transcript_of_an_agent_tells_nothing(home: Home) -> None:
    own = home.write(path=home.project / SESSION / "subagents" / f"agent-{AGENT}.jsonl")
    home.write(*MAIN)
    home.index()
    assert "the task" in home.texts()
    own.write_bytes(b"".join(ANSWERS))
    home.index()
    assert home.texts().count("the task") == 1


def test_a_transcript_that_changed_is_left_alone_though_its_agent_has_one_of_its_own_now(home: Home) -> None:
    home.write(*MAIN)
    home.index()
    home.write(*[line.replace(b"first", b"FIRST") for line in MAIN])
    own = home.write(*ANSWERS, path=home.project / SESSION / "subagents" / f"agent-{AGENT}.jsonl")
    report = home.index(own)
    assert [problem.state for problem in report.problems] == ["source_changed"]
    assert "first" in home.texts()
