-- title: Own activity
-- description: How often recall_lab itself was used, by day of the zone and command. Queries' texts are never kept.
-- param since: time = none; only uses from this time on
-- param until: end = none; only uses before this time (a day is included)
-- param zone: zone = local; the zone that days are counted in
-- chart: own_activity
SELECT local_time(timestamp, $zone)::DATE AS day, command, count(*) AS uses,
       count(*) FILTER (exit_code <> 0) AS failures, median(seconds) AS median_seconds
FROM activity
WHERE within(timestamp, $since, $until)
GROUP BY day, command
ORDER BY day, command
