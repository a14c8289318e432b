-- title: Active hours
-- description: When somebody was at work: prompts by weekday (1 is Monday) and hour of the zone.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that days are counted in
-- chart: active_hours
WITH prompts AS (
    -- Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single prompts.
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, count(*) AS prompts
    FROM blocks
    WHERE role = 'user' AND kind = 'text' AND timestamp IS NOT NULL
      AND within(timestamp, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
    GROUP BY quarter
)
SELECT isodow(local_time(quarter, $zone)) AS weekday, hour(local_time(quarter, $zone)) AS hour,
       sum(prompts)::BIGINT AS prompts, count(DISTINCT local_time(quarter, $zone)::DATE) AS days
FROM prompts
GROUP BY weekday, hour
ORDER BY weekday, hour
