"""What is known at a point of a rollout: all that a resume needs, and how ids are made of it."""

from __future__ import annotations

from typing import Any

import msgspec

from recall_lab.hosts.base import make_id
from recall_lab.hosts.codex.kinds import CALLS
from recall_lab.hosts.codex.sessions import plain
from recall_lab.hosts.codex.usage import Usage, remember

NAME = "codex"

_CALLS_REMEMBERED = 64
_TURNS_REMEMBERED = 256
_LONG_ID = 16  # characters; a shorter turn_id is a number within its session


class State(msgspec.Struct, array_like=True):
    """What the fold knows at a point of the source: ids, numbers and hashes, never text.

    A block's id is H(host, call_id, type) where its record has a call_id, else H(host, anchor, label, nth): the anchor
    is the nearest session_meta.id, turn_id or call_id before it (a turn_id that is said again does not begin anew), the
    label its role or type, ``nth`` counts the label's parts since the anchor.
    """

    version: int = 1
    ord: int = 0
    turn: int = 0
    session: str | None = None
    bare: bool = False
    user_events: bool = False
    met: dict[int, list[int]] = {}  # see ``pairing.Window``
    lineage: str = ""  # of the session that this one was forked or spawned from, else of its own
    turn_key: str = ""  # of the current turn_id
    anchor: str = ""
    counts: dict[str, int] = {}  # by label
    entered: dict[str, int] = {}  # how often a session or turn began, of the latest few
    starts: list[int] = []  # the ord at which each of the latest turns began that still stand
    dead: list[tuple[int, int]] = []  # half-open ranges of ord that were rolled back
    calls: dict[str, int] = {}  # heads of the block ids of the latest calls
    timestamp: str | None = None
    names: list[str] = []
    usage: Usage = msgspec.field(default_factory=Usage)

    @classmethod
    def at_start(cls, named: str) -> State:
        """Return the state before the first record; ``named`` is the session by the file's name, in case none says."""
        key = session_key(named)
        return cls(lineage=key, anchor=f"session {key} 0", usage=Usage(scope=key))

    def begin(self, own: str, parent: str | None) -> None:
        """Take in the first session_meta: the session's own id, and that of the one it comes from."""
        self.session = own
        self.lineage = session_key(parent or own)

    def enter_session(self, own: str, parent: str | None) -> None:
        """Take in a session_meta; all but the first are repeated, or a parent's whose records are replayed."""
        key = session_key(own)
        if key == self.lineage and own != self.session and parent:
            self.lineage = session_key(parent)  # the parent is a fork itself
        self.turn_key = ""
        self._enter("session", key)

    def enter_turn(self, turn_id: Any) -> None:
        """Take in a turn_id."""
        own = plain(turn_id)
        if own is None:
            return
        key = make_id(NAME, "turn", own, "" if len(own) >= _LONG_ID else self.lineage)
        if key != self.turn_key:
            self.turn_key = key
            self._enter("turn", key)

    def start_turn(self) -> None:
        """Count a turn, which begins with the next block."""
        self.turn += 1
        self.starts.append(self.ord)
        if len(self.starts) > _TURNS_REMEMBERED:
            del self.starts[0]

    def roll_back(self, turns: int) -> None:
        """Take the latest turns that still stand for dead, with all that followed."""
        if turns > 0 and self.starts:
            start = self.starts[-turns:][0]
            del self.starts[-turns:]
            while self.dead and self.dead[-1][1] >= start:
                start = min(start, self.dead.pop()[0])
            if start < self.ord:
                self.dead.append((start, self.ord))

    def next_id(self, label: str) -> str:
        """Return the id of the next block of this label since the anchor."""
        nth = self.counts.get(label, 0)
        self.counts[label] = nth + 1
        return make_id(NAME, self.anchor, label, nth)

    def call_id(self, call_id: str, kind: str) -> str:
        """Return the id of a call's block, or its output's, and anchor what follows to it."""
        self.anchor, self.counts = f"{kind} {call_id}", {}
        block_id = make_id(NAME, call_id, kind)
        if kind in CALLS:
            remember(self.calls, block_id[:16], 1, _CALLS_REMEMBERED)
        return block_id

    def has_called(self, call_id: str) -> bool:
        """Say whether one of the latest calls has this call_id."""
        return any(make_id(NAME, call_id, kind)[:16] in self.calls for kind in CALLS)

    def _enter(self, what: str, key: str) -> None:
        times = remember(self.entered, key, self.entered.get(key, -1) + 1)
        self.anchor, self.counts = f"{what} {key} {times}", {}
        self.usage.enter(key, is_turn=what == "turn")


def session_key(native_id: str) -> str:
    """Return what stands for a session's id in keys."""
    return make_id(NAME, "session", native_id)
