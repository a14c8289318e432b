"""Lines of a rollout as records.

A rollout line is ``{timestamp, ordinal?, type, payload}``; files of 2025-08 hold the bare records instead: a header
``{id, timestamp, instructions, git}``, response items, and ``{record_type: "state"}``. What has no field here is
skipped while decoding: encrypted content, summaries of reasoning, instructions and replaced histories never become
strings.
"""

from __future__ import annotations

from typing import Any

import msgspec

from recall_lab.hosts._json import LineReader
from recall_lab.hosts.base import Line
from recall_lab.hosts.codex.kinds import EVENTS, ITEMS, OTHERS
from recall_lab.model import Role

_NOTHING = msgspec.Raw(b"null")


class Tokens(msgspec.Struct, gc=False, frozen=True):
    """Tokens as the host counts them: the cache is inside ``input_tokens``, reasoning inside ``output_tokens``."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0


class Info(msgspec.Struct, gc=False):
    """What a token_count tells: of the thread, and of its last response."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Body(msgspec.Struct, gc=False):
    """The fields of any payload that are used; what a field holds is looked at where it is used."""

    type: Any = None
    id: Any = None
    timestamp: Any = None
    cwd: Any = None
    cli_version: Any = None
    source: Any = None
    thread_source: Any = None
    forked_from_id: Any = None
    parent_thread_id: Any = None
    session_id: Any = None
    agent_nickname: Any = None
    agent_role: Any = None
    git: Any = None
    turn_id: Any = None
    model: Any = None
    role: Any = None
    content: Any = None
    internal_chat_message_metadata_passthrough: Any = None
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    output: Any = None
    status: Any = None
    action: Any = None
    tools: Any = None
    revised_prompt: Any = None
    message: Any = None
    kind: Any = None
    images: Any = None
    local_images: Any = None
    info: Info | None = None
    usage: Tokens | None = None
    item: Any = None
    thread_name: Any = None
    num_turns: Any = None
    success: Any = None
    exit_code: Any = None
    duration: Any = None
    stderr: Any = None
    result: msgspec.Raw = _NOTHING


class Wire(Body):
    """A whole line: the envelope of today, or a bare record of 2025-08."""

    payload: Body | None = None
    record_type: Any = None


class Record(msgspec.Struct, gc=False):
    """One record of a rollout, or a stretch of a line that is none.

    ``line`` and ``offset`` are bytes in the source, ``length`` is bytes. ``group`` is ``item``, ``event``, ``other``,
    ``header``, ``state``, ``unknown``, ``malformed`` or ``pending``; ``kind`` is the type within the group.
    """

    line: int  # where its line begins
    offset: int
    length: int
    group: str
    kind: Any
    body: Body
    timestamp: Any = None
    bare: bool = False  # a record of 2025-08, without an envelope
    note: str | None = None
    roles: list[Role] | None = None  # of a message's parts, once they are decided
    repeated: bool = False  # an event that says what a response item says


_NO_BODY = Body()


def _is_envelope(wire: Wire) -> bool:
    kind = wire.type
    return (
        wire.payload is not None
        and isinstance(kind, str)
        and (kind in {"response_item", "event_msg"} or kind in OTHERS)
    )


def _is_bare(wire: Wire) -> bool:
    kind = wire.type
    if kind is None:
        return isinstance(wire.record_type, str) or (wire.id is not None and wire.timestamp is not None)
    if kind == "message":
        return wire.content is not None
    return isinstance(kind, str) and kind in ITEMS and (wire.call_id is not None or wire.id is not None)


_KEYS = ("timestamp", "type", "record_type", "id")
_envelopes = LineReader(Wire, _is_envelope, _KEYS)
_bares = LineReader(Wire, _is_bare, _KEYS)


def read_line(line: Line, *, bare: bool = False) -> list[Record]:
    """Return the records of one line that is not blank; their lengths add up to the line's. Never raises.

    Args:
        line: The line.
        bare: The source is of 2025-08. In any other, what looks like a bare record behind a tear is a part of a record.
    """
    try:
        wire = _envelopes.decode(line.data)
    except (msgspec.DecodeError, RecursionError):
        return _read_pieces(line, bare=bare)
    return [_record(wire, line.offset, line.offset, line.length, None)]


def _read_pieces(line: Line, *, bare: bool) -> list[Record]:
    """Read a line that is not one plain object."""
    reader = _bares if bare else _envelopes
    pieces = [piece for piece in reader.pieces(line.data, ended=line.ended) if piece.note != "blank"]
    records = []
    for place, piece in enumerate(pieces):
        # White space counts with the record before it, at the start of the line with the first.
        start = line.offset + (piece.start if place else 0)
        length = line.offset + (pieces[place + 1].start if place + 1 < len(pieces) else line.length) - start
        if piece.value is not None:
            records.append(_record(piece.value, line.offset, start, length, piece.note))
        elif piece.note == "pending":
            records.append(
                Record(line.offset, start, length, "pending", None, _NO_BODY, note="the line is not finished")
            )
        else:
            records.append(Record(line.offset, start, length, "malformed", None, _NO_BODY, note=piece.note))
    return records


def _record(wire: Wire, line: int, offset: int, length: int, note: str | None) -> Record:
    kind, body = wire.type, wire.payload
    if body is not None:
        inner = body.type
        if kind == "response_item":
            if isinstance(inner, str) and inner in ITEMS:
                return Record(line, offset, length, "item", inner, body, wire.timestamp, False, note)
        elif kind == "event_msg":
            if isinstance(inner, str) and inner in EVENTS:
                return Record(line, offset, length, "event", inner, body, wire.timestamp, False, note)
        elif isinstance(kind, str) and kind in OTHERS:
            return Record(line, offset, length, "other", kind, body, wire.timestamp, False, note)
        else:
            return Record(line, offset, length, "unknown", (kind,), _NO_BODY, wire.timestamp)
        return Record(line, offset, length, "unknown", (kind, inner), _NO_BODY, wire.timestamp)
    if kind is None:
        if isinstance(wire.record_type, str):
            return Record(line, offset, length, "state", wire.record_type, _NO_BODY, None, True, note)
        if wire.id is not None and wire.timestamp is not None:
            return Record(line, offset, length, "header", "header", wire, wire.timestamp, True, note)
    elif isinstance(kind, str):
        if kind in ITEMS:
            return Record(line, offset, length, "item", kind, wire, wire.timestamp, True, note)
        if kind in {"response_item", "event_msg"} or kind in OTHERS:
            return Record(line, offset, length, "malformed", None, _NO_BODY, note="its payload is not an object")
    return Record(line, offset, length, "unknown", (kind,), _NO_BODY)
