"""Reads one session of pi: lines in, events out.

Since version 2 entries form a tree (``id``, ``parentId``): going back in a session begins a new branch in the same
file, and the last entry stands on the live one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from recall_lab.hosts._branches import beside
from recall_lab.hosts._content import cost, count, first_line, joined, media_text
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._lines import LineParser, LineState, Taken, key_of
from recall_lab.hosts._names import plain_id, utc_time
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Checkpoint, Event, RawBlock, RawModelCall, RawToolCall, make_id
from recall_lab.hosts.pi.records import LEFT_OUT, Item, Message, Record, Usage, is_record
from recall_lab.model import Kind, Role

NAME = "pi"
ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"})
READER = LineReader(Record, is_record, first_keys=("type",))

_SUMMARIES = frozenset({"branchSummary", "compactionSummary"})
_REQUIRED = frozenset({"session", "message", "custom_message", "compaction", "branch_summary"})
_FILE_ID = re.compile(r"(?:^|_)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$")


class State(LineState, array_like=True):
    """``nth``: how often the parts of an id have come; ``tree``: entry -> (its parent, its first ord, its last + 1)."""

    nth: dict[bytes, int] = {}  # noqa: RUF012 - msgspec copies it
    tree: dict[bytes, tuple[bytes, int, int]] = {}  # noqa: RUF012 - msgspec copies it
    leaf: bytes = b""


class Parser(LineParser[Record, State]):
    """See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, resume: Checkpoint | None) -> None:
        super().__init__(path, resume, READER, State, session_in(path.stem) or path.stem)
        self._anchor = ""  # what the ids of the record at hand are made of

    def read(self, record: Record) -> Taken:
        """Say what a record gives; see ``_lines.LineParser``."""
        type_ = record.type
        if not is_record(record):
            if type_ in _REQUIRED:
                return Taken(str(type_), "malformed", reason="a required field is missing")
            name = self.names(type_)
            return Taken(name, "unknown", reason=f"unknown record type {name}")
        key = key_of(record.id) if record.id and type_ != "session" else None
        name = self._name(record)
        if key is not None and key in self.state.tree:
            return Taken(name, "duplicate")
        start = self.state.ord
        self._anchor = self._anchor_of(record)
        taken = self._take_in(record, name)
        if key is not None:
            self.state.tree[key] = (key_of(record.parent_id) if record.parent_id else b"", start, self.state.ord)
            self.state.leaf = key
        return taken

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return what stands beside the way from the last entry to its root."""
        return beside(self.state.tree, self.state.leaf)

    # ---- records ---------------------------------------------------------------------------------------------------

    def _name(self, record: Record) -> str:
        """Return a record's name in the ledger."""
        role = record.message.role if record.message else None
        if record.type != "message" or role is None:
            return str(record.type)
        return f"message/{role if role in ROLES | _SUMMARIES else self.names(role)}"

    def _take_in(self, record: Record, name: str) -> Taken:
        match record.type:
            case "session":
                self._begin(record)
                return Taken(name, "metadata")
            case "message" if record.message is not None:
                return self._message(record, record.message, name)
            case "custom_message":
                return self._message(record, Message(role="custom", content=record.content), name)
            case "compaction" | "branch_summary":
                return Taken(name, "indexed", self._text(record, "host", "summary", record.summary))
            case kind if kind in LEFT_OUT:
                return Taken(name, "excluded")
            case _:
                self.learn(model=record.model_id, title=record.name if record.type == "session_info" else None)
                return Taken(name, "metadata")

    def _begin(self, record: Record) -> None:
        if self.state.session is not None:
            return
        self.name_session(plain_id(record.id))
        self.learn(cwd=record.cwd, model=record.model_id)
        parent = PurePath((record.parent_session or record.branched_from or "").replace("\\", "/"))
        if (came_from := session_in(parent.stem)) and came_from != record.id:
            self.learn(parent_id=came_from, relation="fork")

    def _message(self, record: Record, message: Message, name: str) -> Taken:
        items = _items(message)
        words = [_words(item) for item in items]
        match message.role:
            case "user":
                self.state.turn += any(text.strip() for text in words)
                events = self._texts(record, "user", words)
            case "assistant":
                events = self._answer(record, message, items)
            case "toolResult":
                events = self._result(record, message, joined(words))
            case "bashExecution":
                events = self._text(record, "user", "text", message.command)
                events += self._text(record, "tool", "tool_result", message.output, 1, tool="bash")
            case "custom" | "hookMessage":
                events = self._texts(record, "host", words)
            case role if role in _SUMMARIES:
                events = self._text(record, "host", "summary", message.summary)
            case _:
                return Taken(name, "unknown", reason="unknown role")
        # A placeholder keeps nothing of an image, and thinking is left out on purpose.
        silent = {item.type for item in items} & {"image", "thinking"}
        told = any(isinstance(event, RawBlock) for event in events)
        if told and (items == [] or any(item.type not in {"image", "thinking"} for item in items)):
            return Taken(name, "indexed", events)
        return Taken(name, "excluded" if silent else "metadata", events)

    def _answer(self, record: Record, message: Message, items: list[Item]) -> list[Event]:
        self.learn(model=message.model)
        told: list[Event] = []
        calls: list[Event] = []
        for index, item in enumerate(items):
            if item.type != "toolCall":
                told += self._text(record, "assistant", "text", _words(item), index)
                continue
            call_id = plain_id(item.id)
            text = request_text(item.name, item.arguments)
            asked = self._text(record, "assistant", "tool_use", text, index, tool=item.name, call_id=call_id)
            told += asked
            if call_id:
                calls.append(
                    RawToolCall(
                        call_id=call_id,
                        turn=self.state.turn,
                        tool=item.name,
                        request_block=_id_of(asked),
                        started=utc_time(record.timestamp),
                    )
                )
        if message.usage is not None:
            calls.append(self._call(record, message, message.usage))
        return [*told, *calls]

    def _call(self, record: Record, message: Message, usage: Usage) -> RawModelCall:
        return RawModelCall(
            key=make_id(NAME, "call", self._anchor),
            model=message.model,
            timestamp=utc_time(record.timestamp),
            turn=self.state.turn,
            input_tokens=count(usage.input),
            output_tokens=count(usage.output),
            cache_read_tokens=count(usage.cache_read),
            cache_write_5m_tokens=count(usage.cache_write),
            final=message.stop_reason is not None,
            logged_cost_usd=cost(usage.cost.total) if usage.cost else None,
        )

    def _result(self, record: Record, message: Message, text: str) -> list[Event]:
        call_id = plain_id(message.tool_call_id)
        told = self._text(record, "tool", "tool_result", text, tool=message.tool_name, call_id=call_id)
        if call_id is None:
            return told
        outcome = RawToolCall(
            call_id=call_id,
            turn=self.state.turn,
            tool=message.tool_name,
            result_block=_id_of(told),
            ended=utc_time(record.timestamp),
            failed=bool(message.is_error),
            error=first_line(text) if message.is_error else None,
        )
        return [*told, outcome]

    # ---- blocks ----------------------------------------------------------------------------------------------------

    def _texts(self, record: Record, role: Role, texts: Iterable[str]) -> list[Event]:
        """Return a block for each text that is not blank."""
        return [event for index, text in enumerate(texts) for event in self._text(record, role, "text", text, index)]

    def _text(
        self,
        record: Record,
        role: Role,
        kind: Kind,
        text: str | None,
        index: int = 0,
        *,
        tool: str | None = None,
        call_id: str | None = None,
    ) -> list[Event]:
        """Return the block of a text, or nothing when there is nothing to read in it."""
        if not text or not text.strip():
            return []
        more = {
            "timestamp": utc_time(record.timestamp),
            "model": record.message.model if record.message else None,
            "tool": tool,
            "call_id": call_id,
        }
        return [self.block(make_id(NAME, self._anchor, index, kind), role, kind, text, **more)]

    def _anchor_of(self, record: Record) -> str:
        """Return what a record's ids are made of: its times, its kind and its call, and how often these came before.

        Ids of their own came with version 2, whose program adds them to older files; the times stay, there and in the
        copies that a fork begins with.
        """
        message = record.message or Message()
        parts = (record.timestamp, record.type, message.role, message.timestamp, message.tool_call_id)
        anchor = make_id(NAME, *parts)
        key = key_of(anchor)
        nth = self.state.nth.get(key, 0)
        self.state.nth[key] = nth + 1
        return anchor if nth == 0 else make_id(NAME, *parts, nth)


def session_in(stem: str) -> str | None:
    """Return the session id in a file's name without its suffix."""
    found = _FILE_ID.search(stem)
    return found[1] if found else None


def _id_of(blocks: list[Event]) -> str | None:
    return next((block.block_id for block in blocks if isinstance(block, RawBlock)), None)


def _items(message: Message) -> list[Item]:
    content = message.content
    if isinstance(content, str):
        return [Item(type="text", text=content)]
    return [Item(type="text", text=item) if isinstance(item, str) else item for item in content or ()]


def _words(item: Item) -> str:
    """Return an item's text, or its placeholder."""
    if item.type == "image":
        return media_text("image", item.mime_type, item.data)
    return (item.text or "") if item.type == "text" else ""
