-- title: Files touched most
-- description: The paths that tool requests named, how often, and how often by a tool that writes.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param files_only: flag = yes; only paths that end in a file's name with an extension
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 50; at most so many paths
-- chart: bars name=path value=requests title="Files touched most" called="Tool requests" empty="No path in this time."
WITH asked AS NOT MATERIALIZED (
    SELECT * FROM touches
    WHERE (is_file OR NOT $files_only)
      AND within(timestamp, $since, $until) AND fits(host, $host) AND fits(repo, $repo)
),
by_path AS (
    SELECT path_hash, count(*) AS requests, count(*) FILTER (writes) AS writes, max(timestamp) AS last_seen
    FROM asked GROUP BY path_hash
),
-- Names are looked up and sessions counted for the commonest alone, ties with the last of them included.
commonest AS (
    SELECT * FROM by_path
    WHERE requests >= (SELECT min(requests) FROM (SELECT requests FROM by_path ORDER BY requests DESC LIMIT $limit))
),
named AS (
    SELECT path_hash, any_value(path) AS path, count(DISTINCT session_id) AS sessions
    FROM asked SEMI JOIN commonest USING (path_hash)
    GROUP BY path_hash
)
SELECT path, requests, writes, sessions, local_time(last_seen, $zone) AS last_seen
FROM commonest JOIN named USING (path_hash)
ORDER BY requests DESC, path
LIMIT $limit
