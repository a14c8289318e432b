"""Where a session called its subagents: by what stands in its blocks, never by time or name."""

from __future__ import annotations

from collections.abc import Sequence

from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo, Step

Place = tuple[int, int]  # source_id, ord
_SHORTEST = 12  # code points of a prompt below which finding it in a request says little


def call_places(
    reader: Reader, info: SessionInfo, steps: Sequence[Step]
) -> tuple[tuple[SessionInfo, Place | None], ...]:
    """Return the subagents of a session, the earliest first, each with the place of its call.

    That is the first tool result that names the agent, else the first tool request that holds the agent's first prompt
    word for word and no other agent was found at; None when there is neither.

    Args:
        reader: The store.
        info: The session.
        steps: Its blocks.
    """
    agents = [child for child in sessions.children(reader, info) if child.relation == "subagent"]
    if not agents:
        return ()
    named = sessions.steps_that_name(reader, info.session_id, [one.agent_id for one in agents if one.agent_id])
    places = {one.session_id: named.get(one.agent_id or "") for one in agents}
    missing = [one for one in agents if places[one.session_id] is None]
    requests = [(step.source_id, step.ord) for step in steps if step.kind == "tool_use"] if missing else []
    blocks = store.blocks_at(reader, requests)
    texts = dict(zip(requests, (block.text for block in blocks), strict=True))
    taken: set[Place] = set()
    for agent in missing:
        prompt = _first_prompt(reader, agent)
        found = next((place for place, text in texts.items() if prompt and prompt in text and place not in taken), None)
        if found is not None:
            taken.add(found)
            places[agent.session_id] = found
    return tuple((one, places[one.session_id]) for one in agents)


def _first_prompt(reader: Reader, agent: SessionInfo) -> str | None:
    # An agent's prompt is what its caller wrote, so its role says nothing.
    first = next((step for step in sessions.steps(reader, agent.session_id) if step.kind == "text"), None)
    if first is None:
        return None
    (block,) = store.blocks_at(reader, [(first.source_id, first.ord)])
    prompt = block.text.strip()
    return prompt if len(prompt) >= _SHORTEST else None
