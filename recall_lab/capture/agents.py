"""Agents and where they are told: in a transcript of their own, or only in that of the session that called them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_lab.capture.discovery import Found
from recall_lab.hosts import HOSTS
from recall_lab.model import Source
from recall_lab.store import Writer
from recall_lab.store.status import sources_that_tell_of

Key = tuple[str, str]
"""A source as the store knows it: (machine, path)."""


def agents_with_files(found: Iterable[Found], known: Iterable[Source] = ()) -> frozenset[str]:
    """Return the agents that have a transcript of their own, now or when it was captured; empty ones tell nothing."""
    files = [(one.host, one.path) for one in found if one.size]
    files += [(source.host, Path(source.path)) for source in known if source.host in HOSTS and source.size]
    ids = (HOSTS[host].agent_id(path) for host, path in files)
    return frozenset(agent for agent in ids if agent is not None)


def told_before(writer: Writer, found: Iterable[Found], known: Mapping[Key, Source]) -> dict[Key, Source]:
    """Return the sources that told of an agent whose own transcript is found only now: it tells the agent from here on.

    They are read again, so that the order of capture does not show. Costs nothing where no agent is new.
    """
    new = agents_with_files(found) - agents_with_files((), known.values())
    return {key: known[key] for key in sources_that_tell_of(writer, new)} if new else {}
