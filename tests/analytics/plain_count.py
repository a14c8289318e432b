"""An independent count of tokens: a plain script over JSON lines that shares nothing with the package.

    python tests/analytics/plain_count.py FOLDER

It follows the published rules of counting and nothing else: for Claude Code one call is one (message id, request id) over
all files, counted from the row with a stop reason and the most output; for Codex the cumulative totals say what is new.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLASSES = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
    "web_searches",
)
Count = dict[str, int]


def count(folder: Path) -> dict[str, Count]:
    """Return host -> calls and tokens by class, over every transcript below the folder."""
    return {
        "claude-code": _sum(claude_code(sorted((folder / ".claude" / "projects").rglob("*.jsonl")))),
        "codex": _sum(codex(sorted((folder / ".codex").rglob("rollout-*.jsonl")))),
    }


def count_by_model(folder: Path) -> dict[str | None, Count]:
    """Return model -> calls and tokens by class, of Claude Code."""
    found = defaultdict(list)
    for call in claude_code(sorted((folder / ".claude" / "projects").rglob("*.jsonl"))):
        found[call["model"]].append(call)
    return {model: _sum(calls) for model, calls in found.items()}


def _sum(calls: list[dict[str, Any]]) -> Count:
    return {"calls": len(calls), **{name: sum(call[name] for call in calls) for name in CLASSES}}


def objects(path: Path) -> Iterator[dict[str, Any]]:
    """Every JSON object of a file, also where a line holds several or a torn one before a whole one."""
    decoder = json.JSONDecoder()
    for raw in path.read_bytes().split(b"\n"):
        line = raw.decode("utf-8", "replace").strip().removeprefix("\ufeff")
        at = 0
        while at < len(line):
            try:
                found, at = decoder.raw_decode(line, at)
            except (json.JSONDecodeError, RecursionError):
                starts = [line.find(mark, at + 1) for mark in ('{"parentUuid"', '{"type"')]
                at = min((start for start in starts if start > 0), default=len(line))
                continue
            while at < len(line) and line[at].isspace():
                at += 1
            if isinstance(found, dict):
                yield found


def claude_code(paths: list[Path]) -> list[dict[str, Any]]:
    """One entry a call: model and tokens."""
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for path in paths:
        records = list(objects(path))
        # A parent's transcript embeds its subagents' messages; they are calls of their own where nothing else tells them.
        embedded = [
            record["data"]["message"]
            for record in records
            if record.get("type") == "progress"
            and isinstance(record.get("data"), dict)
            and record["data"].get("type") == "agent_progress"
            and isinstance(record["data"].get("message"), dict)
        ]
        for record in [*records, *embedded]:
            message = record.get("message")
            if record.get("type") != "assistant" or not isinstance(message, dict):
                continue
            usage = message.get("usage")
            if not isinstance(usage, dict) or record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
                continue
            if message.get("id") and record.get("requestId"):
                key: tuple[Any, ...] = ("both", message["id"], record["requestId"])
            elif message.get("id"):
                key = ("message", message["id"])
            else:
                key = ("uuid", record.get("uuid"))
            rows[key].append(
                {"final": bool(message.get("stop_reason")), "model": message.get("model"), **_claude(usage)}
            )
    return [max(told, key=lambda row: (row["final"], row["output_tokens"])) for told in rows.values()]


def _claude(usage: dict[str, Any]) -> Count:
    written = usage.get("cache_creation_input_tokens") or 0
    split = usage.get("cache_creation") or {}
    hour = split.get("ephemeral_1h_input_tokens") or 0
    searches = (usage.get("server_tool_use") or {}).get("web_search_requests") or 0
    return {
        "input_tokens": usage.get("input_tokens") or 0,
        "output_tokens": usage.get("output_tokens") or 0,
        "cache_read_tokens": usage.get("cache_read_input_tokens") or 0,
        "cache_write_5m_tokens": max(written, (split.get("ephemeral_5m_input_tokens") or 0) + hour) - hour,
        "cache_write_1h_tokens": hour,
        "reasoning_tokens": 0,
        "web_searches": searches,
    }


def codex(paths: list[Path]) -> list[dict[str, Any]]:
    """One entry a response that no ancestor has counted already: a replay keeps the ancestor's turn ids."""
    files = {path: list(objects(path)) for path in paths}
    heads = {path: _head(records) for path, records in files.items()}
    turns = {str(head.get("id")): {_turn(record) for record in files[path]} - {None} for path, head in heads.items()}
    parents = {
        str(head.get("id")): head.get("forked_from_id") or head.get("parent_thread_id") for head in heads.values()
    }
    calls = []
    for path, records in files.items():
        inherited: set[Any] = set()
        ancestor = parents.get(str(heads[path].get("id")))
        while ancestor in turns:
            inherited |= turns[ancestor]
            ancestor = parents.get(ancestor)
        calls.extend(_codex_calls(records, inherited))
    return calls


def _head(records: list[dict[str, Any]]) -> dict[str, Any]:
    for record in records:
        if record.get("type") == "session_meta":
            return record.get("payload") or {}
    return records[0] if records else {}


def _turn(record: dict[str, Any]) -> Any:
    payload = record.get("payload")
    said = isinstance(payload, dict) and (record.get("type") == "turn_context" or payload.get("type") == "task_started")
    return payload.get("turn_id") if said and isinstance(payload, dict) else None


def _codex_calls(records: list[dict[str, Any]], inherited: set[Any]) -> list[dict[str, Any]]:
    calls, before, turn, searches = [], None, None, 0
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        turn = _turn(record) or turn
        searches += record.get("type") == "response_item" and payload.get("type") == "web_search_call"
        if record.get("type") != "event_msg" or payload.get("type") != "token_count" or not payload.get("info"):
            continue
        total, used = payload["info"].get("total_token_usage"), payload["info"].get("last_token_usage")
        if total is not None and total == before:
            continue
        if used is None and total is not None:
            fell = before is not None and total["total_tokens"] < before["total_tokens"]
            used = {name: n - (0 if before is None or fell else before.get(name, 0)) for name, n in total.items()}
        before = total if total is not None else before
        if used is not None:
            if turn not in inherited:
                calls.append({**_codex(used), "web_searches": searches})
            searches = 0
    return calls


def _codex(used: dict[str, Any]) -> dict[str, Any]:
    cached, written = used.get("cached_input_tokens") or 0, used.get("cache_write_input_tokens") or 0
    return {
        "model": None,
        "input_tokens": max((used.get("input_tokens") or 0) - cached - written, 0),
        "output_tokens": used.get("output_tokens") or 0,
        "cache_read_tokens": cached,
        "cache_write_5m_tokens": written,
        "cache_write_1h_tokens": 0,
        "reasoning_tokens": used.get("reasoning_output_tokens") or 0,
        "web_searches": 0,
    }


if __name__ == "__main__":
    json.dump(count(Path(sys.argv[1])), sys.stdout, indent=1)
