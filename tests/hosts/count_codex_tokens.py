"""Counts the tokens of rollouts in the plainest way, without a line of the product: what its numbers are held against.

Run as a script with files as arguments; prints one JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

NAMES = ("input", "cache_read", "cache_write", "output", "reasoning")
FIELDS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


def count(paths: list[Path]) -> dict[str, dict[str, int]]:
    """Return calls and tokens by model; a turn that several files tell is counted in the first of them."""
    told_turns: set[str] = set()
    totals: dict[str, dict[str, int]] = {}
    for path in paths:
        model, turn, previous = "", "", None
        here: set[str] = set()
        for line in path.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            payload = record.get("payload") if isinstance(record, dict) else None
            if not isinstance(payload, dict):
                continue
            if record["type"] == "session_meta" and not model:
                model = payload.get("model") or ""
            if record["type"] == "turn_context":
                model = payload.get("model") or model
                turn = payload.get("turn_id") or turn
            if payload.get("type") == "task_started":
                turn = payload.get("turn_id") or turn
            if payload.get("type") != "token_count" or not payload.get("info"):
                continue
            total, last = payload["info"].get("total_token_usage"), payload["info"].get("last_token_usage")
            if total is not None and total == previous:
                continue
            if last is None:
                before = previous or {}
                last = {key: total.get(key, 0) - before.get(key, 0) for key in FIELDS}
                if any(value < 0 for value in last.values()):
                    last = total
            previous = total if total is not None else previous
            if turn in told_turns:
                continue
            if turn:
                here.add(turn)
            numbers = {name: last.get(key, 0) for name, key in zip(NAMES, FIELDS, strict=True)}
            numbers["input"] -= numbers["cache_read"] + numbers["cache_write"]
            sums = totals.setdefault(model, dict.fromkeys(("calls", *NAMES), 0))
            sums["calls"] += 1
            for name in NAMES:
                sums[name] += numbers[name]
        told_turns |= here
    return totals


if __name__ == "__main__":
    print(json.dumps(count([Path(name) for name in sys.argv[1:]])))
