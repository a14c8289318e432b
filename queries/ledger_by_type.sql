-- title: Ledger by record type
-- description: How many records and bytes of each type were indexed, excluded, metadata, duplicate, unknown, malformed or
--   pending, over all sources.
-- param host: text = none; only this host
-- param disposition: text = none; only this disposition
-- chart: ledger_by_type
SELECT q.host, l.record_type, l.disposition, sum(l.records)::BIGINT AS records, sum(l.bytes)::BIGINT AS bytes,
       count(DISTINCT l.source_id) AS sources
FROM ledger l JOIN sources q USING (source_id)
WHERE fits(q.host, $host) AND fits(l.disposition, $disposition)
GROUP BY q.host, l.record_type, l.disposition
ORDER BY bytes DESC, q.host, l.record_type, l.disposition
