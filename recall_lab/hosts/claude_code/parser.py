"""Reads one transcript of Claude Code: lines in, events out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from recall_lab.errors import SourceError
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import TypeNames, is_uuid, plain_id, utc_time
from recall_lab.hosts.base import Checkpoint, Embedded, Event, Line, RawBlock, RawRecord, RawSession, make_id
from recall_lab.hosts.claude_code import content
from recall_lab.hosts.claude_code.messages import Place, message_events, texts_of, turns_of
from recall_lab.hosts.claude_code.records import SMALL_TYPES, Inner, Item, Message, Record, is_record
from recall_lab.hosts.claude_code.tree import Tree, TreeState, key_of
from recall_lab.model import Disposition, Relation, Role

NAME = "claude-code"

_AGENT_FILE = re.compile(r"agent-(.+)")
_ASIDE = "aside_question"
_FACTS = ("agent_type", "title", "cwd", "branch", "model", "version")
_TITLE_RANK = {"summary": 1, "ai-title": 2, "custom-title": 3}
_TOLD_SYSTEM = frozenset({"away_summary", "informational", "local_command", "scheduled_task_fire"})
_SILENT_ATTACHMENTS = frozenset({"task_reminder", "todo_reminder", "plan_mode", "plan_mode_exit", "plan_mode_reentry"})


class _Child(msgspec.Struct, array_like=True):
    """What is known of an embedded agent: the number of its turns."""

    turn: int = 0


class _State(msgspec.Struct, array_like=True):
    """What a resume needs; ids, counts and flags, never text."""

    version: int = 1
    ord: int = 0
    turn: int = 0
    session: str | None = None
    parent: str | None = None
    relation: Relation | None = None
    agent: str | None = None
    settled: bool = False  # a user or assistant record has told the session
    title_rank: int = 0
    mid_line: bool = False
    last_type: str = "blank"
    last_disposition: Disposition = "metadata"
    names: list[str] = []
    nth: dict[bytes, int] = {}
    children: dict[str, _Child] = {}
    tree: TreeState = TreeState()


class _Companion(msgspec.Struct, rename="camel"):
    """The ``.meta.json`` beside a subagent's file."""

    agent_type: str | None = None
    description: str | None = None


_reader = LineReader(Record, is_record)


def agent_id(path: PurePath) -> str | None:
    """Return the agent's id that a file is named after (``agent-<id>.jsonl``), or None."""
    match = _AGENT_FILE.fullmatch(path.stem)
    return plain_id(match[1]) if match else None


def records_of(lines: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of some lines; what is none is left out."""
    for line in lines:
        try:
            yield _reader.decode(line)
        except (msgspec.DecodeError, RecursionError):
            yield from (piece.value for piece in _reader.pieces(line) if piece.value is not None)


class Parser:
    """See ``hosts.base.Parser``."""

    def __init__(
        self, path: PurePath, resume: Checkpoint | None, agents: frozenset[str] | None, companion: bytes
    ) -> None:
        self._path = path
        self._agents = agents
        self._state = _load(resume.state, path) if resume else _State()
        self._offset = resume.offset if resume else 0
        self._tree = Tree(self._state.tree)
        self._names = TypeNames(self._state.names)
        known = resume.session if resume else None
        self._facts: dict[str, str] = {}  # of the session
        if known is not None:
            self._facts = {name: value for name in _FACTS if (value := getattr(known, name)) is not None}
        self._told = known
        self._titles: dict[bytes, str] = {}  # by leaf: summaries whose leaf has not come yet
        self._told_children: set[str] = set()
        self._events: list[Event] = []
        if not resume:
            self._begin()
        if self._state.agent and companion:
            self._accompany(companion)

    # ---- the interface ---------------------------------------------------------------------------------------------

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines; see ``hosts.base.Parser``."""
        decode = _reader.decode
        state = self._state
        for line in lines:
            data = line.data
            if data[:1] == b"{" and not state.mid_line:
                try:
                    record = decode(data)
                except (msgspec.DecodeError, RecursionError):
                    self._pieces(line)
                else:
                    self._record(record, line.offset, line.length, None)
                    self._offset = line.offset + line.length
                    state.mid_line = not line.ended
            else:
                self._pieces(line)
        return self._take()

    def finish(self) -> list[Event]:
        """Name the session of a source that has told none; see ``hosts.base.Parser``."""
        return self._take(named=self._offset > 0)

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return the ranges of ord on dead branches; see ``hosts.base.Parser``."""
        return self._tree.dead()

    def checkpoint(self) -> Checkpoint:
        """Return the end of the last whole record; see ``hosts.base.Parser``."""
        self._state.tree = self._tree.state()
        self._state.names = self._names.known
        return Checkpoint(self._offset, self._state.ord, msgspec.msgpack.encode(self._state), self._session(named=True))

    # ---- lines -----------------------------------------------------------------------------------------------------

    def _pieces(self, line: Line) -> None:
        """Take a line that is not simply one object."""
        state = self._state
        pieces = _reader.pieces(line.data, at_start=not state.mid_line, ended=line.ended)
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            end = line.length if last else piece.end
            offset, length = line.offset + piece.start, end - piece.start
            if piece.value is not None:
                self._record(piece.value, offset, length, piece.note)
                state.mid_line = True
            elif piece.note == "blank":
                self._blank(offset, length)
            elif piece.note == "pending":
                self._events.append(RawRecord("line", "pending", offset, length, "the line is not finished"))
                return
            else:
                self._ledger("line", "malformed", offset, length, piece.note)
            self._offset = offset + length
        if not pieces:
            self._blank(line.offset, line.length)
            self._offset = line.offset + line.length
        if line.ended:
            state.mid_line = False

    def _blank(self, offset: int, length: int) -> None:
        """Count white space with the record before; neighbours are counted at once."""
        state = self._state
        if self._events and isinstance(before := self._events[-1], RawRecord) and before.records == 0:
            offset, length = before.offset, before.length + length
            self._events.pop()
        self._events.append(
            RawRecord(state.last_type, state.last_disposition, offset, length, None, records=0),
        )

    def _ledger(
        self, record_type: str, disposition: Disposition, offset: int, length: int, note: str | None = None
    ) -> None:
        self._events.append(RawRecord(record_type, disposition, offset, length, note))
        self._state.last_type, self._state.last_disposition = record_type, disposition

    # ---- records ---------------------------------------------------------------------------------------------------

    def _record(self, record: Record, offset: int, length: int, note: str | None) -> None:
        kind = record.type
        if kind in {"user", "assistant"} and record.message is not None:
            self._message(record, record.message, offset, length, note)
        elif kind == "progress" and record.data is not None:
            self._progress(record, offset, length, note)
        elif kind == "system":
            self._system(record, offset, length, note)
        elif kind == "attachment" and record.attachment is not None:
            self._attachment(record, offset, length, note)
        elif kind == "queue-operation":
            self._queue(record, offset, length, note)
        elif kind == "summary" and record.summary is not None:
            self._summary(record, offset, length, note)
        elif kind in SMALL_TYPES:
            self._title(record)
            self._ledger(str(kind), "metadata", offset, length, note)
        elif kind in {"user", "assistant", "progress", "attachment", "summary"}:
            self._ledger(kind, "malformed", offset, length, "a required field is missing")
        else:
            name = self._names(kind)
            self._ledger(name, "unknown", offset, length, f"unknown record type {name}")

    def _message(self, record: Record, message: Message, offset: int, length: int, note: str | None) -> None:
        kind = str(record.type)
        state = self._state
        if not state.settled:
            self._settle(record)
        self._learn(record)
        key = key_of(record.uuid) if record.uuid else None
        if key is not None and self._tree.seen(key):
            self._ledger(kind, "duplicate", offset, length, note)
            return
        start = state.ord
        items = content.items_of(message.content)
        asked = kind == "user" and not any(map(content.is_result, items))
        texts = texts_of(record, kind, items, aside=bool(state.agent and state.agent.startswith(_ASIDE)))
        if turns_of(record, kind, texts, items, agent=state.agent is not None, first=state.turn == 0):
            state.turn += 1
        place = Place(
            anchor=record.uuid or self._anonymous(record),
            offset=offset,
            turn=state.turn,
            timestamp=utc_time(record.timestamp),
            cwd=record.cwd,
            branch=record.git_branch,
        )
        events = message_events(record, kind, message, items, texts, place, state.ord)
        disposition = _disposition(items, texts)
        if disposition == "unknown":
            note = "unknown content type"
        self._ledger(kind, disposition, offset, length, note)
        self._events += events
        state.ord += len(texts)
        if key is not None:
            self._add(key, record, start, prompt=asked)

    def _add(self, key: bytes, record: Record, start: int, *, prompt: bool = False) -> None:
        self._tree.add(key, record.parent_uuid, start, self._state.ord, prompt=prompt)
        if self._titles and key in self._titles:
            self._facts["title"] = self._titles.pop(key)
            self._state.title_rank = _TITLE_RANK["summary"]

    def _known(self, record: Record) -> bytes | None:
        """Return the key of a record that is new here; None when it has none or was seen before."""
        key = key_of(record.uuid) if record.uuid else None
        return None if key is None or self._tree.seen(key) else key

    def _progress(self, record: Record, offset: int, length: int, note: str | None) -> None:
        data = record.data
        assert data is not None
        kind = f"progress/{self._names(data.type)}"
        if record.uuid:
            key = self._known(record)
            if key is None:
                self._ledger(kind, "duplicate", offset, length, note)
                return
            self._add(key, record, self._state.ord)
        disposition: Disposition = "metadata"
        agent = plain_id(data.agent_id)
        if data.type == "agent_progress" and isinstance(data.message, Inner) and data.message.message and agent:
            if self._agents is None:
                disposition, note = "excluded", note or "a subagent's message that was not asked for"
            elif agent in self._agents:
                disposition = "duplicate"
            else:
                disposition = self._embedded(record, data.message, data.message.message, agent, offset)
        self._ledger(kind, disposition, offset, length, note)

    def _embedded(self, record: Record, inner: Inner, message: Message, agent: str, offset: int) -> Disposition:
        """Take a message of an agent that has no file of its own."""
        kind = str(inner.type)
        if kind not in {"user", "assistant"} or not inner.uuid:
            return "metadata"
        key = key_of(inner.uuid)
        if self._tree.seen(key):
            return "duplicate"
        self._tree.note(key)
        state = self._state
        child = state.children.setdefault(agent, _Child())
        spoken = Record(
            type=kind, uuid=inner.uuid, is_sidechain=True, is_meta=inner.is_meta, request_id=inner.request_id
        )
        items = content.items_of(message.content)
        texts = texts_of(spoken, kind, items, aside=agent.startswith(_ASIDE))
        if turns_of(spoken, kind, texts, items, agent=True, first=child.turn == 0):
            child.turn += 1
        place = Place(
            anchor=inner.uuid,
            offset=offset,
            turn=child.turn,
            timestamp=utc_time(inner.timestamp) or utc_time(record.timestamp),
            cwd=record.cwd,
            branch=record.git_branch,
        )
        if agent not in self._told_children:
            self._told_children.add(agent)
            parent = state.session or plain_id(record.session_id) or self._path.stem
            told = RawSession(
                native_id=f"{parent}/{agent}",
                parent_id=parent,
                relation="subagent",
                agent_id=agent,
                cwd=record.cwd,
                branch=record.git_branch,
                version=record.version,
            )
            self._events.append(Embedded(agent, told))
        events = message_events(spoken, kind, message, items, texts, place, state.ord)
        self._events += [Embedded(agent, event) for event in events]
        state.ord += len(texts)
        return _disposition(items, texts)

    def _system(self, record: Record, offset: int, length: int, note: str | None) -> None:
        kind = f"system/{self._names(record.subtype)}"
        told = isinstance(record.content, str) and record.subtype in _TOLD_SYSTEM and bool(record.content.strip())
        start = self._state.ord
        if record.uuid:
            key = self._known(record)
            if key is None:
                self._ledger(kind, "duplicate", offset, length, note)
                return
            if told:
                self._state.ord += 1
            self._add(key, record, start)
        self._learn(record)
        told = told and bool(record.uuid)
        self._ledger(kind, "indexed" if told else "metadata", offset, length, note)
        if told:
            block_id = make_id(NAME, record.uuid, 0, "text")
            self._events.append(self._block(record, block_id, "host", str(record.content), offset, start))

    def _attachment(self, record: Record, offset: int, length: int, note: str | None) -> None:
        found = record.attachment
        assert found is not None
        kind = f"attachment/{self._names(found.type)}"
        key = None
        if record.uuid:
            key = self._known(record)
            if key is None:
                self._ledger(kind, "duplicate", offset, length, note)
                return
        start = self._state.ord
        texts: list[content.Text] = []
        if found.type == "queued_command":
            typed = Record(
                type="user",
                origin=found.origin if found.origin is not None else record.origin,
                is_meta=found.is_meta or record.is_meta or found.command_mode not in (None, "prompt"),
                permission_mode="default",
            )
            texts = texts_of(typed, "user", content.items_of(found.prompt))
        anchor = record.uuid or (self._anonymous(record) if texts else "")
        blocks: list[Event] = []
        for text in texts:
            block_id = make_id(NAME, anchor, text.index, text.kind)
            blocks.append(self._block(record, block_id, text.role, text.text, offset, self._state.ord))
            self._state.ord += 1
        if texts:
            disposition: Disposition = "indexed"
        else:
            disposition = "metadata" if found.type in _SILENT_ATTACHMENTS else "excluded"
        if key is not None:
            self._add(key, record, start)
        self._ledger(kind, disposition, offset, length, note)
        self._events += blocks

    def _queue(self, record: Record, offset: int, length: int, note: str | None) -> None:
        kind = f"queue-operation/{self._names(record.operation)}"
        anchor = self._nth(record.session_id, "queue", record.timestamp)
        text = (
            record.content
            if isinstance(record.content, str)
            else "\n".join(text for item in content.items_of(record.content) if (text := item.text or ""))
        )
        if record.operation != "enqueue" or not text.strip():
            self._ledger(kind, "metadata", offset, length, note)
            return
        self._ledger(kind, "indexed", offset, length, note)
        block = self._block(record, anchor, content.queued_role(text), text, offset, self._state.ord)
        self._events.append(msgspec.structs.replace(block, queued=block.role == "user"))
        self._state.ord += 1

    def _summary(self, record: Record, offset: int, length: int, note: str | None) -> None:
        text = record.summary or ""
        leaf = record.leaf_uuid
        if not text.strip() or not leaf:
            self._ledger("summary", "metadata", offset, length, note)
            return
        self._ledger("summary", "indexed", offset, length, note)
        anchor = self._nth(leaf, "summary")
        block = self._block(record, anchor, "host", text, offset, self._state.ord)
        self._events.append(msgspec.structs.replace(block, kind="summary"))
        self._state.ord += 1
        if self._state.title_rank <= _TITLE_RANK["summary"]:
            key = key_of(leaf)
            if self._tree.seen(key):
                self._facts["title"] = text
                self._state.title_rank = _TITLE_RANK["summary"]
            else:
                self._titles[key] = text

    def _title(self, record: Record) -> None:
        title = record.custom_title if record.type == "custom-title" else record.ai_title
        rank = _TITLE_RANK.get(str(record.type), 0)
        if rank and title and title.strip() and rank >= self._state.title_rank:
            self._facts["title"] = title
            self._state.title_rank = rank

    def _block(self, record: Record, block_id: str, role: Role, text: str, offset: int, ord_: int) -> RawBlock:
        return RawBlock(
            block_id=block_id,
            role=role,
            kind="text",
            text=text,
            ord=ord_,
            turn=self._state.turn,
            offset=offset,
            timestamp=utc_time(record.timestamp),
            cwd=record.cwd,
            branch=record.git_branch,
        )

    # ---- ids and the session ---------------------------------------------------------------------------------------

    def _nth(self, *parts: object) -> str:
        """Return an id of parts that may recur: with the number of times they came before."""
        key = key_of("\x1f".join(map(str, parts)))
        nth = self._state.nth.get(key, 0)
        self._state.nth[key] = nth + 1
        return make_id(NAME, *parts, nth)

    def _anonymous(self, record: Record) -> str:
        """Return an anchor for the ids of a record without a uuid."""
        return self._nth(record.session_id, record.type, record.timestamp)

    def _begin(self) -> None:
        """Learn what the file's name tells."""
        state = self._state
        state.agent = agent_id(self._path)
        if state.agent is None and is_uuid(self._path.stem):
            state.session = self._path.stem

    def _accompany(self, companion: bytes) -> None:
        try:
            found = msgspec.json.decode(companion, type=_Companion)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return
        if found.agent_type:
            self._facts["agent_type"] = found.agent_type
        if found.description and not self._state.title_rank:
            self._facts["title"] = found.description

    def _settle(self, record: Record) -> None:
        """Learn the session from the first user or assistant record."""
        state = self._state
        told = plain_id(record.session_id)
        if state.agent is None and state.session is None and record.is_sidechain and plain_id(record.agent_id):
            state.agent = record.agent_id
        if state.agent is not None:
            state.parent = told or _session_folder(self._path)
            state.relation = "subagent"
            state.session = f"{state.parent}/{state.agent}" if state.parent else state.agent
        elif state.session is None:
            state.session = told
        elif told and told != state.session:
            state.parent, state.relation = told, "continuation"
        fork = record.forked_from if isinstance(record.forked_from, str | None) else record.forked_from.session_id
        if state.agent is None and (parent := plain_id(fork)) and parent != state.session:
            state.parent, state.relation = parent, "fork"
        state.settled = state.session is not None

    def _learn(self, record: Record) -> None:
        """Note what a record tells of the session: its first folder, its latest branch, version and model."""
        facts = self._facts
        if record.cwd and "cwd" not in facts:
            facts["cwd"] = record.cwd
        if record.git_branch:
            facts["branch"] = record.git_branch
        if record.version:
            facts["version"] = record.version
        if record.type == "assistant" and record.message and record.message.model not in (None, "<synthetic>"):
            facts["model"] = str(record.message.model)

    def _session(self, *, named: bool) -> RawSession | None:
        """Return what is known of the session; ``named``: after its file, when no record has told it."""
        state = self._state
        native_id = state.session or (self._path.stem if named else None)
        if native_id is None:
            return None
        return RawSession(
            native_id=native_id,
            parent_id=state.parent,
            relation=state.relation,
            agent_id=state.agent,
            **self._facts,
        )

    def _take(self, *, named: bool = False) -> list[Event]:
        """Return the events so far, what is new of the session first."""
        events, self._events = self._events, []
        session = self._session(named=named)
        if session is None or session == self._told:
            return events
        self._told = session
        return [session, *events]


def _session_folder(path: PurePath) -> str | None:
    """Return the parent session's id from ``<session>/subagents/…/agent-<id>.jsonl``."""
    parts = path.parts
    for place in range(len(parts) - 2, 0, -1):
        if parts[place] == "subagents":
            return plain_id(parts[place - 1])
    return None


def _disposition(items: list[Item], texts: list[content.Text]) -> Disposition:
    """Return where a message's bytes went."""
    kept = {text.index for text in texts}
    if any(item.type not in content.MEDIA_TYPES for index, item in enumerate(items) if index in kept):
        return "indexed"
    kinds = {item.type for item in items}
    if kinds & (content.MEDIA_TYPES | content.THINKING_TYPES):
        return "excluded"
    if all(kind in content.KNOWN_TYPES or str(kind).endswith("tool_result") for kind in kinds):
        return "metadata"
    return "unknown"


def _load(state: bytes, path: PurePath) -> _State:
    try:
        found = msgspec.msgpack.decode(state, type=_State)
    except (msgspec.DecodeError, RecursionError):
        found = None
    if found is None or found.version != _State().version:
        raise SourceError(f"{path}: what is kept of it cannot be read on; run `index {path} --rebuild`")
    return found
