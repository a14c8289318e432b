-- title: Compactions
-- description: Every summary that a host wrote when a conversation grew too long: when, where, and how long it is.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 200; at most so many, the newest first
-- chart: over_time day=day value=compactions title="Compactions" empty="No compaction in this time."
SELECT local_time(b.timestamp, $zone)::DATE AS day, 1 AS compactions, local_time(b.timestamp, $zone) AS at_time,
       b.host, coalesce(s.title, s.session) AS name, b.session, b.turn, s.turns, b.repo, b.length AS summary_length, b.block_id
FROM blocks b JOIN sessions s USING (session_id)
WHERE b.kind = 'summary' AND b.timestamp IS NOT NULL -- summaries without a time are titles of older sessions
  AND within(b.timestamp, $since, $until)
  AND fits(b.host, $host) AND fits(b.repo, $repo)
ORDER BY b.timestamp DESC NULLS LAST, b.block_id
LIMIT $limit
