"""Writes a story as Codex does: ``{timestamp, type, payload}`` a line, or the bare records of 2025.

Shapes follow rollouts of Codex 0.14x: every message stands twice (``response_item`` and ``event_msg``), token totals
only grow and are sometimes said again, a fork replays its parent's records re-stamped.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from recall_lab.sample.invention import between, letters, moment, stamp, tokens, uuid4, uuid7
from recall_lab.sample.story import Call, Step, Story

_SYSTEM_TOKENS = 9_200  # the host's own prompt and tool descriptions
_TOTALS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens")
_PERMISSIONS = (
    "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is "
    "`workspace-write`. Network access is restricted.\n</permissions instructions>"
)


def thread_id(story: Story) -> str:
    """Return the id of the story's thread; the hosts of 2025 drew it at random, later ones by time."""
    if story.host == "codex-legacy":
        return uuid4("codex", story.name)
    return uuid7(moment(story.start), "codex", story.name)


def transcript_path(story: Story) -> PurePosixPath:
    """Return where the host keeps this story's transcript, under the user's home folder."""
    day = datetime.fromtimestamp(moment(story.start), UTC)
    name = f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{thread_id(story)}.jsonl"
    return PurePosixPath(".codex/sessions") / f"{day:%Y/%m/%d}" / name


class Rollout:
    """The lines of one story in the current format."""

    def __init__(self, story: Story, cwd: str, remote: str, parent: Rollout | None = None) -> None:
        self.story = story
        self.cwd = cwd
        self.id = thread_id(story)
        self.records: list[dict[str, Any]] = []
        self._parent = parent
        self._now = moment(story.start)
        self._count = 0
        self._turn: str | None = None
        self._model = story.model
        self._context = 0
        self._fresh = _SYSTEM_TOKENS + tokens(story.instructions or "")
        self._total = dict.fromkeys(_TOTALS, 0)
        self._last = dict(self._total)
        self._add("session_meta", self._meta(remote))
        if parent is not None and story.relation == "fork":
            self._replay(parent)
        for step in story.step:
            self._step(step)
        self._end_turn("")

    @property
    def lines(self) -> list[str]:
        """The records as the host writes them."""
        return [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in self.records]

    # ---- the steps -------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        self._model = step.model or self._model
        if step.after is not None:
            self._now += step.after
        if step.prompt is not None:
            self._end_turn("")
            if step.after is None:
                self._now += between(40, 200, self.story.name, "pause", self._count)
            self._prompt(step.prompt)
        if step.think or step.say or step.call:
            self._reply(step)
        if step.compact is not None:
            self._compact(step.compact.summary)
        if step.interrupt:
            self._event("turn_aborted", turn_id=self._turn, reason="interrupted")
            self._turn = None
        if step.raw is not None:
            self._add(step.raw["type"], step.raw["payload"])

    def _meta(self, remote: str) -> dict[str, Any]:
        name = self.story.name
        commit = letters(40, name, "commit", alphabet="0123456789abcdef")
        meta: dict[str, Any] = {
            "id": self.id,
            "timestamp": stamp(moment(self.story.start)),
            "cwd": self.cwd,
            "originator": "codex-tui",
            "cli_version": self.story.version,
            "source": "cli",
            "model_provider": "openai",
            "base_instructions": {"text": "You are Codex, a coding agent. You and the user share one workspace."},
            "git": {"commit_hash": commit, "branch": self.story.branch, "repository_url": remote},
        }
        if self._parent is not None and self.story.relation == "fork":
            meta["forked_from_id"] = self._parent.id
        if self._parent is not None and self.story.relation == "subagent":
            meta |= {"parent_thread_id": self._parent.id, "agent_nickname": "Plover"}
            meta["agent_role"] = self.story.agent_type
        return meta

    def _replay(self, parent: Rollout) -> None:
        """Repeat the parent's records, stamped with the moment of the fork."""
        self.records.extend({**record, "timestamp": stamp(self._now)} for record in parent.records)
        self._count = parent._count
        self._context, self._fresh = parent._context, parent._fresh
        self._total, self._last = dict(parent._total), dict(parent._last)

    def _prompt(self, text: str) -> None:
        turn = uuid7(self._now, self.story.name, "turn", self._count)
        first, self._turn = not any(r["type"] == "turn_context" for r in self.records), turn
        self._event("task_started", turn_id=turn, started_at=int(self._now), model_context_window=258_400)
        if first and self.story.relation != "subagent":
            self._message("developer", "input_text", _PERMISSIONS)
            self._message("user", "input_text", *self._host_texts())
        self._add("turn_context", self._turn_context(turn))
        if any(self._total.values()):
            self._tokens(dict.fromkeys(_TOTALS, 0))  # the totals so far, said again
        self._message("user", "input_text", text)
        self._event("user_message", message=text, images=[], local_images=[], text_elements=[])
        self._fresh += tokens(text)

    def _host_texts(self) -> tuple[str, ...]:
        environment = (
            f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>zsh</shell>\n"
            f"  <current_date>{self.story.start[:10]}</current_date>\n  <timezone>Europe/Helsinki</timezone>\n"
            "</environment_context>"
        )
        if self.story.instructions is None:
            return (environment,)
        agents = (
            f"# AGENTS.md instructions for {self.cwd}\n\n<INSTRUCTIONS>\n{self.story.instructions}\n</INSTRUCTIONS>"
        )
        return agents, environment

    def _turn_context(self, turn: str) -> dict[str, Any]:
        return {
            "turn_id": turn,
            "cwd": self.cwd,
            "current_date": stamp(self._now)[:10],
            "timezone": "Europe/Helsinki",
            "approval_policy": "on-request",
            "sandbox_policy": {"type": "workspace-write"},
            "model": self._model,
            "effort": "medium",
            "summary": "auto",
        }

    def _reply(self, step: Step) -> None:
        """Write one model response, the results of its tool calls, and the count of its tokens."""
        name, nth = self.story.name, self._count
        self._now += between(2, 9, name, "latency", nth)
        written = thought = 0
        if step.think:
            thought = tokens(step.think)
            self._event("agent_reasoning", text=step.think)
            summary = [{"type": "summary_text", "text": step.think}]
            sealed = letters(160, name, "sealed", nth)
            self._item("reasoning", summary=summary, encrypted_content=sealed)
        if step.say:
            written += tokens(step.say)
            phase = "commentary" if step.call else "final_answer"
            self._event("agent_message", message=step.say, phase=phase)
            self._message("assistant", "output_text", step.say, phase=phase)
        heard = 0
        for place, call in enumerate(step.call):
            written += tokens(json.dumps(call.input, ensure_ascii=False))
            heard += tokens(call.result)
            self._call(call, "call_" + letters(24, name, "call", nth, place))
        self._tokens(self._usage(written, thought))
        self._fresh += written + heard
        if not step.call:
            self._end_turn(step.say or "")

    def _call(self, call: Call, identifier: str) -> None:
        if call.tool == "apply_patch":
            self._item("custom_tool_call", status="completed", call_id=identifier, name=call.tool,
                       input=call.input["patch"])  # fmt: skip
            self._now += call.seconds
            self._event("patch_apply_end", call_id=identifier, turn_id=self._turn, stdout=call.result, stderr="",
                        success=call.exit == 0)  # fmt: skip
            output = f"Exit code: {call.exit}\nWall time: {call.seconds:g} seconds\nOutput:\n{call.result}"
            self._item("custom_tool_call_output", call_id=identifier, output=output)
        elif call.tool == "web_search":
            self._now += call.seconds
            action = {"type": "search", "query": call.input["query"]}
            self._event("web_search_end", call_id="ws_" + identifier, query=call.input["query"], action=action)
            self._item("web_search_call", status="completed", action=action)
        else:
            arguments = json.dumps({**call.input, "workdir": self.cwd}, ensure_ascii=False, separators=(",", ":"))
            self._item("function_call", name=call.tool, arguments=arguments, call_id=identifier)
            self._now += call.seconds
            chunk = letters(6, identifier, alphabet="0123456789abcdef")
            output = (
                f"Chunk ID: {chunk}\nWall time: {call.seconds:.4f} seconds\nProcess exited with code {call.exit}\n"
                f"Original token count: {tokens(call.result)}\nOutput:\n{call.result}"
            )
            self._item("function_call_output", call_id=identifier, output=output)

    def _compact(self, summary: str) -> None:
        texts = [r["payload"]["content"] for r in self.records if r["payload"].get("role") == "user"]
        history = [{"type": "message", "role": "user", "content": content} for content in texts]
        self._add("compacted", {"message": summary, "replacement_history": history})
        self._event("context_compacted")
        self._context, self._fresh = 0, _SYSTEM_TOKENS + tokens(summary)

    def _end_turn(self, last: str) -> None:
        if self._turn is not None:
            self._event("task_complete", turn_id=self._turn, last_agent_message=last, completed_at=int(self._now))
            self._turn = None

    def _usage(self, written: int, thought: int) -> dict[str, int]:
        """Return the usage of one call: input holds what was cached, output holds the reasoning."""
        cached = self._context // 128 * 128
        self._context, self._fresh = self._context + self._fresh, 0
        used = (self._context, cached, written + thought, thought, self._context + written + thought)
        return dict(zip(_TOTALS, used, strict=True))

    def _tokens(self, used: dict[str, int]) -> None:
        self._total = {key: self._total[key] + used[key] for key in _TOTALS}
        self._last = used if used["total_tokens"] else self._last
        info = {"total_token_usage": self._total, "last_token_usage": self._last, "model_context_window": 258_400}
        self._event("token_count", info=info, rate_limits=None)

    # ---- the lines -------------------------------------------------------------------------------------------------

    def _message(self, role: str, kind: str, *texts: str, **fields: Any) -> None:
        self._item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **fields)

    def _item(self, kind: str, **fields: Any) -> None:
        self._add("response_item", {"type": kind, **fields})

    def _event(self, kind: str, **fields: Any) -> None:
        self._add("event_msg", {"type": kind, **fields})

    def _add(self, kind: str, payload: dict[str, Any]) -> None:
        self._count += 1
        self._now += 0.012
        self.records.append({"timestamp": stamp(self._now), "type": kind, "payload": payload})


def legacy_lines(story: Story, cwd: str, remote: str) -> list[str]:
    """Return the lines of a story in the format of 2025: a bare header, then bare items, no times and no usage."""
    commit = letters(40, story.name, "commit", alphabet="0123456789abcdef")
    git = {"commit_hash": commit, "branch": story.branch, "repository_url": remote}
    header = {
        "id": thread_id(story),
        "timestamp": stamp(moment(story.start)),
        "instructions": story.instructions,
        "git": git,
    }
    context = f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
    records: list[dict[str, Any]] = [header, {"record_type": "state"}, _legacy_message("user", "input_text", context)]
    for nth, step in enumerate(story.step):
        if step.prompt is not None:
            records.append(_legacy_message("user", "input_text", step.prompt))
        if step.think:
            sealed = letters(160, story.name, "sealed", nth)
            identifier = "rs_" + letters(48, story.name, "reasoning", nth, alphabet="0123456789abcdef")
            summary = [{"type": "summary_text", "text": step.think}]
            records.append({"type": "reasoning", "id": identifier, "summary": summary, "encrypted_content": sealed})
        if step.say:
            records.append(_legacy_message("assistant", "output_text", step.say))
        for place, call in enumerate(step.call):
            identifier = "call_" + letters(24, story.name, "call", nth, place)
            arguments = json.dumps({"command": ["bash", "-lc", call.input["cmd"]], "workdir": cwd}, ensure_ascii=False)
            records.append(
                {"type": "function_call", "id": None, "name": "shell", "arguments": arguments, "call_id": identifier}
            )
            metadata = {"exit_code": call.exit, "duration_seconds": call.seconds}
            output = json.dumps({"output": call.result, "metadata": metadata}, ensure_ascii=False)
            records.append({"type": "function_call_output", "call_id": identifier, "output": output})
        records.append({"record_type": "state"})
    return [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records]


def _legacy_message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "id": None, "role": role, "content": [{"type": kind, "text": text}]}
