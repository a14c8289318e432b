"""Reads a session that is one JSON document: ``chats/session-<time>-<id>.json``."""

from __future__ import annotations

from pathlib import PurePath

from recall_lab.hosts._documents import DocumentParser, read_one
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import plain_id
from recall_lab.hosts._scan import Container, container, scalars
from recall_lab.hosts.gemini_cli import messages
from recall_lab.hosts.gemini_cli.records import TYPES, Message, is_message

_READER = LineReader(Message, is_message)


class Document(DocumentParser):
    """See ``hosts.base.Parser``."""

    def __init__(self, path: PurePath, companion: bytes) -> None:
        super().__init__(path, "session")
        self._path = path
        self._companion = companion

    def tell(self, data: bytes, found: Container) -> None:
        """Tell the messages in their order; see ``_documents.DocumentParser``."""
        facts = scalars(data, found, ("sessionId", "projectHash", "kind", "summary"))
        own = facts.get("sessionId")
        folder = messages.folder_of(self._companion, facts.get("projectHash"))
        self.learn(native_id=plain_id(own) if isinstance(own, str) else None, title=facts.get("summary"), cwd=folder)
        if facts.get("kind") == "subagent":
            self.session = messages.as_subagent(self.session, self._path)
        listed = found.find("messages")
        if listed is None or data[listed.value : listed.value + 1] != b"[":
            return
        said: set[bytes] = set()
        seen: set[str | None] = set()
        for member in container(data, listed.value).members:
            message, note = read_one(_READER, data[member.start : member.end])
            if message is None:
                self.book(member, "message", "malformed", note)
                continue
            name = f"message/{message.type if message.type in TYPES else self.names(message.type)}"
            if message.type not in TYPES:
                self.book(member, name, "unknown", "unknown message type")
            elif not message.id:
                self.book(member, name, "malformed", "it has no id")
            elif message.id in seen:
                self.book(member, name, "duplicate", note)
            else:
                seen.add(message.id)
                self.at = member.start
                self.learn(model=message.model)
                self.turn += messages.starts_turn(message)
                events = messages.events_of(message, self.block, said, self.turn)
                self.book(member, name, messages.disposition(message, events), note)
                self.events += events
