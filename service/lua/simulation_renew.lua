-- Hold a range for one lease more, or with a lease of 0 give it back.
-- KEYS: about, open.  ARGV: 1 range, 2 lease in ms.
-- Answers 1, or 0 where nobody needs the range any more: it was committed, or the simulation is over.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return 0
end
if ARGV[2] == '0' then
    redis.call('HDEL', KEYS[1], 'tries:' .. ARGV[1])
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
redis.call('ZADD', KEYS[2], string.format('%.0f', at + tonumber(ARGV[2])), ARGV[1])
return 1
