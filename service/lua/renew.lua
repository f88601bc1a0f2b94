-- Hold a piece of due work for one lease more, unless it is done.
-- KEYS: due.  ARGV: 1 member, 2 lease in ms.  Answers 1, or 0 where it is done.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
    return 0
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', at + tonumber(ARGV[2])), ARGV[1])
return 1
