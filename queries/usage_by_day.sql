-- title: Usage by day
-- description: Model calls, their tokens and their cost, by day of the zone. Cost is NULL on a day without a priced call.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param model: text = none; only this model
-- param zone: zone = local; the zone that days are counted in
-- chart: usage_by_day
WITH quarters AS (
    -- Every zone is a multiple of a quarter of an hour away from UTC, so quarters are converted, not single calls.
    SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter,
           count(*) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
           sum(cache_read_tokens) AS cache_read_tokens,
           sum(cache_write_5m_tokens + cache_write_1h_tokens) AS cache_write_tokens,
           sum(cost_usd) AS cost_usd, count(*) FILTER (cost_usd IS NULL) AS unpriced_calls
    FROM model_calls
    WHERE counted
      AND ($since IS NULL OR timestamp >= $since::TIMESTAMP) AND ($until IS NULL OR timestamp < $until::TIMESTAMP)
      AND ($host IS NULL OR host = $host) AND ($repo IS NULL OR repo = $repo)
      AND ($model IS NULL OR model = $model)
    GROUP BY quarter
)
SELECT local_time(quarter, $zone)::DATE AS day,
       sum(calls)::BIGINT AS calls,
       sum(input_tokens)::BIGINT AS input_tokens,
       sum(output_tokens)::BIGINT AS output_tokens,
       sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
       sum(cache_write_tokens)::BIGINT AS cache_write_tokens,
       sum(cost_usd) AS cost_usd,
       sum(unpriced_calls)::BIGINT AS unpriced_calls
FROM quarters
GROUP BY day
ORDER BY day NULLS FIRST
