-- title: Dearest sessions
-- description: The sessions that cost the most, with their subagents' calls counted at the subagents themselves.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param limit: integer = 30; at most so many sessions
-- chart: bars name=name value=cost_usd unit=usd title="Dearest sessions" empty="No priced call in this time."
SELECT coalesce(s.title, s.session) AS name, s.session, s.host, s.repo, s.relation, s.turns,
       c.calls, c.input_tokens, c.output_tokens, c.cache_read_tokens, c.cache_write_tokens, c.cost_usd, c.unpriced_calls
FROM usage_by(c.session_id, $since, $until, $host, $repo, NULL) c JOIN sessions s ON s.session_id = c.key
ORDER BY c.cost_usd DESC NULLS LAST, c.calls DESC, s.session
LIMIT $limit
