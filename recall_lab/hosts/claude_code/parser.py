"""Reads one transcript of Claude Code: lines in, events out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from recall_lab.hosts._books import LineBooks
from recall_lab.hosts._json import LineReader
from recall_lab.hosts._names import TypeNames, plain_id, utc_time
from recall_lab.hosts.base import Checkpoint, Embedded, Event, Line, RawBlock, RawRecord, RawSession, make_id
from recall_lab.hosts.claude_code import content
from recall_lab.hosts.claude_code.messages import NAME, Place, Spoken, queued_text, spoken_in, spoken_queued
from recall_lab.hosts.claude_code.records import SMALL_TYPES, Data, Record, is_record
from recall_lab.hosts.claude_code.session import Session
from recall_lab.hosts.claude_code.state import State, dump, load
from recall_lab.hosts.claude_code.tree import Tree, key_of
from recall_lab.model import Disposition, Kind, Role

_TOLD_SYSTEM = frozenset({"away_summary", "informational", "local_command", "scheduled_task_fire"})
_SILENT_ATTACHMENTS = frozenset({"plan_mode", "plan_mode_exit", "plan_mode_reentry", "task_reminder", "todo_reminder"})
_MESSAGE_TYPES = frozenset({"user", "assistant"})

_reader = LineReader(Record, is_record)


def records_of(lines: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of some lines; what is none is left out."""
    for line in lines:
        try:
            yield _reader.decode(line)
        except (msgspec.DecodeError, RecursionError):
            yield from (piece.value for piece in _reader.pieces(line) if piece.value is not None)


class Parser(LineBooks[Record]):
    """See ``hosts.base.Parser``."""

    def __init__(
        self, path: PurePath, resume: Checkpoint | None, agents: frozenset[str] | None, companion: bytes
    ) -> None:
        self._agents = agents
        self._state = load(resume.state, path) if resume else State()
        super().__init__(_reader, self._state, resume.offset if resume else 0)
        self._tree = Tree(self._state.tree)
        self._names = TypeNames(self._state.names)
        self._told = resume.session if resume else None
        self._session = Session(path, self._state, self._told, companion)
        self._told_agents: set[str] = set()

    # ---- the interface ---------------------------------------------------------------------------------------------

    def feed(self, lines: Iterable[Line]) -> list[Event]:
        """Return the events of these lines; see ``hosts.base.Parser``."""
        self._read(lines)
        return self._take(named=False)

    def finish(self) -> list[Event]:
        """Name the session of a source that has told none; see ``hosts.base.Parser``."""
        return self._take(named=self._offset > 0)

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return the ranges of ord on dead branches; see ``hosts.base.Parser``."""
        return self._tree.dead()

    def checkpoint(self) -> Checkpoint:
        """Return the end of the last whole record; see ``hosts.base.Parser``."""
        state = self._state
        state.tree = self._tree.state()
        state.names = self._names.known
        return Checkpoint(self._offset, state.ord, dump(state), self._session.known(named=True))

    def _take(self, *, named: bool) -> list[Event]:
        """Return the events so far, what is new of the session first."""
        events, self._events = self._events, []
        session = self._session.known(named=named)
        if session is None or session == self._told:
            return events
        self._told = session
        return [session, *events]

    # ---- records ---------------------------------------------------------------------------------------------------

    def _record(self, record: Record, offset: int, length: int, note: str | None) -> None:
        """Take one record: its line in the ledger first, then what it gave."""
        type_ = record.type
        key = key_of(record.uuid) if record.uuid else None
        news: list[Event] = []
        if type_ in _MESSAGE_TYPES and record.message is not None:
            if not self._state.settled:
                self._session.settle(record)
            name, take = str(type_), self._message
        elif type_ == "progress" and record.data is not None:
            name, take = f"progress/{self._names(record.data.type)}", self._progress
        elif type_ == "attachment" and record.attachment is not None:
            name, take = f"attachment/{self._names(record.attachment.type)}", self._attachment
        elif type_ == "system":
            name, take = f"system/{self._names(record.subtype)}", self._system
        elif type_ == "queue-operation":
            name, take, key = f"queue-operation/{self._names(record.operation)}", self._queue, None
        elif type_ == "summary" and record.summary is not None:
            name, take, key = "summary", self._summary, None
        elif type_ in SMALL_TYPES:
            self._session.title(record)
            self._ledger(str(type_), "metadata", offset, length, note)
            return
        elif type_ in {*_MESSAGE_TYPES, "progress", "attachment", "summary"}:
            self._ledger(str(type_), "malformed", offset, length, "a required field is missing")
            return
        else:
            name = self._names(type_)
            self._ledger(name, "unknown", offset, length, f"unknown record type {name}")
            return
        if type_ != "progress":
            self._session.learn(record)
        if key is not None and self._tree.seen(key):
            self._ledger(name, "duplicate", offset, length, note)
            return
        start = self._state.ord
        disposition = take(record, offset, news)
        if disposition == "unknown":
            note = "unknown content type"
        self._ledger(name, disposition, offset, length, note)
        self._events += news
        if key is not None:
            prompt = type_ == "user" and content.is_prompt(record)
            self._tree.add(key, record.parent_uuid, start, self._state.ord, prompt=prompt)
            self._session.leaf(key)

    def _message(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        state = self._state
        spoken = spoken_in(record, agent=state.agent)
        if spoken.starts_turn(in_agent=state.agent is not None, first=state.turn == 0):
            state.turn += 1
        news += self._say(spoken, record, self._anchor(record), offset, state.turn)
        return spoken.disposition

    def _say(self, spoken: Spoken, record: Record, anchor: str, offset: int, turn: int) -> list[Event]:
        """Return the events of a message, and count its blocks."""
        place = Place(
            anchor=anchor,
            ord=self._state.ord,
            offset=offset,
            turn=turn,
            timestamp=utc_time(record.timestamp),
            cwd=record.cwd,
            branch=record.git_branch,
        )
        self._state.ord += len(spoken.texts)
        return [*spoken.events(place)]

    def _progress(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        data = record.data or Data()
        agent = plain_id(data.agent_id)
        message = data.spoken(record)
        if data.type != "agent_progress" or message is None or agent is None:
            return "metadata"
        if self._agents is None:
            return "excluded"
        if agent in self._agents:
            return "duplicate"
        return self._embedded(message, agent, offset, news)

    def _embedded(self, record: Record, agent: str, offset: int, news: list[Event]) -> Disposition:
        """Take a message of an agent that has no file of its own."""
        state = self._state
        key = key_of(record.uuid or "")
        if self._tree.seen(key):
            return "duplicate"
        self._tree.note(key)
        spoken = spoken_in(record, agent=agent)
        turn = state.turns.get(agent, 0)
        turn += spoken.starts_turn(in_agent=True, first=turn == 0)
        state.turns[agent] = turn
        if agent not in self._told_agents:
            self._told_agents.add(agent)
            parent = self._session.parent_of_agents(record)
            told = RawSession(
                native_id=f"{parent}/{agent}",
                parent_id=parent,
                relation="subagent",
                agent_id=agent,
                cwd=record.cwd,
                branch=record.git_branch,
                version=record.version,
            )
            news.append(Embedded(agent, told))
        for event in self._say(spoken, record, str(record.uuid), offset, turn):
            assert not isinstance(event, RawRecord | Embedded)
            news.append(Embedded(agent, event))
        return spoken.disposition

    def _system(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        text = record.content
        if record.subtype not in _TOLD_SYSTEM or not isinstance(text, str) or not text.strip():
            return "metadata"
        block_id = make_id(NAME, self._anchor(record), 0, "text")
        news.append(self._block(record, block_id, "host", "text", text, offset=offset))
        return "indexed"

    def _attachment(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        found = record.attachment
        if found is None or found.type != "queued_command":
            return "metadata" if found and found.type in _SILENT_ATTACHMENTS else "excluded"
        spoken = spoken_queued(record, found)
        if spoken.texts:
            news += self._say(spoken, record, self._anchor(record), offset, self._state.turn)
        return spoken.disposition

    def _queue(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        block_id = self._nth(record.session_id, "queue", record.timestamp)
        text = queued_text(record)
        if record.operation != "enqueue" or not text.strip():
            return "metadata"
        role = content.queued_role(text)
        news.append(self._block(record, block_id, role, "text", text, offset=offset, queued=True))
        return "indexed"

    def _summary(self, record: Record, offset: int, news: list[Event]) -> Disposition:
        text, leaf = record.summary or "", record.leaf_uuid
        if not text.strip() or not leaf:
            return "metadata"
        block_id = self._nth(leaf, "summary")
        news.append(self._block(record, block_id, "host", "summary", text, offset=offset))
        key = key_of(leaf)
        self._session.summary(text, key, seen=self._tree.seen(key))
        return "indexed"

    def _block(
        self, record: Record, block_id: str, role: Role, kind: Kind, text: str, *, offset: int, queued: bool = False
    ) -> RawBlock:
        """Return a block of a record that is no message."""
        block = RawBlock(
            block_id=block_id,
            role=role,
            kind=kind,
            text=text,
            ord=self._state.ord,
            turn=self._state.turn,
            offset=offset,
            timestamp=utc_time(record.timestamp),
            cwd=record.cwd,
            branch=record.git_branch,
            queued=queued,
        )
        self._state.ord += 1
        return block

    # ---- ids -------------------------------------------------------------------------------------------------------

    def _anchor(self, record: Record) -> str:
        """Return what a record's ids are made of: its uuid; without one, how often its session, type and time came."""
        return record.uuid or self._nth(record.session_id, record.type, record.timestamp)

    def _nth(self, *parts: object) -> str:
        """Return an id of parts that may recur, and of how often they came before."""
        key = key_of("\x1f".join(map(str, parts)))
        nth = self._state.nth.get(key, 0)
        self._state.nth[key] = nth + 1
        return make_id(NAME, *parts, nth)
