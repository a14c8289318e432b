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


class Counted(msgspec.Struct, frozen=True, gc=False):
    """One response to count: its key, its tokens, and how many web searches came before it."""

    key: str
    tokens: Tokens
    searches: int


class Usage(msgspec.Struct):
    """Where the count stands; part of the parser's state.

    A call's key is H(host, "usage", scope, nth, tokens, totals): ``scope`` is the turn that the response belongs to
    (its turn_id, which a fork's or a child's replay keeps), or, in files without turn ids, the session whose records
    these are (the latest session_meta before them); ``nth`` counts the responses of that scope. So a replayed response
    has the key that it has in its parent, and is counted once.
    """

    scope: str = ""
    nth: int = 0
    total: Tokens | None = None
    recorded: Tokens | None = None  # by a token_usage_record that no token_count has said again so far
    searches: int = 0

    def enter(self, scope: str) -> None:
        """Begin a turn, or a session without turn ids."""
        if scope != self.scope:
            self.scope, self.nth = scope, 0

    def token_count(self, info: Info | None) -> Counted | None:
        """Take in a token_count event; return the response that it is the first to count."""
        if info is None:
            return None
        total, last, previous = info.total_token_usage, info.last_token_usage, self.total
        if total is not None:
            if total == previous:
                return None
            self.total = total
        if last is None:
            if total is None:
                return None
            last = _difference(total, previous)
        recorded, self.recorded = self.recorded, None
        return None if recorded == last else self._count(last, total)

    def usage_record(self, tokens: Tokens | None) -> Counted | None:
        """Take in a token_usage_record."""
        if tokens is None:
            return None
        self.recorded = tokens
        return self._count(tokens, None)

    def _count(self, tokens: Tokens, total: Tokens | None) -> Counted | None:
        tokens = _sound(tokens)
        if tokens == _NONE:
            return None
        counts = (*msgspec.structs.astuple(tokens), "of", *(msgspec.structs.astuple(total) if total else ()))
        counted = Counted(make_id("codex", "usage", self.scope, self.nth, *counts), tokens, self.searches)
        self.nth += 1
        self.searches = 0
        return counted


def _difference(total: Tokens, previous: Tokens | None) -> Tokens:
    if previous is None:
        return total
    less = [now - then for now, then in zip(*map(msgspec.structs.astuple, (total, previous)), strict=True)]
    return total if min(less) < 0 else Tokens(*less)


def _sound(tokens: Tokens) -> Tokens:
    """Return tokens without counts that are none."""
    counts = msgspec.structs.astuple(tokens)
    if min(counts) >= 0 and max(counts) < _MOST:
        return tokens
    return Tokens(*(count if 0 <= count < _MOST else 0 for count in counts))
