-- title: Error names by week
-- description: Names of errors (ValueError, ENOENT, SIGKILL …) in how many blocks, by week of the zone; the week's Monday is
--   shown.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that weeks are counted in
-- param limit: integer = 12; at most so many names, the commonest
-- chart: over_time day=week value=blocks series=error title="Error names by week" empty="No error name in this time."
WITH named AS (
    SELECT e.value AS error, b.text_id, b.session_id, b.timestamp
    FROM (SELECT DISTINCT value, text_id FROM entities WHERE kind = 'error') e JOIN blocks b USING (text_id)
    WHERE within(b.timestamp, $since, $until)
      AND fits(b.host, $host) AND fits(b.repo, $repo)
),
commonest AS (SELECT error FROM named GROUP BY error ORDER BY count(*) DESC, error LIMIT $limit)
SELECT date_trunc('week', local_time(timestamp, $zone))::DATE AS week, error, count(*) AS blocks,
       count(DISTINCT session_id) AS sessions
FROM named
WHERE error IN (SELECT error FROM commonest)
GROUP BY week, error
ORDER BY week NULLS FIRST, blocks DESC, error
