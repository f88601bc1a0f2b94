-- Take note that playing a range has failed: it is free to be taken again, or the simulation has failed.
-- KEYS: about, open.  ARGV: 1 range, 2 how often it may be tried, 3 the failure (JSON).
-- Answers 1, 2 where the simulation has failed with it, or 0 where the range was not open.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return 0
end
if tonumber(redis.call('HGET', KEYS[1], 'tries:' .. ARGV[1])) < tonumber(ARGV[2]) then
    redis.call('ZADD', KEYS[2], 0, ARGV[1])
    return 1
end
local now = redis.call('TIME')
local at = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
redis.call('HSET', KEYS[1], 'state', 'failed', 'failure', ARGV[3], 'finished_at', at)
redis.call('DEL', KEYS[2])
return 2
