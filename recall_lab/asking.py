"""From what a person asks for to what search takes: names, folders and times become filters, the place a scope."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import msgspec

from recall_lab.errors import UsageError
from recall_lab.model import KINDS, ROLES, Answer, Filters, Kind, Role
from recall_lab.times import parse_time

if TYPE_CHECKING:
    from recall_lab.store import Reader

Names = str | Sequence[str] | None
Scope = Literal["session", "repo", "all"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Mode = Literal["lexical", "semantic", "hybrid"]
MODES: tuple[Mode, ...] = get_args(Mode)


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks of a search; the fields are the arguments of :meth:`recall_lab.lab.Lab.search`."""

    since: str | None = None
    until: str | None = None
    host: Names = None
    role: Names = None
    kind: Names = None
    tool: Names = None
    branch: Names = None
    cwd: Path | str | None = None
    session: Names = None
    project: str | None = None
    model: Names = None
    has_error: bool = False
    limit: int = 10
    offset: int = 0
    scope: str | None = None
    require_all: bool = False
    half_life_days: float | None = None
    mode: str | None = None
    prefer: Names = None

    def told(self) -> dict[str, object]:
        """The fields that differ from their defaults."""
        mine, plain = msgspec.structs.asdict(self), msgspec.structs.asdict(Wish())
        return {name: value for name, value in mine.items() if value != plain[name]}


def ask(
    reader: Reader, query: str, wish: Wish, zone: str, folder: Path | None = None, *, model: Path | None = None
) -> Answer:
    """Search the store as a person asks for it.

    Args:
        reader: The store.
        query: The query as typed.
        wish: Filters, scope and page.
        zone: IANA name of the zone that times are meant in.
        folder: Where the person is; the working folder when left out.
        model: The folder of a model for search by meaning; the installed one when left out.

    Raises:
        SemanticError: only meaning was asked for, and there is no model or there are no vectors.
        TimeError: a time cannot be understood.
        UsageError: a filter, scope or limit cannot be used.
    """
    from recall_lab.search import SearchConfig, search

    mode = _mode(wish.mode)
    filters = filters_of(wish, zone)
    config = SearchConfig()
    if wish.half_life_days is not None:
        config = msgspec.structs.replace(config, half_life_days=wish.half_life_days)
    scope, repo, session = _scope_of(reader, wish, folder or Path.cwd())
    find: Callable[..., Answer] = search
    if mode != "lexical":
        from recall_lab import semantic

        config = msgspec.structs.replace(config, mode=mode)
        find = partial(semantic.find, model=model)
    return find(
        reader,
        query,
        config=config,
        filters=filters,
        scope=scope,
        repo=repo,
        session=session,
        limit=wish.limit,
        offset=wish.offset,
        require_all=wish.require_all,
        prefer=cast("tuple[Role | Kind, ...]", _known("role or kind to prefer", wish.prefer, (*ROLES, *KINDS))),
    )


def _mode(given: str | None) -> Mode:
    if given is None:
        return "lexical"
    if given not in MODES:
        raise UsageError(f"there is no mode {given!r}; use {', '.join(MODES)}")
    return given


def filters_of(wish: Wish, zone: str) -> Filters:
    """The filters of a wish.

    Raises:
        TimeError: a time cannot be understood.
        UsageError: a role or kind does not exist.
    """
    return Filters(
        since=parse_time(wish.since, zone) if wish.since else None,
        until=parse_time(wish.until, zone, end=True) if wish.until else None,
        hosts=names(wish.host),
        roles=cast("tuple[Role, ...]", _known("role", wish.role, ROLES)) or Filters().roles,
        kinds=cast("tuple[()]", _known("kind", wish.kind, KINDS)),
        tools=names(wish.tool),
        branches=names(wish.branch),
        cwd=os.path.abspath(os.path.expanduser(wish.cwd)) if wish.cwd else None,  # noqa: PTH100, PTH111
        sessions=names(wish.session),
        project=wish.project or None,
        models=names(wish.model),
        has_error=wish.has_error,
    )


def names(given: Names) -> tuple[str, ...]:
    """One name, several or none, as a tuple."""
    if not given:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)


def _known(what: str, given: Names, allowed: Sequence[str]) -> tuple[str, ...]:
    chosen = names(given)
    for name in chosen:
        if name not in allowed:
            raise UsageError(f"there is no {what} {name!r}; use {', '.join(allowed)}")
    return chosen


def _scope_of(reader: Reader, wish: Wish, folder: Path) -> tuple[Scope, str | None, str | None]:
    if wish.scope is not None and wish.scope not in SCOPES:
        raise UsageError(f"there is no scope {wish.scope!r}; use {', '.join(SCOPES)}")
    if wish.scope == "session":
        chosen = names(wish.session)
        if len(chosen) != 1:
            raise UsageError("scope session needs one session; name it with session (--session ID)")
        return "session", None, chosen[0]
    if wish.scope == "all" or (wish.scope is None and (wish.session or wish.project or wish.cwd)):
        return "all", None, None
    repo = repository_with_sessions(reader, folder)
    if repo is None and wish.scope == "repo":
        raise UsageError(f"no session of the store belongs to the repository of {folder}; use scope all")
    return ("repo", repo, None) if repo else ("all", None, None)


def repository_with_sessions(reader: Reader, folder: Path) -> str | None:
    """The key of the repository that ``folder`` lies in, when the store holds sessions of it."""
    from recall_lab.capture.repositories import Repositories
    from recall_lab.store.session_reading import sessions

    repo = Repositories().key(None, str(folder))
    return repo if repo and sessions(reader, repos=(repo,), limit=1) else None
