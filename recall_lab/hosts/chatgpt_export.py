"""ChatGPT's account export: conversations that are trees of messages, of which one branch counts.

A conversation is ``{id, title, mapping: {node: {message, parent, children}}, current_node}``; ``conversations.json`` is
a list of them. The branch that ends in ``current_node`` is told, without tools' messages, hidden ones and reasoning;
the others are left out. Saved pages may hold the conversation one level down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.hosts._content import joined, media_text
from recall_lab.hosts._documents import DocumentParser, outline, read_one
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import is_uuid, plain_id, utc_time
from recall_lab.hosts._scan import Container, Member, container, scalars
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Checkpoint, Conversation, Event, Host, RawToolCall, make_id
from recall_lab.hosts.base import Parser as HostParser
from recall_lab.model import Disposition, Role

__all__ = ["HOST", "ChatGptExport"]

NAME = "chatgpt-export"

_FACTS = ("id", "conversation_id", "title", "create_time", "current_node", "default_model_slug")
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
_TOOL = re.compile(r"(?!all$|user$|assistant$)[a-z]\w*(?:\.\w+)*")
_SPEAKERS = frozenset({"user", "assistant"})
_NODE_KEYS = frozenset({"id", "message", "parent", "children"})


class Author(msgspec.Struct, gc=False):
    """Who wrote a message: user, assistant, system or tool."""

    role: str | None = None


class Part(msgspec.Struct, gc=False):
    """A part that is no string: a picture, a recording or its transcript."""

    content_type: str | None = None
    text: str | None = None
    size_bytes: float | None = None


class Content(msgspec.Struct, gc=False):
    """What a message says; the trace of thoughts has no field."""

    content_type: str | None = None
    parts: list[Part | str | None] | None = None
    text: str | None = None


class Metadata(msgspec.Struct, gc=False):
    """What the host notes of a message."""

    is_visually_hidden_from_conversation: bool | None = None
    is_user_system_message: bool | None = None
    model_slug: str | None = None


class Message(msgspec.Struct, gc=False):
    """A message."""

    id: str | None = None
    author: Author | None = None
    create_time: float | str | None = None
    content: Content | None = None
    metadata: Metadata | None = None
    recipient: str | None = None
    end_turn: bool | None = None


class Node(msgspec.Struct, gc=False):
    """A place in the tree; the root has no message."""

    parent: str | None = None
    message: Message | None = None


class _Speaker(msgspec.Struct, gc=False):
    """A message, as far as it takes to count it."""

    author: Author = msgspec.field(default_factory=Author)


class _Place(msgspec.Struct, gc=False):
    message: _Speaker | None = None


class _Counted(msgspec.Struct, gc=False):
    """A conversation, as far as it takes to count its messages."""

    mapping: dict[str, _Place] = {}


READER = LineReader(Node, lambda _: True)


class ChatGptExport(Host):
    """Conversations of ChatGPT, as its account export has them."""

    name = NAME
    rewrites = True
    collects = True

    def recognise(self, head: Sequence[bytes], path: PurePath) -> bool:
        """Say whether the file begins with a conversation that has a mapping of nodes."""
        del path
        told = outline(head)
        return told is not None and _conversation(*told) is not None

    def conversation(self, data: bytes) -> Conversation | None:
        """Return what a conversation says of itself; see ``hosts.base.Host``."""
        found = _conversation(data, container(data, 0))
        if found is None:
            return None
        facts = scalars(data, found, _FACTS)
        try:
            told = msgspec.json.decode(data[found.start : found.end], type=_Counted).mapping.values()
        except (msgspec.DecodeError, RecursionError):
            told = {}.values()
        messages = sum(node.message is not None and node.message.author.role in _SPEAKERS for node in told)
        return Conversation(_native(facts), _text(facts.get("title")), utc_time(facts.get("create_time")), messages)

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

    def tell(self, data: bytes, found: Container) -> None:
        """Tell the messages of the branch, from the root on; see ``_documents.DocumentParser``."""
        conversation = _conversation(data, found) or found
        facts = scalars(data, conversation, _FACTS)
        self.learn(
            native_id=_native(facts), title=_text(facts.get("title")), model=_text(facts.get("default_model_slug"))
        )
        mapping = conversation.find("mapping")
        if mapping is None or data[mapping.value : mapping.value + 1] != b"{":
            return
        nodes: dict[str, tuple[Member, Node]] = {}
        for member in container(data, mapping.value).members:
            node, note = read_one(READER, data[member.value : member.end])
            if node is None:
                self.book(member, "node", "malformed", note)
            elif member.key in nodes:
                self.book(member, "node", "duplicate")
            else:
                nodes[member.key] = member, node
        branch = _branch({key: node.parent for key, (_, node) in nodes.items()}, _text(facts.get("current_node")))
        for key in nodes.keys() - set(branch):
            self.book(nodes[key][0], f"other-branch/{self._role(nodes[key][1])}", "excluded")
        for key in branch:
            self._node(key, *nodes[key])

    def _role(self, node: Node) -> str:
        author = node.message.author if node.message else None
        return self.names(author.role) if author else "none"

    def _node(self, key: str, member: Member, node: Node) -> None:
        """Tell one message of the branch."""
        message, name = node.message, f"message/{self._role(node)}"
        if message is None or message.content is None:
            self.book(member, name, "metadata")
            return
        role = message.author.role if message.author else None
        if role not in {*_SPEAKERS, "system"} or _hidden(message):
            known = role in {*_SPEAKERS, "system", "tool"}
            self.book(member, name, "excluded" if known else "unknown", None if known else "unknown author")
            return
        self.at = member.start
        texts = list(_texts(message.content))
        if role == "user" and texts:
            self.turn += 1
        events: list[Event] = []
        for index, text in texts:
            events += self._told(key, message, index, text)
        only_media = bool(texts) and not any(
            isinstance(part, str) and part.strip() for part in message.content.parts or [message.content.text]
        )
        disposition: Disposition = "excluded" if only_media else "indexed" if events else "metadata"
        self.book(member, name, disposition)
        self.events += events

    def _told(self, key: str, message: Message, index: int, text: str) -> list[Event]:
        """Return the block of one part, and the call when it asks a tool for something."""
        role = message.author.role if message.author else None
        own = message.id or key
        # Ids that are no UUIDs count within their conversation only.
        anchor = (own,) if is_uuid(own) else (self.session.native_id, own)
        time = utc_time(message.create_time)
        model = message.metadata.model_slug if message.metadata else None
        if role != "assistant":
            written: Role = "user" if role == "user" else "host"
            return [self.block(make_id(NAME, *anchor, index, "text"), written, "text", text, timestamp=time)]
        tool = message.recipient if not message.end_turn and _TOOL.fullmatch(message.recipient or "") else None
        if tool is None:
            block_id = make_id(NAME, *anchor, index, "text")
            return [self.block(block_id, "assistant", "text", text, timestamp=time, model=model)]
        call_id = plain_id(own)
        asked = self.block(
            make_id(NAME, *anchor, index, "tool_use"),
            "assistant",
            "tool_use",
            request_text(tool, text),
            timestamp=time,
            model=model,
            tool=tool,
            call_id=call_id,
        )
        if call_id is None:
            return [asked]
        call = RawToolCall(call_id=call_id, turn=self.turn, tool=tool, request_block=asked.block_id, started=time)
        return [asked, call]


def _conversation(data: bytes, found: Container) -> Container | None:
    """Return the object that holds the mapping: this one, or one of its members."""
    if _has_nodes(data, found):
        return found
    for member in [*found.members, *([found.partial] if found.partial else [])]:
        if data[member.value : member.value + 1] == b"{":
            inner = container(data, member.value)
            if _has_nodes(data, inner):
                return inner
    return None


def _has_nodes(data: bytes, found: Container) -> bool:
    mapping = found.find("mapping")
    if mapping is None or data[mapping.value : mapping.value + 1] != b"{":
        return False
    nodes = container(data, mapping.value)
    first = next(iter([*nodes.members, *([nodes.partial] if nodes.partial else [])]), None)
    if first is None:
        return nodes.state != "broken" and any(found.find(key) for key in ("current_node", "conversation_id"))
    if data[first.value : first.value + 1] != b"{":
        return False
    node = container(data, first.value)
    keys = {member.key for member in [*node.members, *([node.partial] if node.partial else [])]}
    return bool(keys & _NODE_KEYS) or (not keys and node.state == "cut")


def _native(facts: dict[str, Any]) -> str | None:
    """Return a conversation's own id."""
    return next((own for key in ("conversation_id", "id") if (own := plain_id(_text(facts.get(key))))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _branch(parents: dict[str, str | None], leaf: str | None) -> list[str]:
    """Return the nodes from the root to a leaf.

    Without a leaf that is there, it is the last node in the file that no other calls its parent.
    """
    if leaf not in parents:
        inner = set(parents.values())
        leaf = next((key for key in reversed(parents) if key not in inner), None)
    branch: dict[str, None] = {}
    while leaf is not None and leaf in parents and leaf not in branch:
        branch[leaf] = None
        leaf = parents[leaf]
    return list(reversed(branch))


def _hidden(message: Message) -> bool:
    """Say whether a message is not for the reader: hidden, reasoning, the user's standing instructions, or untold."""
    noted, content = message.metadata or Metadata(), message.content or Content()
    return bool(
        noted.is_visually_hidden_from_conversation
        or noted.is_user_system_message
        or content.content_type in {None, *_REASONING, *_CONTEXT}
    )


def _texts(content: Content) -> Iterator[tuple[int, str]]:
    """Yield (index, text) of the parts that are not blank; pictures and recordings as placeholders."""
    for index, part in enumerate(content.parts or ([content.text] if content.text else [])):
        text = part if isinstance(part, str) else _placeholder(part)
        if text and text.strip():
            yield index, text


def _placeholder(part: Part | None) -> str | None:
    if part is None:
        return None
    kind = (part.content_type or "").partition("_")[0]
    size = int(part.size_bytes) if part.size_bytes is not None and 0 <= part.size_bytes < 2**53 else None
    shown = media_text(kind, size=size) if kind in {"image", "audio", "video"} and part.text is None else None
    return joined([part.text, shown])


HOST = ChatGptExport()
