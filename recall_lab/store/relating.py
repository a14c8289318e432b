"""What sessions have in common: descent, repository, branch, files that tools were asked to touch."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import Final

from recall_lab.model import Record, Redacted
from recall_lab.store.connection import Reader, explained, rows
from recall_lab.text_entities import entities

_FILES: Final = 64


class SessionTraits(Record, frozen=True):
    """What a session can share with another."""

    session_id: int
    host: str
    session: str
    parent: str | None = None
    title: Redacted | None = None
    repo: Redacted | None = None
    branch: Redacted | None = None
    ended: str | None = None


def session_traits(reader: Reader) -> tuple[SessionTraits, ...]:
    """Return every session that holds a block."""
    with explained(reader.path):
        found = rows(
            reader.connection,
            "SELECT session_id, host, native_id, parent_id, title, repo, branch, ended FROM sessions s "
            "WHERE EXISTS (SELECT 1 FROM placements p WHERE p.session_id = s.session_id)",
        )
    return tuple(SessionTraits(**dict(zip(SessionTraits.__struct_fields__, row, strict=True))) for row in found)


def touched_files(reader: Reader, session_id: int) -> tuple[str, ...]:
    """Return the files that a session's tool requests name, the most often named first; at most 64."""
    counts: Counter[str] = Counter()
    with explained(reader.path):
        found = rows(
            reader.connection,
            "SELECT b.text, b.entities FROM placements p JOIN blocks b USING (text_id) "
            "WHERE p.session_id = ? AND b.kind = 'tool_use' AND length(b.entities) > 0",
            (session_id,),
        )
    for text, spans in found:
        counts.update(value for kind, value in entities(text, spans) if kind == "path" and PurePosixPath(value).suffix)
    return tuple(file for file, _ in counts.most_common(_FILES))
