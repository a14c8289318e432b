-- title: Coverage by repository
-- description: Sources, sessions, blocks and bytes of every repository, and how much of them was indexed.
-- param host: text = none; only this host
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 50; at most so many repositories, the largest first
-- chart: bars name=repo value=bytes unit=bytes title="Coverage by repository" empty="No source has been captured yet."
WITH read AS (
    SELECT source_id, sum(bytes)::BIGINT AS bytes,
           coalesce(sum(bytes) FILTER (disposition = 'indexed'), 0)::BIGINT AS indexed
    FROM ledger GROUP BY source_id
),
kept AS (SELECT repo, count(*) AS blocks, sum(length)::BIGINT AS characters FROM blocks GROUP BY repo),
told AS (
    SELECT q.repo, count(*) AS sources, count(DISTINCT q.session_id) AS sessions,
           count(*) FILTER (q.state <> 'complete') AS incomplete,
           coalesce(sum(r.bytes), 0)::BIGINT AS bytes, coalesce(sum(r.indexed), 0)::BIGINT AS indexed_bytes,
           max(q.modified) AS last_change
    FROM sources q LEFT JOIN read r USING (source_id)
    WHERE fits(q.host, $host)
    GROUP BY q.repo
)
SELECT t.repo, t.sources, t.sessions, t.incomplete, t.bytes, t.indexed_bytes,
       coalesce(k.blocks, 0) AS blocks, coalesce(k.characters, 0) AS characters,
       local_time(t.last_change, $zone) AS last_change
FROM told t LEFT JOIN kept k ON k.repo IS NOT DISTINCT FROM t.repo
ORDER BY t.bytes DESC, t.repo
LIMIT $limit
