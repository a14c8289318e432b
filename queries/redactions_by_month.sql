-- title: Redactions by month
-- description: What was taken out, by month of the zone, kind, host and repository. Never a value.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that months are counted in
-- chart: over_time day=month value=spans series=kind title="Redactions by month" called="Spans taken out" empty="Nothing has been taken out."
SELECT date_trunc('month', local_time(b.timestamp, $zone))::DATE AS month, r.kind, b.host, b.repo,
       sum(r.spans)::BIGINT AS spans, count(DISTINCT r.text_id) AS blocks
FROM redactions r JOIN blocks b USING (text_id)
WHERE within(b.timestamp, $since, $until)
  AND fits(b.host, $host) AND fits(b.repo, $repo)
GROUP BY month, r.kind, b.host, b.repo
ORDER BY month NULLS FIRST, spans DESC, r.kind, b.host, b.repo
