"""The statements that fill the mirror. ``rows`` is the stream being read; ``temp`` tables live for one build."""

from __future__ import annotations

from recall_lab.text_entities import KINDS

TEMPORARY = """
CREATE TEMP TABLE names (name_id INTEGER, name VARCHAR);
CREATE TEMP TABLE stale_sessions (session_id INTEGER);
CREATE TEMP TABLE stale_sources (source_id INTEGER);
CREATE TEMP TABLE stale_texts (text_id BIGINT);
CREATE TEMP TABLE stale_model_calls (key VARCHAR);
CREATE TEMP TABLE stale_tool_calls (host VARCHAR, call_id VARCHAR);
"""

# From a stream's columns to the table's; streams not named here have the table's own columns and types.
LOAD = {
    "names": "INSERT INTO temp.names SELECT name_id, name FROM rows",
    "sessions": """
        INSERT INTO sessions
        SELECT session_id, native_id, host, title, repo, cwd, branch, model, version, parent_id, relation, agent_id,
               agent_type, try_cast(started AS TIMESTAMP), try_cast(ended AS TIMESTAMP), 0, 0, 0, 0, change
        FROM rows""",
    "sources": """
        INSERT INTO sources
        SELECT r.source_id, r.host, r.path, r.machine, r.session_id, s.session, s.repo, r.size,
               make_timestamp(r.mtime_ns // 1000), r.cursor, r.state, r.detail, r.lines,
               try_cast(r.captured_at AS TIMESTAMP)
        FROM rows r LEFT JOIN sessions s USING (session_id)""",
    "placements": """
        INSERT INTO placements
        SELECT r.source_id, r.ord, r.session_id, r.text_id, r.turn, r.role, r.live, r.queued,
               try_cast(r.timestamp AS TIMESTAMP), c.name, b.name, t.name, m.name
        FROM rows r
        LEFT JOIN temp.names c ON c.name_id = r.cwd
        LEFT JOIN temp.names b ON b.name_id = r.branch
        LEFT JOIN temp.names t ON t.name_id = r.tool
        LEFT JOIN temp.names m ON m.name_id = r.model""",
    "texts": """
        INSERT INTO blocks
        SELECT r.text_id, lower(hex(r.block_id)), lower(hex(r.content_hash)), r.role, r.kind, h.name,
               p.session_id, s.session, p.source_id, p.turn, p.ord, p.live, p.timestamp, s.repo, p.cwd, p.branch,
               p.tool, p.model, p.places, r.length, r.original_length, v.name, r.text
        FROM rows r
        JOIN temp.roots p USING (text_id)
        JOIN sessions s ON s.session_id = p.session_id
        LEFT JOIN temp.names h ON h.name_id = r.host
        LEFT JOIN temp.names v ON v.name_id = r.rules""",
    "model_calls": """
        INSERT INTO copies.model_calls
        SELECT source_id, lower(hex(key)), session_id, turn, try_cast(timestamp AS TIMESTAMP), model, input_tokens,
               output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens,
               web_searches, final, sidechain, logged_cost_usd
        FROM rows""",
    "tool_calls": """
        INSERT INTO copies.tool_calls
        SELECT source_id, call_id, session_id, turn, tool, lower(hex(request_block)), lower(hex(result_block)),
               try_cast(started AS TIMESTAMP), try_cast(ended AS TIMESTAMP), failed, error, duration_ms
        FROM rows""",
    "ledger": "INSERT INTO ledger SELECT * FROM rows",
    "problems": "INSERT INTO problems SELECT * FROM rows",
    "redactions": "INSERT INTO redactions SELECT r.* FROM rows r SEMI JOIN temp.roots USING (text_id)",
    "entities": f"""
        INSERT INTO entities
        SELECT {list(KINDS)}[r.kind + 1], r.value, r.text_id FROM rows r SEMI JOIN temp.roots USING (text_id)""",
    "activity": """
        INSERT INTO activity
        SELECT activity_id, try_cast("at" AS TIMESTAMP), command, repo, seconds, exit_code FROM rows""",
    "judgments": """
        INSERT INTO judgments
        SELECT judgment_id, try_cast("at" AS TIMESTAMP), question, lower(hex(block_id)), start, "end", grade, config
        FROM rows""",
    "pins": """
        INSERT INTO pins
        SELECT lower(hex(block_id)), lower(hex(content_hash)), try_cast("at" AS TIMESTAMP), note FROM rows""",
}

# The order in which the places of a block or a call compete for being its root: main sessions before subagents and
# forks, then the earliest start, then the smallest native id; within one session the source with the smallest path. A
# source may tell of several sessions (subagents inside their parent's transcript), so pairs are ranked.
RANK_PLACES = """
CREATE OR REPLACE TEMP TABLE ranks AS
SELECT p.session_id, p.source_id, row_number() OVER (
    ORDER BY s.relation IN ('subagent', 'fork') NULLS FIRST, s.started NULLS LAST, s.session, s.host, q.path,
             q.source_id
) AS rank
FROM (
    SELECT session_id, source_id FROM placements
    UNION SELECT session_id, source_id FROM copies.model_calls
    UNION SELECT session_id, source_id FROM copies.tool_calls
) p
JOIN sessions s USING (session_id)
JOIN sources q USING (source_id)"""

# One row a text: its root placement. A rank fits 22 bits and an ord 40, so both make one number to take the least of.
ROOTS = """
CREATE OR REPLACE TEMP TABLE roots AS
WITH placed AS (
    SELECT p.*, (k.rank << 40) + p.ord AS place
    FROM placements p JOIN temp.ranks k USING (session_id, source_id) {only}
),
least AS (SELECT text_id, min(place) AS place, count(*) AS places FROM placed GROUP BY text_id)
SELECT p.text_id, p.session_id, p.source_id, p.turn, p.ord, p.live, p.timestamp, p.cwd, p.branch, p.tool, p.model,
       l.places
FROM placed p JOIN least l ON l.text_id = p.text_id AND l.place = p.place"""

ONLY_STALE_TEXTS = "SEMI JOIN temp.stale_texts x ON x.text_id = p.text_id"

TURNS = """
INSERT INTO turns
WITH prompts AS (
    SELECT p.session_id, p.turn, min_by(left(b.text, 200), (k.rank << 40) + p.ord) AS prompt
    FROM placements p JOIN temp.ranks k USING (session_id, source_id) JOIN blocks b USING (text_id)
    WHERE p.role = 'user' AND b.kind = 'text' {only}
    GROUP BY p.session_id, p.turn
)
SELECT p.session_id, any_value(s.session), any_value(s.host), p.turn, min(p.timestamp), max(p.timestamp),
       count(DISTINCT p.text_id), bool_or(p.live), min_by(p.cwd, (k.rank << 40) + p.ord) FILTER (p.cwd IS NOT NULL),
       min_by(p.branch, (k.rank << 40) + p.ord) FILTER (p.branch IS NOT NULL), any_value(q.prompt)
FROM placements p
JOIN temp.ranks k USING (session_id, source_id)
JOIN sessions s USING (session_id)
LEFT JOIN prompts q ON q.session_id = p.session_id AND q.turn = p.turn
WHERE true {only}
GROUP BY p.session_id, p.turn
ORDER BY p.session_id, p.turn"""

READ_AGAIN = "s.session_id IN (SELECT session_id FROM temp.stale_sessions)"
ONLY_STALE_SESSIONS = "AND p.session_id IN (SELECT session_id FROM temp.stale_sessions)"

# What named queries ask of every block, worked out once.
_WRITING = " OR ".join(f"contains(lower(tool), '{word}')" for word in ("edit", "write", "patch", "replace", "create"))
TOUCHES = f"""
INSERT INTO touches
SELECT p.text_id, p.session_id, p.host, p.repo, p.timestamp, coalesce({_WRITING}, false), hash(e.value),
       regexp_matches(e.value, '[^/.][.][A-Za-z0-9]{{{{1,8}}}}$'), e.value
FROM entities e JOIN blocks p USING (text_id) {{only}}
WHERE e.kind = 'path' AND p.kind = 'tool_use'
ORDER BY p.timestamp NULLS FIRST, p.text_id"""

PAUSES = """
INSERT INTO pauses
SELECT session_id, seconds, count(*)
FROM (
    SELECT p.session_id,
           date_diff('second', p.timestamp, lead(p.timestamp) OVER (PARTITION BY p.session_id ORDER BY p.timestamp))
           AS seconds
    FROM placements p WHERE p.timestamp IS NOT NULL {only}
)
WHERE seconds IS NOT NULL
GROUP BY session_id, seconds
ORDER BY session_id, seconds"""

COUNT_SESSIONS = """
UPDATE sessions SET turns = n.turns, blocks = n.blocks, prompts = n.prompts, root_blocks = n.root_blocks
FROM (
    -- Of sessions that are not read again only the blocks that count there can change.
    SELECT s.session_id, CASE WHEN {again} THEN coalesce(p.turns, 0) ELSE s.turns END AS turns,
           CASE WHEN {again} THEN coalesce(p.blocks, 0) ELSE s.blocks END AS blocks,
           CASE WHEN {again} THEN coalesce(p.prompts, 0) ELSE s.prompts END AS prompts,
           coalesce(b.root_blocks, 0) AS root_blocks
    FROM sessions s
    LEFT JOIN (
        SELECT p.session_id, count(DISTINCT p.turn) FILTER (p.turn > 0) AS turns,
               count(DISTINCT p.text_id) AS blocks,
               count(DISTINCT p.text_id) FILTER (p.role = 'user') AS prompts
        FROM placements p WHERE true {only} GROUP BY p.session_id
    ) p USING (session_id)
    LEFT JOIN (SELECT session_id, count(*) AS root_blocks FROM blocks GROUP BY session_id) b USING (session_id)
) n
WHERE n.session_id = sessions.session_id
  AND (sessions.turns, sessions.blocks, sessions.prompts, sessions.root_blocks)
      IS DISTINCT FROM (n.turns, n.blocks, n.prompts, n.root_blocks)"""

# One call is one key. What it used is told by the row that has a stop reason and the most output; where it belongs, by
# the row that ranks first, so that copies in forks and subagents count once, at the root.
MODEL_CALLS = """
INSERT INTO model_calls
WITH told AS (
    SELECT c.*, k.rank FROM copies.model_calls c JOIN temp.ranks k USING (session_id, source_id) {only}
),
calls AS (
    SELECT key, count(*) AS copies,
           arg_min(
               {{'session_id': session_id, 'source_id': source_id, 'turn': turn, 'sidechain': sidechain}}, rank
           ) AS r,
           arg_min(timestamp, rank) FILTER (timestamp IS NOT NULL) AS timestamp,
           arg_min(model, rank) FILTER (model IS NOT NULL) AS any_model,
           arg_min(logged_cost_usd, rank) FILTER (logged_cost_usd IS NOT NULL) AS logged_cost_usd,
           arg_max(
               {{'model': model, 'input_tokens': input_tokens, 'output_tokens': output_tokens,
                'cache_read_tokens': cache_read_tokens, 'cache_write_5m_tokens': cache_write_5m_tokens,
                'cache_write_1h_tokens': cache_write_1h_tokens, 'reasoning_tokens': reasoning_tokens,
                'web_searches': web_searches, 'final': final}},
               {{'final': final, 'output_tokens': output_tokens, 'rank': -rank}}
           ) AS u
    FROM told GROUP BY key
),
placed AS (
    SELECT c.key, c.copies, c.r.session_id AS session_id, c.r.source_id AS source_id, c.r.turn AS turn,
           c.r.sidechain AS sidechain, c.timestamp, coalesce(c.u.model, c.any_model) AS model, c.logged_cost_usd, c.u,
           s.host, s.session, s.repo, s.relation, s.cwd, s.branch,
           c.u.input_tokens + c.u.cache_read_tokens + c.u.cache_write_5m_tokens + c.u.cache_write_1h_tokens AS whole,
           coalesce(c.timestamp, s.started, s.ended, $price_date::TIMESTAMP) AS priced_at
    FROM calls c JOIN sessions s ON s.session_id = c.r.session_id
),
standing AS (
    SELECT c.*, coalesce(p.cwd, t.cwd, c.cwd) AS call_cwd, coalesce(p.branch, t.branch, c.branch) AS call_branch
    FROM placed c
    ASOF LEFT JOIN (
        SELECT session_id, turn, timestamp, max_by(cwd, (k.rank << 40) + ord) AS cwd,
               max_by(branch, (k.rank << 40) + ord) AS branch
        FROM placements p JOIN temp.ranks k USING (session_id, source_id)
        WHERE timestamp IS NOT NULL AND (cwd IS NOT NULL OR branch IS NOT NULL)
          AND p.session_id IN (SELECT session_id FROM temp.wanderers)
        GROUP BY session_id, turn, timestamp
    ) p ON p.session_id = c.session_id AND p.turn = c.turn AND p.timestamp <= c.timestamp
    LEFT JOIN turns t ON t.session_id = c.session_id AND t.turn = c.turn
),
costed AS (
    SELECT c.*, p.provider IS NOT NULL AS priced,
           c.u.input_tokens * p.input / 1e6 AS input_cost_usd,
           (c.u.cache_read_tokens * p.cache_read + c.u.cache_write_5m_tokens * p.cache_write_5m
            + c.u.cache_write_1h_tokens * p.cache_write_1h) / 1e6 AS cache_cost_usd,
           ((c.u.output_tokens - least(c.u.reasoning_tokens, c.u.output_tokens)) * p.output
            + least(c.u.reasoning_tokens, c.u.output_tokens) * p.reasoning) / 1e6 AS output_cost_usd,
           c.u.web_searches * p.web_search AS search_cost_usd, p.request AS request_cost_usd
    FROM standing c
    LEFT JOIN prices p ON p.host = c.host AND p.model = c.model
        AND c.priced_at::DATE >= p.from_date AND (p.until_date IS NULL OR c.priced_at::DATE < p.until_date)
        AND c.priced_at::TIME >= p.from_time AND (p.until_time IS NULL OR c.priced_at::TIME < p.until_time)
        AND c.whole > p.above_tokens AND (p.upto_tokens IS NULL OR c.whole <= p.upto_tokens)
)
SELECT key, host, session_id, session, source_id, turn, timestamp, repo, call_cwd, call_branch, relation, model,
       u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_5m_tokens, u.cache_write_1h_tokens,
       u.reasoning_tokens, u.web_searches, u.final, sidechain,
       coalesce(model <> '<synthetic>', true) AS counted, copies, logged_cost_usd,
       input_cost_usd + cache_cost_usd + output_cost_usd + search_cost_usd + request_cost_usd,
       input_cost_usd, cache_cost_usd, output_cost_usd, search_cost_usd,
       CASE WHEN priced THEN $price_catalogue END, CASE WHEN priced THEN $price_version END,
       CASE WHEN priced THEN $price_date::DATE END
FROM costed
ORDER BY timestamp NULLS FIRST, key"""

# Sessions in which folder or branch changes within a turn; in all others the turn says where a call stood.
WANDERERS = """
CREATE OR REPLACE TEMP TABLE wanderers AS
SELECT DISTINCT session_id FROM (
    SELECT p.session_id FROM placements p WHERE true {only} GROUP BY p.session_id, p.turn
    HAVING min(branch) IS DISTINCT FROM max(branch) OR min(cwd) IS DISTINCT FROM max(cwd)
)"""

TOOL_CALLS = """
INSERT INTO tool_calls
WITH told AS (
    SELECT c.*, q.host, k.rank
    FROM copies.tool_calls c JOIN temp.ranks k USING (session_id, source_id) JOIN sources q USING (source_id) {only}
),
calls AS (
    SELECT host, call_id,
           arg_min({{'session_id': session_id, 'source_id': source_id, 'turn': turn}}, rank) AS r,
           arg_min(tool, rank) FILTER (tool IS NOT NULL) AS tool,
           arg_min(request_block, rank) FILTER (request_block IS NOT NULL) AS request_block,
           arg_min(result_block, rank) FILTER (result_block IS NOT NULL) AS result_block,
           arg_min(started, rank) FILTER (started IS NOT NULL) AS started,
           arg_min(ended, rank) FILTER (ended IS NOT NULL) AS ended,
           arg_min(failed, rank) FILTER (failed IS NOT NULL) AS failed,
           arg_min(error, rank) FILTER (error IS NOT NULL) AS error,
           arg_min(duration_ms, rank) FILTER (duration_ms IS NOT NULL) AS duration_ms
    FROM told GROUP BY host, call_id
),
asked AS MATERIALIZED (
    -- Found by their ids first: of a few requests, no other text has to be unpacked.
    SELECT text_id FROM blocks SEMI JOIN calls ON request_block = block_id
),
requests AS (
    -- A request's text names its tool in the first line; what was asked of it follows.
    SELECT block_id, min(left(regexp_replace(text, '^[^\n]*\n', ''), 200)) AS request
    FROM blocks SEMI JOIN asked USING (text_id)
    GROUP BY block_id
)
SELECT c.call_id, c.host, s.session_id, s.session, c.r.source_id, c.r.turn, c.tool, s.repo, q.request, c.request_block,
       c.result_block, c.started, c.ended, c.failed, c.error,
       coalesce(c.duration_ms, CASE WHEN c.ended >= c.started THEN date_diff('millisecond', c.started, c.ended) END)
FROM calls c
JOIN sessions s ON s.session_id = c.r.session_id
LEFT JOIN requests q ON q.block_id = c.request_block
ORDER BY c.started NULLS FIRST, c.call_id"""

# What an incremental build takes out before it reads the stale sessions again.
_OF_STALE_SESSIONS = "SEMI JOIN temp.stale_sessions USING (session_id)"
NOTE_STALE = (
    # Sources that tell of no session have no change number either; they are few and always read again.
    """INSERT INTO temp.stale_sources
       SELECT source_id FROM sources
       WHERE session_id IS NULL OR session_id IN (SELECT session_id FROM temp.stale_sessions)""",
    f"INSERT INTO temp.stale_texts SELECT DISTINCT text_id FROM placements {_OF_STALE_SESSIONS}",
    f"INSERT INTO temp.stale_model_calls SELECT DISTINCT key FROM copies.model_calls {_OF_STALE_SESSIONS}",
    f"""INSERT INTO temp.stale_tool_calls
        SELECT DISTINCT q.host, c.call_id
        FROM copies.tool_calls c {_OF_STALE_SESSIONS} JOIN sources q USING (source_id)""",
)
DELETE_OF_SESSIONS = (
    "DELETE FROM ledger WHERE source_id IN (SELECT source_id FROM temp.stale_sources)",
    "DELETE FROM problems WHERE source_id IN (SELECT source_id FROM temp.stale_sources)",
    "DELETE FROM placements WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM turns WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM pauses WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM copies.model_calls WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM copies.tool_calls WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM temp.stale_sessions)",
    "DELETE FROM sources",
    "DELETE FROM activity",
    "DELETE FROM judgments",
    "DELETE FROM pins",
)
DELETE_OF_CALLS = (
    "DELETE FROM model_calls WHERE key IN (SELECT key FROM temp.stale_model_calls)",
    "DELETE FROM tool_calls WHERE (host, call_id) IN (SELECT (host, call_id) FROM temp.stale_tool_calls)",
)
ONLY_STALE_MODEL_CALLS = "SEMI JOIN temp.stale_model_calls x ON x.key = c.key"
# A call may move to a session that did not change itself.
ONLY_WHERE_STALE_MODEL_CALLS = (
    "AND p.session_id IN (SELECT session_id FROM copies.model_calls SEMI JOIN temp.stale_model_calls USING (key))"
)
ONLY_STALE_TOOL_CALLS = "SEMI JOIN temp.stale_tool_calls x ON x.call_id = c.call_id"
DELETE_OF_TEXTS = (
    "DELETE FROM blocks WHERE text_id IN (SELECT text_id FROM temp.stale_texts)",
    "DELETE FROM redactions WHERE text_id IN (SELECT text_id FROM temp.stale_texts)",
    "DELETE FROM entities WHERE text_id IN (SELECT text_id FROM temp.stale_texts)",
    "DELETE FROM touches WHERE text_id IN (SELECT text_id FROM temp.stale_texts)",
)
