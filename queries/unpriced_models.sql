-- title: Models without a price
-- description: Models that the price catalogue does not know, with what they used. Their calls have no cost, which is not
--   the same as none.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that times are shown in
-- chart: bars name=model value=calls title="Models without a price" called="Calls without a price" empty="Every model has a price."
SELECT coalesce(model, '(no model)') AS model, host, count(*) AS calls,
       sum(input_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens)::BIGINT AS whole_input_tokens,
       sum(output_tokens)::BIGINT AS output_tokens,
       local_time(min(timestamp), $zone) AS first_seen, local_time(max(timestamp), $zone) AS last_seen
FROM model_calls
WHERE counted
  AND within(timestamp, $since, $until)
  AND fits(host, $host) AND fits(repo, $repo)
  AND cost_usd IS NULL
GROUP BY 1, host
ORDER BY calls DESC, model, host
