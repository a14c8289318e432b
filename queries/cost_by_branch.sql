-- title: Cost by branch
-- description: Model calls, tokens and cost by the branch that was checked out when a call was made, the dearest first.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 50; at most so many branches
-- chart: bars name=branch value=cost_usd unit=usd title="Cost by branch" empty="No priced call in this time."
SELECT repo, branch,
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
  AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
GROUP BY repo, branch
ORDER BY cost_usd DESC NULLS LAST, calls DESC, repo, branch
LIMIT $limit
