"""Reading sessions: lists, the order of a session's blocks across its sources, the turn index, its calls and children.

A session may be told by several files (a fork, a copy, a worktree). Each of its texts is shown once. The sources are
taken by their first timestamp, then by path, so the order in which files were captured does not show; what a later
source adds stands before the next text that both share, or at the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.model import Redacted
from recall_lab.store.connection import Reader, explains
from recall_lab.store.connection import rows as fetch
from recall_lab.store.read_records import CallOutcome, SessionInfo, Step, TurnLine

PREVIEW_LENGTH = 160  # code points
_SHOWN = 3
_SPACE = re.compile(r"\s+")
_INFO = (
    "SELECT s.session_id, s.host, s.native_id, s.parent_id, s.relation, s.agent_id, s.agent_type, s.title, s.repo, "
    "s.cwd, s.branch, s.model, s.started, s.ended, "
    "(SELECT count(DISTINCT turn) FROM placements p WHERE p.session_id = s.session_id AND turn > 0), "
    "(SELECT count(DISTINCT text_id) FROM placements p WHERE p.session_id = s.session_id), "
    "(SELECT json_group_array(json_array(path, state) ORDER BY path) FROM sources f WHERE f.session_id = s.session_id "
    "OR f.source_id IN (SELECT source_id FROM placements p WHERE p.session_id = s.session_id)) "
    "FROM sessions s "
)


@explains
def sessions(
    reader: Reader,
    *,
    since: str | None = None,
    until: str | None = None,
    hosts: Sequence[str] = (),
    repos: Sequence[str] = (),
    project: str | None = None,
    branches: Sequence[str] = (),
    children: bool = True,
    limit: int | None = 50,
    offset: int = 0,
) -> tuple[SessionInfo, ...]:
    """List sessions, the newest first.

    Args:
        reader: The store.
        since: Sessions that ended at or after this moment (UTC).
        until: Sessions that started before this moment (UTC).
        hosts: Only these hosts; empty means all.
        repos: Only these repository keys.
        project: Part of the name of a repository or folder, any case.
        branches: Only these branches.
        children: Also subagents and forks.
        limit: At most so many; None means all.
        offset: Skip so many.
    """
    where = [
        "(:since IS NULL OR s.ended >= :since)",
        "(:until IS NULL OR s.started < :until)",
        "(:hosts = '[]' OR s.host IN (SELECT value FROM json_each(:hosts)))",
        "(:repos = '[]' OR s.repo IN (SELECT value FROM json_each(:repos)))",
        "(:branches = '[]' OR s.branch IN (SELECT value FROM json_each(:branches)))",
        "(:project IS NULL OR instr(lower(coalesce(s.repo, '') || ' ' || coalesce(s.cwd, '')), :project) > 0)",
        "(:children OR s.relation IS NULL)",
    ]
    rows = reader.connection.execute(
        f"{_INFO} WHERE {' AND '.join(where)} ORDER BY s.ended IS NULL, s.ended DESC, s.native_id "
        "LIMIT :limit OFFSET :offset",
        {
            "since": since,
            "until": until,
            "hosts": json.dumps(list(hosts)),
            "repos": json.dumps(list(repos)),
            "branches": json.dumps(list(branches)),
            "project": project.lower() if project else None,
            "children": int(children),
            "limit": -1 if limit is None else limit,
            "offset": offset,
        },
    )
    return tuple(_info(row) for row in rows)


@explains
def find_session(reader: Reader, key: str, host: str | None = None) -> SessionInfo:
    """Return the session with this native id, an agent's id, or an unambiguous head of a native id.

    Raises:
        NotFoundError: no session is called that.
        UsageError: several are; the message names their ids.
    """
    known = fetch(
        reader.connection,
        "SELECT session_id, native_id, agent_id, host FROM sessions "
        "WHERE (:host IS NULL OR host = :host) AND (native_id = :key OR agent_id = :key "
        "OR substr(native_id, 1, length(:key)) = :key) ORDER BY native_id, host",
        {"key": key, "host": host},
    )
    if not key or not known:
        raise NotFoundError(f"no session is called {key!r}; `recall-lab sessions` lists them")
    exact = [row for row in known if row[1] == key]
    mains = [row for row in known if row[1].startswith(key) and ("/" in key or "/" not in row[1])]
    agents = [row for row in known if row[2] == key]
    found = exact or mains or agents or known
    if len(found) > 1:
        shown = ", ".join(f"{row[1]} ({row[3]})" for row in found[:_SHOWN])
        more = " …" if len(found) > _SHOWN else ""
        raise UsageError(f"{key!r} names {len(found)} sessions: {shown}{more}; type more of the id, or the host")
    return session_info(reader, found[0][0])


@explains
def session_info(reader: Reader, session_id: int) -> SessionInfo:
    """Return one session by the store's own number."""
    [row] = fetch(reader.connection, f"{_INFO} WHERE s.session_id = ?", (session_id,))
    return _info(row)


@explains
def children(reader: Reader, session: SessionInfo) -> tuple[SessionInfo, ...]:
    """Return the sessions that name this one as their parent, the earliest first."""
    rows = reader.connection.execute(
        f"{_INFO} WHERE s.host = ? AND s.parent_id = ? AND s.native_id <> ? "
        "ORDER BY s.started IS NULL, s.started, s.native_id",
        (session.host, session.native_id, session.native_id),
    )
    return tuple(_info(row) for row in rows)


@explains
def steps(reader: Reader, session_id: int) -> tuple[Step, ...]:
    """Return a session's blocks in reading order across its sources, each text once, dead branches included."""
    rows = reader.connection.execute(
        "SELECT p.text_id, p.source_id, p.ord, p.turn, p.role, b.kind, p.live, p.timestamp, f.path "
        "FROM placements p JOIN blocks b USING (text_id) JOIN sources f USING (source_id) "
        "WHERE p.session_id = ? ORDER BY p.source_id, p.ord",
        (session_id,),
    )
    by_source: dict[tuple[str, int], list[Step]] = {}
    for row in rows:
        step = Step(
            text_id=row[0],
            source_id=row[1],
            ord=row[2],
            turn=row[3],
            role=row[4],
            kind=row[5],
            live=bool(row[6]),
            timestamp=row[7],
        )
        by_source.setdefault((row[8], row[1]), []).append(step)
    if len(by_source) == 1:
        return tuple(_once(next(iter(by_source.values()))))
    ordered = sorted(by_source.items(), key=lambda item: (_first_time(item[1]), item[0]))
    merged: list[Step] = []
    for _, more in ordered:
        merged = _merge(merged, _once(more))
    return tuple(merged)


@explains
def turn_lines(
    reader: Reader, session_steps: Iterable[Step], numbers: Sequence[int] | None = None
) -> tuple[TurnLine, ...]:
    """Return the turn index of a session, or the lines of some turns.

    Args:
        reader: The store.
        session_steps: What ``steps`` returned.
        numbers: The turns wanted; None means all.
    """
    wanted = None if numbers is None else set(numbers)
    turns: dict[int, list[Step]] = {}
    for step in session_steps:
        if wanted is None or step.turn in wanted:
            turns.setdefault(step.turn, []).append(step)
    heads = {turn: _head(inside) for turn, inside in turns.items()}
    texts = dict(
        reader.connection.execute(
            "SELECT text_id, substr(text, 1, ?) FROM blocks WHERE text_id IN (SELECT value FROM json_each(?))",
            (PREVIEW_LENGTH * 4, json.dumps([head.text_id for head in heads.values()])),
        )
    )
    return tuple(
        TurnLine(
            turn=turn,
            timestamp=next((step.timestamp for step in inside if step.timestamp), None),
            preview=Redacted(_SPACE.sub(" ", texts[heads[turn].text_id]).strip()[:PREVIEW_LENGTH]),
            blocks=len(inside),
            live=any(step.live for step in inside),
        )
        for turn, inside in sorted(turns.items())
    )


@explains
def call_outcomes(reader: Reader, session_id: int) -> tuple[CallOutcome, ...]:
    """Return a session's tool calls, in the order of their turns and times; a call told by several sources once."""
    rows = reader.connection.execute(
        "SELECT turn, tool, failed, error, hex(request_block), hex(result_block), started FROM (SELECT *, row_number() "
        "OVER (PARTITION BY call_id ORDER BY failed IS NULL, source_id) AS rank FROM tool_calls "
        "WHERE session_id = ?1 AND source_id IN (SELECT source_id FROM source_sessions WHERE session_id = ?1)) "
        "WHERE rank = 1 ORDER BY turn, started IS NULL, started, call_id",
        (session_id,),
    )
    return tuple(
        CallOutcome(
            turn=row[0],
            tool=row[1],
            failed=None if row[2] is None else bool(row[2]),
            error=row[3],
            request_block=row[4].lower() or None,
            result_block=row[5].lower() or None,
            started=row[6],
        )
        for row in rows
    )


@explains
def steps_that_name(reader: Reader, session_id: int, words: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return for each word the (source_id, ord) of the first tool result of the session that contains it."""
    rows = reader.connection.execute(
        "SELECT w.value, p.source_id, min(p.ord) FROM json_each(?) w CROSS JOIN placements p "
        "JOIN blocks b USING (text_id) WHERE p.session_id = ? AND b.kind = 'tool_result' "
        "AND instr(b.text, w.value) GROUP BY w.value",
        (json.dumps(list(words)), session_id),
    )
    return {word: (source_id, ord_) for word, source_id, ord_ in rows}


def _head(inside: Sequence[Step]) -> Step:
    """The block that a turn is known by: its first prompt, else its first prose, else its first block."""
    prompts = (step for step in inside if step.role == "user" and step.kind == "text")
    prose = (step for step in inside if step.kind == "text")
    return next(prompts, None) or next(prose, None) or inside[0]


def _first_time(source: Sequence[Step]) -> tuple[bool, str]:
    first = min((step.timestamp for step in source if step.timestamp), default=None)
    return first is None, first or ""


def _once(source: Iterable[Step]) -> list[Step]:
    kept: dict[int, Step] = {}
    for step in source:
        kept.setdefault(step.text_id, step)
    return list(kept.values())


def _merge(base: list[Step], more: Sequence[Step]) -> list[Step]:
    """Put the steps of a further source into a session's order; a step is live where any source has it live."""
    at = {step.text_id: index for index, step in enumerate(base)}
    before: dict[int, list[Step]] = {}
    run: list[Step] = []
    last = -1
    for step in more:
        index = at.get(step.text_id)
        if index is None:
            run.append(step)
            continue
        if step.live and not base[index].live:
            base[index] = step
        if index > last:
            if run:
                before[index] = run
                run = []
            last = index
    merged: list[Step] = []
    for index, step in enumerate(base):
        merged.extend(before.get(index, ()))
        merged.append(step)
    return merged + run


def _info(row: Sequence[Any]) -> SessionInfo:
    sources = json.loads(row[16])
    return SessionInfo(
        session_id=row[0],
        host=row[1],
        native_id=row[2],
        parent_id=row[3],
        relation=row[4],
        agent_id=row[5],
        agent_type=row[6],
        title=row[7],
        repo=row[8],
        cwd=row[9],
        branch=row[10],
        model=row[11],
        started=row[12],
        ended=row[13],
        turns=row[14],
        blocks=row[15],
        sources=tuple(path for path, _ in sources),
        states=tuple(state for _, state in sources),
    )
