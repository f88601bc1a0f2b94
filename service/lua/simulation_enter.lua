-- Put a simulation on the list of those that are worked on, where its asker has not too many there.
-- KEYS: active (sorted set by time), of (the set of one asker's).
-- ARGV: 1 simulation, 2 the most of one asker (0 for any number), 3 retention of the asker's set in ms.
-- Answers 1, or 0 where too many are there. One that is on the list stays there.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
    return 1
end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do
    if not redis.call('ZSCORE', KEYS[1], id) then
        redis.call('SREM', KEYS[2], id)
    end
end
if ARGV[2] ~= '0' and redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[2]) then
    return 0
end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[1], now[1] .. string.format('%03d', math.floor(tonumber(now[2]) / 1000)), ARGV[1])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
