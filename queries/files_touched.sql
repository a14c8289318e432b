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
paths AS (
    SELECT DISTINCT value AS path, text_id
    FROM entities SEMI JOIN requests USING (text_id)
    WHERE kind = 'path' AND (NOT $files_only OR regexp_matches(value, '[^/.][.][A-Za-z0-9]{1,8}$'))
)
SELECT p.path, count(*) AS requests, count(*) FILTER (r.writes) AS writes, count(DISTINCT r.session_id) AS sessions,
       max(r.timestamp) AS last_seen
FROM paths p JOIN requests r USING (text_id)
GROUP BY p.path
ORDER BY requests DESC, p.path
LIMIT $limit
