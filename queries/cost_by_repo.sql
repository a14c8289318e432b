-- title: Cost by repository
-- description: Sessions, model calls, tokens and cost of every repository, the dearest first.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param model: text = none; only this model
-- param limit: integer = 50; at most so many repositories
-- chart: bars name=repo value=cost_usd unit=usd title="Cost by repository" empty="No priced call in this time."
SELECT repo,
       count(DISTINCT session_id) AS sessions,
       count(*) AS calls,
       sum(input_tokens)::BIGINT AS input_tokens,
       sum(output_tokens)::BIGINT AS output_tokens,
       sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
       sum(cache_write_5m_tokens + cache_write_1h_tokens)::BIGINT AS cache_write_tokens,
       sum(cost_usd) AS cost_usd,
       count(*) FILTER (cost_usd IS NULL) AS unpriced_calls
FROM model_calls
WHERE counted
  AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
  AND ($host IS NULL OR host = $host) AND ($model IS NULL OR model = $model)
GROUP BY repo
ORDER BY cost_usd DESC NULLS LAST, calls DESC, repo
LIMIT $limit
