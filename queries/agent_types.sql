-- title: Subagents by type
-- description: Which types of subagent were called, how often, and what they used.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- chart: bars name=agent_type value=sessions title="Subagents by type" called="Subagents" empty="No subagent in this time."
WITH agents AS (
    SELECT session_id, coalesce(agent_type, '(no type)') AS agent_type, blocks
    FROM sessions
    WHERE relation = 'subagent'
      AND spans(started, ended, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
),
calls AS (
    SELECT session_id, count(*) AS calls, sum(output_tokens)::BIGINT AS output_tokens, sum(cost_usd) AS cost_usd
    FROM model_calls WHERE counted AND session_id IN (SELECT session_id FROM agents) GROUP BY session_id
)
SELECT a.agent_type, count(*) AS sessions, sum(a.blocks)::BIGINT AS blocks, coalesce(sum(c.calls), 0)::BIGINT AS calls,
       coalesce(sum(c.output_tokens), 0)::BIGINT AS output_tokens, sum(c.cost_usd) AS cost_usd
FROM agents a LEFT JOIN calls c USING (session_id)
GROUP BY a.agent_type
ORDER BY sessions DESC, a.agent_type
