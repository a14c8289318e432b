"""Judgments: somebody's grade of a passage for a question, and the texts around what was judged."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from recall_lab.model import Redacted
from recall_lab.store.connection import Reader, explains
from recall_lab.store.connection import rows as fetch
from recall_lab.store.writer import Writer


class Judgment(msgspec.Struct, frozen=True, kw_only=True):
    """A grade.

    Attributes:
        at: When it was given, UTC.
        question: What was asked, redacted.
        block_id: The block, 32 hex digits.
        start: Where the passage that was shown begins, code points.
        end: Where it ends.
        grade: 0 (does not answer) to 3 (answers fully).
        config: The configuration of search that brought it, as ``search.parse_config`` reads it.
    """

    at: str
    question: Redacted
    block_id: str
    start: int
    end: int
    grade: int
    config: str | None = None


class JudgedText(msgspec.Struct, frozen=True):
    """A text of a session that something was judged in: its block, session, turn, time and words."""

    block_id: str
    session: str
    turn: int
    timestamp: str | None
    text: Redacted


def add_judgment(writer: Writer, judgment: Judgment) -> None:
    """Keep a judgment; an earlier one of the same passage for the same question gives way.

    Raises:
        StoreError: it was not written.
    """
    block_id = bytes.fromhex(judgment.block_id)
    with writer.transaction() as db:
        db.execute("DELETE FROM judgments WHERE question = ? AND block_id = ?", (judgment.question, block_id))
        db.execute(
            'INSERT INTO judgments (at, question, block_id, start, "end", grade, config) VALUES (?, ?, ?, ?, ?, ?, ?)',
            (
                *(judgment.at, judgment.question, block_id, judgment.start),
                *(judgment.end, judgment.grade, judgment.config),
            ),
        )


@explains
def judgments(reader: Reader) -> tuple[Judgment, ...]:
    """Every judgment, the oldest first."""
    found = fetch(
        reader.connection,
        'SELECT at, question, lower(hex(block_id)), start, "end", grade, config FROM judgments ORDER BY judgment_id',
    )
    return tuple(
        Judgment(at=at, question=question, block_id=block_id, start=start, end=end, grade=grade, config=config)
        for at, question, block_id, start, end, grade, config in found
    )


@explains
def texts_around(reader: Reader, block_ids: Iterable[str]) -> tuple[JudgedText, ...]:
    """Every text of the sessions that hold these blocks, but what hosts wrote; each block once, session by session."""
    found = fetch(
        reader.connection,
        "SELECT lower(hex(b.block_id)), s.native_id, p.turn, p.timestamp, b.text FROM placements p "
        "JOIN blocks b USING (text_id) JOIN sessions s ON s.session_id = p.session_id "
        "WHERE b.role <> 'host' AND p.session_id IN (SELECT q.session_id FROM json_each(?) w "
        "CROSS JOIN blocks c ON c.block_id = unhex(w.value) JOIN placements q ON q.text_id = c.text_id) "
        "ORDER BY s.relation IS NOT NULL, s.started, s.native_id, p.turn, p.source_id, p.ord",
        (json.dumps(sorted(set(block_ids))),),
    )
    once: dict[str, JudgedText] = {}
    for block_id, session, turn, timestamp, text in found:
        once.setdefault(block_id, JudgedText(block_id, session, turn, timestamp, text))
    return tuple(once.values())
