-- title: Prompts per session
-- description: How many sessions took how many prompts. Subagents have none of their own and are left out.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- chart: bars name=prompts value=sessions title="Prompts per session" called=Sessions empty="No session in this time."
WITH counted AS (
    SELECT CASE WHEN prompts = 0 THEN 0 WHEN prompts = 1 THEN 1 WHEN prompts <= 3 THEN 2 WHEN prompts <= 7 THEN 4
                WHEN prompts <= 15 THEN 8 WHEN prompts <= 31 THEN 16 WHEN prompts <= 63 THEN 32 ELSE 64 END AS from_prompts,
           prompts AS n, turns
    FROM sessions
    WHERE relation IS DISTINCT FROM 'subagent'
      AND spans(started, ended, $since, $until)
      AND fits(host, $host) AND fits(repo, $repo)
)
SELECT CASE from_prompts WHEN 0 THEN 'none' WHEN 1 THEN '1' WHEN 64 THEN '64 or more'
            ELSE from_prompts || ' to ' || (2 * from_prompts - 1) END AS prompts,
       count(*) AS sessions, sum(n)::BIGINT AS all_prompts, median(turns) AS median_turns
FROM counted
GROUP BY from_prompts
ORDER BY from_prompts
