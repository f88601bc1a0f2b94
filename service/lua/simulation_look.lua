-- Write down what the next look of a sequential test has found, and count its segment in. Looks come in order, and a
-- look is a function of what lies below it, so that it does not matter who takes it, or how many do.
-- KEYS: about, open, tally, the look's segment, then segments that may be open beyond it.
-- ARGV: 1 look, 2 what it stops with (JSON; '' where the simulation goes on), 3 retention in ms.
-- Answers 1, 2 where the simulation is over with it, or 0 where this look was taken before.
local has = redis.call('HMGET', KEYS[1], 'state', 'looks')
if has[1] ~= 'running' or tonumber(has[2]) ~= tonumber(ARGV[1]) - 1 then
    return 0
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local found = redis.call('HGETALL', KEYS[4])
for place = 1, #found, 2 do
    redis.call('HINCRBY', KEYS[3], found[place], found[place + 1])
end
redis.call('DEL', KEYS[4])
redis.call('HDEL', KEYS[1], 'done:' .. ARGV[1])
redis.call('HSET', KEYS[1], 'looks', ARGV[1])
if ARGV[2] ~= '' then
    redis.call('HSET', KEYS[1], 'state', 'done', 'stopped', ARGV[2], 'finished_at', string.format('%.0f', at))
    redis.call('DEL', KEYS[2], unpack(KEYS, 5))
end
local expires = string.format('%.0f', at + tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'expires_at', expires)
for key = 1, 3 do
    redis.call('PEXPIREAT', KEYS[key], expires)
end
return ARGV[2] ~= '' and 2 or 1
