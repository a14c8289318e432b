-- The store of recall_lab. Text is kept once, by (block_id, content_hash); a session is an ordered list of placements
-- that point at it; a text that no placement points at is a revision. Ids and hashes are blobs: hex(block_id) prints one.
-- Times are UTC, ISO 8601 with a Z. Every text column holds redacted text.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- Small strings that recur on many rows (hosts, folders, branches, tools, models), kept once.
CREATE TABLE names (
    name_id INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
    session_id INTEGER PRIMARY KEY,
    host       TEXT NOT NULL,
    native_id  TEXT NOT NULL,          -- a subagent's is <parent id>/<agent id>
    parent_id  TEXT,                   -- native id of the session it was called from, forked from or continues
    relation   TEXT CHECK (relation IN ('subagent', 'fork', 'continuation')),
    agent_id   TEXT,
    agent_type TEXT,
    title      TEXT,
    cwd        TEXT,
    branch     TEXT,
    repo       TEXT,
    model      TEXT,
    version    TEXT,
    started    TEXT,                   -- least and greatest timestamp of its placements
    ended      TEXT,
    change     INTEGER NOT NULL,       -- grows with each write to anything of the session
    UNIQUE (host, native_id)
) STRICT;
CREATE INDEX sessions_by_change ON sessions (change);
CREATE INDEX sessions_by_repo ON sessions (repo);

CREATE TABLE tombstones (
    host      TEXT NOT NULL,
    native_id TEXT NOT NULL,
    session_id INTEGER NOT NULL,
    change    INTEGER NOT NULL,
    PRIMARY KEY (host, native_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
    source_id     INTEGER PRIMARY KEY,
    host          TEXT NOT NULL,
    path          TEXT NOT NULL,
    machine       TEXT NOT NULL,
    session_id    INTEGER REFERENCES sessions (session_id),
    size          INTEGER NOT NULL,
    mtime_ns      INTEGER NOT NULL,
    ctime_ns      INTEGER NOT NULL,
    cursor        INTEGER NOT NULL,    -- bytes read to the end of a record
    head_hash     TEXT NOT NULL,       -- keyed with meta 'hash_key': says nothing about the text
    tail_hash     TEXT NOT NULL,
    content_hash  TEXT NOT NULL,
    state         TEXT NOT NULL,
    detail        TEXT NOT NULL,
    lines         INTEGER NOT NULL,
    resume_offset INTEGER NOT NULL,
    resume_ord    INTEGER NOT NULL,
    parser_state  BLOB NOT NULL,
    captured_at   TEXT NOT NULL,
    UNIQUE (machine, path)
) STRICT;
CREATE INDEX sources_by_session ON sources (session_id);

-- Batches of a rebuild that has not reached its end: what is published stays until all of them are there.
CREATE TABLE staged (
    source_id INTEGER NOT NULL REFERENCES sources (source_id),
    step      INTEGER NOT NULL,
    batch     BLOB NOT NULL,           -- a model.Batch, MessagePack
    PRIMARY KEY (source_id, step)
) STRICT, WITHOUT ROWID;

-- What each source says of the sessions in it: its own, and children that have no file of their own.
CREATE TABLE source_sessions (
    source_id  INTEGER NOT NULL REFERENCES sources (source_id),
    session_id INTEGER NOT NULL REFERENCES sessions (session_id),
    facts      TEXT NOT NULL,          -- JSON
    PRIMARY KEY (source_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_sessions_by_session ON source_sessions (session_id);
CREATE INDEX source_sessions_by_folder
    ON source_sessions (json_extract(facts, '$.cwd'), json_extract(facts, '$.repo'));

CREATE TABLE blocks (
    text_id         INTEGER PRIMARY KEY,
    block_id        BLOB NOT NULL CHECK (length(block_id) = 16),
    content_hash    BLOB NOT NULL CHECK (length(content_hash) = 32),
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'host')),  -- user wins where copies differ
    kind            TEXT NOT NULL CHECK (kind IN ('text', 'tool_use', 'tool_result', 'summary')),
    host            INTEGER NOT NULL REFERENCES names (name_id),
    length          INTEGER NOT NULL,  -- code points retained
    original_length INTEGER NOT NULL,  -- code points before a cap cut it
    rules           INTEGER NOT NULL REFERENCES names (name_id),  -- version of the redaction rules
    seen            INTEGER NOT NULL,  -- change number that brought it
    origin          INTEGER NOT NULL,  -- session that brought it; stays when no placement is left
    entities        BLOB NOT NULL,     -- identifiers as spans of the text, 4 bytes each: see text_entities.Analysis
    text            TEXT NOT NULL
) STRICT;
-- (block_id, content_hash) is unique; the one writer sees to it, and an index of both would take three times the room.
CREATE INDEX blocks_by_id ON blocks (block_id);

CREATE TABLE placements (
    source_id  INTEGER NOT NULL REFERENCES sources (source_id),
    ord        INTEGER NOT NULL,
    session_id INTEGER NOT NULL REFERENCES sessions (session_id),
    text_id    INTEGER NOT NULL REFERENCES blocks (text_id),
    turn       INTEGER NOT NULL,
    role       TEXT NOT NULL,
    live       INTEGER NOT NULL CHECK (live IN (0, 1)),
    queued     INTEGER NOT NULL CHECK (queued IN (0, 1)),
    timestamp  TEXT,
    cwd        INTEGER REFERENCES names (name_id),
    branch     INTEGER REFERENCES names (name_id),
    tool       INTEGER REFERENCES names (name_id),
    model      INTEGER REFERENCES names (name_id),
    PRIMARY KEY (source_id, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX placements_by_text ON placements (text_id);
CREATE INDEX placements_by_turn ON placements (session_id, turn, ord);

CREATE TABLE model_calls (
    source_id             INTEGER NOT NULL REFERENCES sources (source_id),
    key                   BLOB NOT NULL,   -- the same call has the same key in every source
    session_id            INTEGER NOT NULL REFERENCES sessions (session_id),
    turn                  INTEGER NOT NULL,
    timestamp             TEXT,
    model                 TEXT,
    input_tokens          INTEGER NOT NULL,  -- without cache, for every host
    output_tokens         INTEGER NOT NULL,
    cache_read_tokens     INTEGER NOT NULL,
    cache_write_5m_tokens INTEGER NOT NULL,
    cache_write_1h_tokens INTEGER NOT NULL,
    reasoning_tokens      INTEGER NOT NULL,  -- inside output_tokens
    web_searches          INTEGER NOT NULL,
    final                 INTEGER NOT NULL,
    sidechain             INTEGER NOT NULL,
    logged_cost_usd       REAL,
    PRIMARY KEY (source_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_calls_by_key ON model_calls (key);

CREATE TABLE tool_calls (
    source_id     INTEGER NOT NULL REFERENCES sources (source_id),
    call_id       TEXT NOT NULL,
    session_id    INTEGER NOT NULL REFERENCES sessions (session_id),
    turn          INTEGER NOT NULL,
    tool          TEXT,
    request_block BLOB,
    result_block  BLOB,
    started       TEXT,
    ended         TEXT,
    failed        INTEGER,               -- NULL until the outcome is known
    error         TEXT,
    duration_ms   INTEGER,
    PRIMARY KEY (source_id, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE redactions (
    text_id INTEGER NOT NULL REFERENCES blocks (text_id),
    kind    TEXT NOT NULL,
    spans   INTEGER NOT NULL,
    PRIMARY KEY (text_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
    source_id   INTEGER NOT NULL REFERENCES sources (source_id),
    record_type TEXT NOT NULL,
    disposition TEXT NOT NULL,
    records     INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    PRIMARY KEY (source_id, record_type, disposition)
) STRICT, WITHOUT ROWID;

CREATE TABLE problems (
    source_id   INTEGER NOT NULL REFERENCES sources (source_id),
    offset      INTEGER NOT NULL,       -- bytes
    length      INTEGER NOT NULL,
    disposition TEXT NOT NULL,
    reason      TEXT NOT NULL,          -- never text of the transcript
    PRIMARY KEY (source_id, offset)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
    activity_id INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    command     TEXT NOT NULL,
    repo        TEXT,
    seconds     REAL,
    exit_code   INTEGER
) STRICT;

CREATE TABLE judgments (
    judgment_id INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    question    TEXT NOT NULL,
    block_id    BLOB NOT NULL,
    start       INTEGER NOT NULL,
    "end"       INTEGER NOT NULL,
    grade       INTEGER NOT NULL,
    config      TEXT
) STRICT;

-- What was forgotten on request, by id only, so that it is not captured again.
CREATE TABLE forgotten (
    what TEXT NOT NULL CHECK (what IN ('session', 'block')),
    host TEXT NOT NULL,
    id   TEXT NOT NULL,                -- a session's native id, or a block id in hex
    at   TEXT NOT NULL,
    PRIMARY KEY (what, host, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pins (
    block_id     BLOB NOT NULL,
    content_hash BLOB NOT NULL,
    at           TEXT NOT NULL,
    note         TEXT,
    PRIMARY KEY (block_id, content_hash)
) STRICT, WITHOUT ROWID;

-- Transcripts whose repository a person pinned; their sessions belong to it whatever their folder says.
CREATE TABLE scopes (
    machine TEXT NOT NULL,
    path    TEXT NOT NULL,
    cwd     TEXT NOT NULL,             -- the folder that was named
    repo    TEXT NOT NULL,             -- its repository at that time
    PRIMARY KEY (machine, path)
) STRICT, WITHOUT ROWID;

-- Search: one row a text that has a placement, rowid = text_id. The columns hold text.index_form() of the originals.
CREATE VIRTUAL TABLE fulltext USING fts5 (
    body,
    words,                              -- parts of camelCase, snake_case and kebab-case identifiers
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);
