"""How Codex's tool calls read, and what is known of how they ended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.hosts import HOSTS
from recall_lab.hosts.base import RawBlock, RawToolCall
from recall_lab.hosts.codex.tools import outcome, request_text
from tests.hosts.reading import problems_of, read
from tests.hosts.rollouts import AT, PATH, bare, call, event, header, item, meta, output

CODEX = HOSTS["codex"]


def calls(source: bytes) -> list[RawToolCall]:
    outcome = read(CODEX, source, PATH)
    assert problems_of(outcome, source) == []
    return list(outcome.tool_calls.values())


def blocks(source: bytes) -> list[RawBlock]:
    return read(CODEX, source, PATH).own


def texts(source: bytes) -> list[str]:
    return [block.text for block in blocks(source)]


# ---- requests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["ls", "-la"], "ls -la"),
        (["git", "commit", "-m", "two words"], "git commit -m 'two words'"),
        (["bash", "-lc", "rg -n 'x' . && echo \"y\""], "bash -lc rg -n 'x' . && echo \"y\""),
        (["powershell.exe", "-NoProfile", "-Command", "Get-ChildItem | Sort"], None),
    ],
)
def test_a_command_reads_as_its_command_line(command: list[str], shown: str | None) -> None:
    (text,) = texts(call("call_000001", command))
    assert text == f"shell\ncommand: {shown or ' '.join(command)}"


@pytest.mark.parametrize("odd", [None, True, 1, [], ["text"], {}, {"type": "text"}])
def test_a_part_whose_type_is_none_costs_no_more_than_its_text(odd: Any) -> None:
    source = output("call_000001", [{"type": odd, "text": "it"}]) + item(
        "message", role="user", content=[{"type": odd}]
    )
    source += output("call_000002", json.dumps([{"type": odd, "text": "it"}])) + output("call_000003", "whole")
    reading = read(HOSTS["codex"], source, PATH)
    assert problems_of(reading, source) == []
    assert reading.own[-1].text == "whole"


def test_arguments_are_laid_out_with_real_newlines() -> None:
    arguments = {
        "cmd": "cat <<E\nx\nE",
        "workdir": "/src",
        "yield_time_ms": 1000,
        "plan": [{"step": "a", "done": True}],
    }
    (text,) = texts(item("function_call", name="exec_command", arguments=json.dumps(arguments), call_id="call_000001"))
    assert text == (
        "exec_command\ncmd:\ncat <<E\nx\nE\nworkdir: /src\nyield_time_ms: 1000\nplan:\n  - step: a\n    done: true"
    )


@pytest.mark.parametrize(
    ("source", "tool", "text"),
    [
        (
            item("custom_tool_call", name="apply_patch", input="*** Begin Patch\n+x", call_id="call_000001"),
            "apply_patch",
            "apply_patch\n*** Begin Patch\n+x",
        ),
        (
            item("local_shell_call", call_id="call_000001", action={"type": "exec", "command": ["ls", "a b"]}),
            "local_shell",
            "local_shell\ntype: exec\ncommand: ls 'a b'",
        ),
        (
            item("web_search_call", status="completed", action={"type": "search", "query": "why"}),
            "web_search",
            "web_search\ntype: search\nquery: why",
        ),
        (
            item("tool_search_call", call_id="call_000001", arguments={"query": "issues", "limit": 5}),
            "tool_search",
            "tool_search\nquery: issues\nlimit: 5",
        ),
        (
            item(
                "image_generation_call", id="ig_1", revised_prompt="a fox", result="aGVsbG8=" * 99, status="completed"
            ),
            "image_generation",
            "image_generation\nprompt: a fox",
        ),
        (
            item("function_call", name="_fetch", namespace="mcp__hub", arguments='{"n":1}', call_id="call_000001"),
            "mcp__hub_fetch",
            "mcp__hub_fetch\nn: 1",
        ),
        (
            item("function_call", name="wait", namespace="agents", arguments="", call_id="call_000001"),
            "agents.wait",
            "agents.wait\n",
        ),
        (
            item("function_call", name="shell", arguments="{torn", call_id="call_000001"),
            "shell",
            "shell\n{torn",
        ),
        (
            bare("local_shell_call", id="ls_000001", action={"command": ["pwd"]}),
            "local_shell",
            "local_shell\ncommand: pwd",
        ),
    ],
)
def test_every_kind_of_call_is_kept_whole(source: bytes, tool: str, text: str) -> None:
    (block,) = blocks(meta() + source)
    assert (block.role, block.kind, block.tool, block.text) == ("assistant", "tool_use", tool, text)
    (found,) = calls(meta() + source)
    assert (found.tool, found.request_block, found.started) == (tool, block.block_id, AT)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_arguments_have_a_text(value: Any) -> None:
    assert request_text("tool", value).startswith("tool")
    assert request_text("tool", json.dumps(value)).startswith("tool")
    assert isinstance(outcome(value).text, str)


def test_deep_arguments_have_a_text() -> None:
    deep = '{"a":' * 5000 + "1" + "}" * 5000
    assert request_text("tool", deep) == f"tool\n{deep}"
    assert outcome(deep).text == deep


# ---- outcomes ------------------------------------------------------------------------------------------------------

HEAD = "Chunk ID: 9e8d70\nWall time: 0.3383 seconds\nProcess exited with code {}\nOriginal token count: 9\nOutput:\n"


def envelope(text: str, code: int, seconds: float = 0.5) -> str:
    return json.dumps({"output": text, "metadata": {"exit_code": code, "duration_seconds": seconds}})


@pytest.mark.parametrize(
    ("result", "failed", "error", "duration"),
    [
        (envelope("fine\n", 0), False, None, 500),
        (envelope("ls: no\nsuch", 2), True, "ls: no", 500),
        (envelope("", 1), True, "exit code 1", 500),
        (HEAD.format(0) + "fine", False, None, 338),
        (HEAD.format(1) + "\n  ls: no such file\n", True, "ls: no such file", 338),
        (HEAD.format(-1), True, "exit code -1", 338),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess", False, None, 100),
        (
            "Exit code: 101\nWall time: 12.5 seconds\nTotal output lines: 9\nOutput:\nerror[E0425]",
            True,
            "error[E0425]",
            12500,
        ),
        ("Chunk ID: a\nWall time: 30.0017 seconds\nProcess running with session ID 7\nOutput:\nx", None, None, 30002),
        ("Wall time: 4.3 seconds\nOutput:\n[]", False, None, 4300),
        ("Plan updated", False, None, None),
        ("failed in sandbox LinuxSeccomp with execution error: x", True, None, None),
        ("exec command rejected by user", True, "exec command rejected by user", None),
        (
            "apply_patch verification failed: Failed to find\nx",
            True,
            "apply_patch verification failed: Failed to find",
            None,
        ),
        ("no error: all is well", False, None, None),
        ({"content": "done", "success": True}, False, None, None),
        ({"content": "broken\npipe", "success": False}, True, "broken", None),
        ([{"type": "input_text", "text": "Script failed\nx"}], True, "Script failed", None),
        ({"matches": ["a:1"]}, False, None, None),
        (None, False, None, None),
    ],
)
def test_what_a_result_says_of_its_end(
    result: Any, failed: bool | None, error: str | None, duration: int | None
) -> None:
    (found,) = calls(meta() + call("call_000001") + output("call_000001", result))
    assert (found.failed, found.duration_ms) == (failed, duration)
    assert found.error == (error if error or not failed else result)
    assert (found.tool, found.started, found.ended) == ("shell", AT, AT)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (envelope("a\nb", 0), "a\nb"),
        ({"output": "a", "metadata": {"exit_code": 0}}, "a"),
        ('{"output": "a", "other": 1}', '{"output": "a", "other": 1}'),
        ('{"query": "x", "results": []}', '{"query": "x", "results": []}'),
        ('[{"type":"text","text":"a"},{"type":"text","text":"b"}]', "a\nb"),
        ("[1, 2]", "[1, 2]"),
        ({"matches": ["a:1"]}, "matches:\n  - a:1"),
        (HEAD.format(0) + "x", HEAD.format(0) + "x"),
    ],
)
def test_a_result_is_the_text_of_its_output(result: Any, text: str) -> None:
    (block,) = blocks(meta() + output("call_000001", result))
    assert (block.role, block.kind, block.text) == ("tool", "tool_result", text)


def test_a_call_and_its_result_are_joined_by_call_id() -> None:
    source = (
        meta() + call("call_000001") + call("call_000002") + output("call_000002", "b") + output("call_000001", "a")
    )
    ids = {block.text: block.block_id for block in blocks(source)}
    assert [(found.call_id, found.result_block) for found in calls(source)] == [
        ("call_000001", ids["a"]),
        ("call_000002", ids["b"]),
    ]


def test_a_call_without_words_still_ends() -> None:
    (found,) = calls(meta() + call("call_000001") + output("call_000001", ""))
    assert (found.failed, found.result_block, found.ended) == (False, None, AT)


@pytest.mark.parametrize(
    ("ending", "failed", "error", "duration"),
    [
        (event("exec_command_end", call_id="call_000001", exit_code=3, stderr="no\nx", duration={"secs": 1, "nanos": 5}), True, "no", 1000),
        (event("patch_apply_end", call_id="call_000001", success=False, stderr="bad hunk"), True, "bad hunk", None),
        (event("patch_apply_end", call_id="call_000001", success=True, stderr=""), False, None, None),
        (event("mcp_tool_call_end", call_id="call_000001", result={"Ok": {"isError": True}}, duration={"secs": 0, "nanos": 7_000_000}), True, None, 7),
        (event("mcp_tool_call_end", call_id="call_000001", result={"Ok": {"content": []}}), False, None, None),
        (event("mcp_tool_call_end", call_id="call_000001", result={"Err": "gone"}), True, None, None),
        (event("item_completed", item={"type": "CommandExecution", "id": "call_000001", "exit_code": 1, "aggregated_output": "no"}), True, "no", None),
    ],
)  # fmt: skip
def test_events_tell_how_a_call_ended(ending: bytes, failed: bool, error: str | None, duration: int | None) -> None:
    source = meta() + call("call_000001") + ending
    (found,) = calls(source)
    assert (found.tool, found.failed, found.error, found.duration_ms) == ("shell", failed, error, duration)
    assert len(blocks(source)) == 1
    assert read(CODEX, source, PATH).records[-1].disposition == "duplicate"


def test_the_calls_of_a_script_are_told_by_their_items_alone() -> None:
    source = meta() + item("custom_tool_call", name="exec", input="await run('ls')", call_id="call_000001")
    command = {
        "command": ["ls", "-l"],
        "cwd": "/src",
        "aggregated_output": "a\nb",
        "exit_code": 0,
        "status": "completed",
    }
    source += event("item_completed", item={"type": "CommandExecution", "id": "exec-1", **command})
    mcp = {
        "server": "hub",
        "tool": "fetch",
        "arguments": {"n": 1},
        "result": {"Ok": {"content": [{"type": "text", "text": "c"}]}},
    }
    source += event("item_completed", item={"type": "McpToolCall", "id": "exec-2", "status": "failed", **mcp})
    source += event(
        "item_completed",
        item={"type": "FileChange", "id": "exec-3", "changes": {"a.py": {"type": "add"}}, "stdout": "ok"},
    )
    source += event("item_completed", item={"type": "Extension", "kind": "web.search", "id": "exec-4", "query": "why"})
    assert texts(source) == [
        "exec\nawait run('ls')",
        "exec_command\ncommand: ls -l\nworkdir: /src",
        "a\nb",
        "hub.fetch\nn: 1",
        "c",
        "apply_patch\na.py:\n  type: add",
        "ok",
        "web_search\nquery: why",
    ]
    assert [(found.call_id, found.failed) for found in calls(source)] == [
        ("call_000001", None),
        ("exec-1", False),
        ("exec-2", True),
        ("exec-3", None),
        ("exec-4", None),
    ]


def test_files_of_2025_have_calls_too() -> None:
    source = header() + bare(
        "function_call", id="fc", name="shell", arguments='{"command":["ls"]}', call_id="call_000001"
    )
    source += bare("function_call_output", call_id="call_000001", output=envelope("a", 0))
    assert texts(source) == ["shell\ncommand: ls", "a"]
    assert [(found.failed, found.duration_ms) for found in calls(source)] == [(False, 500)]
