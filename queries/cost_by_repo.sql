-- title: Cost by repository
-- description: Sessions, model calls, tokens and cost of every repository, the dearest first.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param model: text = none; only this model
-- param limit: integer = 50; at most so many repositories
-- chart: bars name=repo value=cost_usd unit=usd title="Cost by repository" empty="No priced call in this time."
SELECT key AS repo, sessions, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, unpriced_calls
FROM usage_by(c.repo, $since, $until, $host, NULL, $model)
ORDER BY cost_usd DESC NULLS LAST, calls DESC, repo
LIMIT $limit
