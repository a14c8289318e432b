-- title: Coverage by host
-- description: Sources, sessions, records and bytes of every host, by what became of them, and when it was captured last.
-- param zone: zone = local; the zone that times are shown in
-- chart: coverage_by_source title="Coverage by host" of=host
WITH read AS (
    SELECT source_id, sum(records)::BIGINT AS records,
           sum(bytes) FILTER (disposition = 'indexed') AS indexed, sum(bytes) FILTER (disposition = 'metadata') AS metadata,
           sum(bytes) FILTER (disposition = 'duplicate') AS duplicate, sum(bytes) FILTER (disposition = 'excluded') AS excluded,
           sum(bytes) FILTER (disposition = 'unknown') AS unknown, sum(bytes) FILTER (disposition = 'malformed') AS malformed,
           sum(bytes) FILTER (disposition = 'pending') AS pending, sum(bytes)::BIGINT AS bytes
    FROM ledger GROUP BY source_id
)
SELECT q.host AS source, q.host, count(*) AS sources, count(DISTINCT q.session_id) AS sessions,
       count(*) FILTER (q.state = 'complete') AS complete,
       CASE WHEN bool_and(q.state = 'complete') THEN 'complete' ELSE 'incomplete' END AS state,
       sum(q.size)::BIGINT AS size, coalesce(sum(r.records), 0)::BIGINT AS records, coalesce(sum(r.bytes), 0)::BIGINT AS bytes,
       coalesce(sum(r.indexed), 0)::BIGINT AS indexed, coalesce(sum(r.metadata), 0)::BIGINT AS metadata,
       coalesce(sum(r.duplicate), 0)::BIGINT AS duplicate, coalesce(sum(r.excluded), 0)::BIGINT AS excluded,
       coalesce(sum(r.unknown), 0)::BIGINT AS unknown, coalesce(sum(r.malformed), 0)::BIGINT AS malformed,
       coalesce(sum(r.pending), 0)::BIGINT AS pending,
       sum(greatest(q.size - coalesce(r.bytes, 0), 0))::BIGINT AS unread,
       local_time(max(q.captured_at), $zone) AS last_capture
FROM sources q LEFT JOIN read r USING (source_id)
GROUP BY q.host
ORDER BY size DESC, q.host
