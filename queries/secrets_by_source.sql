-- title: Secrets by source
-- description: In which transcripts secrets stood, by kind, host, repository and month: the raw files still hold them, so rotate
--   these keys, then take them out of the files. `redact --audit` names the lines. Never a value.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param kind: text = none; only this kind
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that months are counted in
-- param limit: integer = 500; at most so many rows, the newest month first
-- chart: over_time day=month value=spans series=kind title="Secrets by month" called="Spans taken out" empty="Nothing has been taken out."
SELECT q.path AS source, r.kind, q.host, b.repo, date_trunc('month', local_time(b.timestamp, $zone))::DATE AS month,
       sum(r.spans)::BIGINT AS spans, count(DISTINCT r.text_id) AS blocks, q.state
FROM redactions r JOIN blocks b USING (text_id) JOIN sources q USING (source_id)
WHERE within(b.timestamp, $since, $until)
  AND fits(r.kind, $kind) AND fits(q.host, $host) AND fits(b.repo, $repo)
GROUP BY q.path, r.kind, q.host, b.repo, month, q.state
ORDER BY month DESC NULLS LAST, spans DESC, q.path, r.kind
LIMIT $limit
