"""A chat that somebody saved as JSON: one document, in one of the shapes that people save.

    {"messages": [{"role": "user", "content": "…", "timestamp": "…"}, …], "title": "…", "cwd": "…"}

``messages`` may be called ``chatMessages``, or stand alone as a list. A message's role is user/human,
assistant/ai/model, system/developer or tool/function; its content a string or a list of parts in the shape of the Chat
Completions API, the Responses API, the Messages API or the Gemini API. Read beside them are ``id`` (of the chat and of
messages), ``title`` or ``name``, ``created_at``, ``cwd``, ``branch`` and ``model``. Give messages an ``id``, and they
keep their blocks wherever the file is put and however it is edited; without one they are told apart by the chat, which
without an id of its own is known by the file's name and its first time, and by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.hosts._content import decoded, first_line, joined, media_text
from recall_lab.hosts._documents import DocumentParser, read_one
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import is_uuid, plain_id, utc_time
from recall_lab.hosts._scan import Container, Member, container, scalars
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Checkpoint, Event, Host, RawToolCall, make_id
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.model import Disposition, Kind, Role

__all__ = ["HOST", "ChatSnapshot"]

NAME = "chat-snapshot"

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "host",
    "developer": "host",
    "tool": "tool",
    "function": "tool",
}
_IDS = ("id", "session_id", "sessionId", "conversation_id", "conversationId")
_TITLES = ("title", "name")
_TIMES = ("created_at", "createdAt", "created", "create_time", "startTime", "timestamp", "date")
_LISTS = ("messages", "chatMessages")
_WORDS = frozenset({"text", "input_text", "output_text", "refusal"})
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_text", "summary_text"})


class Link(msgspec.Struct, gc=False):
    """Where a picture is, often a data URL."""

    url: str | None = None


class Source(msgspec.Struct, gc=False, rename="camel"):
    """The bytes of a picture or document, base64."""

    media_type: str | None = msgspec.field(default=None, name="media_type")
    mime_type: str | None = None
    data: str | None = None


class Function(msgspec.Struct, gc=False):
    """A function that is asked for, its arguments as JSON text."""

    name: str | None = None
    arguments: Any = None
    args: Any = None
    response: Any = None


class Call(msgspec.Struct, gc=False):
    """A tool that a message asks for."""

    id: str | None = None
    function: Function | None = None
    name: str | None = None
    arguments: Any = None


class Part(msgspec.Struct, gc=False):
    """A part of a content; thinking has no field."""

    type: str | None = None
    text: str | None = None
    image_url: Link | str | None = None
    source: Source | None = None
    inline_data: Source | None = msgspec.field(default=None, name="inlineData")
    function_call: Function | None = msgspec.field(default=None, name="functionCall")
    function_response: Function | None = msgspec.field(default=None, name="functionResponse")
    thought: bool | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


Content = str | list[Part | str] | None


class Message(msgspec.Struct, gc=False):
    """A message, in any of the shapes."""

    role: str | None = None
    content: Content = None
    text: str | None = None
    parts: Content = None
    id: str | None = None
    uuid: str | None = None
    timestamp: str | float | None = None
    created_at: str | float | None = None
    created_at_camel: str | float | None = msgspec.field(default=None, name="createdAt")
    create_time: str | float | None = None
    date: str | float | None = None
    model: str | None = None
    name: str | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None


READER = LineReader(Message, lambda message: message.role is not None)


class ChatSnapshot(Host):
    """Chats saved as plain JSON."""

    name = NAME
    rewrites = True

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the file is one document that begins with messages, each with a role and a content."""
        del path
        told = _outermost(b"\n".join(head)[: 1 << 20])
        if told is None:
            return False
        data, found = told
        if found.state == "whole" and data[found.end :].strip():
            return False  # several documents, one a line: data, not a chat
        return _is_chat(data, _listed(data, found))

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
    """Reads one chat; see ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, host: str = NAME) -> None:
        super().__init__(path, "chat")
        self._host = host

    def top(self, data: bytes) -> int | None:
        """Return where the document begins; see ``_documents.DocumentParser``."""
        told = _outermost(data)
        return told[1].start if told else None

    def tell(self, data: bytes, found: Container) -> None:
        """Tell the messages in their order; see ``_documents.DocumentParser``."""
        facts = scalars(data, found, (*_IDS, *_TITLES, *_TIMES, "cwd", "branch", "git_branch", "model", "version"))
        own = next((own for name in _IDS if (own := plain_id(_text(facts.get(name))))), None)
        self.learn(
            native_id=own,
            title=next((_text(facts[name]) for name in _TITLES if facts.get(name)), None),
            cwd=_text(facts.get("cwd")),
            branch=_text(facts.get("branch") or facts.get("git_branch")),
            model=_text(facts.get("model")),
        )
        listed = _listed(data, found)
        members = listed.members if listed else []
        read = [(member, *read_one(READER, data[member.start : member.end])) for member in members]
        times = [facts.get(name) for name in _TIMES]
        began = next(
            (time for time in [*map(utc_time, times), *(_time(message) for _, message, _ in read if message)] if time),
            None,
        )
        if own is None and began:
            self.learn(native_id=f"{self.fallback}@{began}")
        seen: set[str] = set()
        for nth, (member, message, note) in enumerate(read):
            if message is None:
                self.book(member, "message", "malformed", note)
            else:
                self._message(member, message, note, nth, seen)

    def _message(self, member: Member, message: Message, note: str | None, nth: int, seen: set[str]) -> None:
        role = ROLES.get((message.role or "").lower())
        name = f"message/{self.names(message.role)}"
        if role is None:
            missing = message.role is None
            reason = "it has no role" if missing else "unknown role"
            self.book(member, name, "malformed" if missing else "unknown", reason)
            return
        own = plain_id(message.uuid or message.id)
        if own is not None and own in seen:
            self.book(member, name, "duplicate", note)
            return
        if own is not None:
            seen.add(own)
        anchor: tuple[object, ...]
        anchor = (own,) if own and is_uuid(own) else (self.session.native_id, own or nth)
        self.at = member.start
        parts = _parts(message)
        if role == "user" and not any(map(_is_result, parts)) and any(_words(part).strip() for part in parts):
            self.turn += 1
        self.learn(model=message.model)
        events: list[Event] = []
        for index, part in enumerate(parts):
            events += self._part(message, role, (*anchor, index), part)
        for index, call in enumerate(message.tool_calls or (), len(parts)):
            events += self._call(message, role, (*anchor, index), call)
        kept = any(part.type != "image" for part in parts if _words(part).strip()) or bool(message.tool_calls)
        left_out = any(part.type in _REASONING or part.thought or _media(part) for part in parts)
        disposition: Disposition = "indexed" if events and kept else "excluded" if left_out else "metadata"
        self.book(member, name, disposition, note)
        self.events += events

    def _part(self, message: Message, role: Role, anchor: tuple[object, ...], part: Part) -> list[Event]:
        """Return what one part of a message gives."""
        if part.type == "tool_use" or part.function_call is not None:
            asked = part.function_call or Function(name=part.name, args=part.input)
            arguments = asked.args if asked.args is not None else asked.arguments
            call = Call(id=part.id, name=asked.name, arguments=arguments)
            return self._call(message, role, anchor, call)
        gave = _is_result(part)
        text = _words(part)
        if not gave and role != "tool":
            return self._block(message, role, "text", anchor, text)
        call_id = plain_id(part.tool_use_id if gave else message.tool_call_id)
        tool = part.function_response.name if part.function_response else message.name
        told = self._block(message, "tool", "tool_result", anchor, text, tool=tool, call_id=call_id)
        if call_id is None or not told:
            return told
        outcome = RawToolCall(
            call_id=call_id,
            turn=self.turn,
            tool=tool,
            result_block=self._id("tool_result", anchor),
            ended=_time(message),
            failed=part.is_error,
            error=first_line(text) if part.is_error else None,
        )
        return [*told, outcome]

    def _call(self, message: Message, role: Role, anchor: tuple[object, ...], call: Call) -> list[Event]:
        asked = call.function or Function(name=call.name, arguments=call.arguments)
        call_id = plain_id(call.id)
        text = request_text(asked.name, decoded(asked.arguments))
        told = self._block(message, role, "tool_use", anchor, text, tool=asked.name, call_id=call_id)
        if call_id is None:
            return told
        request = RawToolCall(
            call_id=call_id,
            turn=self.turn,
            tool=asked.name,
            request_block=self._id("tool_use", anchor),
            started=_time(message),
        )
        return [*told, request]

    def _block(
        self,
        message: Message,
        role: Role,
        kind: Kind,
        anchor: tuple[object, ...],
        text: str,
        *,
        tool: str | None = None,
        call_id: str | None = None,
    ) -> list[Event]:
        if not text.strip():
            return []
        more = {"timestamp": _time(message), "model": message.model, "tool": tool, "call_id": call_id}
        return [self.block(self._id(kind, anchor), role, kind, text, **more)]

    def _id(self, kind: Kind, anchor: tuple[object, ...]) -> str:
        return make_id(self._host, *anchor, kind)


def _outermost(data: bytes) -> tuple[bytes, Container] | None:
    """Return a document's outermost container: an object, or a list of messages."""
    start = len(data) - len(data.removeprefix(b"\xef\xbb\xbf").lstrip())
    return (data, container(data, start)) if data[start : start + 1] in {b"{", b"["} else None


def _listed(data: bytes, found: Container) -> Container | None:
    """Return the list of messages."""
    if data[found.start : found.start + 1] == b"[":
        return found
    for name in _LISTS:
        member = found.find(name)
        if member is not None and data[member.value : member.value + 1] == b"[":
            return container(data, member.value)
    return None


def _is_chat(data: bytes, listed: Container | None) -> bool:
    """Say whether a list holds messages of a user or a model: each with a role that is known, and a content."""
    if listed is None or not listed.members:
        return False
    spoken = False
    for member in listed.members[:8]:
        message, _ = read_one(READER, data[member.start : member.end])
        if message is None or (message.role or "").lower() not in ROLES:
            return False
        if message.content is None and message.parts is None and message.text is None and not message.tool_calls:
            return False
        spoken = spoken or ROLES[(message.role or "").lower()] in {"user", "assistant"}
    return spoken


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(message: Message) -> str | None:
    times = (message.timestamp, message.created_at, message.created_at_camel, message.create_time, message.date)
    return next((time for value in times if (time := utc_time(value))), None)


def _parts(message: Message) -> list[Part]:
    content = message.content if message.content is not None else message.parts
    if content is None:
        content = message.text
    if isinstance(content, str):
        return [Part(type="text", text=content)]
    return [Part(type="text", text=part) if isinstance(part, str) else part for part in content or ()]


def _media(part: Part) -> bool:
    return part.type in {"image", "image_url", "input_image", "document", "input_file"} or part.inline_data is not None


def _is_result(part: Part) -> bool:
    return part.type == "tool_result" or part.function_response is not None


def _words(part: Part) -> str:
    """Return a part's text, or its placeholder; nothing of reasoning and of kinds that are not known."""
    if part.type in _REASONING or part.thought:
        return ""
    if _media(part):
        source = part.source or part.inline_data or Source()
        link = part.image_url.url if isinstance(part.image_url, Link) else part.image_url
        kind = "document" if part.type in {"document", "input_file"} else "image"
        return media_text(kind, source.media_type or source.mime_type, source.data or link)
    if part.type == "tool_result":
        return _given(part.content)
    if part.function_response is not None:
        return _given(part.function_response.response)
    return (part.text or "") if part.type in {None, *_WORDS} else ""


def _given(content: object) -> str:
    """Return what a tool gave, whatever its shape."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        try:
            parts = msgspec.convert(content, list[Part | str])
        except msgspec.ValidationError:
            return request_text("result", content)
        return joined(part if isinstance(part, str) else _words(part) for part in parts)
    return "" if content is None else request_text("result", content)


HOST = ChatSnapshot()
