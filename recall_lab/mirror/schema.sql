-- The mirror of recall_lab: the store as DuckDB tables, for analysis. Disposable: it is rebuilt from the store at any time.
-- Times are UTC (TIMESTAMP, no zone); ids and hashes are lowercase hex. `session_id`, `source_id` and `text_id` join the
-- tables; `session` is the host's own id. Everything is redacted text.

CREATE TABLE sessions (
    session_id INTEGER, session VARCHAR, host VARCHAR, title VARCHAR, repo VARCHAR, cwd VARCHAR, branch VARCHAR,
    model VARCHAR, version VARCHAR,
    parent VARCHAR,              -- native id of the session it was called from, forked from or continues
    relation VARCHAR,            -- subagent, fork, continuation; NULL for a main session
    agent_id VARCHAR, agent_type VARCHAR,
    started TIMESTAMP, ended TIMESTAMP,
    turns INTEGER,               -- turns with a placement, turn 0 (before the first prompt) not counted
    prompts INTEGER,             -- blocks with role user and kind text
    blocks INTEGER,              -- distinct blocks placed in it
    root_blocks INTEGER,         -- of these, the blocks that are counted here and nowhere else
    change BIGINT                -- the store's change number when it was mirrored
);
CREATE TABLE turns (
    session_id INTEGER, session VARCHAR, host VARCHAR, turn INTEGER, started TIMESTAMP, ended TIMESTAMP,
    blocks INTEGER, live BOOLEAN, -- false when all of it stands on a dead branch
    cwd VARCHAR, branch VARCHAR,
    prompt VARCHAR               -- the first 200 characters of the text that opened it
);
-- One row a block, where it stands at its root: a main session before subagents and forks, then the earliest.
-- Compression is named where trying all kinds costs more time than it saves room.
CREATE TABLE blocks (
    text_id BIGINT, block_id VARCHAR USING COMPRESSION zstd, content_hash VARCHAR USING COMPRESSION zstd, role VARCHAR, kind VARCHAR, host VARCHAR,
    session_id INTEGER, session VARCHAR, source_id INTEGER, turn INTEGER, ord BIGINT, live BOOLEAN, timestamp TIMESTAMP,
    repo VARCHAR, cwd VARCHAR, branch VARCHAR, tool VARCHAR, model VARCHAR,
    placements INTEGER,          -- how often it is placed, in all sessions
    length BIGINT,               -- code points kept
    original_length BIGINT,      -- code points before a cap cut it
    rules VARCHAR,               -- version of the redaction rules
    text VARCHAR USING COMPRESSION zstd
);
-- Where blocks stand: one row for every place in every source.
CREATE TABLE placements (
    source_id INTEGER, ord BIGINT, session_id INTEGER, text_id BIGINT, turn INTEGER, role VARCHAR, live BOOLEAN,
    queued BOOLEAN, timestamp TIMESTAMP, cwd VARCHAR, branch VARCHAR, tool VARCHAR, model VARCHAR
);
-- Identifiers found in blocks: one row for each block that holds one.
CREATE TABLE entities (kind VARCHAR, value VARCHAR, text_id BIGINT);
-- Paths that tool requests name: one row for each request and path.
CREATE TABLE touches (
    text_id BIGINT, session_id INTEGER, host VARCHAR, repo VARCHAR, timestamp TIMESTAMP,
    writes BOOLEAN,              -- whether the tool is one that changes files
    path_hash UBIGINT,           -- of path, by DuckDB's hash(): groups paths faster than their names do
    is_file BOOLEAN,             -- whether the path ends in a file's name with an extension
    path VARCHAR
);
-- How long a session paused between neighbours in time: one row for each length that occurs in it.
CREATE TABLE pauses (session_id INTEGER, seconds BIGINT, pauses BIGINT);
-- One row a model call, however many files repeat it.
CREATE TABLE model_calls (
    key VARCHAR USING COMPRESSION zstd, host VARCHAR, session_id INTEGER, session VARCHAR, source_id INTEGER,
    turn INTEGER, timestamp TIMESTAMP,
    repo VARCHAR, cwd VARCHAR, branch VARCHAR, relation VARCHAR, model VARCHAR,
    input_tokens BIGINT,         -- without cache, for every host
    output_tokens BIGINT, cache_read_tokens BIGINT, cache_write_5m_tokens BIGINT, cache_write_1h_tokens BIGINT,
    reasoning_tokens BIGINT,     -- inside output_tokens
    web_searches BIGINT, final BOOLEAN, sidechain BOOLEAN,
    counted BOOLEAN,             -- false for what no model answered (synthetic messages)
    copies INTEGER,              -- rows of the sources that speak of this call
    logged_cost_usd DOUBLE,      -- as the host wrote it
    cost_usd DOUBLE,             -- by the price catalogue; NULL when it knows no price
    input_cost_usd DOUBLE, cache_cost_usd DOUBLE, output_cost_usd DOUBLE, search_cost_usd DOUBLE,
    price_catalogue VARCHAR, price_version VARCHAR, price_date DATE
);
-- One row a tool call, however many files repeat it.
CREATE TABLE tool_calls (
    call_id VARCHAR USING COMPRESSION zstd, host VARCHAR, session_id INTEGER, session VARCHAR, source_id INTEGER,
    turn INTEGER, tool VARCHAR, repo VARCHAR,
    request VARCHAR USING COMPRESSION zstd, -- the first 200 characters of what was asked of the tool
    request_block VARCHAR USING COMPRESSION zstd, result_block VARCHAR USING COMPRESSION zstd,
    started TIMESTAMP, ended TIMESTAMP,
    failed BOOLEAN,              -- NULL until the outcome is known
    error VARCHAR,
    duration_ms BIGINT           -- as the host logged it, else ended - started
);
CREATE TABLE sources (
    source_id INTEGER, host VARCHAR, path VARCHAR, machine VARCHAR, session_id INTEGER, session VARCHAR, repo VARCHAR,
    size BIGINT, modified TIMESTAMP,
    cursor BIGINT,               -- bytes read to the end of a record
    state VARCHAR, detail VARCHAR,
    lines BIGINT,                -- non-blank lines before the cursor
    captured_at TIMESTAMP
);
CREATE TABLE ledger (source_id INTEGER, record_type VARCHAR, disposition VARCHAR, records BIGINT, bytes BIGINT);
CREATE TABLE problems (
    source_id INTEGER, "offset" BIGINT, length BIGINT, disposition VARCHAR, reason VARCHAR
);
CREATE TABLE redactions (text_id BIGINT, kind VARCHAR, spans BIGINT);
CREATE TABLE activity (
    activity_id BIGINT, timestamp TIMESTAMP, command VARCHAR, repo VARCHAR, seconds DOUBLE, exit_code INTEGER
);
CREATE TABLE judgments (
    judgment_id BIGINT, timestamp TIMESTAMP, question VARCHAR, block_id VARCHAR, start BIGINT, "end" BIGINT, grade INTEGER,
    config VARCHAR
);
CREATE TABLE pins (block_id VARCHAR, content_hash VARCHAR, timestamp TIMESTAMP, note VARCHAR);
-- What a million tokens (or one web search) costs, resolved from the price catalogue for each model in each period.
CREATE TABLE prices (
    host VARCHAR, model VARCHAR, provider VARCHAR, priced_as VARCHAR,
    from_date DATE, until_date DATE,   -- UTC, until exclusive
    from_time TIME, until_time TIME,   -- UTC, of the day; until NULL is midnight
    above_tokens BIGINT, upto_tokens BIGINT, -- whole input of the request, cache included; upto NULL is no limit
    input DOUBLE, cache_read DOUBLE, cache_write_5m DOUBLE, cache_write_1h DOUBLE, output DOUBLE, reasoning DOUBLE,
    web_search DOUBLE, request DOUBLE
);
-- A UTC time as the clock of a zone shows it; a day is local_time(…)::DATE.
CREATE MACRO local_time(utc, zone) AS timezone(zone, timezone('UTC', utc));
-- What questions are narrowed by. A wanted value that is NULL keeps every row, '(no repository)' and the like keep those
-- that have none; since and until are UTC, until exclusive, and NULL is no limit.
CREATE MACRO fits(value, wanted) AS
    (wanted IS NULL OR value IS NOT DISTINCT FROM CASE WHEN wanted LIKE '(no %)' THEN NULL ELSE wanted END);
CREATE MACRO spans(started, ended, since, until) AS
    ((since IS NULL OR ended >= since::TIMESTAMP) AND (until IS NULL OR started < until::TIMESTAMP));
CREATE MACRO within(moment, since, until) AS spans(moment, moment, since, until);
-- Tokens and cost of the calls of every key, an expression over c, a row of model_calls: usage_by(c.model, …). Costs are
-- added up as whole trillionths of a dollar, so that no order or grouping of the calls changes a sum.
CREATE MACRO usage_by(key, since, until, host, repo, model) AS TABLE
SELECT key AS key,
       count(DISTINCT c.session_id) AS sessions,
       count(*) AS calls,
       coalesce(sum(c.input_tokens), 0)::BIGINT AS input_tokens,
       coalesce(sum(c.output_tokens), 0)::BIGINT AS output_tokens,
       coalesce(sum(c.cache_read_tokens), 0)::BIGINT AS cache_read_tokens,
       coalesce(sum(c.cache_write_5m_tokens), 0)::BIGINT AS cache_write_5m_tokens,
       coalesce(sum(c.cache_write_1h_tokens), 0)::BIGINT AS cache_write_1h_tokens,
       coalesce(sum(c.cache_write_5m_tokens + c.cache_write_1h_tokens), 0)::BIGINT AS cache_write_tokens,
       coalesce(sum(c.reasoning_tokens), 0)::BIGINT AS reasoning_tokens,
       coalesce(sum(c.web_searches), 0)::BIGINT AS web_searches,
       sum(round(c.cost_usd * 1e12)::HUGEINT)::DOUBLE / 1e12 AS cost_usd,
       count(*) FILTER (c.cost_usd IS NULL) AS unpriced_calls
FROM model_calls c
WHERE c.counted AND within(c.timestamp, since, until) AND fits(c.host, host) AND fits(c.repo, repo) AND fits(c.model, model)
GROUP BY 1;
-- The same by day of a zone. Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted,
-- not single calls.
CREATE MACRO usage_by_day(zone, since, until, host, repo, model) AS TABLE
SELECT local_time(q.key, zone)::DATE AS key,
       sum(COLUMNS(q.* EXCLUDE (key, sessions, cost_usd)))::BIGINT,
       sum(round(q.cost_usd * 1e12)::HUGEINT)::DOUBLE / 1e12 AS cost_usd
FROM usage_by(time_bucket(INTERVAL 15 MINUTE, c.timestamp), since, until, host, repo, model) q
GROUP BY 1;
-- Which store this mirrors, in which state, made by which version.
CREATE TABLE mirror (key VARCHAR, value VARCHAR);

-- The rows of calls as every source tells them; model_calls and tool_calls are made of these.
CREATE SCHEMA copies;
CREATE TABLE copies.model_calls (
    source_id INTEGER, key VARCHAR USING COMPRESSION zstd, session_id INTEGER, turn INTEGER, timestamp TIMESTAMP, model VARCHAR,
    input_tokens BIGINT, output_tokens BIGINT, cache_read_tokens BIGINT, cache_write_5m_tokens BIGINT,
    cache_write_1h_tokens BIGINT, reasoning_tokens BIGINT, web_searches BIGINT, final BOOLEAN, sidechain BOOLEAN,
    logged_cost_usd DOUBLE
);
CREATE TABLE copies.tool_calls (
    source_id INTEGER, call_id VARCHAR USING COMPRESSION zstd, session_id INTEGER, turn INTEGER, tool VARCHAR, request_block VARCHAR USING COMPRESSION zstd,
    result_block VARCHAR USING COMPRESSION zstd, started TIMESTAMP, ended TIMESTAMP, failed BOOLEAN, error VARCHAR, duration_ms BIGINT
);
