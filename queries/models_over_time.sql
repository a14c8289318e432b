-- title: Models over time
-- description: Which models were used in which week of the zone; the week's Monday is shown.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that weeks are counted in
-- chart: over_time day=week value=calls series=model title="Models over time" called="Model calls" empty="No model call in this time."
SELECT date_trunc('week', local_time(timestamp, $zone))::DATE AS week, model,
       count(*) AS calls, count(DISTINCT session_id) AS sessions,
       sum(output_tokens)::BIGINT AS output_tokens, sum(cost_usd) AS cost_usd
FROM model_calls
WHERE counted
  AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
  AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
GROUP BY week, model
ORDER BY week NULLS FIRST, calls DESC, model
