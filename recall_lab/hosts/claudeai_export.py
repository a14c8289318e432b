"""claude.ai's account export: ``conversations.json`` is a list of ``{uuid, name, created_at, chat_messages}``.

A message is ``{uuid, sender, text, content, created_at, attachments, files}``: ``content`` holds its items one by one,
``text`` what was shown of them. Where no item is of a known type, the text is told. What was attached is a placeholder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.hosts._branches import beside
from recall_lab.hosts._content import first_line, joined, media_text
from recall_lab.hosts._documents import DocumentParser, outline, read_one
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import is_uuid, plain_id, utc_time
from recall_lab.hosts._scan import Container, container, scalars
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Checkpoint, Conversation, Event, Host, RawToolCall, make_id
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.model import Disposition, Role

__all__ = ["HOST", "ClaudeAiExport"]

NAME = "claudeai-export"

_FACTS = ("uuid", "name", "created_at", "model")
_KNOWN = frozenset({"text", "thinking", "tool_use", "tool_result"})
_MESSAGE_KEYS = frozenset({"uuid", "sender", "text", "content", "created_at", "attachments", "files", "updated_at"})


class Piece(msgspec.Struct, gc=False):
    """A part of a tool's result."""

    type: str | None = None
    text: str | None = None
    title: str | None = None
    url: str | None = None


class Item(msgspec.Struct, gc=False):
    """One item of a message's content; thinking has no field."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    tool_use_id: str | None = None
    name: str | None = None
    input: Any = None
    content: str | list[Piece | str] | None = None
    is_error: bool | None = None
    start_timestamp: str | None = None
    stop_timestamp: str | None = None


class File(msgspec.Struct, gc=False):
    """Something that was attached."""

    file_type: str | None = None
    file_kind: str | None = None
    file_size: float | None = None


class Message(msgspec.Struct, gc=False):
    """A message."""

    uuid: str | None = None
    sender: str | None = None
    text: str | None = None
    content: str | list[Item | str] | None = None
    created_at: str | None = None
    parent_message_uuid: str | None = None
    attachments: list[File] | None = None
    files: list[File] | None = None


class _Counted(msgspec.Struct, gc=False):
    """A conversation, as far as it takes to count its messages."""

    chat_messages: list[msgspec.Raw] = []


READER = LineReader(Message, lambda message: message.sender is not None)


class ClaudeAiExport(Host):
    """Conversations of claude.ai, as its account export has them."""

    name = NAME
    rewrites = True
    collects = True

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the file begins with a conversation of claude.ai's."""
        del path
        told = outline(head)
        return told is not None and _is_conversation(*told)

    def conversation(self, data: bytes) -> Conversation | None:
        """Return what a conversation says of itself; see ``hosts.base.Host``."""
        found = container(data, 0)
        if not _is_conversation(data, found):
            return None
        facts = scalars(data, found, _FACTS)
        try:
            messages = len(msgspec.json.decode(data, type=_Counted).chat_messages)
        except (msgspec.DecodeError, RecursionError):
            messages = 0
        return Conversation(_native(facts), _text(facts.get("name")), utc_time(facts.get("created_at")), messages)

    def parser(
        self,
        path: PurePath,
        resume: Checkpoint | None = None,
        *,
        agents: frozenset[str] | None = None,
        companion: bytes = b"",
    ) -> HostParser:
        """Return a parser; see ``hosts.base.Host``."""
        del resume, agents, companion
        return Parser(path)


class Parser(DocumentParser):
    """Reads one conversation; see ``hosts.base.Parser``."""

    def __init__(self, path: PurePath) -> None:
        super().__init__(path, "conversation")
        self._tree: dict[str, tuple[str, int, int]] = {}
        self._model: str | None = None

    def tell(self, data: bytes, found: Container) -> None:
        """Tell the messages in their order; see ``_documents.DocumentParser``."""
        facts = scalars(data, found, _FACTS)
        self._model = _text(facts.get("model"))
        self.learn(native_id=_native(facts), title=_text(facts.get("name")), model=self._model)
        listed = found.find("chat_messages")
        if listed is None or data[listed.value : listed.value + 1] != b"[":
            return
        for member in container(data, listed.value).members:
            message, note = read_one(READER, data[member.start : member.end])
            if message is None:
                self.book(member, "message", "malformed", note)
                continue
            name = f"message/{self.names(message.sender)}"
            if not message.uuid or message.sender is None:
                self.book(member, name, "malformed", "a required field is missing")
            elif message.uuid in self._tree:
                self.book(member, name, "duplicate", note)
            else:
                self.at, first = member.start, self.ord
                self.book(member, name, self._message(message), note)
                self._tree[message.uuid] = (message.parent_message_uuid or "", first, self.ord)

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return the branches that a prompt written anew has left; the last message stands on the live one."""
        return beside(self._tree, next(reversed(self._tree), ""))

    def _message(self, message: Message) -> Disposition:
        """Tell one message; return where its bytes went."""
        role: Role = {"human": "user", "assistant": "assistant"}.get(message.sender or "", "host")  # type: ignore[assignment]
        items = _items(message)
        attached = [*(message.attachments or ()), *(message.files or ())]
        self.turn += role == "user" and bool(attached or any((item.text or "").strip() for item in items))
        told = [event for index, item in enumerate(items) for event in self._item(message, role, index, item)]
        self.events += told
        for index, file in enumerate(attached):
            block_id = make_id(NAME, *self._anchor(message), index, "text", "attached")
            time = _time(message)
            self.events.append(self.block(block_id, role, "text", _placeholder(file), timestamp=time))
        if told:
            return "indexed"
        return "excluded" if attached or any(item.type == "thinking" for item in items) else "metadata"

    def _item(self, message: Message, role: Role, index: int, item: Item) -> list[Event]:
        """Return what one item of a message gives."""
        anchor, time = self._anchor(message), _time(message)
        if item.type == "tool_use":
            call_id = plain_id(item.id) or make_id(NAME, *anchor, index)
            block_id = make_id(NAME, *anchor, index, "tool_use")
            text = request_text(item.name, item.input)
            asked = self.block(
                block_id, role, "tool_use", text, timestamp=time, tool=item.name, call_id=call_id, model=self._model
            )
            started = utc_time(item.start_timestamp) or time
            call = RawToolCall(call_id=call_id, turn=self.turn, tool=item.name, request_block=block_id, started=started)
            return [asked, call]
        if item.type == "tool_result":
            return self._result(message, index, item)
        if item.type != "text" or not (item.text or "").strip():
            return []
        model = self._model if role == "assistant" else None
        block_id = make_id(NAME, *anchor, index, "text")
        return [self.block(block_id, role, "text", item.text or "", timestamp=time, model=model)]

    def _result(self, message: Message, index: int, item: Item) -> list[Event]:
        text = _result_text(item)
        time, call_id = _time(message), plain_id(item.tool_use_id)
        told: list[Event] = []
        block_id = None
        if text.strip():
            block_id = make_id(NAME, *self._anchor(message), index, "tool_result")
            told.append(
                self.block(block_id, "tool", "tool_result", text, timestamp=time, tool=item.name, call_id=call_id)
            )
        if call_id:
            outcome = RawToolCall(
                call_id=call_id,
                turn=self.turn,
                tool=item.name,
                result_block=block_id,
                ended=utc_time(item.stop_timestamp) or time,
                failed=bool(item.is_error),
                error=first_line(text) if item.is_error else None,
            )
            told.append(outcome)
        return told

    def _anchor(self, message: Message) -> tuple[str, ...]:
        """Return what ids are made of; an id that is no UUID counts within its conversation only."""
        own = message.uuid or ""
        return (own,) if is_uuid(own) else (self.session.native_id, own)


def _is_conversation(data: bytes, found: Container) -> bool:
    listed = found.find("chat_messages")
    if listed is None or data[listed.value : listed.value + 1] != b"[" or found.find("uuid") is None:
        return False
    messages = container(data, listed.value)
    first = next(iter([*messages.members, *([messages.partial] if messages.partial else [])]), None)
    if first is None:
        return True
    if data[first.value : first.value + 1] != b"{":
        return False
    message = container(data, first.value)
    keys = {member.key for member in [*message.members, *([message.partial] if message.partial else [])]}
    return bool(keys & _MESSAGE_KEYS) or message.state == "cut"


def _native(facts: dict[str, Any]) -> str | None:
    return plain_id(_text(facts.get("uuid")))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(message: Message) -> str | None:
    """Return when a message was written; some exports cut the zone off, which is UTC."""
    return utc_time(message.created_at) or utc_time((message.created_at or "").rstrip("+-"))


def _items(message: Message) -> list[Item]:
    """Return a message's items; the text that was shown, where none of them is of a known type."""
    content = message.content
    if isinstance(content, str):
        return [Item(type="text", text=content)]
    items = [Item(type="text", text=item) if isinstance(item, str) else item for item in content or ()]
    if any(item.type in _KNOWN for item in items):
        return items
    return [Item(type="text", text=message.text)] if message.text else items


def _result_text(item: Item) -> str:
    if isinstance(item.content, str):
        return item.content
    pieces = [Piece(text=piece) if isinstance(piece, str) else piece for piece in item.content or ()]
    return joined(
        media_text("image") if piece.type == "image" else joined([piece.title, piece.url, piece.text])
        for piece in pieces
    )


def _placeholder(file: File) -> str:
    """Return what stands for something attached; its content is not kept."""
    size = int(file.file_size) if file.file_size is not None and 0 <= file.file_size < 2**53 else None
    kind = "image" if "image" in {file.file_kind, (file.file_type or "").partition("/")[0]} else "document"
    return media_text(kind, file.file_type, size=size)


HOST = ClaudeAiExport()
