"""Completed items (Codex 0.15x): how calls ended, and the calls that a script made, which no response item tells."""

from __future__ import annotations

from typing import Any

import msgspec

from recall_lab.hosts.codex.content import parts_text, without_data
from recall_lab.hosts.codex.sessions import words
from recall_lab.hosts.codex.tools import Outcome, first_line, milliseconds, whole_number

_STATUS = {"completed": False, "failed": True, "declined": True}


class InnerCall(msgspec.Struct, frozen=True):
    """A call that is told by its completed item alone."""

    tool: str
    request: Any
    outcome: Outcome


def inner_call(item: dict[str, Any]) -> InnerCall | None:
    """Return the call that an item tells of; None for an item that is no call."""
    kind = item.get("type")
    if kind == "CommandExecution":
        request = {"command": item.get("command"), "workdir": item.get("cwd")}
        text = words(item.get("aggregated_output")) or _joined(item)
        return InnerCall("exec_command", {k: v for k, v in request.items() if v}, _outcome(item, text))
    if kind == "FileChange":
        return InnerCall("apply_patch", item.get("changes"), _outcome(item, _joined(item)))
    if kind == "McpToolCall":
        tool = ".".join(name for name in (words(item.get("server")), words(item.get("tool"))) if name)
        return InnerCall(tool or "mcp", item.get("arguments"), _outcome(item, _content(item.get("result"))))
    if kind == "DynamicToolCall":
        return InnerCall(words(item.get("tool")) or "tool", item.get("arguments"), _outcome(item, _content(item)))
    if kind == "Extension" and item.get("kind") == "web.search":
        request = {name: item[name] for name in ("query", "action") if item.get(name)}
        return InnerCall("web_search", request, Outcome("", _STATUS.get(str(item.get("status")))))
    return None


def _outcome(item: dict[str, Any], text: str) -> Outcome:
    code, took = item.get("exit_code"), item.get("duration_ms")
    failed = code != 0 if whole_number(code) else _STATUS.get(str(item.get("status")))
    duration = took if whole_number(took) and took >= 0 else milliseconds(item.get("duration"))
    error = (first_line(text) or (f"exit code {code}" if whole_number(code) else None)) if failed else None
    return Outcome(without_data(text), failed, error, duration)


def _joined(item: dict[str, Any]) -> str:
    return "\n".join(text for name in ("stdout", "stderr") if (text := words(item.get(name))))


def _content(result: Any) -> str:
    """Return the text of an MCP result: ``{content: [...]}``, as it is or inside ``Ok``, or an error."""
    if isinstance(result, dict):
        inner = result.get("Ok")
        found = inner if isinstance(inner, dict) else result
        for name in ("content", "content_items"):
            if isinstance(found.get(name), list):
                return parts_text(found[name])
        return words(result.get("Err")) or ""
    return words(result) or ""
