-- title: Slowest commands
-- description: The tool calls that took the longest, with the beginning of what was asked of them.
-- param since: time = none; only calls from this time on
-- param until: end = none; only calls before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param tool: text = none; only this tool
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 30; at most so many calls
-- chart: bars name=called value=seconds unit=seconds title="Slowest commands" empty="No call with a known duration."
SELECT t.request, t.tool, t.duration_ms / 1000 AS seconds, t.failed, t.error,
       local_time(t.started, $zone) AS started, t.session, t.turn, t.repo, t.request_block,
       concat_ws(' ', t.tool, regexp_replace(t.request, '^(command|cmd): ', '')) AS called
FROM tool_calls t
WHERE t.duration_ms IS NOT NULL
  AND within(t.started, $since, $until)
  AND fits(t.host, $host) AND fits(t.repo, $repo) AND fits(t.tool, $tool)
ORDER BY t.duration_ms DESC, t.started, t.call_id
LIMIT $limit
