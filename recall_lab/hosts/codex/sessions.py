"""What a session_meta, or the header of 2025-08, says of its session."""

from __future__ import annotations

import re
from typing import Any

from recall_lab.hosts._names import plain_id
from recall_lab.hosts.base import RawSession
from recall_lab.hosts.codex.records import Body
from recall_lab.model import Relation

_CWD = re.compile(r"<cwd>([^<>\n]+)</cwd>|^Current working directory: (.+)$", re.MULTILINE)


def facts_of(body: Body, own: str) -> RawSession:
    """Return the session that a session_meta begins.

    A thread that another one spawned names it as ``parent_thread_id``, or in its ``source``; a fork names the thread
    that it continues as ``forked_from_id``. A child that took over its parent's history has both and is a child.

    Args:
        body: The session_meta's payload, or the header.
        own: The session's id.
    """
    spawn = _spawn(body.source)
    parent = plain(body.parent_thread_id) or plain(spawn.get("parent_thread_id"))
    forked = plain(body.forked_from_id)
    relation: Relation | None = None
    if parent or body.thread_source == "subagent" or _is_subagent(body.source):
        relation = "subagent"
        root = plain(body.session_id)
        parent = parent or forked or (root if root != own else None)
    elif forked:
        relation, parent = "fork", forked
    git = body.git if isinstance(body.git, dict) else {}
    agent_type = None
    if relation == "subagent":
        named = (body.agent_role, spawn.get("agent_role"), body.agent_nickname, spawn.get("agent_nickname"))
        agent_type = next((name for value in named if (name := words(value))), _label(body.source))
    return RawSession(
        native_id=own,
        parent_id=parent,
        relation=relation,
        agent_id=own if relation == "subagent" else None,
        agent_type=agent_type,
        cwd=words(body.cwd),
        branch=words(git.get("branch")),
        remote=words(git.get("repository_url")),
        model=words(body.model),
        version=words(body.cli_version),
    )


def cwd_told(text: str) -> str | None:
    """Return the folder that an ``<environment_context>`` names: all that files of 2025-08 tell of it."""
    if not text.startswith("<environment_context>"):
        return None
    match = _CWD.search(text)
    return (match[1] or match[2]).strip() if match else None


def plain(value: Any) -> str | None:
    """Return an id that looks like one; see ``hosts._names.plain_id``."""
    return plain_id(value) if isinstance(value, str) else None


def words(value: Any) -> str | None:
    """Return a string that is not empty."""
    return value if isinstance(value, str) and value else None


def _subagent(source: Any) -> Any:
    return source.get("subagent") if isinstance(source, dict) else None


def _spawn(source: Any) -> dict[str, Any]:
    subagent = _subagent(source)
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    return spawn if isinstance(spawn, dict) else {}


def _is_subagent(source: Any) -> bool:
    return source == "subagent" or _subagent(source) is not None


def _label(source: Any) -> str | None:
    """Return the kind of a child that the host began by itself, such as ``review``."""
    subagent = _subagent(source)
    if isinstance(subagent, dict):
        return words(subagent.get("other"))
    return words(subagent)
