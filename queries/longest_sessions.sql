-- title: Longest sessions
-- description: The sessions with the most active time. Active time adds up the gaps between neighbouring blocks, each capped:
--   what is longer is a break.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param break_minutes: integer = 10; a gap counts for at most so many minutes
-- param limit: integer = 30; at most so many sessions
-- chart: bars name=name value=active_minutes title="Longest sessions" called="Active minutes" empty="No session in this time."
WITH shown AS (
    SELECT * FROM sessions
    WHERE spans(started, ended, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
),
active AS (
    SELECT session_id, sum(least(seconds, 60 * $break_minutes) * pauses) / 60 AS active_minutes
    FROM pauses WHERE session_id IN (SELECT session_id FROM shown) GROUP BY session_id
)
SELECT coalesce(s.title, s.session) AS name, s.session, s.host, s.repo, s.turns, s.blocks,
       coalesce(a.active_minutes, 0) AS active_minutes,
       date_diff('second', s.started, s.ended) / 60 AS minutes
FROM shown s LEFT JOIN active a USING (session_id)
ORDER BY active_minutes DESC, s.blocks DESC, s.session
LIMIT $limit
