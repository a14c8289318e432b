-- title: Citations made
-- description: How often briefs were made, quotations checked and briefs verified, by day of the zone, and passages pinned.
-- param since: time = none; only uses from this time on
-- param until: end = none; only uses before this time (a day is included)
-- param zone: zone = local; the zone that days are counted in
-- chart: over_time value=uses series=command title="Citations made" empty="No quotation has been checked yet."
WITH uses AS (
    SELECT timestamp, command FROM activity WHERE command IN ('check', 'cite', 'brief', 'verify')
    UNION ALL
    SELECT timestamp, 'pin' FROM pins
)
SELECT local_time(timestamp, $zone)::DATE AS day, command, count(*) AS uses
FROM uses
WHERE within(timestamp, $since, $until)
GROUP BY day, command
ORDER BY day NULLS FIRST, command
