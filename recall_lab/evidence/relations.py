"""How sessions belong together: ``recall.session-relations.v1``, from the hosts' own links and nothing else."""

from __future__ import annotations

from typing import Any

from recall_lab.errors import NotFoundError
from recall_lab.evidence.exact import exactly
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo

SCHEMA = "recall.session-relations.v1"


def session_relations(
    reader: Reader, target: str, *, host: str | None = None, include_children: bool = False, chain: bool = False
) -> dict[str, Any]:
    """Return the graph of the sessions that belong to one.

    Links are those that the hosts wrote down: a subagent's caller, a fork's origin, what a session continues. None is
    guessed from times or names.

    Args:
        reader: The store.
        target: A session's native id, whole.
        host: The host, where two hosts use the same id.
        include_children: Also the sessions that name this one as their parent, and theirs.
        chain: Also its parent, the parent's parent and so on.

    Returns:
        schema_version, target, nodes (host, native_id, parent_id and relation as the host wrote them, agent_id,
        started, ended, turns, blocks) and edges between them (child, parent, relation).

    Raises:
        NotFoundError: no such session, or the chain names one that is not captured.
        UsageError: two hosts have the id.
    """
    with store.snapshot(reader):
        start = exactly(reader, target, host)
        nodes = {start.native_id: start}
        if chain:
            _climb(reader, start, nodes)
        if include_children:
            _descend(reader, start, nodes)
    return {
        "schema_version": SCHEMA,
        "target": {"host": start.host, "native_id": start.native_id},
        "nodes": [_node(info) for info in nodes.values()],
        "edges": [
            {"child": info.native_id, "parent": info.parent_id, "relation": info.relation}
            for info in nodes.values()
            if info.parent_id in nodes and info.parent_id != info.native_id
        ],
    }


def _climb(reader: Reader, info: SessionInfo, nodes: dict[str, SessionInfo]) -> None:
    while info.parent_id and info.parent_id not in nodes:
        try:
            parent = exactly(reader, info.parent_id, info.host)
        except NotFoundError as error:
            raise NotFoundError(
                f"session {info.native_id} names {info.parent_id} as its parent, which is not captured; index it, or "
                "leave the chain out"
            ) from error
        nodes[parent.native_id] = parent
        info = parent


def _descend(reader: Reader, info: SessionInfo, nodes: dict[str, SessionInfo]) -> None:
    waiting = [info]
    while waiting:
        for child in sessions.children(reader, waiting.pop()):
            if child.native_id not in nodes:
                nodes[child.native_id] = child
                waiting.append(child)


def _node(info: SessionInfo) -> dict[str, Any]:
    return {
        "host": info.host,
        "native_id": info.native_id,
        "parent_id": info.parent_id,
        "relation": info.relation,
        "agent_id": info.agent_id,
        "started": info.started,
        "ended": info.ended,
        "turns": info.turns,
        "blocks": info.blocks,
    }
