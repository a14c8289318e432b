-- title: Blocks by role and kind
-- description: How many blocks and characters are prompts, answers, tool requests and results, and host text; and how many
--   were cut because they were too long.
-- param since: time = none; only what happened from this time on
-- param until: end = none; only what happened before this time (a day is included)
-- param host: text = none; only this host
-- param repo: text = none; only this repository
-- chart: bars name=what value=characters title="Kept characters by role and kind" called=Characters empty="No block in this time."
SELECT role || ', ' || kind AS what, role, kind, count(*) AS blocks, sum(length)::BIGINT AS characters,
       median(length) AS median_length, max(original_length) AS longest_original,
       count(*) FILTER (original_length > length) AS cut
FROM blocks
WHERE within(timestamp, $since, $until)
  AND fits(host, $host) AND fits(repo, $repo)
GROUP BY role, kind
ORDER BY characters DESC, role, kind
