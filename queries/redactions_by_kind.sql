-- title: Redactions by kind
-- description: What was taken out of the kept texts, by kind: how many spans, in how many blocks and sessions. Never a value.
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- param zone: zone = local; the zone that times are shown in
-- chart: redactions_by_kind
SELECT r.kind, sum(r.spans)::BIGINT AS spans, count(DISTINCT r.text_id) AS blocks, count(DISTINCT b.session_id) AS sessions,
       local_time(min(b.timestamp), $zone) AS first_seen, local_time(max(b.timestamp), $zone) AS last_seen
FROM redactions r JOIN blocks b USING (text_id)
WHERE fits(b.host, $host) AND fits(b.repo, $repo)
GROUP BY r.kind
ORDER BY spans DESC, r.kind
