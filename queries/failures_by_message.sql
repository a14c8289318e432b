-- title: Failures by message
-- description: The first lines of failed tool calls, numbers and quoted names left out so that like failures add up.
-- param since: time = none; only calls from this time on
-- param until: end = none; only calls before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param tool: text = none; only this tool
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 30; at most so many messages
-- chart: bars name=message value=failures title="Failures by message" empty="No failed call in this time."
WITH failed AS (
    SELECT tool, session_id, started,
           regexp_replace(regexp_replace(error, '[0-9]+', 'N', 'g'), '''[^'']*''|"[^"]*"|`[^`]*`', '…', 'g') AS message
    FROM tool_calls
    WHERE failed
      AND within(started, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo) AND fits(tool, $tool)
)
SELECT coalesce(message, '(no message)') AS message, count(*) AS failures, count(DISTINCT session_id) AS sessions,
       list_sort(list(DISTINCT tool)) AS tools, local_time(min(started), $zone) AS first_seen,
       local_time(max(started), $zone) AS last_seen
FROM failed
GROUP BY 1
ORDER BY failures DESC, message
LIMIT $limit
