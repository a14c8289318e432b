-- title: Sessions
-- description: Every session with its size, tools, tokens and cost, the newest first. Calls that are copied into forks and
--   subagents count at their root session only.
-- param since: time = none; only sessions that ended from this time on
-- param until: end = none; only sessions that started before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 200; at most so many sessions
-- chart: sessions
WITH shown AS (
    SELECT * FROM sessions
    WHERE spans(started, ended, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
    ORDER BY started DESC NULLS LAST, session
    LIMIT $limit
),
calls AS (
    SELECT session_id, count(*) AS model_calls, sum(output_tokens)::BIGINT AS output_tokens, sum(cost_usd) AS cost_usd
    FROM model_calls WHERE counted AND session_id IN (SELECT session_id FROM shown) GROUP BY session_id
),
tools AS (
    SELECT session_id, count(*) AS tool_calls, count(*) FILTER (failed) AS failures
    FROM tool_calls WHERE session_id IN (SELECT session_id FROM shown) GROUP BY session_id
)
SELECT s.session, s.host, s.title, s.repo, s.branch, s.model, s.relation,
       local_time(s.started, $zone) AS started, local_time(s.ended, $zone) AS ended,
       date_diff('second', s.started, s.ended) / 60 AS minutes,
       s.turns, s.prompts, s.blocks,
       coalesce(t.tool_calls, 0) AS tool_calls, coalesce(t.failures, 0) AS failures,
       coalesce(c.model_calls, 0) AS model_calls, coalesce(c.output_tokens, 0) AS output_tokens, c.cost_usd
FROM shown s LEFT JOIN calls c USING (session_id) LEFT JOIN tools t USING (session_id)
ORDER BY s.started DESC NULLS LAST, s.session
