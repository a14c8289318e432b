-- title: Where tools spend their time
-- description: Tools by the time that was waited for them, with their failures.
-- param since: time = none; only calls from this time on
-- param until: end = none; only calls before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 30; at most so many tools
-- chart: bars name=tool value=total_seconds unit=seconds title="Where tools spend their time" empty="No call with a known duration."
SELECT tool, count(*) AS calls, count(*) FILTER (failed) AS failures,
       sum(duration_ms) / 1000 AS total_seconds, avg(duration_ms) / 1000 AS mean_seconds, max(duration_ms) / 1000 AS longest_seconds
FROM tool_calls
WHERE duration_ms IS NOT NULL
  AND within(started, $since, $until)
  AND fits(host, $host) AND fits(repo, $repo)
GROUP BY tool
ORDER BY total_seconds DESC, tool
LIMIT $limit
