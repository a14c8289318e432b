"""One session for other programs: ``recall.session-export.v1``, in pages whose boundary does not move.

The first page fixes how far the export reaches: how many blocks the session has, and a digest of their ids and hashes.
The cursor of the next page holds that boundary. Blocks that a live session gains meanwhile lie past it, and the page
says that the snapshot is not stable; a session whose earlier blocks changed ends the export with an error. A cursor is
a file of the owner's (0600) and gives the same page every time it is used, until 30 days after it was handed out.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from recall_lab.errors import NotFoundError, RecallLabError, UsageError
from recall_lab.evidence.exact import exactly
from recall_lab.evidence.receipts import SCHEME, citation_of, parse_receipt
from recall_lab.evidence.saving import write_private
from recall_lab.model import Block, Kind, Record
from recall_lab.store import Reader
from recall_lab.store import export_reading as facts
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import SessionInfo, Step

SCHEMA = "recall.session-export.v1"
LIMIT = 1000
CURRENT = ("CODEX_THREAD_ID", "CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID")
_CANDIDATES = 5
_TOKEN = re.compile(r"[0-9a-f]{32}")
_KEPT = 30 * 86_400  # seconds that a cursor is kept
_SURFACES: dict[Kind, str] = {
    "text": "prose",
    "tool_use": "tool_request",
    "tool_result": "tool_result",
    "summary": "summary",
}


class Cursor(Record, frozen=True):
    """Where an export goes on, and the boundary that it keeps."""

    host: str
    native_id: str
    offset: int
    limit: int
    total: int
    digest: str
    change: tuple[str, ...]  # the state of the sources when the boundary was drawn


def export_page(
    reader: Reader,
    cursors: Path,
    *,
    target: str | None = None,
    current: bool = False,
    cursor: str | None = None,
    limit: int = LIMIT,
    host: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return one page of a session's export.

    Args:
        reader: The store.
        cursors: Where cursors are kept; made private (0700) when it is missing.
        target: A session's native id, the path of its transcript, or the receipt of one of its blocks.
        current: The session that this process runs in, by the exact native id in CODEX_THREAD_ID, CLAUDE_SESSION_ID or
            CLAUDE_CODE_SESSION_ID, and by nothing else.
        cursor: What the page before gave as ``next_cursor``.
        limit: Blocks on a page, 1 to 1,000; a cursor keeps the limit it was made with.
        host: The host, where two hosts use the same id.
        environ: The environment; else the process's.

    Returns:
        schema_version, session, boundary (receipt, total, digest), items (sequence from 1, evidence_id, role, surface,
        text, sha256 of the text, receipt, entities, turn, timestamp, live), complete, next_cursor,
        source_snapshot_stable, sources (state and records that could not be used).

    Raises:
        UsageError: not exactly one of target, current and cursor; a limit out of bounds; a cursor that is not the
            owner's private file.
        NotFoundError: no such session, or the current one cannot be told; the message names candidates by id and time.
        RecallLabError: the session changed inside the boundary; start again.
    """
    if sum((target is not None, current, cursor is not None)) != 1:
        raise UsageError("name one of target, current and cursor")
    if not 1 <= limit <= LIMIT:
        raise UsageError(f"limit {limit}: a page holds 1 to {LIMIT} blocks")
    with store.snapshot(reader):
        if cursor is not None:
            at = _read_cursor(cursors, cursor)
            info = exactly(reader, at.native_id, at.host)
        else:
            info = _current(reader, environ) if current else _target(reader, target or "", host)
            at = None
        return _page(reader, cursors, info, at, limit)


def _page(reader: Reader, cursors: Path, info: SessionInfo, at: Cursor | None, limit: int) -> dict[str, Any]:
    steps = sessions.steps(reader, info.session_id)
    sources = facts.source_facts(reader, info)
    now = tuple(f"{source.state} {source.size} {source.cursor}" for source in sources)
    if at is None:
        digest = _digest(reader, steps)
        at = Cursor(
            host=info.host,
            native_id=info.native_id,
            offset=0,
            limit=limit,
            total=len(steps),
            digest=digest,
            change=now,
        )
    elif len(steps) < at.total or _digest(reader, steps[: at.total]) != at.digest:
        raise RecallLabError(f"session {info.native_id} was rewritten since the export began; start it again")
    end = min(at.offset + at.limit, at.total)
    items = _items(reader, steps[at.offset : end], at.offset + 1)
    following = None
    if end < at.total:
        following = _write_cursor(cursors, msgspec.structs.replace(at, offset=end))
    return {
        "schema_version": SCHEMA,
        "session": {
            "host": info.host,
            "native_id": info.native_id,
            "parent_id": info.parent_id,
            "relation": info.relation,
            "title": info.title,
            "repo": info.repo,
            "branch": info.branch,
            "cwd": info.cwd,
            "started": info.started,
            "ended": info.ended,
        },
        "boundary": {
            "receipt": _boundary_receipt(reader, steps[: at.total]),
            "total": at.total,
            "digest": at.digest,
        },
        "items": items,
        "complete": following is None,
        "next_cursor": following,
        "source_snapshot_stable": now == at.change
        and len(steps) == at.total
        and all(
            source.state in {"complete", "source_missing"} and _as_captured(source.path, source.size)
            for source in sources
        ),
        "sources": [msgspec.structs.asdict(source) for source in sources],
    }


def _items(reader: Reader, steps: tuple[Step, ...], first: int) -> list[dict[str, Any]]:
    blocks = store.blocks_at(reader, [(step.source_id, step.ord) for step in steps])
    entities = facts.entities_of(reader, [step.text_id for step in steps])
    return [
        {
            "sequence": number,
            "evidence_id": block.block_id,
            "role": block.role,
            "surface": _SURFACES[block.kind],
            "text": block.text,
            "sha256": block.content_hash,
            "receipt": _receipt(block),
            "entities": [{"kind": kind, "value": value} for kind, value in entities.get(step.text_id, ())],
            "tool": block.tool,
            "turn": step.turn,
            "timestamp": block.timestamp,
            "live": step.live,
        }
        for number, (step, block) in enumerate(zip(steps, blocks, strict=True), first)
    ]


def _digest(reader: Reader, steps: tuple[Step, ...]) -> str:
    hashes = facts.hashes_of(reader, [step.text_id for step in steps])
    return sha256("\n".join(" ".join(hashes[step.text_id]) for step in steps).encode()).hexdigest()


def _boundary_receipt(reader: Reader, steps: tuple[Step, ...]) -> str | None:
    """The receipt of the last block inside the boundary."""
    last = store.blocks_at(reader, [(step.source_id, step.ord) for step in steps[-1:]])
    return _receipt(last[0]) if last else None


def _receipt(block: Block) -> str | None:
    return citation_of(block).receipt if block.text else None


def _as_captured(path: str, size: int) -> bool:
    try:
        return Path(path).stat().st_size == size
    except OSError:
        return True  # a source that is gone does not advance


# ---- which session --------------------------------------------------------------------------------------------------


def _target(reader: Reader, target: str, host: str | None) -> SessionInfo:
    if target.startswith(SCHEME):
        block = store.block_at_root(reader, parse_receipt(target).block_id)
        if block is None:
            raise NotFoundError("no session holds the receipt's block; copy it again, or index first")
        return exactly(reader, block.session, block.host)
    if "/" in target or target.endswith((".jsonl", ".json")):
        paths = {target, str(Path(target).expanduser().absolute())}
        for info in sessions.sessions(reader, limit=None):
            if paths.intersection(info.sources) and (host is None or info.host == host):
                return info
    return exactly(reader, target, host)


def _current(reader: Reader, environ: Mapping[str, str] | None) -> SessionInfo:
    env = os.environ if environ is None else environ
    named = {env[name] for name in CURRENT if env.get(name)}
    if len(named) == 1:
        found = facts.sessions_by_native_id(reader, next(iter(named)))
        if len(found) == 1:
            return sessions.session_info(reader, found[0])
    why = {
        0: f"none of {', '.join(CURRENT)} is set",
        1: "the session that the environment names is not captured, or two hosts have it",
    }.get(len(named), f"the environment names {len(named)} sessions")
    newest = sessions.sessions(reader, children=False, limit=_CANDIDATES)
    candidates = "; ".join(f"{info.host} {info.native_id} {info.ended or 'undated'}" for info in newest)
    raise NotFoundError(f"the current session cannot be told: {why}; name one with --target. Newest: {candidates}")


# ---- cursors --------------------------------------------------------------------------------------------------------


def _write_cursor(folder: Path, cursor: Cursor) -> str:
    data = msgspec.json.encode(cursor)
    token = sha256(data).hexdigest()[:32]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _drop_old(folder)
    write_private(folder / f"{token}.json", data.decode("utf-8"))
    return token


def _drop_old(folder: Path) -> None:
    """Remove the cursors that were handed out long ago; nobody asks for their pages any more."""
    for path in folder.glob("*.json"):
        with suppress(OSError):  # another export may be removing it
            if _TOKEN.fullmatch(path.stem) and time.time() - path.lstat().st_mtime > _KEPT:
                path.unlink()


def _read_cursor(folder: Path, token: str) -> Cursor:
    if not _TOKEN.fullmatch(token):
        raise UsageError("not a cursor: expected the 32 hex digits of next_cursor")
    path = folder / f"{token}.json"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError as error:
        raise NotFoundError("there is no such cursor; start the export again") from error
    except OSError as error:
        raise UsageError(f"the cursor's file {path} is not used: {error.strerror}; start the export again") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
            raise UsageError(f"the cursor's file {path} is not private to you; remove it and start the export again")
        data = file.read()
    if sha256(data).hexdigest()[:32] != token:
        raise UsageError(f"the cursor's file {path} was changed; remove it and start the export again")
    return msgspec.json.decode(data, type=Cursor)
