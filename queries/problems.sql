-- title: Records that could not be used as they were
-- description: Malformed and unknown records, and those with bytes that had to be replaced: in which source, at which byte, and why. Never their text.
-- param host: text = none; only this host
-- param limit: integer = 200; at most so many
SELECT q.path AS source, q.host, p."offset" AS byte_offset, p.length AS bytes, p.disposition, p.reason
FROM problems p JOIN sources q USING (source_id)
WHERE fits(q.host, $host)
ORDER BY q.path, p."offset"
LIMIT $limit
