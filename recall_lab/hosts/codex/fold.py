"""Records in file order to blocks, calls and the session; the part of the parser that its checkpoint describes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from recall_lab.hosts.base import Event, RawBlock, RawModelCall, RawRecord, RawSession, RawToolCall, make_id
from recall_lab.hosts.codex.content import image_placeholder, part_text, without_data
from recall_lab.hosts.codex.pairing import event_text, is_wrapper
from recall_lab.hosts.codex.records import Record
from recall_lab.hosts.codex.tools import milliseconds, outcome, request_text, tool_name
from recall_lab.hosts.codex.usage import Counted, Usage
from recall_lab.model import Disposition, Kind, Role
from recall_lab.times import normalise_time

_NATIVE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/|=+-]{0,199}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LONG_ID = 16  # a shorter turn_id is a number within its session

_EXCLUDED = frozenset({"reasoning", "compaction", "context_compaction", "compaction_summary"})
_EXCLUDED_EVENTS = frozenset(
    {
        *("agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "agent_reasoning_delta"),
    }
)
_CALLS = frozenset(
    {
        *("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"),
        "image_generation_call",
    }
)
_OUTPUTS = frozenset(
    {
        *("function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output"),
    }
)
_ENDINGS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "web_search_end"})
_REPEATS = frozenset({*_ENDINGS, "image_generation_end", "dynamic_tool_call_response", "raw_response_item"})


class State(msgspec.Struct):
    """What the fold knows at a point of the file: numbers and hashes of ids, never text."""

    ord: int = 0
    turn: int = 0
    started: bool = False  # the session is known from a session_meta or header
    bare: bool = False
    user_events: bool = False
    origin: str = ""  # hash of the latest session_meta's id
    lineage: str = ""  # hash of the id of the session that this one was forked or spawned from, else of its own
    turn_key: str = ""  # hash of the current turn_id
    anchor: str = ""  # hash of what block ids count from
    counts: dict[str, int] = {}
    metas: dict[str, int] = {}
    timestamp: str | None = None
    usage: Usage = msgspec.field(default_factory=Usage)


class Fold:
    """Reads records strictly in order and keeps the events they make."""

    def __init__(self, state: State, session: RawSession) -> None:
        self.state = state
        self.session = session
        self.session_changed = False
        self.cwd = session.cwd
        self.events: list[Event] = []

    def apply(self, record: Record) -> None:
        """Take in the next record."""
        disposition = record.disposition
        if disposition is None:
            stamp = self._time(record.timestamp)
            if record.group == "item":
                disposition = self._item(record, stamp)
            elif record.group == "event":
                disposition = self._event(record, stamp)
            else:
                handler = _HANDLERS.get(record.kind or record.group)
                disposition = handler(self, record, stamp) if handler else "metadata"
        self.events.append(RawRecord(record.name, disposition, record.offset, record.length, record.reason))

    # ---- sessions, turns, anchors ----------------------------------------------------------------------------------

    def _session_meta(self, record: Record, _stamp: str | None) -> Disposition:
        state, body = self.state, record.body
        native = _native(body.id)
        if not state.started:
            state.started = True
            state.bare = record.group == "header"
            self._begin(body, native)
        if native:
            origin = make_id("codex", "session", native)
            nth = state.metas.get(origin, 0)
            state.metas[origin] = nth + 1
            state.origin = origin
            state.turn_key = ""
            self._anchor("session", origin, str(nth) if nth else "")
            state.usage.enter(origin)
        return "metadata"

    def _begin(self, body: Any, native: str | None) -> None:
        spawn = _spawn(body.source)
        parent = _native(body.parent_thread_id) or _native(spawn.get("parent_thread_id"))
        forked = _native(body.forked_from_id)
        is_child = parent is not None or _is_subagent(body.source)
        if is_child and parent is None and _native(body.session_id) not in (None, native):
            parent = _native(body.session_id)
        git = body.git if isinstance(body.git, dict) else {}
        nick = body.agent_role or spawn.get("agent_role") or body.agent_nickname or spawn.get("agent_nickname")
        native = native or self.session.native_id
        self.state.lineage = make_id("codex", "session", (parent if is_child else None) or forked or native)
        self.cwd = _text(body.cwd)
        self.session = RawSession(
            native_id=native,
            parent_id=(parent or forked) if is_child else forked,
            relation="subagent" if is_child else "fork" if forked else None,
            agent_id=native if is_child else None,
            agent_type=_text(nick) if is_child else None,
            title=self.session.title,
            cwd=self.cwd,
            branch=_text(git.get("branch")),
            remote=_text(git.get("repository_url")),
            model=_text(body.model),
            version=_text(body.cli_version),
        )
        self.session_changed = True

    def _turn_context(self, record: Record, _stamp: str | None) -> Disposition:
        body = record.body
        self._turn_id(body.turn_id)
        self._settings(body.model, body.cwd)
        return "metadata"

    def _settings(self, model: Any, cwd: Any) -> None:
        if _text(model) and model != self.session.model:
            self.session = msgspec.structs.replace(self.session, model=model)
            self.session_changed = True
        if _text(cwd):
            self.cwd = cwd

    def _turn_id(self, turn_id: Any) -> None:
        native = _native(turn_id)
        if native is None:
            return
        state = self.state
        key = make_id("codex", "turn", native, "" if len(native) >= _LONG_ID else state.lineage)
        if key != state.turn_key:
            state.turn_key = key
            self._anchor("turn", key)
            state.usage.enter(key)

    def _anchor(self, *parts: str) -> None:
        self.state.anchor = make_id("codex", *parts)
        self.state.counts = {}

    def _next_id(self, label: str) -> str:
        """Return H(host, anchor, role or type, nth since the anchor)."""
        counts = self.state.counts
        nth = counts.get(label, 0)
        counts[label] = nth + 1
        return make_id("codex", self.state.anchor, label, nth)

    def _time(self, timestamp: Any) -> str | None:
        if timestamp is not None:
            stamp = normalise_time(timestamp)
            if stamp is not None:
                self.state.timestamp = stamp
        return self.state.timestamp

    # ---- response items --------------------------------------------------------------------------------------------

    def _item(self, record: Record, stamp: str | None) -> Disposition:
        kind = record.kind
        if kind == "message":
            return self._message(record, stamp)
        if kind in _EXCLUDED:
            return "excluded"
        if kind in _CALLS:
            return self._call(record, stamp)
        if kind in _OUTPUTS:
            return self._output(record, stamp)
        if kind == "agent_message":
            return self._agent_message(record, stamp)
        return "metadata"

    def _message(self, record: Record, stamp: str | None) -> Disposition:
        body, roles = record.body, record.roles or []
        content = body.content if isinstance(body.content, list) else [body.content]
        label = body.role if isinstance(body.role, str) else "message"
        if "user" in roles:
            self.state.turn += 1
        made = False
        for part, role in zip(content, roles, strict=True):
            if is_wrapper(part, content):
                continue
            block_id = self._next_id(label)
            text = part_text(part)
            if text:
                model = self.session.model if role == "assistant" else None
                self._block(record, block_id, role, "text", text, stamp, model=model)
                made = True
        return "indexed" if made else "metadata"

    def _call(self, record: Record, stamp: str | None) -> Disposition:
        body, kind = record.body, record.kind
        call_id = _native(body.call_id) or (_native(body.id) if kind == "local_shell_call" else None)
        tool = tool_name(kind, body.name, body.namespace)
        if kind == "local_shell_call" or kind == "web_search_call":
            request = body.action
        elif kind == "image_generation_call":
            request = body.revised_prompt
        else:
            request = body.input if body.input is not None else body.arguments
        block_id = make_id("codex", call_id, kind) if call_id else self._next_id(kind)
        if call_id:
            self._anchor(kind, call_id)
        text = request_text(tool, request)
        self._block(record, block_id, "assistant", "tool_use", text, stamp, tool, call_id, self.session.model)
        failed: bool | None = None
        if kind in ("web_search_call", "image_generation_call"):
            failed = {"completed": False, "failed": True}.get(body.status) if isinstance(body.status, str) else None
            if kind == "web_search_call":
                self.state.usage.searches += 1
        self.events.append(
            RawToolCall(
                call_id=call_id or _native(body.id) or block_id,
                turn=self.state.turn,
                tool=tool,
                request_block=block_id,
                started=stamp,
                failed=failed,
            )
        )
        return "indexed"

    def _output(self, record: Record, stamp: str | None) -> Disposition:
        body, kind = record.body, record.kind
        call_id = _native(body.call_id) or (_native(body.id) if kind == "local_shell_call_output" else None)
        result = outcome(body.tools if kind == "tool_search_output" and body.output is None else body.output)
        block_id = make_id("codex", call_id, kind) if call_id else self._next_id(kind)
        if call_id:
            self._anchor(kind, call_id)
        if result.text:
            self._block(record, block_id, "tool", "tool_result", result.text, stamp, None, call_id)
        if call_id:
            self.events.append(
                RawToolCall(
                    call_id=call_id,
                    turn=self.state.turn,
                    result_block=block_id if result.text else None,
                    ended=stamp,
                    failed=result.failed,
                    error=result.error,
                    duration_ms=result.duration_ms,
                )
            )
        return "indexed" if result.text or call_id else "metadata"

    def _agent_message(self, record: Record, stamp: str | None) -> Disposition:
        """Index what another agent said to this one; the host delivers it, so it is the host's."""
        content = record.body.content
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(words for part in parts if (words := part_text(part)))
        block_id = self._next_id(record.kind)
        if not text:
            return "excluded"
        self._block(record, block_id, "host", "text", text, stamp)
        return "indexed"

    # ---- events ----------------------------------------------------------------------------------------------------

    def _event(self, record: Record, stamp: str | None) -> Disposition:
        kind, body = record.kind, record.body
        if kind == "token_count":
            self._counted(self.state.usage.token_count(body.info), stamp)
            return "metadata"
        if kind in _EXCLUDED_EVENTS:
            return "excluded"
        if kind in ("user_message", "agent_message"):
            return self._said(record, stamp)
        if kind in ("task_started", "turn_started"):
            self._turn_id(body.turn_id)
        elif kind in _ENDINGS:
            self._ended(body)
        elif kind == "item_completed":
            return self._completed(record, stamp)
        elif kind == "thread_name_updated" and _text(body.thread_name):
            self.session = msgspec.structs.replace(self.session, title=body.thread_name)
            self.session_changed = True
        elif kind == "thread_settings_applied" and isinstance(body.thread_settings, dict):
            self._settings(body.thread_settings.get("model"), body.thread_settings.get("cwd"))
        return "duplicate" if kind in _REPEATS else "metadata"

    def _said(self, record: Record, stamp: str | None) -> Disposition:
        """Index a message that no response item repeats."""
        said = event_text(record)
        if said is None or record.repeated:
            return "duplicate"
        is_user, text = said
        pictures = [image_placeholder(source) for source in _list(record.body.images) + _list(record.body.local_images)]
        text = "\n".join([part for part in (without_data(text), *pictures) if part])
        if not text:
            return "metadata"
        if is_user:
            self.state.turn += 1
        block_id = self._next_id(record.kind)
        model = None if is_user else self.session.model
        self._block(record, block_id, "user" if is_user else "assistant", "text", text, stamp, model=model)
        return "indexed"

    def _completed(self, record: Record, stamp: str | None) -> Disposition:
        item = record.body.item
        kind = item.get("type") if isinstance(item, dict) else None
        if kind in ("UserMessage", "AgentMessage"):
            return self._said(record, stamp)
        if kind == "Reasoning":
            return "excluded"
        call_id = _native(item.get("id")) if isinstance(item, dict) else None
        if call_id and kind in ("CommandExecution", "FileChange", "McpToolCall"):
            code, status = item.get("exit_code"), item.get("status")
            failed = code != 0 if _is_int(code) else {"completed": False, "failed": True}.get(status)
            took = item.get("duration_ms")
            duration = took if _is_int(took) else milliseconds(item.get("duration"))
            self.events.append(RawToolCall(call_id=call_id, turn=self.state.turn, failed=failed, duration_ms=duration))
        return "duplicate"

    def _ended(self, body: Any) -> None:
        """Take exit code, success and time of a call from the event that tells of its end."""
        call_id = _native(body.call_id)
        failed: bool | None = None
        if _is_int(body.exit_code):
            failed = body.exit_code != 0
        elif isinstance(body.success, bool):
            failed = not body.success
        else:
            failed = _mcp_failed(body.result)
        duration = milliseconds(body.duration)
        if call_id and (failed is not None or duration is not None):
            error = _text(body.stderr) if failed else None
            first = error.strip().partition("\n")[0] if error else None
            self.events.append(
                RawToolCall(call_id=call_id, turn=self.state.turn, failed=failed, error=first or None, duration_ms=duration)
            )

    def _counted(self, counted: Counted | None, stamp: str | None) -> None:
        if counted is None:
            return
        tokens = counted.tokens
        self.events.append(
            RawModelCall(
                key=counted.key,
                model=self.session.model,
                timestamp=stamp,
                turn=self.state.turn,
                input_tokens=max(0, tokens.input - tokens.cached - tokens.cache_write),
                output_tokens=tokens.output,
                cache_read_tokens=tokens.cached,
                cache_write_5m_tokens=tokens.cache_write,
                reasoning_tokens=tokens.reasoning,
                web_searches=counted.web_searches,
                final=True,
                sidechain=self.session.relation == "subagent",
            )
        )

    # ---- other records ---------------------------------------------------------------------------------------------

    def _compacted(self, record: Record, stamp: str | None) -> Disposition:
        """Index the summary; ``replacement_history`` repeats what was said before."""
        text = _text(record.body.message)
        block_id = self._next_id("compacted")
        if not text:
            return "metadata"
        self._block(record, block_id, "host", "summary", text, stamp)
        return "indexed"

    def _agents(self, record: Record, stamp: str | None) -> Disposition:
        return self._agent_message(record, stamp)

    def _usage_record(self, record: Record, stamp: str | None) -> Disposition:
        self._counted(self.state.usage.usage_record(record.body.usage), stamp)
        return "metadata"

    def _block(
        self,
        record: Record,
        block_id: str,
        role: Role,
        kind: Kind,
        text: str,
        stamp: str | None,
        tool: str | None = None,
        call_id: str | None = None,
        model: str | None = None,
    ) -> None:
        state = self.state
        self.events.append(
            RawBlock(
                block_id=block_id,
                role=role,
                kind=kind,
                text=text,
                ord=state.ord,
                turn=state.turn,
                offset=record.offset,
                timestamp=stamp,
                cwd=self.cwd,
                branch=self.session.branch,
                tool=tool,
                call_id=call_id,
                model=model,
            )
        )
        state.ord += 1


_HANDLERS: dict[str, Callable[[Fold, Record, str | None], Disposition]] = {
    "session_meta": Fold._session_meta,
    "header": Fold._session_meta,
    "turn_context": Fold._turn_context,
    "compacted": Fold._compacted,
    "inter_agent_communication": Fold._agents,
    "token_usage_record": Fold._usage_record,
}


def _native(value: Any) -> str | None:
    """Return a host's id; None for what cannot be one."""
    return value if isinstance(value, str) and _NATIVE.fullmatch(value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _spawn(source: Any) -> dict[str, Any]:
    subagent = source.get("subagent") if isinstance(source, dict) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    return spawn if isinstance(spawn, dict) else {}


def _is_subagent(source: Any) -> bool:
    return source == "subagent" or (isinstance(source, dict) and "subagent" in source)


def _mcp_failed(result: msgspec.Raw) -> bool | None:
    """Read whether an MCP call failed from ``{Ok: {isError}}`` or ``{Err}``."""
    try:
        value = msgspec.json.decode(result, type=_McpResult)
    except (msgspec.DecodeError, RecursionError):
        return None
    if value.Err is not None:
        return True
    return value.Ok.isError if value.Ok is not None else None


class _McpOk(msgspec.Struct):
    isError: bool = False  # noqa: N815  (the host's name)


class _McpResult(msgspec.Struct):
    Ok: _McpOk | None = None
    Err: Any = None
