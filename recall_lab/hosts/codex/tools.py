"""Tool requests as text, and outcomes as far as a rollout tells them."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from recall_lab.hosts.codex.content import parts_text

_HEADER_LINES = 12
_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)\s*")
_WALL = re.compile(r"Wall time: ([0-9.]+)(?: seconds|s)?\s*")
_RUNNING = re.compile(r"Process running with session ID \S+\s*")
_HEADER = re.compile(r"(?:Chunk ID|Original token count|Total output lines|Warning): .*|Output:\s*")
_FAILURES = (
    *("failed in sandbox", "error:", "Error:", "execution error", "exec command rejected", "failed to parse"),
    *("unsupported call", "unsupported custom tool call", "aborted", "apply_patch verification failed", "err:"),
    *("write_stdin failed", "exec_command failed", "tool call failed", "tool call error", "timeout", "rejected"),
    *("Script failed", "command timed out", "user cancelled", "user rejected", "collab spawn failed"),
)
_ERROR_LENGTH = 2000  # code points; capture redacts, then cuts further


class Outcome(msgspec.Struct, frozen=True):
    """A tool's result: its text, and what it says of success and time."""

    text: str
    failed: bool | None = None
    error: str | None = None
    duration_ms: int | None = None


def tool_name(kind: str, name: Any, namespace: Any) -> str:
    """Return the name of the tool that a call asks for; ``namespace.name`` where the call has a namespace."""
    plain = name if isinstance(name, str) and name else kind.removesuffix("_call")
    if isinstance(namespace, str) and namespace and namespace != "functions":
        return f"{namespace}.{plain.lstrip('_')}"
    return plain


def request_text(tool: str, request: Any) -> str:
    """Return a readable, deterministic form of a whole request.

    The command comes first, as the command line; the other arguments follow in their order, ``name: value`` each. Text
    keeps its line breaks; lists and objects are indented. Arguments that are no JSON object stand as they are.
    """
    if isinstance(request, str):
        decoded = _decoded(request)
        if not isinstance(decoded, dict):
            return request or tool
        request = decoded
    if not isinstance(request, dict):
        return tool if request is None else "\n".join(_lines(request, ""))
    lines: list[str] = []
    for key in ("command", "cmd"):
        if key in request:
            lines.append(_command(request[key]))
            break
    else:
        key = ""
    lines += [line for name, value in request.items() if name != key for line in _field(name, value, "")]
    return "\n".join(lines) or tool


def outcome(output: Any) -> Outcome:
    """Read a call's output: plain text, a JSON envelope of text and metadata, or content parts."""
    if isinstance(output, str):
        head = output[:1]
        decoded = _decoded(output) if head in ("{", "[") else None
        if isinstance(decoded, dict) and isinstance(decoded.get("output"), str) and decoded.keys() <= _ENVELOPE:
            return _envelope(decoded)
        if isinstance(decoded, list) and decoded and all(map(_is_part, decoded)):
            return _plain(parts_text(decoded))
        return _plain(output)
    if isinstance(output, dict):
        if isinstance(output.get("output"), str):
            return _envelope(output)
        if isinstance(output.get("content"), str):
            failed = output.get("success") is False
            return Outcome(output["content"], failed, _first_line(output["content"]) if failed else None)
        return Outcome("\n".join(_lines(output, "")), False)
    if isinstance(output, list):
        return _plain(parts_text(output))
    return Outcome("", False)


_ENVELOPE = frozenset({"output", "metadata"})


def milliseconds(duration: Any) -> int | None:
    """Return a duration as the host writes it ({secs, nanos}, or seconds) in milliseconds."""
    if isinstance(duration, dict):
        secs, nanos = duration.get("secs"), duration.get("nanos")
        if isinstance(secs, int) and isinstance(nanos, int):
            return secs * 1000 + nanos // 1_000_000
        return None
    if isinstance(duration, int | float) and not isinstance(duration, bool) and 0 <= duration < 1e9:
        return round(duration * 1000)
    return None


def _envelope(value: dict[str, Any]) -> Outcome:
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    code = metadata.get("exit_code")
    text: str = value["output"]
    failed = code != 0 if isinstance(code, int) else False
    error = (_first_line(text) or f"exit code {code}") if failed else None
    return Outcome(text, failed, error, milliseconds(metadata.get("duration_seconds")))


def _plain(text: str) -> Outcome:
    """Read exit code and time from the lines that stand before a command's output, if there are any."""
    code: int | None = None
    duration: int | None = None
    running = False
    start = 0
    for _ in range(_HEADER_LINES):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        if match := _EXITED.fullmatch(line):
            code = int(match[1])
        elif match := _WALL.fullmatch(line):
            duration = _seconds(match[1])
        elif _RUNNING.fullmatch(line):
            running = True
        elif not _HEADER.fullmatch(line):
            break
        if end < 0:
            start = len(text)
            break
        start = end + 1
    if code is not None:
        error = (_first_line(text[start:]) or f"exit code {code}") if code else None
        return Outcome(text, code != 0, error, duration)
    if running:
        return Outcome(text, None, None, duration)
    failed = text.startswith(_FAILURES)
    return Outcome(text, failed, _first_line(text) if failed else None, duration)


def _seconds(text: str) -> int | None:
    try:
        return milliseconds(float(text))
    except ValueError:
        return None


def _first_line(text: str) -> str:
    for line in text[:_ERROR_LENGTH].splitlines():
        if line.strip():
            return line.strip()
    return ""


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str) and ("text" in value or "data" in value)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _command(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return value if isinstance(value, str) else "\n".join(_lines(value, ""))


def _field(name: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, str) and "\n" not in value:
        return [f"{indent}{name}: {value}"]
    if isinstance(value, str | list | dict) and value:
        return [f"{indent}{name}:", *_lines(value, indent + "  ")]
    return [f"{indent}{name}: {_scalar(value)}"]


def _lines(value: Any, indent: str) -> list[str]:
    if isinstance(value, str):
        return value.split("\n") if value else []
    if isinstance(value, dict):
        return [line for name, item in value.items() for line in _field(name, item, indent)]
    if isinstance(value, list):
        lines: list[str] = []
        for item in value:
            inner = _lines(item, indent + "  ")
            first = inner[0].lstrip(" ") if inner and not isinstance(item, str) else (inner[0] if inner else "")
            lines.append(f"{indent}- {first}")
            lines += inner[1:]
        return lines
    return [f"{indent}{_scalar(value)}"]


def _scalar(value: Any) -> str:
    return msgspec.json.encode(value).decode("utf-8")
