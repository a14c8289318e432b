-- title: Judgments
-- description: The grades that were given to passages, question by question.
-- param since: time = none; only judgments from this time on
-- param until: end = none; only judgments before this time (a day is included)
-- param zone: zone = local; the zone that times are shown in
-- param limit: integer = 500; at most so many, the newest first
SELECT local_time(j.timestamp, $zone) AS timestamp, j.question, j.grade, j.config, j.block_id, j.start, j."end" AS end_, b.host, b.session, b.repo
FROM judgments j LEFT JOIN blocks b USING (block_id)
WHERE within(j.timestamp, $since, $until)
ORDER BY j.timestamp DESC, j.judgment_id DESC
LIMIT $limit
