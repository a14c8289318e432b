-- title: Cache hit rate
-- description: Which share of the whole input was read from the cache, by day and host. The whole input is uncached input,
--   cache reads and cache writes.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param model: text = none; only this model
-- param zone: zone = local; the zone that days are counted in
-- chart: rate_over_time value=hit_rate series=host title="Cache hit rate" called="Share of the input read from the cache"
WITH quarters AS (
    -- Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single calls.
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, host, count(*) AS calls,
           sum(cache_read_tokens) AS cache_read_tokens,
           sum(input_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens) AS whole_input_tokens
    FROM model_calls
    WHERE counted
      AND within(timestamp, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
      AND fits(model, $model)
    GROUP BY quarter, host
)
SELECT local_time(quarter, $zone)::DATE AS day, host,
       sum(calls)::BIGINT AS calls,
       sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
       sum(whole_input_tokens)::BIGINT AS whole_input_tokens,
       sum(cache_read_tokens) / nullif(sum(whole_input_tokens), 0) AS hit_rate
FROM quarters
GROUP BY day, host
ORDER BY day NULLS FIRST, host
