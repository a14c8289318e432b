-- title: Usage by day
-- description: Model calls, their tokens and their cost, by day of the zone. Cost is NULL on a day without a priced call.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param model: text = none; only this model
-- param zone: zone = local; the zone that days are counted in
-- chart: usage_by_day
SELECT key AS day, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, unpriced_calls
FROM usage_by_day($zone, $since, $until, $host, $repo, $model)
ORDER BY day NULLS FIRST
