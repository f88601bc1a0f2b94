-- Stop a simulation. What is committed stays; what is being played will find its range gone.
-- KEYS: about, open, then segments that may be open.  Answers 1, or 0 where it was over or is not there.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'waiting' and state ~= 'running' then
    return 0
end
local now = redis.call('TIME')
local at = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
redis.call('HSET', KEYS[1], 'state', 'cancelled', 'finished_at', at)
redis.call('DEL', KEYS[2], unpack(KEYS, 3))
return 1
