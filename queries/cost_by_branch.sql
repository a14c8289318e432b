-- title: Cost by branch
-- description: Model calls, tokens and cost by the branch that was checked out when a call was made, the dearest first.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 50; at most so many branches
-- chart: bars name=branch value=cost_usd unit=usd title="Cost by branch" empty="No priced call in this time."
SELECT key.repo AS repo, key.branch AS branch,
       sessions, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, unpriced_calls
FROM usage_by({'repo': c.repo, 'branch': c.branch}, $since, $until, $host, $repo, NULL)
ORDER BY cost_usd DESC NULLS LAST, calls DESC, repo, branch
LIMIT $limit
