"""Tool requests as text, and outcomes as far as a rollout tells them."""

from __future__ import annotations

import re
import shlex
from typing import Any, TypeGuard

import msgspec

from recall_lab.hosts import _text
from recall_lab.hosts.codex.content import PART_TYPES, parts_text, without_data
from recall_lab.hosts.codex.records import Body

# What stands before a command's output: exit code, time, or that it still runs.
_HEADER = re.compile(
    r"(?:Chunk ID: .*\n)?(?:Exit code: (?P<exit>-?\d{1,10})\s*\n)?(?:Wall time: (?P<wall>[\d.]{1,20})(?: seconds)?\n)?"
    r"(?:Process exited with code (?P<code>-?\d{1,10})\n|(?P<runs>Process running with session ID .*\n))?"
    r"(?:Original token count: .*\n)?(?:Total output lines: .*\n)?(?:Warning: .*\n)?(?:Output:(?:\n|$))?"
)
_FAILURES = (
    *("failed in sandbox", "error:", "Error:", "execution error", "exec command rejected", "failed to parse"),
    *("unsupported call", "unsupported custom tool call", "aborted", "apply_patch verification failed", "err:"),
    *("write_stdin failed", "exec_command failed", "tool call failed", "tool call error", "command timed out"),
    *("Script failed", "user cancelled", "user rejected", "collab spawn failed", "Traceback (most recent call last)"),
)
_SCRIPT_FLAGS = frozenset({"-c", "-lc", "-ic", "-lic", "-cl", "-Command", "-command", "/c", "/C"})
_MOST = 1 << 53
_ERROR_CHARS = 4000  # how far the first line of a failure is looked for
_ENVELOPE = frozenset({"output", "metadata"})


class Outcome(msgspec.Struct, frozen=True):
    """A tool's result: its text, and what it says of success and time.

    ``failed`` is None where the result leaves it open; ``error`` is the first line of a failure.
    """

    text: str
    failed: bool | None = None
    error: str | None = None
    duration_ms: int | None = None


def tool_name(kind: str, name: Any, namespace: Any) -> str:
    """Return the name of the tool that a call asks for, with its namespace where it has one."""
    plain = name if isinstance(name, str) and name else kind.removesuffix("_call")
    if not isinstance(namespace, str) or namespace in {"", "functions"}:
        return plain
    return f"{namespace}{'' if plain.startswith('_') else '.'}{plain}"


def request_text(tool: str, request: Any) -> str:
    """Return the text of a whole request; ``hosts._text.request_text`` has its form.

    Arguments are decoded from their JSON, so that newlines are real; a command that is an array of words is shown as
    the command line, the script of ``bash -lc`` as it stands. Arguments that are no JSON object stand as they are.
    """
    if isinstance(request, str):
        decoded = _decoded(request) if request[:1] == "{" else None
        request = decoded if isinstance(decoded, dict) else request
    if isinstance(request, dict) and isinstance(request.get("command"), list):
        request = {**request, "command": _command_line(request["command"])}
    return without_data(_text.request_text(tool, request))


def outcome(output: Any) -> Outcome:
    """Read a call's output: plain text, a JSON envelope of text and metadata, or content parts."""
    if isinstance(output, str):
        decoded = _decoded(output) if output[:1] in ("{", "[") else None
        if isinstance(decoded, dict) and isinstance(decoded.get("output"), str) and decoded.keys() <= _ENVELOPE:
            return _envelope(decoded)
        if isinstance(decoded, list) and decoded and all(map(_is_part, decoded)):
            return _plain(parts_text(decoded))
        return _plain(without_data(output))
    if isinstance(output, dict):
        if isinstance(output.get("output"), str):
            return _envelope(output)
        text = output.get("content")
        if isinstance(text, str):
            failed = output.get("success") is False
            return Outcome(without_data(text), failed, first_line(text) if failed else None)
    if isinstance(output, list) and all(map(_is_part, output)):
        return _plain(parts_text(output))
    if output in (None, "", [], {}):
        return Outcome("", failed=False)
    return Outcome(without_data(_text.request_text("result", output).partition("\n")[2]), failed=False)


def milliseconds(duration: Any) -> int | None:
    """Return a duration in milliseconds; the host writes ``{secs, nanos}`` or seconds."""
    if isinstance(duration, dict):
        secs, nanos = duration.get("secs"), duration.get("nanos")
        duration = secs + nanos / 1e9 if whole_number(secs) and whole_number(nanos) else None
    if isinstance(duration, int | float) and not isinstance(duration, bool) and 0 <= duration < 1e9:
        return int(duration * 1000 + 0.5)
    return None


def _envelope(value: dict[str, Any]) -> Outcome:
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    code = metadata.get("exit_code")
    text = without_data(value["output"])
    failed = whole_number(code) and code != 0
    error = (first_line(text) or f"exit code {code}") if failed else None
    return Outcome(text, failed, error, milliseconds(metadata.get("duration_seconds")))


def _plain(text: str) -> Outcome:
    """Read exit code and time from the lines that stand before a command's output, if there are any."""
    head = _HEADER.match(text)
    assert head
    start = head.end()
    if not start:
        failed = text.startswith(_FAILURES)
        return Outcome(text, failed, first_line(text) if failed else None)
    exit_code, wall, code, runs = head.groups()
    duration = _seconds(wall) if wall else None
    if runs:
        return Outcome(text, None, None, duration)
    code = code or exit_code
    failed = int(code) != 0 if code else text.startswith(_FAILURES, start)
    if not failed:
        return Outcome(text, False, None, duration)
    error = first_line(text[start : start + _ERROR_CHARS])
    return Outcome(text, True, error or (f"exit code {code}" if code else None), duration)


def _seconds(text: str) -> int | None:
    try:
        return milliseconds(float(text))
    except ValueError:
        return None


def first_line(text: str) -> str:
    """Return the first line that is not blank, without the white space around it; empty when there is none."""
    return next((line for part in text[:_ERROR_CHARS].split("\n") if (line := part.strip())), "")


def _is_part(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in PART_TYPES


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _command_line(words: list[Any]) -> Any:
    if not all(isinstance(word, str) for word in words) or not words:
        return words
    line = shlex.join(words[:-1])
    if len(words) > 1 and words[-2] in _SCRIPT_FLAGS:
        return f"{line} {words[-1]}"
    return shlex.join(words)


def ending(body: Body) -> Outcome:
    """Return what an event tells of the end of a call, without its text."""
    failed: bool | None
    if whole_number(body.exit_code):
        failed = body.exit_code != 0
    elif isinstance(body.success, bool):
        failed = not body.success
    else:
        failed = _mcp_failed(body.result)
    error = first_line(body.stderr) if failed and isinstance(body.stderr, str) else ""
    return Outcome("", failed, error or None, milliseconds(body.duration))


def whole_number(value: Any) -> TypeGuard[int]:
    """Say whether a JSON value is a whole number, and not beyond what databases count with."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST


class _McpOk(msgspec.Struct, rename="camel"):
    is_error: bool | None = None


class _McpResult(msgspec.Struct, rename="pascal"):
    ok: _McpOk | None = None
    err: Any = None


def _mcp_failed(result: msgspec.Raw) -> bool | None:
    """Say whether an MCP call failed: its result is ``{"Ok": {"isError": …}}`` or ``{"Err": …}``."""
    try:
        found = msgspec.json.decode(result, type=_McpResult)
    except (msgspec.DecodeError, RecursionError):
        return None
    if found.err is not None:
        return True
    return bool(found.ok.is_error) if found.ok is not None else None
