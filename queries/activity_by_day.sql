-- title: Work by day
-- description: Sessions, turns that began, prompts, blocks and hours with a prompt, by day of the zone.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that days are counted in
-- chart: over_time value=prompts title="Prompts by day"
WITH quarters AS (
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, session_id, count(*) AS blocks,
           count(*) FILTER (role = 'user' AND kind = 'text') AS prompts
    FROM blocks
    WHERE timestamp IS NOT NULL
      AND within(timestamp, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
    GROUP BY quarter, session_id
),
-- Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single blocks.
times AS (
    SELECT quarter, local_time(quarter, $zone)::DATE AS day, hour(local_time(quarter, $zone)) AS hour
    FROM (SELECT DISTINCT quarter FROM quarters)
),
started AS (
    SELECT local_time(quarter, $zone)::DATE AS day, sum(turns)::BIGINT AS turns
    FROM (
        SELECT time_bucket(INTERVAL 15 MINUTE, t.started) AS quarter, count(*) AS turns
        FROM turns t JOIN sessions s USING (session_id)
        WHERE t.turn > 0 AND fits(s.host, $host) AND fits(s.repo, $repo)
        GROUP BY quarter
    )
    GROUP BY day
)
SELECT t.day,
       count(DISTINCT q.session_id) AS sessions,
       coalesce(any_value(s.turns), 0) AS turns,
       sum(q.prompts)::BIGINT AS prompts,
       sum(q.blocks)::BIGINT AS blocks,
       count(DISTINCT t.hour) FILTER (q.prompts > 0) AS active_hours
FROM quarters q JOIN times t USING (quarter) LEFT JOIN started s USING (day)
GROUP BY t.day
ORDER BY t.day
