"""Records in file order to blocks, calls and the session; the part of the parser that its checkpoint describes."""

from __future__ import annotations

from typing import Any

import msgspec

from recall_lab.hosts._names import TypeNames, utc_time
from recall_lab.hosts.base import Event, RawBlock, RawModelCall, RawRecord, RawSession, RawToolCall, make_id
from recall_lab.hosts.codex.content import image_text, is_blank, part_text, tags, without_data
from recall_lab.hosts.codex.items import inner_call
from recall_lab.hosts.codex.kinds import (
    CALLS,
    ENDINGS,
    EVENTS,
    ITEMS,
    OUTPUTS,
    REPEATING_EVENTS,
    SEALED_EVENTS,
    SEALED_ITEMS,
)
from recall_lab.hosts.codex.pairing import event_words
from recall_lab.hosts.codex.records import Record
from recall_lab.hosts.codex.sessions import cwd_told, facts_of, plain, words
from recall_lab.hosts.codex.state import NAME, State
from recall_lab.hosts.codex.tools import Outcome, ending, outcome, request_text, tool_name, whole_number
from recall_lab.hosts.codex.usage import Counted
from recall_lab.model import Disposition, Kind, Role

_ITEM_NAMES = {kind: f"response_item/{kind}" for kind in ITEMS}
_EVENT_NAMES = {kind: f"event_msg/{kind}" for kind in EVENTS}


class Fold:
    """Reads records strictly in order; ``events`` are those not yet taken.

    Args:
        state: Where to go on.
        known: What is known of the session there.
    """

    def __init__(self, state: State, known: RawSession) -> None:
        self.state = state
        self.events: list[Event] = []
        self._names = TypeNames(state.names)
        self._cwd = known.cwd
        self._branch = known.branch
        self._model = known.model
        self._relation = known.relation
        self.news: dict[str, Any] = {}  # facts of the session that did not go out yet

    def apply(self, record: Record) -> None:
        """Take in the next record."""
        place = len(self.events)
        disposition: Disposition
        group, kind, reason = record.group, record.kind, record.note
        if group == "item":
            name = kind if record.bare else _ITEM_NAMES[kind]
            disposition = self._item(record, self._time(record.timestamp))
        elif group == "event":
            name = _EVENT_NAMES[kind]
            disposition = self._event(record, self._time(record.timestamp))
        elif group == "unknown":
            name = "/".join(map(self._names, kind))
            disposition, reason = "unknown", f"unknown record type {name}"
        elif group == "malformed":
            name, disposition = "line", "malformed"
        elif group == "pending":
            name, disposition = "line", "pending"
        elif group == "state":
            name, disposition = self._names(kind), "metadata"
        else:
            name = kind
            disposition = self._other(record, self._time(record.timestamp))
        self.events.insert(place, RawRecord(name, disposition, record.offset, record.length, reason))

    def save(self) -> State:
        """Return the state, brought up to date."""
        self.state.names = self._names.known
        return self.state

    def session(self) -> RawSession:
        """Return what blocks to come take from the session."""
        return RawSession(
            native_id=self.state.session or "",
            relation=self._relation,
            cwd=self._cwd,
            branch=self._branch,
            model=self._model,
        )

    # ---- sessions, turns, anchors ----------------------------------------------------------------------------------

    def _session_meta(self, record: Record) -> Disposition:
        state, own = self.state, plain(record.body.id)
        state.bare = state.bare or record.bare
        if own is None:
            return "metadata"
        facts = facts_of(record.body, own)
        if state.session is None:
            state.begin(own, facts.parent_id)
            self._cwd, self._branch, self._relation = facts.cwd, facts.branch, facts.relation
            self._model = facts.model or self._model
            self.news |= {name: value for name, value in msgspec.structs.asdict(facts).items() if value is not None}
        state.enter_session(own, facts.parent_id)
        return "metadata"

    def _turn_context(self, record: Record) -> Disposition:
        body = record.body
        self.state.enter_turn(body.turn_id)
        self._settings(body.model, body.cwd)
        return "metadata"

    def _settings(self, model: Any, cwd: Any) -> None:
        if words(model) and model != self._model:
            self._model = self.news["model"] = model
        if words(cwd):
            if self._cwd is None:
                self.news["cwd"] = cwd
            self._cwd = cwd

    def _time(self, timestamp: Any) -> str | None:
        """Return a record's time; one that has none (all of 2025-08) is of the time of the record before."""
        if timestamp is not None:
            stamp = utc_time(timestamp)
            if stamp is not None:
                self.state.timestamp = stamp
        return self.state.timestamp

    # ---- response items --------------------------------------------------------------------------------------------

    def _item(self, record: Record, stamp: str | None) -> Disposition:
        kind = record.kind
        if kind == "message":
            return self._message(record, stamp)
        if kind in SEALED_ITEMS:
            return "excluded"
        if kind in CALLS:
            return self._call(record, stamp)
        if kind in OUTPUTS:
            return self._output(record, stamp)
        return self._delivered(record, stamp) if kind == "agent_message" else "metadata"

    def _message(self, record: Record, stamp: str | None) -> Disposition:
        body, roles = record.body, record.roles or []
        content = body.content if isinstance(body.content, list) else [body.content]
        label = body.role if body.role in ("user", "assistant", "developer", "system") else "message"
        if "user" in roles:
            self.state.start_turn()
        disposition: Disposition = "metadata"
        for part, role, tag in zip(content, roles, tags(content), strict=True):
            if tag:
                continue
            block_id = self.state.next_id(label)
            text = part_text(part)
            if self._cwd is None and role == "host" and (cwd := cwd_told(text)):
                self._settings(None, cwd)
            if not is_blank(text):
                self._block(record, block_id, role, "text", text, stamp)
                disposition = "indexed"
        return disposition

    def _call(self, record: Record, stamp: str | None) -> Disposition:
        body, kind = record.body, record.kind
        tool = tool_name(kind, body.name, body.namespace)
        block_id, call_id = self._call_ids(record)
        if kind in ("local_shell_call", "web_search_call"):
            request = body.action
        elif kind == "image_generation_call":
            request = {"prompt": body.revised_prompt} if words(body.revised_prompt) else None
        else:
            request = body.input if body.input is not None else body.arguments
        text = request_text(tool, request)
        self._block(record, block_id, "assistant", "tool_use", text, stamp, tool=tool, call_id=call_id)
        failed: bool | None = None
        if kind in ("web_search_call", "image_generation_call"):
            # They have no output of their own.
            failed = {"completed": False, "failed": True}.get(str(body.status))
        if kind == "web_search_call":
            self.state.usage.searches += 1
        self._called(
            call_id=call_id or plain(body.id) or block_id,
            tool=tool,
            request_block=block_id,
            started=stamp,
            failed=failed,
        )
        return "indexed"

    def _output(self, record: Record, stamp: str | None) -> Disposition:
        body = record.body
        result = outcome(body.tools if record.kind == "tool_search_output" else body.output)
        block_id, call_id = self._call_ids(record)
        told = not is_blank(result.text)
        if told:
            self._block(record, block_id, "tool", "tool_result", result.text, stamp, call_id=call_id)
        if call_id:
            self._called(
                call_id=call_id,
                result_block=block_id if told else None,
                ended=stamp,
                failed=result.failed,
                error=result.error,
                duration_ms=result.duration_ms,
            )
        return "indexed" if told else "metadata"

    def _call_ids(self, record: Record) -> tuple[str, str | None]:
        """Return (block id, call_id) of a call or its output."""
        body, kind = record.body, record.kind
        call_id = plain(body.call_id) or (plain(body.id) if kind.startswith("local_shell") else None)
        return (self.state.call_id(call_id, kind) if call_id else self.state.next_id(kind)), call_id

    def _delivered(self, record: Record, stamp: str | None) -> Disposition:
        """Index what another agent said to this one; the host brings it, so it is the host's."""
        content = record.body.content
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(said for part in parts if (said := part_text(part)))
        block_id = self.state.next_id(record.kind)
        if is_blank(text):
            return "excluded"
        self._block(record, block_id, "host", "text", text, stamp)
        return "indexed"

    # ---- events ----------------------------------------------------------------------------------------------------

    def _event(self, record: Record, stamp: str | None) -> Disposition:
        kind, body = record.kind, record.body
        if kind == "token_count":
            self._count(self.state.usage.token_count(body.info), stamp)
            return "metadata"
        if kind in ("user_message", "agent_message"):
            return self._said(record, stamp)
        if kind in SEALED_EVENTS:
            return "excluded"
        if kind in ("task_started", "turn_started"):
            self.state.enter_turn(body.turn_id)
        elif kind == "item_completed":
            return self._completed(record, stamp)
        elif kind in ENDINGS:
            self._ended(ending(body), body.call_id)
        elif kind == "thread_rolled_back" and whole_number(body.num_turns):
            self.state.roll_back(body.num_turns)
        elif kind == "thread_name_updated" and words(body.thread_name):
            self.news["title"] = body.thread_name
        return "duplicate" if kind in REPEATING_EVENTS else "metadata"

    def _said(self, record: Record, stamp: str | None) -> Disposition:
        """Index a message that no response item repeats."""
        said = event_words(record)
        if said is None or record.repeated:
            return "duplicate"
        is_user, text = said
        body = record.body
        found = [*_list(body.images), *_list(body.local_images)]
        pictures = map(image_text, found)
        text = "\n".join(part for part in (without_data(text), *pictures) if part)
        if is_blank(text):
            return "metadata"
        if is_user:
            self.state.start_turn()
        role: Role = "user" if is_user else "assistant"
        self._block(record, self.state.next_id(record.kind), role, "text", text, stamp)
        return "indexed"

    def _completed(self, record: Record, stamp: str | None) -> Disposition:
        """Read an item that is complete (Codex 0.15x): a message again, a call's end, or the call of a script."""
        item = record.body.item if isinstance(record.body.item, dict) else {}
        if item.get("type") in ("UserMessage", "AgentMessage"):
            return self._said(record, stamp)
        if item.get("type") == "Reasoning":
            return "excluded"
        call, call_id = inner_call(item), plain(item.get("id"))
        if call is None:
            return "duplicate"
        if call_id and self.state.has_called(call_id):
            self._ended(call.outcome, call_id)
            return "duplicate"
        ids = [
            make_id(NAME, call_id, label) if call_id else self.state.next_id(label) for label in ("item", "item_output")
        ]
        text, result = request_text(call.tool, call.request), call.outcome
        self._block(record, ids[0], "assistant", "tool_use", text, stamp, tool=call.tool, call_id=call_id)
        told = not is_blank(result.text)
        if told:
            self._block(record, ids[1], "tool", "tool_result", result.text, stamp, call_id=call_id)
        self._called(
            call_id=call_id or ids[0],
            tool=call.tool,
            request_block=ids[0],
            result_block=ids[1] if told else None,
            ended=stamp,
            failed=result.failed,
            error=result.error,
            duration_ms=result.duration_ms,
        )
        return "indexed"

    def _ended(self, end: Outcome, call_id: Any) -> None:
        own = plain(call_id)
        if own and (end.failed is not None or end.duration_ms is not None):
            self._called(call_id=own, failed=end.failed, error=end.error, duration_ms=end.duration_ms)

    # ---- other records ---------------------------------------------------------------------------------------------

    def _other(self, record: Record, stamp: str | None) -> Disposition:
        kind = record.kind
        if kind == "turn_context":
            return self._turn_context(record)
        if kind in ("session_meta", "header"):
            return self._session_meta(record)
        if kind == "compacted":
            return self._compacted(record, stamp)
        if kind == "token_usage_record":
            self._count(self.state.usage.usage_record(record.body.usage), stamp)
        return self._delivered(record, stamp) if kind == "inter_agent_communication" else "metadata"

    def _compacted(self, record: Record, stamp: str | None) -> Disposition:
        """Index the summary; ``replacement_history`` repeats what was said before."""
        block_id = self.state.next_id(record.kind)
        text = words(record.body.message)
        if text is None or is_blank(text):
            return "metadata"
        self._block(record, block_id, "host", "summary", text, stamp)
        return "indexed"

    # ---- what comes of it ------------------------------------------------------------------------------------------

    def _count(self, counted: Counted | None, stamp: str | None) -> None:
        if counted is None:
            return
        tokens = counted.tokens
        call = RawModelCall(
            key=counted.key,
            model=self._model,
            timestamp=stamp,
            turn=self.state.turn,
            input_tokens=max(0, tokens.input_tokens - tokens.cached_input_tokens - tokens.cache_write_input_tokens),
            output_tokens=tokens.output_tokens,
            cache_read_tokens=tokens.cached_input_tokens,
            cache_write_5m_tokens=tokens.cache_write_input_tokens,
            reasoning_tokens=tokens.reasoning_output_tokens,
            web_searches=counted.searches,
            final=True,
            sidechain=self._relation == "subagent",
        )
        self.events.append(call)

    def _called(self, *, call_id: str, **told: Any) -> None:
        self.events.append(RawToolCall(call_id=call_id, turn=self.state.turn, **told))

    def _block(
        self,
        record: Record,
        block_id: str,
        role: Role,
        kind: Kind,
        text: str,
        stamp: str | None,
        *,
        tool: str | None = None,
        call_id: str | None = None,
    ) -> None:
        state = self.state
        block = RawBlock(
            block_id=block_id,
            role=role,
            kind=kind,
            text=text,
            ord=state.ord,
            turn=state.turn,
            offset=record.offset,
            timestamp=stamp,
            cwd=self._cwd,
            branch=self._branch,
            tool=tool,
            call_id=call_id,
            model=self._model if role == "assistant" else None,
        )
        self.events.append(block)
        state.ord += 1


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
