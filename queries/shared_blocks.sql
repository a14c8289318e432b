-- title: Blocks in several places
-- description: Sessions whose blocks also stand elsewhere (forks, copies, resumed sessions): how many they hold, and how many
--   are counted at another session.
-- param host: text = none; only this host
-- param limit: integer = 50; at most so many sessions
-- chart: bars name=name value=elsewhere title="Blocks counted at another session" called=Blocks empty="No block stands in two sessions."
SELECT coalesce(title, session) AS name, session, host, relation, parent, repo, blocks, root_blocks,
       blocks - root_blocks AS elsewhere
FROM sessions
WHERE blocks > root_blocks AND fits(host, $host)
ORDER BY elsewhere DESC, session
LIMIT $limit
