-- title: Tools and their failures
-- description: How often each tool was called, how often it failed, and how long it took. Calls whose outcome is unknown
--   are neither.
-- param since: time = none; only calls from this time on
-- param until: end = none; only calls before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 30; at most so many tools
-- chart: tools_and_failures
SELECT tool,
       count(*) AS calls,
       count(*) FILTER (failed) AS failures,
       count(*) FILTER (failed IS NULL) AS unknown,
       count(*) FILTER (failed) / nullif(count(failed), 0) AS failure_rate,
       median(duration_ms) / 1000 AS median_seconds,
       quantile_cont(duration_ms, 0.95) / 1000 AS p95_seconds,
       sum(duration_ms) / 1000 AS total_seconds
FROM tool_calls
WHERE within(started, $since, $until)
  AND fits(host, $host) AND fits(repo, $repo)
GROUP BY tool
ORDER BY calls DESC, tool
LIMIT $limit
