-- title: Tokens by model
-- description: Calls, tokens by class and cost of every model. A model without a price has no cost; its calls are counted as
--   unpriced.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param model: text = none; only this model
-- chart: tokens_by_model
SELECT key.model AS model, key.host AS host,
       calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_calls
FROM usage_by({'model': c.model, 'host': c.host}, $since, $until, $host, $repo, $model)
ORDER BY input_tokens + output_tokens + cache_read_tokens + cache_write_tokens DESC, model, host
