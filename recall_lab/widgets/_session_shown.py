"""What the session reader shows of sessions, turns and blocks: texts and marked pieces, nothing to interpret; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from recall_lab.display import one_line, short_repo
from recall_lab.model import Block
from recall_lab.store.read_records import SessionInfo, TurnLine
from recall_lab.times import show_time
from recall_lab.widgets._reader import marked_pieces

PART = 6_000  # code points of a block that are shown at once

Spans = Sequence[tuple[int, int]]


def block_shown(
    block: Block, start: int, marks: Iterable[tuple[str, tuple[int, int]]], agents: list[dict[str, str]], zone: str
) -> dict[str, Any]:
    """A block, or the part of it that begins at ``start``, with its marks and the subagents that were called there."""
    key, length = key_of(block), len(block.text)
    end = min(length, start + PART)
    when = show_time(block.timestamp, zone) if block.timestamp else "undated"
    tool = [one_line(block.tool)] if block.tool else []
    cut = "; a capped form of a longer original" if block.original_length > length else ""
    return {
        "key": key,
        "role": block.role,
        "who": block.role if block.kind == "text" else f"{block.role} {block.kind}",
        "place": " · ".join([f"turn {block.turn}", when, *tool, f"{length:,} characters{cut}", key[:8]]),
        "code": block.kind in {"tool_use", "tool_result"},
        "dead": not block.live and bool(block.session),
        "start": start,
        "pieces": marked_pieces(block.text[start:end], marks, start),
        "earlier": start > 0,
        "later": end < length,
        "extent": f"characters {start:,} to {end:,} of {length:,}",
        "agents": agents,
    }


def key_of(block: Block) -> str:
    """What the view calls a block: its id and the head of its hash, as a receipt has them."""
    return f"{block.block_id}@{block.content_hash[:12]}"


def session_place(info: SessionInfo, zone: str) -> list[str]:
    """Where a session belongs, in a few words each."""
    words = [info.host, f"session {info.native_id[:8]}"]
    words += [one_line(info.agent_type or "subagent")] if info.relation == "subagent" else []
    words += [short_repo(info.repo)] if info.repo else []
    words += [one_line(info.branch)] if info.branch else []
    return [*words, f"{show_time(info.started, zone)} {zone}"] if info.started else words


def turn_shown(line: TurnLine, here: bool, zone: str) -> dict[str, Any]:
    """A line of the turn index."""
    when = show_time(line.timestamp, zone) if line.timestamp else "undated"
    head = f"{line.turn} · {when}" + ("" if line.live else " · dead branch")
    return {"turn": line.turn, "head": head, "preview": one_line(line.preview), "here": here}


def agent_shown(info: SessionInfo) -> dict[str, str]:
    """A subagent as a line with what opens it."""
    title = one_line(info.title or info.agent_id or info.native_id)
    label = f"Subagent {one_line(info.agent_type or '')}: {title} ({info.blocks:,} blocks)"
    return {"session": info.native_id, "label": label}
