"""A store of any size that is the same every time: for figures at scales that nobody's own history has."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Final

from recall_lab.hosts.base import make_id
from recall_lab.model import Batch, Kind, LedgerRow, ModelCall, PlacedBlock, Redacted, Role, Session, Source, ToolCall
from recall_lab.store import open_writer
from recall_lab.text_entities import analyse
from recall_lab.times import to_utc

_SESSION: Final = 120  # blocks
_VOCABULARY: Final = 40_000
_START: Final = datetime(2025, 1, 1, 8, tzinfo=UTC)
_SYLLABLES: Final = tuple(a + b for a in "bcdfgklmnprstvz" for b in "aeiou")
_COMMON: Final = (
    *("the", "a", "to", "of", "and", "in", "is", "it", "that", "for", "on", "with", "as", "this", "be", "are"),
    *("use", "file", "test", "error", "code", "function", "run", "build", "change", "add", "fix", "check", "data"),
)
MODELS: Final = ("claude-sonnet-4-5", "claude-opus-4-5", "gpt-5.2-codex", "gpt-5.4")
TOOLS: Final = ("Bash", "Read", "Edit", "Grep")
_SHAPES: Final[tuple[tuple[Role, Kind], ...]] = (
    ("user", "text"),
    ("assistant", "text"),
    ("assistant", "tool_use"),
    ("tool", "tool_result"),
    ("assistant", "tool_use"),
    ("tool", "tool_result"),
    ("assistant", "text"),
    ("assistant", "tool_use"),
    ("tool", "tool_result"),
    ("assistant", "text"),
)


def generate_store(path: Path, blocks: int, progress: Callable[[int], None] | None = None) -> None:
    """Write a store of ``blocks`` blocks; the same number gives the same store.

    Words follow Zipf's law, as those of texts do. Sessions hold prompts, answers, tool requests and results in turns of
    ten blocks, calls with tokens, and paths and symbols that recur.

    Args:
        path: The store's file.
        blocks: How many blocks.
        progress: Called with the blocks written so far.

    Raises:
        StoreError: it cannot be written.
    """
    words = Words()
    with open_writer(path) as writer:
        for number, start in enumerate(range(0, blocks, _SESSION)):
            size = min(_SESSION, blocks - start)
            writer.apply(_session(number, size, words))
            if progress:
                progress(start + size)
        writer.checkpoint()


class Words:
    """A vocabulary with the weights of Zipf's law (Mandelbrot's form, offset 2.7)."""

    def __init__(self) -> None:
        dice = random.Random(0)  # noqa: S311 (made-up words, no secret)
        made = {"".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(_VOCABULARY)}
        self._words = [*_COMMON, *sorted(made - set(_COMMON))]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(1, len(self._words) + 1)))

    def pick(self, dice: random.Random, count: int) -> list[str]:
        """Return words as they come."""
        return dice.choices(self._words, cum_weights=self._weights, k=count)


def _session(number: int, size: int, words: Words) -> Batch:
    dice = random.Random(number)  # noqa: S311 (made-up words, no secret)
    native = make_id("generated session", number)
    cwd, branch = Redacted(f"/home/dev/src/repo{number % 37}"), Redacted(f"topic-{number % 11}")
    model = MODELS[number % len(MODELS)]
    moment = _START + timedelta(minutes=7 * number)
    blocks: list[PlacedBlock] = []
    models: list[ModelCall] = []
    tools: list[ToolCall] = []
    for place in range(size):
        turn, step = divmod(place, len(_SHAPES))
        role, kind = _SHAPES[step]
        moment += timedelta(seconds=dice.randint(2, 60))
        block_id = make_id("generated block", number, place)
        tool = Redacted(dice.choice(TOOLS)) if kind in {"tool_use", "tool_result"} else None
        text = Redacted(made_text(dice, words, kind))
        stamp = to_utc(moment)
        looked = analyse(text)
        blocks.append(
            PlacedBlock(
                block_id=block_id,
                content_hash=sha256(text.encode("utf-8")).hexdigest(),
                role=role,
                kind=kind,
                text=text,
                original_length=len(text),
                ord=place,
                turn=turn + 1,
                timestamp=stamp,
                cwd=cwd,
                branch=branch,
                tool=tool,
                model=model if role == "assistant" else None,
                entities=looked.spans,
                words=looked.words,
            )
        )
        if role == "assistant":
            models.append(_model_call(block_id, model, stamp, turn + 1, dice))
        if kind == "tool_use":
            tools.append(ToolCall(call_id=block_id, turn=turn + 1, tool=tool, request_block=block_id, started=stamp))
        elif kind == "tool_result" and tools:
            failed = dice.random() < 0.06
            call = tools[-1].call_id
            tools.append(ToolCall(call_id=call, turn=turn + 1, result_block=block_id, ended=stamp, failed=failed))
    total = sum(len(block.text) for block in blocks)
    return Batch(
        source=Source(
            host="claude-code", path=Redacted(f"/generated/{native}.jsonl"), size=total, cursor=total, state="complete"
        ),
        session=Session(host="claude-code", native_id=native, cwd=cwd, branch=branch, repo=cwd, model=model),
        from_ord=0,
        blocks=tuple(blocks),
        model_calls=tuple(models),
        tool_calls=tuple(tools),
        ledger=(LedgerRow(record_type="generated", disposition="indexed", records=len(blocks), bytes=total),),
        rules_version="generated",
    )


def made_text(dice: random.Random, words: Words, kind: Kind) -> str:
    """Return words as a text of this kind has them, with a path or an identifier in forty."""
    median = 45 if kind == "tool_result" else 25
    count = min(1200, max(3, int(median * dice.lognormvariate(0, 1))))
    picked = words.pick(dice, count)
    for _ in range(1 + count // 40):
        at = dice.randrange(len(picked))
        picked[at] = f"src/{picked[at]}/{dice.choice(_SYLLABLES)}.py" if dice.random() < 0.7 else f"{picked[at]}_{at}"
    return " ".join(picked)


def _model_call(key: str, model: str, stamp: str, turn: int, dice: random.Random) -> ModelCall:
    return ModelCall(
        key=key,
        model=model,
        timestamp=stamp,
        turn=turn,
        input_tokens=dice.randint(1, 3000),
        output_tokens=dice.randint(10, 900),
        cache_read_tokens=dice.randint(0, 90_000),
        cache_write_5m_tokens=dice.randint(0, 4000),
        final=True,
    )
