-- title: Sources at risk
-- description: Transcripts that are gone from the disk, so that the store is their only copy, and transcripts that are not
--   wholly captured and were last written longer ago than hosts keep them.
-- param days: integer = 30; how many days a host keeps a transcript
-- param host: text = none; only this host
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 200; at most so many sources, the oldest first
-- chart: bars name=source value=days_old title="Sources at risk" called="Days since the last change" empty="No source is at risk."
SELECT q.path AS source, q.host, q.state,
       CASE WHEN q.state = 'source_missing' THEN 'gone from the disk; the store is its only copy'
            ELSE 'not wholly captured; its host may delete it' END AS risk,
       date_diff('day', q.modified, now()::TIMESTAMP) AS days_old,
       greatest(q.size - q.cursor, 0) AS unread, local_time(q.modified, $zone) AS modified, q.session, q.repo
FROM sources q
WHERE (q.state = 'source_missing'
       OR q.state NOT IN ('complete', 'off') AND q.modified < now()::TIMESTAMP - to_days($days::INTEGER))
  AND fits(q.host, $host)
ORDER BY q.modified, q.path
LIMIT $limit
