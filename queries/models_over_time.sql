-- title: Models over time
-- description: Which models were used in which week of the zone; the week's Monday is shown.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that weeks are counted in
-- chart: over_time day=week value=calls series=model title="Models over time" called="Model calls" empty="No model call in this time."
WITH quarters AS (
    -- Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single calls.
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, model, session_id, count(*) AS calls,
           sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd
    FROM model_calls
    WHERE counted
      AND within(timestamp, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
    GROUP BY quarter, model, session_id
),
weeks AS (
    SELECT quarter, date_trunc('week', local_time(quarter, $zone))::DATE AS week
    FROM (SELECT DISTINCT quarter FROM quarters)
)
SELECT w.week, q.model,
       sum(q.calls)::BIGINT AS calls, count(DISTINCT q.session_id) AS sessions,
       sum(q.output_tokens)::BIGINT AS output_tokens, sum(q.cost_usd) AS cost_usd
FROM quarters q JOIN weeks w ON w.quarter IS NOT DISTINCT FROM q.quarter
GROUP BY w.week, q.model
ORDER BY w.week NULLS FIRST, calls DESC, q.model
