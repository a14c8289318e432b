-- title: Dearest sessions
-- description: The sessions that cost the most, with their subagents' calls counted at the subagents themselves.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 30; at most so many sessions
-- chart: bars name=name value=cost_usd unit=usd title="Dearest sessions" empty="No priced call in this time."
WITH calls AS (
    SELECT session_id,
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
    GROUP BY session_id
    ORDER BY cost_usd DESC NULLS LAST, calls DESC
    LIMIT $limit
)
SELECT coalesce(s.title, s.session) AS name, s.session, s.host, s.repo, s.relation, s.turns, c.* EXCLUDE (session_id)
FROM calls c JOIN sessions s USING (session_id)
ORDER BY c.cost_usd DESC NULLS LAST, c.calls DESC, s.session
