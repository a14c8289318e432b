-- title: Share of subagents
-- description: How much of the calls, the output and the cost is that of main sessions, subagents, forks and continuations.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- chart: bars name=relation value=cost_usd unit=usd title="Cost by kind of session" empty="No priced call in this time."
SELECT key AS relation, sessions, calls, output_tokens, cost_usd,
       calls / sum(calls) OVER () AS share_of_calls,
       output_tokens / nullif(sum(output_tokens) OVER (), 0) AS share_of_output,
       cost_usd / nullif(sum(cost_usd) OVER (), 0) AS share_of_cost
FROM usage_by(coalesce(c.relation, 'main'), $since, $until, $host, $repo, NULL)
ORDER BY calls DESC, relation
