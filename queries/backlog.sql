-- title: Backlog
-- description: Sources that are not complete: their state, what is the matter, and how many bytes wait.
-- param host: text = none; only this host
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 200; at most so many sources
-- chart: bars name=source value=unread title="Backlog" unit=bytes called="Unread bytes" empty="Every known source is complete."
SELECT q.path AS source, q.host, q.state, q.detail, q.session, q.repo, q.size, greatest(q.size - q.cursor, 0) AS unread,
       local_time(q.modified, $zone) AS modified, local_time(q.captured_at, $zone) AS captured_at
FROM sources q
WHERE q.state <> 'complete' AND fits(q.host, $host)
ORDER BY unread DESC, q.path
LIMIT $limit
