-- title: Unknown record types
-- description: Record types that no rule knows, with how many records and bytes they take; nothing of them is indexed.
-- param host: text = none; only this host
-- chart: bars name=record_type value=records title="Unknown record types" called=Records empty="Every record type is known."
SELECT q.host, l.record_type, sum(l.records)::BIGINT AS records, sum(l.bytes)::BIGINT AS bytes,
       count(DISTINCT l.source_id) AS sources
FROM ledger l JOIN sources q USING (source_id)
WHERE l.disposition = 'unknown' AND fits(q.host, $host)
GROUP BY q.host, l.record_type
ORDER BY records DESC, q.host, l.record_type
