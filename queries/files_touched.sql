-- title: Files touched most
-- description: The paths that tool requests named, how often, and how often by a tool that writes.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param files_only: flag = yes; only paths that end in a file's name with an extension
-- param limit: integer = 50; at most so many paths
-- chart: bars name=path value=requests title="Files touched most" called="Tool requests" empty="No path in this time."
WITH by_session AS (
    SELECT path_hash, session_id, count(*) AS requests, count(*) FILTER (writes) AS writes, max(timestamp) AS last_seen
    FROM touches
    WHERE (is_file OR NOT $files_only)
      AND within(timestamp, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
    GROUP BY path_hash, session_id
),
by_path AS (
    SELECT path_hash, sum(requests)::BIGINT AS requests, sum(writes)::BIGINT AS writes, count(*) AS sessions,
           max(last_seen) AS last_seen
    FROM by_session GROUP BY path_hash
),
-- Names are looked up for the commonest alone, ties with the last of them included.
commonest AS (
    SELECT * FROM by_path
    WHERE requests >= (SELECT min(requests) FROM (SELECT requests FROM by_path ORDER BY requests DESC LIMIT $limit))
),
named AS (SELECT path_hash, any_value(path) AS path FROM touches SEMI JOIN commonest USING (path_hash) GROUP BY path_hash)
SELECT path, requests, writes, sessions, last_seen
FROM commonest JOIN named USING (path_hash)
ORDER BY requests DESC, path
LIMIT $limit
