"""What the export of a session needs besides its blocks: entities, problems of its sources, its change number."""

from __future__ import annotations

import json
from collections.abc import Iterable

from recall_lab.model import Redacted
from recall_lab.store.connection import Reader, explains
from recall_lab.store.read_records import SessionInfo, SourceFact
from recall_lab.text_entities import entities


@explains
def entities_of(reader: Reader, text_ids: Iterable[int]) -> dict[int, tuple[tuple[str, Redacted], ...]]:
    """Return the (kind, value) of the identifiers in each text; texts without any are left out."""
    rows = reader.connection.execute(
        "SELECT text_id, text, entities FROM blocks WHERE text_id IN (SELECT value FROM json_each(?)) "
        "AND length(entities) > 0",
        (json.dumps(list(text_ids)),),
    )
    return {
        text_id: tuple(sorted((kind, Redacted(value)) for kind, value in entities(text, spans)))
        for text_id, text, spans in rows
    }


@explains
def hashes_of(reader: Reader, text_ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return the (block_id, content_hash) of each text."""
    rows = reader.connection.execute(
        "SELECT text_id, lower(hex(block_id)), lower(hex(content_hash)) FROM blocks "
        "WHERE text_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(text_ids)),),
    )
    return {text_id: (block_id, content_hash) for text_id, block_id, content_hash in rows}


@explains
def source_facts(reader: Reader, session: SessionInfo) -> tuple[SourceFact, ...]:
    """Return how the sources of a session were captured, and how many of their records could not be used."""
    rows = reader.connection.execute(
        "SELECT f.path, f.state, f.size, f.cursor, "
        "(SELECT json_group_object(disposition, records) FROM (SELECT disposition, sum(records) AS records "
        "FROM ledger l WHERE l.source_id = f.source_id GROUP BY disposition)) "
        "FROM sources f WHERE f.session_id = ? "
        "OR f.source_id IN (SELECT source_id FROM placements WHERE session_id = ?) ORDER BY f.path",
        (session.session_id, session.session_id),
    )
    facts = []
    for path, state, size, cursor, ledger in rows:
        records = json.loads(ledger)
        facts.append(
            SourceFact(
                path=path,
                state=state,
                size=size,
                cursor=cursor,
                malformed=records.get("malformed", 0),
                unknown=records.get("unknown", 0),
                pending=records.get("pending", 0),
            )
        )
    return tuple(facts)


@explains
def sessions_by_native_id(reader: Reader, native_id: str, host: str | None = None) -> tuple[int, ...]:
    """Return the store's numbers of the sessions with exactly this native id."""
    rows = reader.connection.execute(
        "SELECT session_id FROM sessions WHERE native_id = ? AND (? IS NULL OR host = ?) ORDER BY host",
        (native_id, host, host),
    )
    return tuple(session_id for (session_id,) in rows)
