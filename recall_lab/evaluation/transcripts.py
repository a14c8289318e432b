"""Made transcripts of any size, the same every time: for what capture costs where nobody's own history reaches.

They have the shape of Claude Code's files (see ``hosts.claude_code``), the weights of a real history by and large: one
prompt to four steps of the assistant, results that are carried twice, four bytes of file to one that is kept.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from recall_lab.evaluation.generating import MODELS, TOOLS, Words, made_text
from recall_lab.hosts.base import make_id
from recall_lab.times import to_utc

_START: Final = datetime(2025, 1, 1, 8, tzinfo=UTC)
_POOL: Final = 4000  # pieces that texts are put together from, of each kind


def generate_transcripts(
    folder: Path, size: int, *, file_size: int = 1_000_000, progress: Callable[[int], None] | None = None
) -> int:
    """Write transcripts below a home folder, about ``size`` bytes in all; the same numbers give the same files.

    Args:
        folder: The home; files go to ``.claude/projects`` in it.
        size: Bytes in all, about.
        file_size: Bytes of one file, about; at least one turn.
        progress: Called with the bytes written so far.

    Returns:
        How many bytes were written.
    """
    texts = _Texts()
    written = 0
    numbers = count()
    while written < size:
        number = next(numbers)
        project = folder / ".claude" / "projects" / f"-home-dev-src-repo{number % 37}"
        project.mkdir(parents=True, exist_ok=True)
        session = str(UUID(make_id("generated transcript", number)))
        with (project / f"{session}.jsonl").open("wb") as file:
            for line in _lines(number, session, texts):
                written += file.write(line)
                if file.tell() >= min(file_size, size):
                    break
        if progress:
            progress(min(written, size))
    return written


class _Texts:
    """Texts put together from a pool, each with a number of its own, so that no two are the same block."""

    def __init__(self) -> None:
        dice, words = random.Random(0), Words()  # noqa: S311 (made-up words, no secret)
        self._prose = [made_text(dice, words, "text") for _ in range(_POOL)]
        self._results = [made_text(dice, words, "tool_result") for _ in range(_POOL)]

    def prose(self, dice: random.Random) -> str:
        return f"{dice.getrandbits(40):x} {dice.choice(self._prose)}"

    def result(self, dice: random.Random) -> str:
        pieces = dice.choices(self._results, k=max(1, int(dice.lognormvariate(1, 0.8))))
        return "\n".join((f"{dice.getrandbits(40):x}", *pieces))


def _lines(number: int, session: str, texts: _Texts) -> Iterator[bytes]:
    """Yield the records of one session, turn after turn, without end."""
    dice = random.Random(number)  # noqa: S311 (made-up words, no secret)
    moment = _START + timedelta(minutes=7 * number)
    model = MODELS[number % len(MODELS)]
    parent: str | None = None
    for place in count():
        moment += timedelta(seconds=dice.randint(2, 60))
        own = str(UUID(make_id("generated record", number, place)))
        kind = "user" if place % 9 == 0 else "result" if place % 2 == 0 else "assistant"
        call = f"toolu_{number:08x}{place - (kind == 'result'):012x}"
        content: list[dict[str, Any]] | str
        if kind == "user":
            content = texts.prose(dice)
        elif kind == "result":
            content = [{"type": "tool_result", "tool_use_id": call, "content": texts.result(dice)}]
        else:
            content = [
                {"type": "text", "text": texts.prose(dice)},
                {"type": "tool_use", "id": call, "name": dice.choice(TOOLS), "input": {"command": texts.prose(dice)}},
            ]
        message: dict[str, Any] = {"role": "assistant" if kind == "assistant" else "user", "content": content}
        record: dict[str, Any] = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": f"/home/dev/src/repo{number % 37}",
            "sessionId": session,
            "version": "2.1.0",
            "gitBranch": f"topic-{number % 11}",
            "type": message["role"],
            "message": message,
            "uuid": own,
            "timestamp": to_utc(moment),
        }
        if kind == "result":
            record["toolUseResult"] = {"stdout": content[0]["content"], "stderr": "", "interrupted": False}  # type: ignore[index]
        elif kind == "assistant":
            record["requestId"] = f"req_{own}"
            message |= {"id": f"msg_{own}", "type": "message", "model": model, "stop_reason": "tool_use"}
            message["usage"] = {
                "input_tokens": dice.randint(1, 3000),
                "output_tokens": dice.randint(10, 900),
                "cache_read_input_tokens": dice.randint(0, 90_000),
                "cache_creation_input_tokens": dice.randint(0, 4000),
            }
        parent = own
        yield json.dumps(record, separators=(",", ":")).encode() + b"\n"
