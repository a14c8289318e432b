"""Counting a thread's tokens: once each, whatever is said again.

``event_msg/token_count.info`` holds ``total_token_usage`` of the thread and ``last_token_usage`` of the last response.
An event whose totals did not change says nothing new. ``last`` is what a response used; where it is absent it is total
minus previous total, and totals that fall have begun anew. ``token_usage_record`` (Codex 0.15x) says the same of each
response, and is counted where no token_count says it.
"""

from __future__ import annotations

import msgspec

from recall_lab.hosts.base import make_id
from recall_lab.hosts.codex.records import Info, Tokens

_MOST = 1 << 53  # counts beyond it are no counts
_NONE = Tokens()
_REMEMBERED = 8


class Counted(msgspec.Struct, frozen=True, gc=False):
    """One response to count: its key, its tokens, and how many web searches came before it."""

    key: str
    tokens: Tokens
    searches: int


class Usage(msgspec.Struct):
    """Where the count stands; part of the parser's state.

    A call's key is H(host, "usage", turn, nth, tokens): the turn_id is one that a fork's or a child's replay keeps, and
    ``nth`` counts the responses of the turn. So a replayed response has the key that it has in its parent, and is
    counted once. In files without turn ids the key is H(host, "usage", session, nth, tokens, totals), of the latest
    session_meta before the response: that of the parent while its records are replayed.
    """

    scope: str = ""  # hash of the turn_id or session_meta.id
    is_turn: bool = False
    nths: dict[str, int] = {}  # by scope, of the latest few
    total: Tokens | None = None
    recorded: Tokens | None = None  # by a token_usage_record that no token_count has said again so far
    counted: Tokens | None = None  # by a token_count that no token_usage_record has said again so far
    searches: int = 0

    def enter(self, scope: str, *, is_turn: bool) -> None:
        """Begin a turn, or a session."""
        self.scope, self.is_turn = scope, is_turn

    def token_count(self, info: Info | None) -> Counted | None:
        """Take in a token_count event; return the response that it is the first to count."""
        if info is None:
            return None
        total, last, previous = _sound(info.total_token_usage), _sound(info.last_token_usage), self.total
        if total is not None:
            if total == previous:
                return None
            self.total = total
        if last is None:
            if total is None:
                return None
            last = _difference(total, previous)
        if self.recorded == last:
            self.recorded = None
            return None
        self.recorded, self.counted = None, last
        return self._count(last, total)

    def usage_record(self, tokens: Tokens | None) -> Counted | None:
        """Take in a token_usage_record; return the response that it is the first to count."""
        tokens = _sound(tokens)
        if tokens is None:
            return None
        if self.counted == tokens:
            self.counted = None
            return None
        self.recorded, self.counted = tokens, None
        return self._count(tokens, None)

    def _count(self, tokens: Tokens, total: Tokens | None) -> Counted | None:
        if tokens == _NONE:
            return None
        nth = remember(self.nths, self.scope, self.nths.get(self.scope, -1) + 1)
        counts = msgspec.structs.astuple(tokens)
        if total is not None and not self.is_turn:
            counts += msgspec.structs.astuple(total)
        counted = Counted(make_id("codex", "usage", self.scope, nth, *counts), tokens, self.searches)
        self.searches = 0
        return counted


def remember(counts: dict[str, int], key: str, count: int, most: int = _REMEMBERED) -> int:
    """Note a count as the latest of a few, and return it."""
    counts.pop(key, None)
    counts[key] = count
    if len(counts) > most:
        del counts[next(iter(counts))]
    return count


def _difference(total: Tokens, previous: Tokens | None) -> Tokens:
    if previous is None:
        return total
    less = [now - then for now, then in zip(*map(msgspec.structs.astuple, (total, previous)), strict=True)]
    return total if min(less) < 0 else Tokens(*less)


def _sound(tokens: Tokens | None) -> Tokens | None:
    """Return tokens without counts that are none."""
    if tokens is None:
        return None
    counts = msgspec.structs.astuple(tokens)
    if min(counts) >= 0 and max(counts) < _MOST:
        return tokens
    return Tokens(*(count if 0 <= count < _MOST else 0 for count in counts))
