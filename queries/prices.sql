-- title: Prices
-- description: What the price catalogue says of the models that were used: USD a million tokens, by period and by size of the
--   request.
-- param model: text = none; only this model
SELECT p.model, p.host, p.provider, p.priced_as, p.from_date, p.until_date, p.above_tokens, p.upto_tokens,
       p.input, p.cache_read, p.cache_write_5m, p.cache_write_1h, p.output, p.web_search,
       (SELECT value FROM mirror WHERE key = 'price_catalogue') AS catalogue,
       (SELECT value FROM mirror WHERE key = 'price_version') AS version
FROM prices p
WHERE fits(p.model, $model)
ORDER BY p.model, p.host, p.from_date, p.from_time, p.above_tokens
