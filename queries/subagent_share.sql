-- title: Share of subagents
-- description: How much of the calls, the output and the cost is that of main sessions, subagents, forks and continuations.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- chart: bars name=relation value=cost_usd unit=usd title="Cost by kind of session" empty="No priced call in this time."
SELECT coalesce(relation, 'main') AS relation,
       count(DISTINCT session_id) AS sessions,
       count(*) AS calls,
       sum(output_tokens)::BIGINT AS output_tokens,
       sum(cost_usd) AS cost_usd,
       count(*) / sum(count(*)) OVER () AS share_of_calls,
       sum(output_tokens) / nullif(sum(sum(output_tokens)) OVER (), 0) AS share_of_output,
       sum(cost_usd) / nullif(sum(sum(cost_usd)) OVER (), 0) AS share_of_cost
FROM model_calls
WHERE counted
  AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
  AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
GROUP BY 1
ORDER BY calls DESC, relation
