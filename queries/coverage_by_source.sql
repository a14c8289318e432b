-- title: Coverage by source
-- description: For every transcript its state, size and how many of its bytes came to which disposition; the bytes add up to
--   what was read.
-- param host: text = none; only this host
-- param repo: text = none; only sources whose session belongs to this repository
-- param model: text = none; only sources that tell of a call to this model
-- param since: time = none; only sources whose last record is from this time on
-- param until: end = none; only sources whose last record is before this time (a day is included)
-- param state: text = none; only sources in this state
-- param limit: integer = 500; at most so many sources, the largest first
-- chart: coverage_by_source
WITH read AS (
    SELECT source_id, sum(records)::BIGINT AS records, sum(bytes)::BIGINT AS bytes,
           coalesce(sum(bytes) FILTER (disposition = 'indexed'), 0)::BIGINT AS indexed,
           coalesce(sum(bytes) FILTER (disposition = 'metadata'), 0)::BIGINT AS metadata,
           coalesce(sum(bytes) FILTER (disposition = 'duplicate'), 0)::BIGINT AS duplicate,
           coalesce(sum(bytes) FILTER (disposition = 'excluded'), 0)::BIGINT AS excluded,
           coalesce(sum(bytes) FILTER (disposition = 'unknown'), 0)::BIGINT AS unknown,
           coalesce(sum(bytes) FILTER (disposition = 'malformed'), 0)::BIGINT AS malformed,
           coalesce(sum(bytes) FILTER (disposition = 'pending'), 0)::BIGINT AS pending
    FROM ledger GROUP BY source_id
)
SELECT q.path AS source, q.host, q.state, q.detail, q.session, q.repo, q.size,
       coalesce(r.records, 0) AS records, coalesce(r.bytes, 0) AS bytes,
       coalesce(r.indexed, 0) AS indexed, coalesce(r.metadata, 0) AS metadata, coalesce(r.duplicate, 0) AS duplicate,
       coalesce(r.excluded, 0) AS excluded, coalesce(r.unknown, 0) AS unknown, coalesce(r.malformed, 0) AS malformed,
       coalesce(r.pending, 0) AS pending,
       greatest(q.size - coalesce(r.bytes, 0), 0) AS unread
FROM sources q LEFT JOIN read r USING (source_id) LEFT JOIN sessions s ON s.session_id = q.session_id
WHERE fits(q.host, $host) AND fits(q.state, $state)
  AND fits(q.repo, $repo)
  AND ($model IS NULL OR q.source_id IN (SELECT source_id FROM copies.model_calls WHERE fits(model, $model)))
  AND within(coalesce(s.ended, q.modified), $since, $until)
ORDER BY q.size DESC, q.path
LIMIT $limit
