"""Reads one session of the Copilot CLI: events in, events out.

A response's tokens come in two parts: each message logs what it wrote, and the input, the cache and the reasoning stand
only in the totals by model that the session's end logs, for the whole session so far. So the last message of a model
gets what the totals have beyond the messages; a session that has not ended shows output alone.
"""

from __future__ import annotations

import re
from pathlib import PurePath

import msgspec

from recall_lab.hosts._content import count, first_line, media_text
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._lines import LineParser, LineState, Taken, key_of
from recall_lab.hosts._names import is_uuid, plain_id, utc_time
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Checkpoint, Event, RawBlock, RawModelCall, RawToolCall, make_id
from recall_lab.hosts.copilot.records import (
    LEFT_OUT,
    SILENT,
    SPOKEN,
    Attachment,
    Context,
    Data,
    Record,
    Usage,
    is_record,
)
from recall_lab.model import Kind, Role

NAME = "copilot"
READER = LineReader(Record, is_record, first_keys=("type",))

_NAME = re.compile(r"^name: *(\S.*?)\s*$", re.MULTILINE)
_MODELS = 32  # models whose last message is remembered
_USERS_OWN = frozenset({None, "", "user"})


class Last(msgspec.Struct, array_like=True, frozen=True):
    """The latest message of a model, and what the session's messages of it have logged beside the last total."""

    key: str
    timestamp: str | None
    turn: int
    output: int  # of this message
    told: Usage = Usage()  # the total that an earlier end logged


class State(LineState, array_like=True):
    """``seen``: events that came; ``asked``: calls whose request came; ``last``: by model."""

    seen: set[bytes] = set()  # noqa: RUF012 - msgspec copies it
    asked: set[bytes] = set()  # noqa: RUF012 - msgspec copies it
    last: dict[str, Last] = {}  # noqa: RUF012 - msgspec copies it


class Parser(LineParser[Record, State]):
    """See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None, companion: bytes = b"") -> None:
        super().__init__(path, resume, READER, State, _named(path))
        if self.session.title is None:
            self.learn(title=_title(companion))

    def read(self, record: Record) -> Taken:
        """Say what a record gives; see ``_lines.LineParser``."""
        type_, data = record.type, record.data
        name = str(type_) if type_ in SPOKEN | LEFT_OUT | SILENT else self.names(type_)
        if not is_record(record) or data is None:
            if type_ in SPOKEN | LEFT_OUT | SILENT:
                return Taken(name, "malformed", reason="a required field is missing")
            return Taken(name, "unknown", reason=f"unknown record type {name}")
        if type_ not in SPOKEN:
            return Taken(name, "excluded" if type_ in LEFT_OUT else "metadata")
        key = key_of(record.id or "")
        if key in self.state.seen:
            return Taken(name, "duplicate")
        self.state.seen.add(key)
        events = self._events_of(record, data)
        kept = any(isinstance(event, RawBlock) for event in events)
        return Taken(name, "indexed" if kept else "metadata", events)

    # ---- events ----------------------------------------------------------------------------------------------------

    def _events_of(self, record: Record, data: Data) -> list[Event]:
        match record.type:
            case "user.message":
                return self._prompt(record, data)
            case "assistant.message":
                return self._answer(record, data)
            case "assistant.usage":
                return self._usage(record, data)
            case "tool.execution_start" | "tool.user_requested":
                return self._start(record, data)
            case "tool.execution_complete":
                return self._complete(record, data)
            case "session.shutdown":
                return self._end(data)
            case "system.notification" | "skill.invoked":
                return self._blocks(record, "host", "text", data.content)
            case "session.error" | "session.info" | "session.warning":
                return self._blocks(record, "host", "text", data.message)
            case "session.compaction_complete" | "session.handoff":
                return self._blocks(record, "host", "summary", data.summary_content or data.summary)
            case _:
                self._session(data)
                return []

    def _session(self, data: Data) -> None:
        self.name_session(plain_id(data.session_id))
        place = data.context or Context(
            data.cwd, data.branch, data.repository if isinstance(data.repository, str) else None, data.repository_host
        )
        remote = f"https://{place.repository_host or 'github.com'}/{place.repository}" if place.repository else None
        self.learn(
            cwd=place.cwd,
            branch=place.branch,
            remote=remote,
            version=data.copilot_version,
            model=data.new_model or data.selected_model,
            title=data.title,
        )

    def _prompt(self, record: Record, data: Data) -> list[Event]:
        role: Role = "user" if data.source in _USERS_OWN else "host"
        attached = data.attachments or []
        if role == "user" and ((data.content or "").strip() or any(one.type == "blob" for one in attached)):
            self.state.turn += 1
        events = self._blocks(record, role, "text", data.content)
        for index, one in enumerate(attached, 1):
            events += self._blocks(record, *_attached(one, role), index)
        return events

    def _answer(self, record: Record, data: Data) -> list[Event]:
        self.learn(model=data.model)
        events = self._blocks(record, "assistant", "text", data.content, model=data.model)
        calls: list[Event] = []
        for index, request in enumerate(data.tool_requests or (), 1):
            call_id = plain_id(request.tool_call_id)
            asked = self._blocks(
                record,
                "assistant",
                "tool_use",
                request_text(request.name, request.arguments),
                index,
                tool=request.name,
                call_id=call_id,
                model=data.model,
            )
            events += asked
            if call_id:
                self.state.asked.add(key_of(call_id))
                calls.append(self._request(record, call_id, request.name, asked))
        return [*events, *calls, *self._call(record, data)]

    def _request(self, record: Record, call_id: str, tool: str | None, asked: list[Event]) -> RawToolCall:
        block = next((event.block_id for event in asked if isinstance(event, RawBlock)), None)
        return RawToolCall(
            call_id=call_id,
            turn=self.state.turn,
            tool=tool,
            request_block=block,
            started=utc_time(record.timestamp),
        )

    def _start(self, record: Record, data: Data) -> list[Event]:
        """A tool begins: its request stands in the message before, unless a person asked for it."""
        call_id = plain_id(data.tool_call_id)
        if call_id is None:
            return []
        if key_of(call_id) in self.state.asked:
            return [RawToolCall(call_id=call_id, turn=self.state.turn, started=utc_time(record.timestamp))]
        self.state.asked.add(key_of(call_id))
        role: Role = "user" if record.type == "tool.user_requested" else "assistant"
        text = request_text(data.tool_name, data.arguments)
        asked = self._blocks(record, role, "tool_use", text, tool=data.tool_name, call_id=call_id)
        return [*asked, self._request(record, call_id, data.tool_name, asked)]

    def _complete(self, record: Record, data: Data) -> list[Event]:
        call_id = plain_id(data.tool_call_id)
        failure = data.error.message if isinstance(data.error, msgspec.Struct) else data.error
        text = (data.result.content if data.result else None) or failure
        told = self._blocks(record, "tool", "tool_result", text, tool=data.tool_name, call_id=call_id)
        if call_id is None:
            return told
        measured = data.tool_telemetry.metrics if data.tool_telemetry else None
        code = (measured.exit_code or 0) if measured else 0
        failed = True if code else None if data.success is None else not data.success
        why = first_line(failure or text)
        block = next((event.block_id for event in told if isinstance(event, RawBlock)), None)
        outcome = RawToolCall(
            call_id=call_id,
            turn=self.state.turn,
            result_block=block,
            ended=utc_time(record.timestamp),
            failed=failed,
            error=(f"Exit code {code:.0f}: {why or ''}"[:200] if code else why) if failed else None,
        )
        return [*told, outcome]

    # ---- tokens ----------------------------------------------------------------------------------------------------

    def _call(self, record: Record, data: Data) -> list[Event]:
        """Return the call that a message came from, with what it logs."""
        if data.output_tokens is None and data.api_call_id is None:
            return []
        key = make_id(NAME, "call", data.api_call_id or data.message_id or record.id)
        output = count(data.output_tokens)
        made = RawModelCall(
            key=key,
            model=data.model,
            timestamp=utc_time(record.timestamp),
            turn=self.state.turn,
            output_tokens=output,
            final=True,
        )
        if data.model and (data.model in self.state.last or len(self.state.last) < _MODELS):
            told = self.state.last[data.model].told if data.model in self.state.last else Usage()
            self.state.last[data.model] = Last(key, made.timestamp, made.turn, output, told)
        return [made]

    def _usage(self, record: Record, data: Data) -> list[Event]:
        """Return a call whose tokens are logged one by one."""
        if data.input_tokens is None and data.output_tokens is None:
            return []
        read, written = count(data.cache_read_tokens), count(data.cache_write_tokens)
        return [
            RawModelCall(
                key=make_id(NAME, "call", data.api_call_id or record.id),
                model=data.model,
                timestamp=utc_time(record.timestamp),
                turn=self.state.turn,
                input_tokens=max(count(data.input_tokens) - read - written, 0),
                output_tokens=count(data.output_tokens),
                cache_read_tokens=read,
                cache_write_5m_tokens=written,
                final=True,
            )
        ]

    def _end(self, data: Data) -> list[Event]:
        """Give the last message of each model what the totals have beyond an earlier end's."""
        events: list[Event] = []
        for model, metrics in (data.model_metrics or {}).items():
            last, total = self.state.last.get(model), metrics.usage
            if last is None or total is None:
                continue
            known = last.told if _grew(last.told, total) else Usage()
            self.state.last[model] = msgspec.structs.replace(last, told=total)
            read = count(total.cache_read_tokens) - count(known.cache_read_tokens)
            written = count(total.cache_write_tokens) - count(known.cache_write_tokens)
            taken_in = count(total.input_tokens) - count(known.input_tokens)
            events.append(
                RawModelCall(
                    key=last.key,
                    model=model,
                    timestamp=last.timestamp,
                    turn=last.turn,
                    input_tokens=max(taken_in - read - written, 0),
                    output_tokens=last.output,
                    cache_read_tokens=read,
                    cache_write_5m_tokens=written,
                    reasoning_tokens=count(total.reasoning_tokens) - count(known.reasoning_tokens),
                    final=True,
                )
            )
        return events

    # ---- blocks ----------------------------------------------------------------------------------------------------

    def _blocks(
        self,
        record: Record,
        role: Role,
        kind: Kind,
        text: str | None,
        index: int = 0,
        *,
        tool: str | None = None,
        call_id: str | None = None,
        model: str | None = None,
    ) -> list[Event]:
        """Return the one block of a text, or nothing when there is nothing to read in it."""
        if not text or not text.strip():
            return []
        block_id = make_id(NAME, record.id, index, kind)
        more = {"timestamp": utc_time(record.timestamp), "tool": tool, "call_id": call_id, "model": model}
        return [self.block(block_id, role, kind, text, **more)]


def _attached(one: Attachment, role: Role) -> tuple[Role, Kind, str]:
    """Return what an attachment shows: the placeholder of an image, or a selected text, which the host put there."""
    if one.type == "blob":
        kind = (one.mime_type or "file").partition("/")[0]
        return role, "text", media_text(kind if kind == "image" else "document", one.mime_type, one.data)
    return "host", "text", one.text or ""


def _grew(before: Usage, now: Usage) -> bool:
    """Say whether totals went on from earlier ones; those that fall begin anew."""
    names = Usage.__struct_fields__
    return all(count(getattr(before, name)) <= count(getattr(now, name)) for name in names)


def _named(path: PurePath) -> str:
    """Return the session that a file's place names: its folder, or the file."""
    return path.parent.name if is_uuid(path.parent.name) else path.stem


def _title(workspace: bytes) -> str | None:
    """Return the session's name from the YAML file beside it: one line, in single quotes where it needs them."""
    found = _NAME.search(workspace.decode("utf-8", "replace"))
    if found is None:
        return None
    return found[1][1:-1].replace("''", "'") if found[1][:1] == "'" == found[1][-1:] else found[1]
