"""What the filters of a search mean in SQL; every value is bound."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recall_lab.model import Filters


def _any(column: str, values: Iterable[str]) -> tuple[str, list[Any]]:
    return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(list(values))]


def _named(column: str, values: Iterable[str]) -> tuple[str, list[Any]]:
    condition, bindings = _any("name COLLATE NOCASE", values)
    return f"{column} IN (SELECT name_id FROM names WHERE {condition})", bindings


def session_conditions(filters: Filters) -> tuple[str, list[Any]]:
    """SQL over sessions s for what the filters say of sessions; empty when they say nothing."""
    parts: list[tuple[str, list[Any]]] = []
    if filters.repos:
        parts.append(_any("s.repo", filters.repos))
    if filters.sessions:
        # A session's subagents stand under its id.
        either = " OR ".join(
            "s.native_id = ? OR substr(s.native_id, 1, length(?) + 1) = ? || '/'" for _ in filters.sessions
        )
        parts.append((f"({either})", [native_id for native_id in filters.sessions for _ in range(3)]))
    if filters.hosts:
        parts.append(_any("s.host", filters.hosts))
    if filters.project:
        parts.append(("(instr(lower(s.repo), ?) > 0 OR instr(lower(s.cwd), ?) > 0)", [filters.project.lower()] * 2))
    return " AND ".join(condition for condition, _ in parts), [value for _, values in parts for value in values]


def placement_conditions(filters: Filters) -> tuple[str, list[Any]]:
    """SQL over placements p, blocks b, sessions s for what ``reach`` does not look at; empty when nothing is said."""
    parts: list[tuple[str, list[Any]]] = []
    if filters.tools:
        parts.append(_named("p.tool", filters.tools))
    if filters.models:
        parts.append(_named("p.model", filters.models))
    if filters.branches:
        inside, values = _any("name", filters.branches)
        session, more = _any("s.branch", filters.branches)
        parts.append(
            (
                f"(p.branch IN (SELECT name_id FROM names WHERE {inside}) OR (p.branch IS NULL AND {session}))",
                values + more,
            )
        )
    if filters.cwd:
        folder = filters.cwd.rstrip("/") or "/"
        parts.append(
            (
                (
                    "EXISTS (SELECT 1 FROM "
                    "(SELECT coalesce((SELECT name FROM names WHERE name_id = p.cwd), s.cwd) AS cwd) "
                    "WHERE cwd = ? OR substr(cwd, 1, length(?) + 1) = ? || '/' OR ? = '/')"
                ),
                [folder] * 4,
            )
        )
    if filters.has_error:
        parts.append(
            (
                (
                    "EXISTS (SELECT 1 FROM tool_calls t WHERE t.source_id = p.source_id AND t.failed = 1 "
                    "AND b.block_id IN (t.result_block, t.request_block))"
                ),
                [],
            )
        )
    return " AND ".join(condition for condition, _ in parts), [value for _, values in parts for value in values]
