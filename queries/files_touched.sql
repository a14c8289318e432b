-- title: Files touched most
-- description: The paths that tool requests named, how often, and how often by a tool that writes.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param files_only: flag = yes; only paths that end in a file's name with an extension
-- param limit: integer = 50; at most so many paths
-- chart: bars name=path value=requests title="Files touched most" called="Tool requests" empty="No path in this time."
WITH requests AS (
    SELECT text_id, session_id, timestamp,
           regexp_matches(lower(coalesce(tool, '')), 'edit|write|patch|replace|create') AS writes
    FROM blocks
    WHERE kind = 'tool_use'
      AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
      AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
),
-- Numbers are grouped faster than names, so paths go by their hashes until few are left.
by_session AS (
    SELECT hash(e.value) AS path_hash, r.session_id, any_value(e.value) AS path, count(*) AS requests,
           count(*) FILTER (r.writes) AS writes, max(r.timestamp) AS last_seen
    FROM entities e JOIN requests r USING (text_id)
    WHERE e.kind = 'path'
    GROUP BY path_hash, r.session_id
),
commonest AS (
    SELECT any_value(path) AS path, sum(requests)::BIGINT AS requests, sum(writes)::BIGINT AS writes,
           count(*) AS sessions, max(last_seen) AS last_seen
    FROM by_session
    GROUP BY path_hash
    ORDER BY requests DESC, path
    LIMIT 40 * $limit
)
SELECT path, requests, writes, sessions, last_seen
FROM commonest
WHERE NOT $files_only OR regexp_matches(path, '[^/.][.][A-Za-z0-9]{1,8}$')
ORDER BY requests DESC, path
LIMIT $limit
