-- title: Work by day
-- description: Sessions, prompts, turns, blocks and hours with a prompt, by day of the zone.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that days are counted in
-- chart: over_time value=prompts title="Prompts by day"
WITH quarters AS (
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, session_id, turn, count(*) AS blocks,
           count(*) FILTER (role = 'user' AND kind = 'text') AS prompts
    FROM blocks
    WHERE timestamp IS NOT NULL
      AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
      AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
    GROUP BY quarter, session_id, turn
)
SELECT local_time(quarter, $zone)::DATE AS day,
       count(DISTINCT session_id) AS sessions,
       count(DISTINCT (session_id, turn)) FILTER (turn > 0) AS turns,
       sum(prompts)::BIGINT AS prompts,
       sum(blocks)::BIGINT AS blocks,
       count(DISTINCT hour(local_time(quarter, $zone))) FILTER (prompts > 0) AS active_hours
FROM quarters
GROUP BY day
ORDER BY day
