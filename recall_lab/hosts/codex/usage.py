"""Counting a thread's tokens: once each, whatever is said again.

Formats: ``event_msg/token_count.info`` holds ``total_token_usage`` of the thread and ``last_token_usage`` of the last
response. An event whose totals did not change says nothing new. ``last`` is what a response used; where it is absent it
is total minus previous total, and totals that fall have begun anew. ``input_tokens`` of the host includes what the
cache read and wrote; ``reasoning_output_tokens`` are inside ``output_tokens``. ``token_usage_record`` (Codex 0.15x)
says the same of each response, and is counted where no token_count does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from recall_lab.hosts.base import make_id

_MAX_TOKENS = 1 << 53


class Tokens(NamedTuple):
    """Tokens as the host counts them."""

    input: int
    cached: int
    cache_write: int
    output: int
    reasoning: int


class Counted(msgspec.Struct, frozen=True):
    """One response to count: its key, and its tokens."""

    key: str
    tokens: Tokens
    web_searches: int


class Usage(msgspec.Struct, array_like=True):
    """Where the count stands; part of the parser's state.

    A call's key is H(host, "usage", scope, nth, tokens, totals): ``scope`` is the turn that the response belongs to
    (its turn_id, which a fork's or a child's replay keeps), or, in files without turn ids, the session whose records
    these are (the latest session_meta before them); ``nth`` counts the responses of that scope. So a replayed response
    has the key that it has in its parent, and is counted once.
    """

    scope: str = ""
    nth: int = 0
    total: tuple[int, ...] | None = None
    recorded: tuple[int, ...] | None = None  # by a token_usage_record that no token_count has said again so far
    searches: int = 0

    def enter(self, scope: str) -> None:
        """Begin a turn, or a session without turn ids."""
        if scope != self.scope:
            self.scope, self.nth = scope, 0

    def token_count(self, info: Any) -> Counted | None:
        """Take in the ``info`` of a token_count event; return the response that it is the first to count."""
        if not isinstance(info, dict):
            return None
        total, last = _tokens(info.get("total_token_usage")), _tokens(info.get("last_token_usage"))
        if total is None and last is None:
            return None
        previous = self.total
        if total is not None:
            if previous is not None and total == previous:
                return None
            self.total = tuple(total)
        if last is None:
            assert total is not None
            last = _difference(total, previous)
        if self.recorded == last:
            self.recorded = None
            return None
        self.recorded = None
        return self._count(last, total or ())

    def usage_record(self, usage: Any) -> Counted | None:
        """Take in the ``usage`` of a token_usage_record."""
        tokens = _tokens(usage)
        if tokens is None:
            return None
        counted = self._count(tokens)
        self.recorded = tuple(tokens)
        return counted

    def _count(self, tokens: Tokens, total: tuple[int, ...] = ()) -> Counted | None:
        if not any(tokens):
            return None
        key = make_id("codex", "usage", self.scope, self.nth, *tokens, "of", *total)
        counted = Counted(key, tokens, self.searches)
        self.nth += 1
        self.searches = 0
        return counted


def _tokens(value: Any) -> Tokens | None:
    if not isinstance(value, dict):
        return None
    return Tokens(
        _number(value.get("input_tokens")),
        _number(value.get("cached_input_tokens")),
        _number(value.get("cache_write_input_tokens")),
        _number(value.get("output_tokens")),
        _number(value.get("reasoning_output_tokens")),
    )


def _difference(total: Tokens, previous: tuple[int, ...] | None) -> Tokens:
    if previous is None or any(now < before for now, before in zip(total, previous, strict=True)):
        return total
    return Tokens(*(now - before for now, before in zip(total, previous, strict=True)))


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_TOKENS else 0
