"""Which session a file is, and what its records tell of it."""

from __future__ import annotations

import re
from pathlib import PurePath

import msgspec

from recall_lab.hosts._names import is_uuid, plain_id
from recall_lab.hosts.base import RawSession
from recall_lab.hosts.claude_code.records import Record
from recall_lab.hosts.claude_code.state import State

_AGENT_FILE = re.compile(r"agent-(.+)")
_FACTS = ("agent_type", "title", "cwd", "branch", "model", "version")
_TITLE_RANK = {"summary": 1, "ai-title": 2, "custom-title": 3}


class _Companion(msgspec.Struct, rename="camel"):
    """The ``.meta.json`` beside an agent's file."""

    agent_type: str | None = None
    description: str | None = None


def agent_id(path: PurePath) -> str | None:
    """Return the agent's id that a file is named after (``agent-<id>.jsonl``), or None."""
    match = _AGENT_FILE.fullmatch(path.stem)
    return plain_id(match[1]) if match and path.suffix == ".jsonl" else None


class Session:
    """The session of one file, as it becomes known.

    Args:
        path: Of the file; its name and folder tell ids.
        state: Keeps the ids.
        known: What an earlier reading knew; its texts are not in the state.
        companion: Content of the ``.meta.json`` beside an agent's file.
    """

    def __init__(self, path: PurePath, state: State, known: RawSession | None, companion: bytes) -> None:
        self._path = path
        self._state = state
        self._facts: dict[str, str] = {}
        self._leaves: dict[bytes, str] = {}  # summaries by their leaf, while it has not come
        if known is not None:
            self._facts = {name: value for name in _FACTS if (value := getattr(known, name)) is not None}
        elif (agent := agent_id(path)) is not None:
            state.agent = agent
        elif is_uuid(path.stem):
            state.session = path.stem
        if companion and state.agent:
            self._accompany(companion)

    def known(self, *, named: bool) -> RawSession | None:
        """Return what is known; ``named``: after its file, when no record has told it."""
        state = self._state
        native_id = state.session or (self._path.stem if named else None)
        if native_id is None:
            return None
        return RawSession(
            native_id=native_id, parent_id=state.parent, relation=state.relation, agent_id=state.agent, **self._facts
        )

    def parent_of_agents(self, record: Record) -> str:
        """Return the native id of the session that the record's agents are children of."""
        return self._state.session or plain_id(record.session_id) or self._path.stem

    def settle(self, record: Record) -> None:
        """Learn the ids from the first user or assistant record.

        A main file is named after its session; under another name, its first message tells it. Where that message is of
        another session, the file goes on from it. A file of an agent is named after the agent, and its messages carry
        the id of the session that called it.
        """
        state = self._state
        told = plain_id(record.session_id)
        if state.agent is None and state.session is None and record.is_sidechain:
            state.agent = plain_id(record.agent_id)
        if state.agent is not None:
            state.parent = told or self._session_folder()
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

    def learn(self, record: Record) -> None:
        """Note what a record tells of the session: its first folder, its latest branch, version and model."""
        facts = self._facts
        if record.cwd and "cwd" not in facts:
            facts["cwd"] = record.cwd
        if record.git_branch:
            facts["branch"] = record.git_branch
        if record.version:
            facts["version"] = record.version
        message = record.message
        if message is not None and record.type == "assistant" and message.model and message.model != "<synthetic>":
            facts["model"] = message.model

    def title(self, record: Record) -> None:
        """Take a title that a person or the host gave; a person's stands above the host's."""
        given = record.custom_title if record.type == "custom-title" else record.ai_title
        if given and given.strip():
            self._entitle(given, str(record.type))

    def summary(self, text: str, leaf: bytes, *, seen: bool) -> None:
        """Take a summary as the title, if the record that it ends in is of this file, before it or after it."""
        if seen:
            self._entitle(text, "summary")
        else:
            self._leaves[leaf] = text

    def leaf(self, key: bytes) -> None:
        """Note a record: a summary may have waited for it."""
        if self._leaves and key in self._leaves:
            self._entitle(self._leaves.pop(key), "summary")

    def _entitle(self, title: str, kind: str) -> None:
        rank = _TITLE_RANK[kind]
        if rank >= self._state.title_rank:
            self._facts["title"] = title
            self._state.title_rank = rank

    def _accompany(self, companion: bytes) -> None:
        try:
            found = msgspec.json.decode(companion, type=_Companion)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return
        if found.agent_type:
            self._facts["agent_type"] = found.agent_type
        if found.description and not self._state.title_rank:
            self._facts["title"] = found.description

    def _session_folder(self) -> str | None:
        """Return the parent's id from ``<session>/subagents/…/agent-<id>.jsonl``."""
        parts = self._path.parts
        for place in range(len(parts) - 2, 0, -1):
            if parts[place] == "subagents":
                return plain_id(parts[place - 1])
        return None
